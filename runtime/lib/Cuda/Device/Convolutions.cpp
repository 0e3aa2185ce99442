//===- Convolutions.cpp - convolutions of ranks on one GPU ----------------===//

#include "runtime/lib/Cuda/Device/Convolutions.h"
#include "runtime/lib/Cuda/Device/Launches.h"
#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "runtime/lib/Device/Arguments.h"

namespace hocket::runtime::cuda {

namespace {

class ConvolutionCall : public Call {
public:
  ConvolutionCall(CudaStream &stream, void *workspace)
      : stream(stream), before(stream), after(stream), workspace(workspace) {}

  Status run() override {
    Status status = before.run();
    if (status.ok())
      status = convolution->run(stream.get(), workspace);
    return status.ok() ? after.run() : status;
  }

  /// The launches around the library's call.
  Status prepare() {
    KernelLaunches first, last;
    Status status = Status::success();
    if (std::optional<Operand> zeros = convolution->zeros(workspace))
      status = addFill(*zeros, 0, first);
    for (const DnnCopy &copy : convolution->copies(workspace))
      if (status.ok())
        status = copy.isResult ? addCopy(copy.dense, copy.operand, last)
                               : addCopy(copy.operand, copy.dense, first);
    if (status.ok())
      status = before.prepare(std::move(first));
    return status.ok() ? after.prepare(std::move(last)) : status;
  }

  std::unique_ptr<DnnConvolution> convolution;

private:
  CudaStream &stream;
  Launches before, after;
  void *const workspace;
};

ConvolutionAlignment alignmentOf(const plan::Convolution &convolution,
                                 const AddressBook &book) {
  ConvolutionAlignment alignment;
  alignment.x = book.alignment(convolution.x, wantedAlignment);
  alignment.weight = book.alignment(convolution.weight, wantedAlignment);
  alignment.y = book.alignment(convolution.y, wantedAlignment);
  if (convolution.bias.buffer >= 0)
    alignment.bias = book.alignment(convolution.bias, wantedAlignment);
  return alignment;
}

/// All that an algorithm may depend on.
std::string describeAll(const ConvolutionArguments &arguments,
                        const DnnConvolutionOptions &options) {
  const ConvolutionAlignment &alignment = *options.alignment;
  std::string text;
  auto add = [&](int64_t number) { text += std::to_string(number) + " "; };
  auto addList = [&](const std::vector<int64_t> &list) {
    for (int64_t number : list)
      add(number);
    text += "; ";
  };
  add(int64_t(arguments.pass));
  for (const Operand *operand : {&arguments.x, &arguments.weight, &arguments.y,
                                 arguments.bias ? &*arguments.bias : nullptr}) {
    if (!operand)
      continue;
    add(int64_t(operand->type));
    addList(operand->shape);
    addList(operand->strides);
  }
  for (const auto *list : {&arguments.strides, &arguments.dilations,
                           &arguments.lows, &arguments.highs})
    addList(*list);
  for (int64_t number : {arguments.groups, alignment.x, alignment.weight,
                         alignment.y, alignment.bias, *options.workspaceBytes})
    add(number);
  return text;
}

} // namespace

Status Convolutions::make(const plan::Convolution &convolution,
                          const Workspace &workspace, const AddressBook &book,
                          std::unique_ptr<DnnConvolution> &made,
                          std::string &description) {
  ConvolutionArguments arguments = argumentsOf(convolution, book);
  DnnConvolutionOptions options{alignmentOf(convolution, book),
                                workspace.bytes};
  description = describeAll(arguments, options);
  Status status = dnn.open("convolutions");
  return status.ok() ? DnnConvolution::make(dnn.get(), arguments, options, made)
                     : status;
}

Status Convolutions::propose(const plan::Convolution &convolution,
                             const Workspace &workspace,
                             const AddressBook &book) {
  std::unique_ptr<DnnConvolution> made;
  std::string description;
  Status status = make(convolution, workspace, book, made, description);
  return status.ok() ? dnn.shared.propose(description, *made) : status;
}

Status Convolutions::prepare(const plan::Convolution &convolution,
                             const Workspace &workspace,
                             const AddressBook &book,
                             std::unique_ptr<Call> &call) {
  auto made = std::make_unique<ConvolutionCall>(stream, workspace.place);
  std::string description;
  Status status =
      make(convolution, workspace, book, made->convolution, description);
  if (status.ok())
    status = dnn.shared.decide(description, *made->convolution);
  if (status.ok())
    status = made->prepare();
  if (status.ok())
    call = std::move(made);
  return status;
}

} // namespace hocket::runtime::cuda
