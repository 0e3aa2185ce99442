//===- Kernels.cpp - calls of generated kernels ---------------------------===//

#include "ClassPlanner.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// Strides by the factors of the tensor's layout, for which code is made.
static bool addStrides(SmallVector<SmallVector<int64_t>> &list,
                       const Strided &at, Value tensor) {
  list.emplace_back(at.strides);
  return at.sizes == views::factorSizes(nn::layoutOf(tensor));
}

FailureOr<Body> ClassPlanner::kernelOf(buffers::ComputeOp compute, Call &call) {
  auto op = cast<spmd::KernelOp>(compute.getComputed());
  codegen::KernelRequest request;
  request.body = &op.getBody().front();
  plan::Kernel kernel;
  auto add = [&](auto &strides, auto &places, const Strided &at, Value tensor) {
    if (!addStrides(strides, at, tensor))
      call.setProblem(at);
    places.push_back(call.view(at));
  };
  for (Value input : op.getInputs())
    add(request.inputStrides, kernel.inputs, call.lies(input), input);
  for (OpResult result : op->getResults())
    add(request.outputStrides, kernel.outputs,
        call.result(result.getResultNumber()), result);
  if (call.getProblem())
    return Body(kernel);
  ArrayRef<int64_t> pairs = compute.getInPlace();
  for (size_t i = 0; i < pairs.size(); i += 2)
    request.inPlace.push_back({pairs[i], pairs[i + 1]});
  FailureOr<codegen::KernelInfo> info = compiler.add(request);
  if (failed(info))
    return failure();
  if (info->inPlace.size() != request.inPlace.size())
    return op.emitError("cannot be computed in place");
  if (tables.kernelSources)
    tables.kernelSources->add(op, request, *info);
  for (const codegen::KernelTable &wanted : info->tables)
    kernel.inputs.push_back(constants.table(op.getLoc(), wanted));
  for (const codegen::KernelScalar &wanted : info->scalars)
    kernel.scalars.push_back(constants.scalar(wanted));
  kernel.symbol = info->symbol;
  kernel.extent = info->extent;
  call.flops = info->flops;
  return Body(kernel);
}
