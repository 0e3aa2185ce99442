//===- SpmdFunc.td - the function of a class of ranks ---------------------===//

#ifndef HOCKET_SPMD_FUNC
#define HOCKET_SPMD_FUNC

include "dialects/Nn/NnFuncBase.td"
include "dialects/Spmd/SpmdDialect.td"

def Spmd_FuncOp : Nn_FunctionOp<Spmd_Dialect> {
  let summary = "the program of a class of ranks";
  let description = [{
    What the `ranks` of the class run, numbers row-major in the mesh, on their
    parts of inputs and outputs. Each of these has its `nn.name` and, in
    `spmd.cuts`, the `#spmd.box` that says which part of the whole it is; each
    result has in `spmd.replicated_over` the mesh axes along which every rank
    has the same bytes. From the stage buffers on they are memory and not
    tensors.

    (C1) each argument and result has its name and its box, each result what it
    is replicated over. (C2) the ranks ascend, and are some. (C3) the parts of a
    box fill the whole. (C4) a tensor has of each factor what its box says, and
    memory has as many elements.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       DenseI64ArrayAttr:$ranks,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type,
                                 "::llvm::ArrayRef<int64_t>":$ranks)>];
}

#endif // HOCKET_SPMD_FUNC
