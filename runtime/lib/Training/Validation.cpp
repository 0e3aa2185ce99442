//===- Validation.cpp - the loss of data that is not trained on -----------===//

#include "hocket/Training/Validation.h"

namespace hocket::runtime {

bool Validation::Parameters::describe(const std::string &tensor,
                                      TensorDescription &description) const {
  return trained.describe(tensor, description) ||
         fixed.describe(tensor, description);
}

Status Validation::Parameters::read(const std::string &tensor, const Box &box,
                                    plan::DType type, void *destination) const {
  const TensorSource &source =
      trained.find(tensor) ? static_cast<const TensorSource &>(trained) : fixed;
  return source.read(tensor, box, type, destination);
}

Status Validation::Parameters::prepare(const std::string &tensor,
                                       const TensorDescription &description) {
  for (const plan::GlobalTensor &parameter : plan.parameters)
    if (parameter.name == tensor)
      return trained.prepare(tensor, description);
  return Status::success();
}

/// What the optimizer keeps is left out.
Status Validation::Parameters::write(const std::string &tensor, const Box &box,
                                     const void *source) {
  if (!trained.find(tensor))
    return Status::success();
  if (isShared) {
    std::lock_guard<std::mutex> lock(mutex);
    int64_t bytes =
        box.elements() * plan::byteSize(trained.find(tensor)->description.type);
    written.add(tensor);
    written.add(box.shape);
    written.add(box.offset);
    written.add(box.size);
    written.add(box.runs);
    written.add(std::string(static_cast<const char *>(source), bytes));
  }
  return trained.write(tensor, box, source);
}

Status Validation::Parameters::share(Processes &processes) {
  if (!isShared)
    return Status::success();
  std::vector<std::string> all;
  Status status = processes.gather(written.bytes, all);
  written = {};
  for (const std::string &bytes : all)
    for (ByteUnpacker unpacker(bytes); status.ok() && !unpacker.isAtEnd();) {
      std::string tensor, elements;
      Box box;
      unpacker.take(tensor);
      unpacker.take(box.shape);
      unpacker.take(box.offset);
      unpacker.take(box.size);
      unpacker.take(box.runs);
      unpacker.take(elements);
      status = trained.write(tensor, box, elements.data());
    }
  return status;
}

Validation::Validation(const plan::Plan &plan, const TensorSource &fixed,
                       const Batches &data, const ValidationOptions &options)
    : plan(plan), data(data), options(options), parameters(plan, fixed) {}

Status Validation::prepare(const std::shared_ptr<const Devices> &devices,
                           const ExecutorOptions &options) {
  processes = options.processes ? options.processes : &oneProcess();
  if (processes->count() > 1)
    parameters.keepBoxes();
  return Executor::create(plan, devices, options, executor);
}

Status Validation::run(Executor &trained, double &loss) {
  Status status = trained.save(parameters);
  if (status.ok())
    status = parameters.share(*processes);
  if (status.ok())
    status = executor->load(parameters);
  double total = 0;
  for (int64_t i = 0; status.ok() && i < options.batches; ++i) {
    status = executor->step(Batch(data, i), outputs);
    if (!status.ok())
      break;
    const plan::GlobalTensor &output = plan.outputs.front();
    double number = 0;
    convert(outputs.find(output.name)->bytes.data(), output.type, &number,
            plan::DType::F64, 1);
    total += number;
  }
  loss = total / double(options.batches);
  return status;
}

} // namespace hocket::runtime
