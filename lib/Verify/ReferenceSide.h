//===- ReferenceSide.h - what programs are compared with -------*- C++ -*-===//

#ifndef HOCKET_LIB_VERIFY_REFERENCESIDE_H
#define HOCKET_LIB_VERIFY_REFERENCESIDE_H

#include "hocket/Io/RandomTensors.h"
#include "hocket/Reference/Evaluate.h"
#include "hocket/Verify/Verify.h"

namespace hocket {

runtime::RandomTensors tellingWeights(const plan::Plan &plan, uint64_t seed);

/// Reads the global tensor of a name.
using ReadTensor =
    std::function<runtime::Status(const std::string &, reference::Tensor &)>;
runtime::Status readWhole(const runtime::TensorSource &source,
                          const std::string &name, reference::Tensor &tensor);

bool makeReference(mlir::ModuleOp model);
/// What it computes in float64.
runtime::Status evaluateReference(mlir::ModuleOp model,
                                  const ReadTensor &weight,
                                  const ReadTensor &input,
                                  std::vector<reference::Tensor> &outputs);

} // namespace hocket

#endif // HOCKET_LIB_VERIFY_REFERENCESIDE_H
