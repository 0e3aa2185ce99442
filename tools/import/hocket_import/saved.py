"""A module for the program of a file: the other pieces take it for the one that was
exported. Its class, members and tensors have the same names; it runs the program."""

import operator

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from .archive import first_line
from .export import op_name
from .inline import inline
from .refuse import Refused


class Runs(torch.fx.Interpreter):
    """Runs a program's graph with dropout off, and norms as they are in use."""

    def run_node(self, node):
        args, kwargs = self.fetch_args_kwargs_from_env(node)
        name = op_name(node) if node.op == "call_function" else ""
        if name == "dropout":
            return args[0]
        if name == "batch_norm":
            args = (*args[:5], False, *args[6:])
        elif name == "scaled_dot_product_attention":
            args = (*args[:4], 0.0, *args[5:]) if len(args) > 4 else args
            kwargs = {**kwargs, "dropout_p": 0.0} if "dropout_p" in kwargs else kwargs
        elif name == "view":  # values of other strides than those that were traced
            return torch.ops.aten.reshape.default(*args, **kwargs)
        return getattr(self, node.op)(node.target, args, kwargs)


class Saved:
    """program  what the stages read, and change
    module   of the class, the members and the tensors of the one that was exported
    inputs   input's name -> its example
    shapes   input's name -> its sizes: numbers, and symbols for those that vary
    """

    def __init__(self, program, path):
        self.program, self.path = program, path
        inline(program.graph_module)
        self.module = make_module(program, self.run)
        names = [entry.fqn for entry in program.module_call_graph]
        self.arrays = {name.rpartition(".")[0] for name in names
                       if name.rpartition(".")[2].isdigit()}
        for name in names:
            self.member(name)
        self.fill_tensors()
        self.fill_inputs()
        copied = torch.fx.Graph()
        copied.output(copied.graph_copy(program.graph, {}))
        self.runs = Runs(torch.fx.GraphModule(program.graph_module, copied))

    def member(self, path):
        """The member at a path, made where there is none."""
        here, at = self.module, ""
        for part in filter(None, path.split(".")):
            at = f"{at}.{part}".strip(".")
            if part not in dict(here.named_children()):
                here.add_module(part, nn.ModuleList() if at in self.arrays else nn.Module())
            here = here.get_submodule(part)
        return here

    def fill_tensors(self):
        program, known, tied = self.program, {}, {}
        tensors = {**program.state_dict, **program.constants}
        for name, tensor in tensors.items():
            if torch.is_tensor(tensor) and tensor.device.type != "cpu":
                raise Refused(f"'{name}' of '{self.path}' is on {tensor.device}; export "
                              "the module on the CPU")
        for name, tensor in program.state_dict.items():
            path, _, own = name.rpartition(".")
            if isinstance(tensor, nn.Parameter):  # one where they are tied
                first, tensor = known.setdefault((tensor.data_ptr(), tensor.shape),
                                                 (name, tensor))
                self.member(path).register_parameter(own, tensor)
                if first != name:
                    tied[name] = first
            else:
                self.member(path).register_buffer(own, tensor)
        if type(self.module).__module__.startswith("transformers."):
            self.module.all_tied_weights_keys = tied  # save_pretrained leaves them out
        for name in program.graph_signature.non_persistent_buffers:
            path, _, own = name.rpartition(".")
            self.member(path).register_buffer(own, program.constants[name],
                                              persistent=False)

    def fill_inputs(self):
        """Examples and sizes of the inputs; what is no tensor is in the program."""
        signature, examples = self.program.graph_signature, self.program.example_inputs
        self.held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
        self.lifted = signature.inputs_to_lifted_tensor_constants
        places = [node for node in self.program.graph.nodes if node.op == "placeholder"
                  and node.name not in self.held and node.name not in self.lifted]
        leaves = tree_leaves(examples)
        if examples is None or len(leaves) != len(places):
            raise Refused(f"'{self.path}' has no example inputs; set those of the program, "
                          "program.example_inputs = (args, kwargs), and save it again")
        self.inputs, self.shapes = {}, {}
        for node, example in zip(places, leaves):
            if isinstance(node.meta.get("val"), torch.SymInt):
                raise Refused(f"input '{node.name}' of '{self.path}' is a number that "
                              "varies, not a tensor; export the module with it fixed")
            if torch.is_tensor(example):
                self.inputs[node.name] = lively(node, example)
                self.shapes[node.name] = list(node.meta["val"].shape)

    def run(self, module, **inputs):
        """The outputs of the program with the tensors that the module has now."""
        values = []
        for node in self.runs.module.graph.nodes:
            if node.op == "placeholder":
                if node.name in self.held:
                    value = operator.attrgetter(self.held[node.name])(module)
                    values.append(value if isinstance(value, nn.Parameter)
                                  else value.clone())  # which may be counted up
                elif node.name in self.lifted:
                    values.append(self.program.constants[self.lifted[node.name]])
                else:
                    values.append(inputs.get(node.name, node.meta.get("val")))
        try:
            results = self.runs.run(*values, enable_io_processing=False)
        except Exception as error:  # of any kind: what the operations ran into
            sizes = ", ".join(f"{name} {list(value.shape)}"
                              for name, value in inputs.items())
            raise Refused(f"the program of '{self.path}' does not run with {sizes}: "
                          f"{first_line(error)}") from error
        kinds = [spec.kind.name for spec in self.program.graph_signature.output_specs]
        return [result for result, kind in zip(results, kinds) if kind == "USER_OUTPUT"]

    def advice(self):
        """What may be changed where the program is refused."""
        if self.program.dialect != "TRAINING":
            yield (f"note: '{self.path}' was saved after run_decompositions(), which "
                   "takes operations apart; save what torch.export.export gives")
        for name, shape in self.shapes.items():
            if 1 < len(shape) < 4 and isinstance(shape[1], int) and \
                    not self.inputs[name].is_floating_point():
                yield (f"note: dim 1 of input '{name}' is {shape[1]} in '{self.path}'; "
                       "masks and positions are recognised where a length varies, "
                       f"dynamic_shapes={{'{name}': {{1: Dim.DYNAMIC}}}}")


def make_module(program, run):
    """A module without members, of a class with the name of the one exported."""
    stacks = (node.meta.get("nn_module_stack") or {} for node in program.graph.nodes)
    kind = next((kind for stack in stacks for place, kind in stack.values() if not place),
                "torch.nn.Module")
    module, _, name = kind.rpartition(".")

    def forward(self, **inputs):
        return run(self, **inputs)

    return type(name, (nn.Module,), {"__module__": module, "__qualname__": name,
                                     "forward": forward})()


def lively(node, example):
    """The example, or one that shows more than zeros do: an image that is one number
    everywhere, ids of a table that are all the same."""
    if example.numel() < 2 or (example != example.reshape(-1)[0]).any():
        return example
    if example.is_floating_point():
        return torch.randn(example.shape, dtype=example.dtype)
    tables = [user.args[0].meta["val"].shape[0] for user in node.users
              if user.op == "call_function" and op_name(user) == "embedding"]
    return torch.randint(0, int(tables[0]), example.shape, dtype=example.dtype) \
        if tables else example
