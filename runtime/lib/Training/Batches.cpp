//===- Batches.cpp - which examples a step takes --------------------------===//

#include "hocket/Training/Batches.h"
#include "DataSources.h"
#include "hocket/Runtime/BoxRuns.h"
#include "hocket/Training/Permutation.h"

namespace hocket::runtime {

bool isStep(const plan::GlobalTensor &input) {
  return input.name == "step" && input.dims.empty() &&
         input.type == plan::DType::I32;
}

int64_t Batches::exampleOf(int64_t step, int64_t row) const {
  int64_t place = step * batch + row;
  return int64_t(Permutation(uint64_t(count), seed,
                             uint64_t(place / count))(uint64_t(place % count)));
}

bool Batches::describe(const std::string &tensor,
                       TensorDescription &description) const {
  if (tensor != "step")
    return describeData(tensor, description);
  description = {plan::DType::I32, {}};
  return true;
}

Status Batches::read(int64_t step, const std::string &tensor, const Box &box,
                     plan::DType type, void *destination) const {
  if (tensor == "step") {
    int32_t number = int32_t(step);
    convert(&number, plan::DType::I32, destination, type, 1);
    return Status::success();
  }
  int64_t elements = 1;
  for (int64_t extent : box.shape)
    elements *= extent;
  int64_t rowElements = elements / batch, size = plan::byteSize(type);
  Status status;
  char *out = static_cast<char *>(destination);
  forEachRun(box, [&](int64_t begin, int64_t done, int64_t count) {
    while (count > 0 && status.ok()) {
      int64_t row = begin / rowElements, first = begin % rowElements;
      int64_t here = std::min(count, rowElements - first);
      status = readRow(tensor, exampleOf(step, row), first, here, type,
                       out + done * size);
      begin += here;
      done += here;
      count -= here;
    }
    return status.ok();
  });
  return status;
}

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool takesTokens(const plan::Plan &plan) {
  for (const plan::GlobalTensor &input : plan.inputs)
    if (input.name == "tokens")
      return true;
  return false;
}

/// Whether the files are one file of tokens and no tensors by name.
static bool isTokenFile(const plan::Plan &plan, const DataOptions &options) {
  if (options.tokenType)
    return true;
  for (const std::string &file : options.files)
    if (endsWith(file, ".bin") ||
        (takesTokens(plan) && endsWith(file, ".npy") &&
         file.find('=') == std::string::npos))
      return true;
  return false;
}

Status openBatches(const plan::Plan &plan, const DataOptions &options,
                   std::unique_ptr<Batches> &batches) {
  for (const plan::GlobalTensor &input : plan.inputs)
    if (input.dims.empty() && !isStep(input))
      return Status::userError("the program takes '" + input.name +
                               "', a single number, which data cannot give; "
                               "make it a parameter of the model");
  Status status = isTokenFile(plan, options)
                      ? openTokens(plan, options, batches)
                      : openExamples(plan, options, batches);
  if (!status.ok())
    return status;
  for (const plan::GlobalTensor &input : plan.inputs)
    if (!isStep(input) &&
        (batches->tokensOfStep == 0 || input.name == "tokens")) {
      batches->tokensOfStep = input.dims[0];
      for (size_t i = 1; input.name == "tokens" && i < input.dims.size(); ++i)
        batches->tokensOfStep *= input.dims[i];
    }
  return status;
}

} // namespace hocket::runtime
