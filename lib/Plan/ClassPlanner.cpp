//===- ClassPlanner.cpp - walks a class function --------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Transforms/Fuse.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

plan::DType planning::dtypeOf(Type element) {
  if (element.isF64())
    return plan::DType::F64;
  if (element.isF16())
    return plan::DType::F16;
  if (element.isBF16())
    return plan::DType::BF16;
  if (element.isInteger(1))
    return plan::DType::Bool;
  if (element.isInteger(32))
    return plan::DType::I32;
  if (element.isInteger(64))
    return plan::DType::I64;
  return plan::DType::F32;
}

ClassPlanner::ClassPlanner(func::FuncOp func, PlanTables &tables,
                           codegen::KernelCompiler &compiler)
    : func(func), tables(tables), compiler(compiler),
      loadTime(loadTimeValues(func.getBody().front())),
      assigned(nn::assignedNames(func.getBody().front())) {}

plan::DType ClassPlanner::typeOf(Value value) {
  return dtypeOf(cast<RankedTensorType>(value.getType()).getElementType());
}

LogicalResult ClassPlanner::plan(plan::RankClass &into) {
  rankClass = &into;
  memory.emplace(into);
  auto ranks = func->getAttrOfType<DenseI64ArrayAttr>(spmd::kRanks);
  into.ranks.assign(ranks.asArrayRef().begin(), ranks.asArrayRef().end());
  addInputs();
  findDecided();
  SmallVector<nn::AssignOp> assigns;
  for (Operation &op : func.getBody().front()) {
    // After the outputs, which may be what a stored tensor held.
    if (auto assign = dyn_cast<nn::AssignOp>(op))
      assigns.push_back(assign);
    else if (!done.contains(&op) && failed(planOp(op)))
      return failure();
  }
  if (failed(planAssigns(assigns)))
    return failure();
  packEarly(into.load);
  memory->assign();
  return success();
}

/// Moves each packing to right behind the read of its weight, so that the plain
/// forms of two weights need not be in memory together.
void ClassPlanner::packEarly(std::vector<plan::Instruction> &load) {
  llvm::DenseMap<int, size_t> reads; // buffer -> instruction
  for (auto [index, instruction] : llvm::enumerate(load))
    if (auto *read = std::get_if<plan::ReadParameter>(&instruction.body))
      reads[read->dst.buffer] = index;
  std::vector<std::vector<size_t>> behind(load.size());
  std::vector<bool> moved(load.size(), false);
  for (auto [index, instruction] : llvm::enumerate(load))
    if (auto *pack = std::get_if<plan::PackWeight>(&instruction.body)) {
      auto read = reads.find(pack->b.buffer);
      if (read == reads.end())
        continue;
      behind[read->second].push_back(index);
      moved[index] = true;
    }
  std::vector<plan::Instruction> ordered;
  for (size_t i = 0; i < load.size(); ++i) {
    if (moved[i])
      continue;
    ordered.push_back(std::move(load[i]));
    for (size_t pack : behind[i])
      ordered.push_back(std::move(load[pack]));
  }
  load = std::move(ordered);
}

void ClassPlanner::addInputs() {
  for (BlockArgument argument : func.getArguments()) {
    auto layout = nn::layoutOf(argument);
    Strided window;
    window.sizes = factorSizes(layout);
    window.strides = rowMajorStrides(window.sizes);
    window.buffer =
        memory->addTensor(plan::Region::Input, argument.getArgNumber(),
                          typeOf(argument), window.elements());
    values[argument] = window;
  }
}

bool ClassPlanner::atLoad(Operation &op) const {
  return op.getNumResults() && loadTime.contains(op.getResult(0));
}

void ClassPlanner::emit(Operation &op, decltype(plan::Instruction::body) body) {
  auto &list = atLoad(op) ? rankClass->load : rankClass->step;
  list.push_back({tables.source(op.getLoc()), std::move(body)});
}

Strided ClassPlanner::allocate(plan::DType type, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> strides) {
  Strided window;
  window.sizes.assign(sizes.begin(), sizes.end());
  window.strides.assign(strides.begin(), strides.end());
  window.buffer = memory->add(type, window.elements());
  return window;
}

Strided ClassPlanner::allocate(Type type, ArrayRef<int64_t> like) {
  Numbers sizes = factorSizes(nn::layoutOf(type));
  Numbers strides = like.size() == sizes.size() ? stridesLike(sizes, like)
                                                : rowMajorStrides(sizes);
  return allocate(dtypeOf(cast<RankedTensorType>(type).getElementType()), sizes,
                  strides);
}

Strided ClassPlanner::get(Value value) const {
  auto found = values.find(value);
  assert(found != values.end() && "a value before its operation");
  return found->second;
}

