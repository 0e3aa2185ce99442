//===- SpmdDialect.td - the dialect of one rank's program -----------------===//

#ifndef HOCKET_SPMD_DIALECT
#define HOCKET_SPMD_DIALECT

include "mlir/IR/OpBase.td"

def Spmd_Dialect : Dialect {
  let name = "spmd";
  let cppNamespace = "::hocket::spmd";
  let summary = "collectives and slices of one rank's program";
  let description = [{
    After partitioning a module holds one `spmd.func` for each rank class: the
    ranks that share instructions and local shapes. The functions are called
    `@class0`, `@class1`, ...; `nn` operations in them compute on local tensors
    (layouts with local sizes and no placement), `spmd` operations talk to the
    other ranks or depend on where the rank is.

    The module says what concerns all of them: `nn.model` and `nn.placement`.

    Operations that mean something else on a part than on the whole are of this
    dialect, and say which part it is in attributes that they need: parameters,
    states, embeddings, attention, poolings, `rotary`, `iota`, `dropout`. Of `nn`
    there are only those that are the same on a part. `nn.value`,
    `nn.redistribute` and the kind `mean` of `nn.reduce` do not occur. A norm or
    softmax that remains is over whole dims.

    Every collective has an `id`: it is the id-th of the program, counted from
    0, and the same in all classes, in the same order.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    /// What tables say at the ranks of classes, found once for all operations.
    std::shared_ptr<ClassRows> rows;
  }];
}

class Spmd_Op<string mnemonic, list<Trait> traits = []>
    : Op<Spmd_Dialect, mnemonic, traits>;

#endif // HOCKET_SPMD_DIALECT
