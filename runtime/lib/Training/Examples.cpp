//===- Examples.cpp - a tensor of examples for each input -----------------===//

#include "DataSources.h"
#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Runtime/Executor.h"

namespace hocket::runtime {

namespace {

class ExampleBatches : public Batches {
public:
  ExampleBatches(std::unique_ptr<TensorFiles> files, int64_t batch,
                 int64_t count, uint64_t seed)
      : Batches(batch, count, seed), files(std::move(files)), batch(batch) {}

  std::string name() const override { return files->name(); }

protected:
  bool describeData(const std::string &tensor,
                    TensorDescription &description) const override {
    if (!files->describe(tensor, description))
      return false;
    description.dims[0] = batch;
    return true;
  }
  Status readRow(const std::string &tensor, int64_t example, int64_t begin,
                 int64_t elements, plan::DType type,
                 void *destination) const override {
    const StoredTensor &stored = *files->find(tensor);
    int64_t row = 1;
    for (size_t i = 1; i < stored.dims.size(); ++i)
      row *= stored.dims[i];
    return files->read(
        tensor, Box{{stored.dims[0], row}, {example, begin}, {1, elements}},
        type, destination);
  }

private:
  std::unique_ptr<TensorFiles> files;
  int64_t batch;
};

/// "f32 [N, 3]": what the data must have for an input.
std::string expectedText(const plan::GlobalTensor &input) {
  std::string text = std::string(plan::toString(input.type)) + " [N";
  for (size_t i = 1; i < input.dims.size(); ++i)
    text += ", " + std::to_string(input.dims[i]);
  return text + "]";
}

} // namespace

Status openExamples(const plan::Plan &plan, const DataOptions &options,
                    std::unique_ptr<Batches> &batches) {
  auto files = std::make_unique<TensorFiles>("data", takesTokens(plan));
  for (const std::string &path : options.files)
    if (Status status = files->add(path); !status.ok())
      return status;
  const plan::GlobalTensor *first = nullptr;
  int64_t count = 0;
  for (const plan::GlobalTensor &input : plan.inputs) {
    if (isStep(input))
      continue;
    const StoredTensor *stored = files->find(input.name);
    std::string begin = files->name() + ": tensor '" + input.name + "' ";
    if (!stored)
      return Status::userError(files->name() + " has no tensor '" + input.name +
                               "', expected " + expectedText(input) +
                               ", a row for each of N examples");
    std::vector<int64_t> dims = stored->dims;
    bool fits = dims.size() == input.dims.size() &&
                isReadable(describedAs(stored->type), input.type);
    for (size_t i = 1; fits && i < dims.size(); ++i)
      fits = dims[i] == input.dims[i];
    if (!fits)
      return Status::userError(begin + "is " +
                               spell(describedAs(stored->type), dims) +
                               ", expected " + expectedText(input) +
                               ", a row for each of N examples");
    if (dims[0] == 0)
      return Status::userError(begin + "has no examples");
    if (!first) {
      first = &input;
      count = dims[0];
    } else if (dims[0] != count) {
      return Status::userError(begin + "has " + std::to_string(dims[0]) +
                               " examples, '" + first->name + "' has " +
                               std::to_string(count));
    } else if (input.dims[0] != first->dims[0]) {
      return Status::userError(
          "the program takes " + std::to_string(input.dims[0]) +
          " examples of '" + input.name + "' and " +
          std::to_string(first->dims[0]) + " of '" + first->name +
          "'; the first dim of each input must be the batch");
    }
  }
  if (!first)
    return Status::userError("the program takes no data");
  batches = std::make_unique<ExampleBatches>(std::move(files), first->dims[0],
                                             count, options.seed);
  return Status::success();
}

} // namespace hocket::runtime
