//===- NnFunc.td - functions of a program, and what ends them -------------===//

#ifndef HOCKET_NN_FUNC
#define HOCKET_NN_FUNC

include "dialects/Nn/NnDialect.td"
include "dialects/Nn/NnFuncBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nn_FuncOp : Nn_FunctionOp<Nn_Dialect> {
  let summary = "the program of a model, on whole tensors";
  let description = [{
    From the stage model to differentiated, one a module. Arguments are the
    inputs, each with its `nn.name`; `outputs` name the results. What a training
    step moves on by itself are `buffers`: the paths of parameters, such as the
    running statistics of a batch norm, whose next values are returned as well.

    (C1) each argument has its name. (C2) as many outputs as results. (C3)
    the last outputs, except gradients, are PATH.next of each buffer PATH. (C4)
    the types of each operation agree about what ranks hold: what computes a
    position by itself reads and makes the same ones, and what windows and edges
    read is held (dialects/Nn/Held.h).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       StrArrayAttr:$outputs, StrArrayAttr:$buffers,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type)>];
  let hasRegionVerifier = 1;
}

def Nn_ReturnOp : Nn_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "the results of a program, or of a class of ranks";
  let description = [{
    (C1) ends an nn.func or an spmd.func. (C2) the operands are of the types of
    its results.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

#endif // HOCKET_NN_FUNC
