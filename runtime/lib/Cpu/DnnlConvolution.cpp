//===- DnnlConvolution.cpp - a convolution through oneDNN -----------------===//
//
// oneDNN is fast where x and y are dense with channels innermost: 3x3 kernels
// run at twice the speed of channels first, and their gradients at three times.
// A layout that is not dense would silently get its reference loops.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/DnnlConvolution.h"
#include "hocket/Cpu/Scratch.h"
#include "runtime/lib/Cpu/ConvolutionProblem.h"
#include <algorithm>

namespace hocket::runtime {

using dnnl::memory;
using plan::ConvolutionPass;

DnnlConvolution::DnnlConvolution(const ConvolutionArguments &given)
    : problem(given), strides(given.strides), dilations(given.dilations),
      lows(given.lows), highs(given.highs), stream(cpuEngine()) {
  for (int64_t &dilation : dilations)
    --dilation; // oneDNN counts what lies between two taps
}

static memory::format_tag innermostTag(size_t rank) {
  return rank == 3   ? memory::format_tag::nwc
         : rank == 4 ? memory::format_tag::nhwc
                     : memory::format_tag::ndhwc;
}

/// Dims and strides as oneDNN accepts them: the stride of a dim of extent 1,
/// which means nothing, is one that no other dim overlaps.
static memory::desc stridedDescription(const memory::dims &dims,
                                       memory::dims strides, plan::DType type) {
  int64_t span = 1;
  for (size_t i = 0; i < dims.size(); ++i)
    span = std::max(span, dims[i] == 1 ? 1 : dims[i] * strides[i]);
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == 1)
      strides[i] = span;
  return {dims, dnnlType(type), strides};
}

/// x or y as it lies: with channels innermost under that name, since strides
/// alone do not tell where a dim of extent 1 stands.
memory::desc DnnlConvolution::describe(const Operand &operand) const {
  size_t rank = operand.shape.size();
  memory::desc innermost(operand.shape, dnnlType(operand.type),
                         innermostTag(rank));
  const auto &strides = innermost.data.format_desc.blocking.strides;
  bool same = true;
  for (size_t i = 0; i < rank; ++i)
    same &= operand.shape[i] == 1 || operand.strides[i] == strides[i];
  return same
             ? innermost
             : stridedDescription(operand.shape, operand.strides, operand.type);
}

memory::desc DnnlConvolution::describeWeight() const {
  const Operand &weight = problem.weight;
  memory::dims dims = weight.shape, strides = weight.strides;
  if (problem.groups > 1) {
    dims[0] /= problem.groups;
    dims.insert(dims.begin(), problem.groups);
    strides.insert(strides.begin(), strides[0] * dims[1]);
  }
  return stridedDescription(dims, strides, weight.type);
}

memory::desc DnnlConvolution::wanted(const Operand &operand,
                                     bool innermost) const {
  return {operand.shape, dnnlType(operand.type),
          innermost ? innermostTag(operand.shape.size())
                    : memory::format_tag::any};
}

/// Reads or writes `operand`, through scratch if the layouts differ.
void DnnlConvolution::add(int index, const Operand &operand,
                          const memory::desc &given, const memory::desc &taken,
                          bool isResult) {
  arguments.emplace_back();
  Argument &argument = arguments.back();
  argument.given = memory(given, cpuEngine(), operand.data);
  argument.isResult = isResult;
  argument.offset = -1;
  argument.taken = argument.given;
  if (given != taken) {
    argument.offset = scratchSize;
    scratchSize += pieceBytes(taken.get_size());
    argument.taken = memory(taken, cpuEngine(), nullptr);
    memory &from = isResult ? argument.taken : argument.given;
    memory &to = isResult ? argument.given : argument.taken;
    argument.reorder = dnnl::reorder(from, to);
    argument.reorderArguments = {{DNNL_ARG_FROM, from.get()},
                                 {DNNL_ARG_TO, to.get()}};
  }
  raw.push_back({index, argument.taken.get()});
}

/// Binds the operands to what was chosen. False for the reference loops.
template <typename Chosen>
bool DnnlConvolution::take(const Chosen &chosen, const memory::desc &x,
                           const memory::desc &weight, const memory::desc &y) {
  if (!isFast(chosen))
    return false;
  arguments.clear();
  raw.clear();
  memory::desc pad = chosen.scratchpad_desc();
  scratchpad = memory(pad, cpuEngine(), nullptr);
  scratchSize = pieceBytes(pad.get_size());
  bool ofX = problem.pass == ConvolutionPass::InputGradient;
  bool ofWeight = problem.pass == ConvolutionPass::WeightGradient;
  bool forward = problem.pass == ConvolutionPass::Forward;
  add(ofX ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, problem.x, describe(problem.x), x,
      ofX);
  add(ofWeight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, problem.weight,
      describeWeight(), weight, ofWeight);
  add(forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, problem.y,
      describe(problem.y), y, forward);
  if (problem.bias) {
    memory::desc dense(problem.bias->shape, dnnlType(problem.bias->type),
                       memory::format_tag::a);
    add(DNNL_ARG_BIAS, *problem.bias,
        stridedDescription(problem.bias->shape, problem.bias->strides,
                           problem.bias->type),
        dense, false);
  }
  raw.push_back({DNNL_ARG_SCRATCHPAD, scratchpad.get()});
  chosenName = chosen.impl_info_str();
  return true;
}

