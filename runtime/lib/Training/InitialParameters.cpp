//===- InitialParameters.cpp - what a new model holds ---------------------===//

#include "hocket/Training/InitialParameters.h"
#include "hocket/Random/Initialize.h"
#include <algorithm>

namespace hocket::runtime {

const plan::GlobalTensor *
InitialParameters::find(const std::string &tensor) const {
  for (const plan::GlobalTensor &parameter : plan.parameters)
    if (parameter.name == tensor)
      return &parameter;
  return nullptr;
}

std::string InitialParameters::name() const {
  return "parameters (new, seed " + std::to_string(seed) + ")";
}

bool InitialParameters::describe(const std::string &tensor,
                                 TensorDescription &description) const {
  const plan::GlobalTensor *found = find(tensor);
  if (found)
    description = {found->type, found->dims};
  return found;
}

Status InitialParameters::read(const std::string &tensor, const Box &box,
                               plan::DType type, void *destination) const {
  const plan::GlobalTensor *found = find(tensor);
  if (!found)
    return Status::userError(name() + " have no '" + tensor + "'");
  std::vector<float> numbers(box.elements(), float(found->init.value));
  if (found->init.kind == plan::InitKind::Normal)
    ParameterInitializer(seed, tensor)
        .fillNormal(box, 0, found->init.value, numbers.data());
  convert(numbers.data(), plan::DType::F32, destination, type, box.elements());
  return Status::success();
}

} // namespace hocket::runtime
