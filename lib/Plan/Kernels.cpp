//===- Kernels.cpp - calls of generated kernels ---------------------------===//

#include "ClassPlanner.h"
#include "Flops.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

plan::Scalar ClassPlanner::scalar(const codegen::KernelScalar &scalar) {
  if (scalar.kind == codegen::KernelScalar::Kind::IsFirst)
    return tables.isFirst(cast<ArrayAttr>(scalar.attribute));
  if (scalar.kind == codegen::KernelScalar::Kind::Constant)
    return {cast<IntegerAttr>(scalar.attribute).getInt(), -1, 1};
  return tables.scalar(dyn_cast_if_present<spmd::TableAttr>(scalar.attribute));
}

/// Text that tells two tables of one symbol apart.
static std::string keyOf(const plan::Scalar &scalar) {
  return std::to_string(scalar.constant) + "," + std::to_string(scalar.table) +
         "," + std::to_string(scalar.scale);
}

Strided ClassPlanner::table(Operation &op, const codegen::KernelTable &wanted) {
  plan::Scalar first;
  if (wanted.scalar)
    first = scalar(*wanted.scalar);
  auto [entry, isNew] = kernelTables.try_emplace(
      {wanted.symbol, wanted.scalar ? keyOf(first) : std::string()});
  if (!isNew)
    return entry->second;
  Strided window =
      allocate(wanted.type, wanted.shape, rowMajorStrides(wanted.shape));
  plan::Kernel kernel{wanted.symbol, {}, {window.view()}, {}, wanted.extent};
  if (wanted.scalar)
    kernel.scalars.push_back(first);
  rankClass->load.push_back({tables.source(op.getLoc()), kernel});
  entry->second = window;
  return window;
}

/// The memory order of a result: that of the first input with its sizes, else
/// of the largest input of as many factors, else row-major.
static Numbers orderOf(ArrayRef<int64_t> sizes, ArrayRef<Strided> inputs) {
  const Strided *best = nullptr;
  for (const Strided &input : inputs) {
    if (input.sizes.size() != sizes.size() || sizes.empty())
      continue;
    if (ArrayRef<int64_t>(input.sizes) == sizes)
      return input.strides;
    if (!best || input.elements() > best->elements())
      best = &input;
  }
  return best && best->elements() > 1 ? best->strides : Numbers();
}

static StringRef nameOfStored(Value held) {
  Operation *op = held.getDefiningOp();
  if (auto state = dyn_cast<nn::StateOp>(op))
    return state.getName();
  return cast<nn::ParameterOp>(op).getPath();
}

LogicalResult ClassPlanner::planKernel(spmd::KernelOp op) {
  codegen::KernelRequest request;
  request.body = &op.getBody().front();
  plan::Kernel kernel;
  SmallVector<Strided> inputs;
  for (Value input : op.getInputs()) {
    inputs.push_back(get(input));
    request.inputStrides.emplace_back(inputs.back().strides);
    kernel.inputs.push_back(inputs.back().view());
  }
  SmallVector<Numbers> orders; // of the outputs
  SmallVector<Value> places(op.getNumResults());
  for (auto [number, output] : llvm::enumerate(op.getOutputs())) {
    Numbers sizes = factorSizes(nn::layoutOf(output));
    bool reads = false;
    if ((places[number] = placeOfNext(output, op, reads))) {
      written.insert(nameOfStored(places[number]));
      orders.push_back(get(places[number]).strides);
      if (reads)
        request.inPlace.push_back({llvm::find(op.getInputs(), places[number]) -
                                       op.getInputs().begin(),
                                   number});
    } else {
      Numbers like = orderOf(sizes, inputs);
      orders.push_back(like.empty() ? rowMajorStrides(sizes)
                                    : stridesLike(sizes, like));
      if (placeInHalo(output, orders.back()))
        orders.back() = get(output).strides;
    }
    request.outputStrides.emplace_back(orders.back());
  }
  FailureOr<codegen::KernelInfo> info = compiler.add(request);
  if (failed(info))
    return failure();
  if (tables.kernelSources)
    tables.kernelSources->add(op, request, *info);
  for (auto wanted : request.inPlace)
    if (!llvm::is_contained(info->inPlace, wanted)) {
      written.erase(nameOfStored(places[wanted.second]));
      places[wanted.second] = {};
    }
  for (auto [number, output] : llvm::enumerate(op.getOutputs())) {
    if (places[number])
      values[output] = get(places[number]);
    else if (!values.count(output)) // else between the margins of a halo
      values[output] = allocate(output.getType(), orders[number]);
    kernel.outputs.push_back(get(output).view());
  }
  for (const codegen::KernelTable &wanted : info->tables)
    kernel.inputs.push_back(table(*op, wanted).view());
  for (const codegen::KernelScalar &wanted : info->scalars)
    kernel.scalars.push_back(scalar(wanted));
  kernel.symbol = info->symbol;
  kernel.extent = info->extent;
  if (!atLoad(*op))
    addFlops(*rankClass, ArrayRef(info->flops));
  emit(*op, kernel);
  return success();
}