Strided ClassPlanner::copied(Operation &op, const Strided &value,
                             plan::DType type) {
  Strided dense = allocate(type, value.sizes, rowMajorStrides(value.sizes));
  emit(op, plan::Copy{value.view(), dense.view()});
  return dense;
}

Strided ClassPlanner::reshapedOrCopied(Operation &op, const Strided &value,
                                       ArrayRef<int64_t> sizes,
                                       plan::DType type) {
  if (auto fitted = reshaped(value, sizes))
    return *fitted;
  return *reshaped(copied(op, value, type), sizes);
}

Strided ClassPlanner::byDims(Operation &op, Value value) {
  auto layout = nn::layoutOf(value);
  // A copy of what is there when the program has loaded is made once, before
  // it is packed.
  Operation *from = loadTime.contains(value) ? value.getDefiningOp() : &op;
  return reshapedOrCopied(*from, get(value), layout.getShape(), typeOf(value));
}

/// Operations that nobody waits for and whose results have no elements here:
/// of a factor of which the rank holds nothing.
static bool makesNothing(Operation &op) {
  return op.getNumResults() > 0 &&
         !isa<nn::ParameterOp, nn::StateOp, spmd::CollectiveOp>(op) &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getNumElements() == 0;
         });
}

LogicalResult ClassPlanner::planOp(Operation &op) {
  if (makesNothing(op)) {
    for (Value result : op.getResults())
      values[result] = allocate(result.getType(), {});
    return success();
  }
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](nn::ParameterOp op) { return planParameter(op); })
      .Case([&](nn::StateOp op) { return planState(op); })
      .Case([&](nn::FillOp op) { return planFill(op); })
      .Case([&](nn::IotaOp op) { return planIota(op); })
      .Case([&](nn::LinearOp op) { return planLinear(op); })
      .Case([&](nn::MatMulOp op) { return planMatMul(op); })
      .Case<nn::AttentionOp, nn::NeighborhoodAttentionOp, nn::AttentionGradOp,
            nn::NeighborhoodAttentionGradOp>(
          [&](auto op) { return planAttention(*op); })
      .Case([&](nn::EmbeddingOp op) { return planEmbedding(op); })
      .Case([&](nn::EmbeddingGradOp op) { return planEmbeddingGrad(op); })
      .Case([&](nn::GatherOp op) { return planGather(op); })
      .Case([&](nn::ScatterSumOp op) { return planScatterSum(op); })
      .Case([&](nn::ConcatOp op) { return planConcat(op); })
      .Case([&](nn::ConvOp op) {
        return planConvolution(*op, plan::ConvolutionPass::Forward);
      })
      .Case([&](nn::ConvTransposeOp op) {
        return planConvolution(*op, plan::ConvolutionPass::InputGradient);
      })
      .Case([&](nn::ConvGradWeightOp op) {
        return planConvolution(*op, plan::ConvolutionPass::WeightGradient);
      })
      .Case<nn::PoolOp, nn::PoolGradOp>(
          [&](auto op) { return planPooling(op); })
      .Case([&](nn::HookOp op) { return planHook(op); })
      .Case([&](spmd::KernelOp op) { return planKernel(op); })
      .Case([&](spmd::StartOp op) { return planStart(op); })
      .Case([&](spmd::PlaceOp op) { return planPlace(op); })
      .Case([&](spmd::CollectiveOp op) { return planCollective(op); })
      .Case([&](func::ReturnOp op) { return planReturn(op); })
      .Default([&](Operation *other) -> LogicalResult {
        if (isViewOp(other))
          return planView(*other);
        return other->emitError("not supported yet: '")
               << other->getName() << "' in a compiled program";
      });
}

LogicalResult ClassPlanner::planReturn(func::ReturnOp op) {
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    Strided window = get(value);
    plan::Buffer &buffer = rankClass->buffers[window.buffer];
    int64_t elements = window.elements();
    bool whole = buffer.bytes == elements * plan::byteSize(buffer.type) &&
                 window.offset == 0 && window.terms.empty();
    // The result is computed where the executor wants it, if it can be.
    if (buffer.region == plan::Region::Arena && whole &&
        window.isDenseRowMajor() && !loadTime.contains(value) &&
        outputBuffers.insert(window.buffer).second) {
      buffer.region = plan::Region::Output;
      buffer.offset = index;
      continue;
    }
    Strided output = window;
    output.offset = 0;
    output.terms.clear();
    output.strides = rowMajorStrides(output.sizes);
    output.buffer =
        memory->addTensor(plan::Region::Output, index, typeOf(value), elements);
    emit(*op, plan::Copy{window.view(), output.view()});
  }
  return success();
}
