//===- BuffersDialect.td - the dialect of where values lie ----------------===//

#ifndef HOCKET_BUFFERS_DIALECT
#define HOCKET_BUFFERS_DIALECT

include "mlir/IR/OpBase.td"

def Buffers_Dialect : Dialect {
  let name = "buffers";
  let cppNamespace = "::hocket::buffers";
  let summary = "buffers, views of them, and what is computed between them";
  let description = [{
    After bufferization a class function holds no tensors: its arguments are
    inputs, its results views, and each operation that computes stands in a
    `buffers.compute`, which says where its operands lie and where its results
    go. Memory order, destination and lifetime are what the text says.

    ```mlir
    spmd.func @class0(%ids: !buffers.input<i32 [8] by [1]> {...})
        -> (!buffers.view<f32 [8, 4] by [4, 1]> {...}) attributes {ranks = ...} {
      %table = buffers.buffer weights : !buffers.buffer<f32 [40]>
      ...                     // the operations that fill it
      buffers.loaded          // what stands above runs once, when loading
      %out = buffers.buffer output : !buffers.buffer<f32 [32]>
      ...
      nn.return %y : !buffers.view<f32 [8, 4] by [4, 1]>
    }
    ```

    What functions, their arguments and results say is as in the kernels stage.

    Of the whole function (checked by `checkBuffers`)
    - a view lies in its buffer on every rank of the class;
    - a buffer of the arena is released once, behind its last use and on the
      side of `buffers.loaded` where it stands; nothing else is released;
    - what is read has been written, where it is not an input or stored;
      weights are written when loading only;
    - what is written in place is the same elements, or the middle of a halo.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::spmd::SpmdDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

class Buffers_Op<string mnemonic, list<Trait> traits = []>
    : Op<Buffers_Dialect, mnemonic, traits>;

#endif // HOCKET_BUFFERS_DIALECT