bool DnnlConvolution::prepare(bool channelsInnermost) {
  try {
    auto algorithm = dnnl::algorithm::convolution_direct;
    memory::desc x = wanted(problem.x, channelsInnermost);
    memory::desc y = wanted(problem.y, channelsInnermost);
    memory::desc weight(describeWeight().dims(), dnnlType(problem.weight.type),
                        memory::format_tag::any);
    memory::desc bias;
    if (problem.bias)
      bias = {problem.bias->shape, dnnlType(problem.bias->type),
              memory::format_tag::a};
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    // A gradient needs a forward as a hint, of its own types.
    bool isForward = problem.pass == ConvolutionPass::Forward;
    auto hintType = [&](memory::desc desc) {
      if (!isForward)
        desc = {desc.dims(), dnnlType(problem.y.type),
                desc.data.format_kind == dnnl_format_kind_any
                    ? memory::format_tag::any
                    : innermostTag(problem.x.shape.size())};
      return desc;
    };
    memory::desc hintWeight(
        weight.dims(),
        dnnlType(isForward ? problem.weight.type : problem.y.type),
        memory::format_tag::any);
    dnnl::convolution_forward::primitive_desc forward(
        dnnl::convolution_forward::desc(
            isForward ? dnnl::prop_kind::forward_inference
                      : dnnl::prop_kind::forward_training,
            algorithm, hintType(x), hintWeight, bias, hintType(y), strides,
            dilations, lows, highs),
        attributes, cpuEngine());
    if (isForward) {
      primitive = dnnl::convolution_forward(forward);
      return take(forward, forward.src_desc(), forward.weights_desc(),
                  forward.dst_desc());
    }
    if (problem.pass == ConvolutionPass::InputGradient) {
      dnnl::convolution_backward_data::primitive_desc chosen(
          dnnl::convolution_backward_data::desc(
              algorithm, x, weight, y, strides, dilations, lows, highs),
          attributes, cpuEngine(), forward);
      primitive = dnnl::convolution_backward_data(chosen);
      return take(chosen, chosen.diff_src_desc(), chosen.weights_desc(),
                  chosen.diff_dst_desc());
    }
    dnnl::convolution_backward_weights::primitive_desc chosen(
        dnnl::convolution_backward_weights::desc(
            algorithm, x, weight, y, strides, dilations, lows, highs),
        attributes, cpuEngine(), forward);
    primitive = dnnl::convolution_backward_weights(chosen);
    return take(chosen, chosen.src_desc(), chosen.diff_weights_desc(),
                chosen.diff_dst_desc());
  } catch (const dnnl::error &) {
    return false; // oneDNN has no primitive for these layouts
  }
}

void DnnlConvolution::setScratch(void *scratch) {
  char *base = static_cast<char *>(scratch);
  scratchpad.set_data_handle(base);
  for (Argument &argument : arguments)
    if (argument.offset >= 0)
      argument.taken.set_data_handle(base + argument.offset);
}

Status
DnnlConvolution::execute(dnnl_primitive_t primitive,
                         const std::vector<dnnl_exec_arg_t> &list) const {
  dnnl_status_t status = dnnl_primitive_execute(
      primitive, stream.get(), static_cast<int>(list.size()), list.data());
  if (status == dnnl_success)
    return Status::success();
  return Status::runtimeError("oneDNN failed to compute a " +
                              hocket::runtime::describe(problem) + " (status " +
                              std::to_string(status) + ")");
}

Status DnnlConvolution::run() {
  Status status = Status::success();
  auto reorder = [&](bool results) {
    for (const Argument &argument : arguments)
      if (status.ok() && argument.offset >= 0 && argument.isResult == results)
        status = execute(argument.reorder.get(), argument.reorderArguments);
  };
  reorder(false);
  if (status.ok())
    status = execute(primitive.get(), raw);
  reorder(true);
  return status;
}

std::unique_ptr<Call> makeDnnlConvolution(const ConvolutionArguments &given) {
  bool hasElements = given.x.elements() > 0 && given.y.elements() > 0 &&
                     given.weight.elements() > 0;
  for (const Operand *operand : {&given.x, &given.weight, &given.y})
    if (!hasDnnlType(operand->type) || !hasElements)
      return nullptr;
  for (bool channelsInnermost : {true, false}) {
    auto call = std::make_unique<DnnlConvolution>(given);
    if (call->prepare(channelsInnermost))
      return call;
  }
  return nullptr;
}

} // namespace hocket::runtime
