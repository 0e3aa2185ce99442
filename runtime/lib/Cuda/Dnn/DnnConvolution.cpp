//===- DnnConvolution.cpp - a prepared convolution through cuDNN ----------===//

#include "runtime/lib/Cuda/Dnn/DnnConvolution.h"
#include "runtime/lib/Cuda/OpenLibrary.h"

namespace hocket::runtime::cuda {

DnnConvolution::DnnConvolution(const Dnn &dnn,
                               const ConvolutionArguments &given,
                               const DnnConvolutionOptions &options)
    : dnn(dnn), arguments(given), form(formOf(arguments)),
      text(describe(arguments)), plan(dnn, text) {
  alignment = options.alignment ? *options.alignment
                                : ConvolutionAlignment::of(arguments);
  mostBytes = options.workspaceBytes.value_or(
      form.isComputed() ? convolutionWorkspaceBytes(arguments) : 0);
}

Status DnnConvolution::make(const Dnn &dnn,
                            const ConvolutionArguments &arguments,
                            const DnnConvolutionOptions &options,
                            std::unique_ptr<DnnConvolution> &convolution) {
  convolution.reset(new DnnConvolution(dnn, arguments, options));
  return convolution->prepare();
}

Status DnnConvolution::checkAddresses() const {
  ConvolutionAlignment is = ConvolutionAlignment::of(arguments);
  auto fail = [&](const char *name, int64_t wanted) {
    return Status::runtimeError(std::string(name) + " of the " + text +
                                " is not aligned to " + std::to_string(wanted) +
                                " bytes as its algorithm wants");
  };
  if (!form.x.isCopied && is.x < alignment.x)
    return fail("x", alignment.x);
  if (!form.weight.isCopied && is.weight < alignment.weight)
    return fail("the weight", alignment.weight);
  if (!form.y.isCopied && is.y < alignment.y)
    return fail("y", alignment.y);
  if (arguments.bias && !form.bias.isCopied && is.bias < alignment.bias)
    return fail("the bias", alignment.bias);
  return Status::success();
}

void DnnConvolution::addParts() {
  auto add = [&](int64_t name, const Operand &operand,
                 const DnnTensor &tensor) {
    parts.push_back({name, &operand, &tensor, copyBytes});
    int64_t bytes = operand.elements() * plan::byteSize(operand.type);
    if (!tensor.paddedShape.empty()) {
      bytes = plan::byteSize(operand.type);
      for (int64_t extent : tensor.paddedShape)
        bytes *= extent;
    }
    if (tensor.isCopied)
      copyBytes += (bytes + 255) / 256 * 256;
  };
  add(DnnX, arguments.x, form.x);
  add(DnnWeight, arguments.weight, form.weight);
  add(DnnY, arguments.y, form.y);
  if (arguments.bias)
    add(DnnBias, *arguments.bias, form.bias);
}

Operand DnnConvolution::given(const Part &part, void *workspace) const {
  Operand operand = *part.operand;
  if (part.tensor->isCopied) {
    operand.strides = part.tensor->copyStrides;
    operand.data = static_cast<char *>(workspace) + part.offset +
                   part.tensor->copyOffset * plan::byteSize(part.operand->type);
  }
  return operand;
}

std::vector<DnnCopy> DnnConvolution::copies(void *workspace) const {
  std::vector<DnnCopy> all;
  if (form.isComputed())
    for (const Part &part : parts)
      if (part.tensor->isCopied)
        all.push_back({*part.operand, given(part, workspace),
                       part.operand == &resultOf(arguments)});
  return all;
}

std::optional<Operand> DnnConvolution::zeros(void *workspace) const {
  if (std::optional<Operand> around = zerosAround(arguments, form)) {
    around->data = static_cast<char *>(workspace) + parts.front().offset;
    return around;
  }
  if (form.isEmpty || !form.hasZeros)
    return std::nullopt;
  for (const Part &part : parts)
    if (part.operand == &resultOf(arguments))
      return given(part, workspace);
  return resultOf(arguments);
}

Status DnnConvolution::prepare() {
  if (!form.reason.empty())
    return Status::runtimeError("the " + text +
                                " cannot be computed: " + form.reason);
  if (!form.isComputed())
    return Status::success();
  Status status = checkAddresses();
  if (!status.ok())
    return status;
  addParts();
  if (copyBytes > mostBytes)
    return Status::runtimeError(
        "the " + text + " needs a workspace of " + std::to_string(copyBytes) +
        " bytes and the library's, the plan has " + std::to_string(mostBytes));
  ConvolutionAlignment moved = alignment;
  int64_t *bytes[] = {&moved.x, &moved.weight, &moved.y, &moved.bias};
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].tensor->isCopied)
      *bytes[i] = 16;
  // What is left out of x moves its address.
  while ((form.x.copyOffset + form.x.offset) *
             plan::byteSize(arguments.x.type) % moved.x !=
         0)
    moved.x /= 2;
  graph = std::make_unique<ConvolutionGraph>(dnn, text);
  return graph->make(form, moved);
}

Status DnnConvolution::choose(std::vector<uint8_t> &bytes) {
  bytes.clear();
  if (!form.isComputed())
    return Status::success();
  std::string chosen;
  Status status = graph->choose(mostBytes - copyBytes, chosen);
  if (!status.ok())
    return status;
  if (chosen.empty())
    return Status::runtimeError("cuDNN " + versionText(dnn.library.version) +
                                " has no deterministic algorithm for the " +
                                text + " with a workspace of at most " +
                                std::to_string(mostBytes - copyBytes) +
                                " bytes");
  bytes = PreparedPlan::pack(dnn.library.version, chosen);
  return Status::success();
}

Status DnnConvolution::use(const std::vector<uint8_t> &bytes) {
  if (!form.isComputed())
    return Status::success();
  return plan.use(bytes.data(), bytes.size(), mostBytes - copyBytes);
}

PreparedPlan::Addresses DnnConvolution::addresses(void *workspace) const {
  PreparedPlan::Addresses all;
  for (const Part &part : parts)
    all.add(part.name,
            static_cast<char *>(given(part, workspace).data) +
                part.tensor->offset * plan::byteSize(part.operand->type));
  return all;
}

Status DnnConvolution::run(Stream stream, void *workspace) {
  if (!form.isComputed())
    return Status::success();
  return plan.run(stream, static_cast<char *>(workspace) + copyBytes,
                  [&] { return addresses(workspace); });
}

} // namespace hocket::runtime::cuda
