//===- Parameters.h - a model's parameters as they are ----------*- C++ -*-===//

#ifndef HOCKET_TRAINING_PARAMETERS_H
#define HOCKET_TRAINING_PARAMETERS_H

#include "hocket/Io/Safetensors.h"
#include "hocket/Runtime/Executor.h"

namespace hocket::runtime {

/// The parameters of `plan` in its order, of the type that training keeps them
/// in.
std::vector<NamedTensor> parametersOf(const plan::Plan &plan);

/// Copies a whole tensor in pieces.
Status copyTensor(const TensorSource &source, const NamedTensor &tensor,
                  TensorSink &sink);

/// Writes the parameters, without what an optimizer keeps: those that steps
/// change as `executor` has them, or, where that is null, and the others as
/// `source` has them, which the first process writes.
Status writeParameters(const plan::Plan &plan, Executor *executor,
                       const TensorSource &source, TensorSink &sink,
                       Processes &processes = oneProcess());

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_PARAMETERS_H
