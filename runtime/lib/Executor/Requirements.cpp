//===- Requirements.cpp - what a plan wants of a tensor source ------------===//

#include "runtime/lib/Executor/Requirements.h"
#include "hocket/Runtime/Executor.h"

namespace hocket::runtime {

using plan::DType;

static bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 ||
         type == DType::BF16;
}

bool isReadable(DType given, DType wanted) {
  if (isFloat(wanted))
    return isFloat(given);
  if (wanted == DType::Bool)
    return given == DType::Bool;
  return !isFloat(given);
}

static std::string typeText(const TensorDescription &tensor) {
  std::string text = "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(tensor.dims[i]);
  return text + "] " + plan::toString(tensor.type);
}

Status checkTensors(const std::vector<plan::GlobalTensor> &tensors,
                    const TensorSource &source) {
  std::vector<std::string> problems;
  for (const plan::GlobalTensor &tensor : tensors) {
    TensorDescription wanted{tensor.type, tensor.dims}, given;
    if (!source.describe(tensor.name, given))
      problems.push_back("there is no \"" + tensor.name + "\", expected " +
                         typeText(wanted));
    else if (given.dims != wanted.dims || !isReadable(given.type, wanted.type))
      problems.push_back("\"" + tensor.name + "\" is " + typeText(given) +
                         ", expected " + typeText(wanted));
  }
  if (problems.empty())
    return Status::success();
  if (problems.size() == 1)
    return Status::userError(source.name() + ": " + problems[0]);
  std::string text = source.name() + ": " + std::to_string(problems.size()) +
                     " tensors do not fit";
  for (const std::string &problem : problems)
    text += "\n  " + problem;
  return Status::userError(text);
}

} // namespace hocket::runtime
