//===- InitialParameters.h - what a new model holds -------------*- C++ -*-===//

#ifndef HOCKET_TRAINING_INITIALPARAMETERS_H
#define HOCKET_TRAINING_INITIALPARAMETERS_H

#include "hocket/Runtime/Tensors.h"

namespace hocket::runtime {

/// The parameters of a plan as their inits say: the same numbers under every
/// schedule. `plan` must outlive it.
class InitialParameters : public TensorSource {
public:
  InitialParameters(const plan::Plan &plan, uint64_t seed)
      : plan(plan), seed(seed) {}

  std::string name() const override;
  bool describe(const std::string &tensor,
                TensorDescription &description) const override;
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

private:
  const plan::GlobalTensor *find(const std::string &tensor) const;

  const plan::Plan &plan;
  uint64_t seed;
};

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_INITIALPARAMETERS_H
