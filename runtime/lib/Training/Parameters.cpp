//===- Parameters.cpp - a model's parameters as they are ------------------===//

#include "hocket/Training/Parameters.h"
#include <algorithm>
#include <set>

namespace hocket::runtime {

namespace {

/// Passes on what is of some tensors and drops the rest.
class Selection : public TensorSink {
public:
  Selection(TensorSink &sink, const std::set<std::string> &names)
      : sink(sink), names(names) {}

  Status prepare(const std::string &tensor,
                 const TensorDescription &description) override {
    return names.count(tensor) ? sink.prepare(tensor, description)
                               : Status::success();
  }
  Status write(const std::string &tensor, const Box &box,
               const void *source) override {
    return names.count(tensor) ? sink.write(tensor, box, source)
                               : Status::success();
  }

private:
  TensorSink &sink;
  const std::set<std::string> &names;
};

} // namespace

std::vector<NamedTensor> parametersOf(const plan::Plan &plan) {
  std::map<std::string, plan::DType> kept;
  for (const plan::GlobalTensor &state : plan.states)
    kept[state.name] = state.type;
  std::vector<NamedTensor> tensors;
  for (const plan::GlobalTensor &tensor : plan.parameters) {
    auto found = kept.find(tensor.name);
    plan::DType type = found == kept.end() ? tensor.type : found->second;
    tensors.push_back({tensor.name, {type, tensor.dims}});
  }
  return tensors;
}

Status copyTensor(const TensorSource &source, const NamedTensor &tensor,
                  TensorSink &sink) {
  constexpr int64_t most = 1 << 20;
  const TensorDescription &description = tensor.description;
  int64_t elements = 1;
  for (int64_t extent : description.dims)
    elements *= extent;
  std::vector<uint8_t> piece(std::min(elements, most) *
                             plan::byteSize(description.type));
  Status status;
  for (int64_t begin = 0; status.ok() && begin < elements; begin += most) {
    Box box{{elements}, {begin}, {std::min(most, elements - begin)}};
    status = source.read(tensor.name, box, description.type, piece.data());
    if (status.ok())
      status = sink.write(tensor.name, box, piece.data());
  }
  return status;
}

Status writeParameters(const plan::Plan &plan, Executor *executor,
                       const TensorSource &source, TensorSink &sink,
                       Processes &processes) {
  std::set<std::string> names;
  for (const plan::GlobalTensor &tensor : plan.parameters)
    names.insert(tensor.name);
  std::set<std::string> changed;
  Status status;
  if (executor) {
    for (const plan::GlobalTensor &state : plan.states)
      changed.insert(state.name);
    Selection parameters(sink, names);
    status = executor->save(parameters);
  }
  for (const NamedTensor &tensor : parametersOf(plan))
    if (status.ok() && processes.isFirst() && !changed.count(tensor.name))
      status = copyTensor(source, tensor, sink);
  return processes.agree(status);
}

} // namespace hocket::runtime
