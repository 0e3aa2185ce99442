//===- NnDialect.td - the dialect of whole-tensor model programs ----------===//

#ifndef HOCKET_NN_DIALECT
#define HOCKET_NN_DIALECT

include "mlir/IR/OpBase.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::hocket::nn";
  let summary = "whole-tensor operations of a model, with placements in types";
  let description = [{
    A model is one function of whole-tensor operations. Every tensor type
    carries a `#nn.layout`: the named factors of each dim and, once placed, one
    placement per mesh axis. After partitioning the same operations compute on
    one rank's local tensors, whose layouts have local sizes and no placements.
  }];
  let useDefaultAttributePrinterParser = 1;
  // The operations, one function and one pair of generated files for each
  // Nn<Kind>.td: what uses one kind doesn't depend on the others.
  let extraClassDeclaration = [{
    void addValues();
    void addElementwise();
    void addShape();
    void addProducts();
    void addNorms();
    void addWindows();
    void addNeighborhood();
    void addEdges();
    void addHeld();
    void addHook();
  }];
}

class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, traits>;

#endif // HOCKET_NN_DIALECT
