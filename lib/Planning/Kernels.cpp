//===- Kernels.cpp - calls of generated kernels ---------------------------===//

#include "ClassPlanner.h"
#include "hocket/Plan/Alignment.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

namespace {

/// A kernel's operands in the order in which launches number them: inputs,
/// tables, outputs, scratch.
class Operands {
public:
  explicit Operands(Call &call) : call(call) {}

  void add(const Strided &at) { places.push_back(at); }
  void add(const plan::View &view) { places.push_back(view); }
  /// For the instruction that is made now.
  std::vector<plan::View> views(ArrayRef<int> numbers, Memory &memory) const {
    std::vector<plan::View> views;
    for (int number : numbers) {
      if (auto *at = std::get_if<Strided>(&places[number])) {
        views.push_back(call.view(*at));
        continue;
      }
      views.push_back(std::get<plan::View>(places[number]));
      memory.use(views.back().buffer);
    }
    return views;
  }

private:
  Call &call;
  std::vector<std::variant<Strided, plan::View>> places;
};

} // namespace

/// Strides by the factors of the tensor's layout, for which code is made.
static bool addStrides(SmallVector<SmallVector<int64_t>> &list,
                       const Strided &at, Value tensor) {
  list.emplace_back(at.strides);
  return at.sizes == views::factorSizes(nn::layoutOf(tensor));
}

/// What the compiler is to make; reports nothing.
codegen::KernelRequest ClassPlanner::requestOf(buffers::ComputeOp compute,
                                               Call &call) {
  auto op = cast<spmd::KernelOp>(compute.getComputed());
  codegen::KernelRequest request;
  request.body = &op.getBody().front();
  auto add = [&](auto &strides, auto &alignments, const Strided &at,
                 Value tensor) {
    if (!addStrides(strides, at, tensor))
      call.setProblem(at);
    if (tables.plan.target == plan::Target::Cuda)
      alignments.push_back(
          plan::alignmentOf(call.unread(at), tables.plan, rankClass));
  };
  for (Value input : op.getInputs())
    add(request.inputStrides, request.inputAlignments, call.lies(input), input);
  for (OpResult result : op->getResults())
    add(request.outputStrides, request.outputAlignments,
        call.result(result.getResultNumber()), result);
  ArrayRef<int64_t> pairs = compute.getInPlace();
  for (size_t i = 0; i < pairs.size(); i += 2)
    request.inPlace.push_back({pairs[i], pairs[i + 1]});
  return request;
}

/// All launches but the last are emitted.
FailureOr<Body> ClassPlanner::kernelOf(buffers::ComputeOp compute, Call &call) {
  auto op = cast<spmd::KernelOp>(compute.getComputed());
  codegen::KernelRequest request = requestOf(compute, call);
  if (call.getProblem())
    return Body(plan::Kernel());
  FailureOr<codegen::KernelInfo> info = compiler.add(request);
  if (failed(info))
    return failure();
  if (info->inPlace.size() != request.inPlace.size())
    return op.emitError("cannot be computed in place");
  if (tables.kernelSources)
    tables.kernelSources->add(op, request, *info);
  Operands operands(call);
  for (Value input : op.getInputs())
    operands.add(call.lies(input));
  for (const codegen::KernelTable &wanted : info->tables)
    operands.add(constants.table(op.getLoc(), wanted));
  for (OpResult result : op->getResults())
    operands.add(call.result(result.getResultNumber()));
  for (const codegen::KernelScratch &scratch : info->scratch)
    operands.add(plan::View{
        memory.add(plan::Region::Arena, scratch.type, scratch.elements),
        0,
        {},
        {scratch.elements},
        {1}});
  std::vector<plan::Scalar> scalars;
  for (const codegen::KernelScalar &wanted : info->scalars)
    scalars.push_back(constants.scalar(wanted));
  auto bodyOf = [&](const codegen::KernelLaunch &launch) {
    return plan::Kernel{launch.symbol,
                        operands.views(launch.inputs, memory),
                        operands.views(launch.outputs, memory),
                        scalars,
                        launch.extent,
                        launch.threads,
                        launch.flops};
  };
  for (const codegen::KernelLaunch &launch :
       ArrayRef(info->launches).drop_back())
    emit(op.getLoc(), bodyOf(launch));
  return Body(bodyOf(info->launches.back()));
}
