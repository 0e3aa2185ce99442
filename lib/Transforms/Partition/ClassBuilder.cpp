//===- ClassBuilder.cpp - the program of one rank class -------------------===//

#include "ClassBuilder.h"
#include "RunByRun.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/MicroBatch.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Pinned.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

spmd::FuncOp ClassBuilder::build(StringRef name) {
  spmd::FuncOp func = makeFunction(name);
  for (Operation &op : placed.getBody().front()) {
    loc = op.getLoc();
    Block *block = builder.getInsertionBlock();
    Operation *last = block->empty() ? nullptr : &block->back();
    if (failed(lower(op))) {
      func.erase();
      return {};
    }
    if (Attribute pinned = op.getAttr(nn::kPinned))
      for (Operation &made : llvm::make_range(
               last ? std::next(last->getIterator()) : block->begin(),
               block->end()))
        made.setAttr(nn::kPinned, pinned);
  }
  computeRunByRun(func, shares, rankClass.coordinates);
  // Constants that are only used in parts, names' leftovers.
  Block &body = func.getBody().front();
  llvm::DenseSet<StringAttr> assigned = nn::assignedNames(body);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    auto parameter = dyn_cast<spmd::ParameterOp>(op);
    bool isStored = isa<spmd::StateOp>(op) ||
                    (parameter && assigned.contains(parameter.getPathAttr()));
    if (!isStored && isOpTriviallyDead(&op))
      op.erase();
  }
  return func;
}

//===-- The function ------------------------------------------------------===//

/// The attributes of an input or output, with the box that ranks hold.
DictionaryAttr ClassBuilder::describeTensor(DictionaryAttr attributes,
                                            nn::LayoutAttr layout) {
  NamedAttrList list(attributes);
  list.set(spmd::kCuts, shares.boxOf(layout));
  return list.getDictionary(builder.getContext());
}

spmd::FuncOp ClassBuilder::makeFunction(StringRef name) {
  SmallVector<Type> inputs, results;
  for (Type type : placed.getArgumentTypes())
    inputs.push_back(local(type));
  for (Type type : placed.getResultTypes())
    results.push_back(local(type));
  OpBuilder detached(placed.getContext());
  auto func = spmd::FuncOp::create(detached, placed.getLoc(), name,
                                   builder.getFunctionType(inputs, results),
                                   rankClass.ranks);
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  for (BlockArgument argument : placed.getArguments()) {
    unsigned index = argument.getArgNumber();
    func.setArgAttrs(index, describeTensor(placed.getArgAttrDict(index),
                                           nn::layoutOf(argument)));
    entry->getArgument(index).setLoc(argument.getLoc());
    mapping.map(argument, entry->getArgument(index));
  }
  return func;
}

LogicalResult ClassBuilder::lowerReturn(nn::ReturnOp op) {
  auto func = cast<spmd::FuncOp>(builder.getInsertionBlock()->getParentOp());
  ArrayAttr names = placed.getOutputs();
  SmallVector<Value> values;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    nn::LayoutAttr layout = nn::layoutOf(operand.get());
    if (!layout.getPartials().empty())
      return op.emitError()
             << "output " << index
             << " is still partial: " << nn::describePlacement(layout);
    NamedAttrList attributes(
        describeTensor(placed.getResultAttrDict(index), layout));
    attributes.set(nn::kName, names[index]);
    AxisList whole;
    for (nn::MeshAxisAttr axis : shares.getMesh().getAxes())
      if (llvm::none_of(layout.getSplits(), [&](nn::SplitAttr split) {
            return split.getAxis() == axis.getName();
          }))
        whole.push_back(axis.getName());
    attributes.set(spmd::kReplicatedOver, listOf(shares.live(whole)));
    func.setResultAttrs(index, attributes.getDictionary(builder.getContext()));
    values.push_back(local(operand.get()));
  }
  nn::ReturnOp::create(builder, loc, values);
  // A result may have lost the names that its declaration gives its factors.
  func.setFunctionType(builder.getFunctionType(func.getArgumentTypes(),
                                               ValueRange(values).getTypes()));
  return success();
}

//===-- Operations --------------------------------------------------------===//

/// A binding names the operation that computes it, where the operation knows
/// no more than the module it is in.
void ClassBuilder::lowerName(nn::ValueOp op) {
  Value value = local(op.getX());
  mapping.map(op.getResult(), value);
  if (op.getRole() != nn::ValueRole::Binding)
    return;
  if (Operation *definition = value.getDefiningOp())
    if (auto name = dyn_cast<NameLoc>(definition->getLoc()))
      definition->setLoc(NameLoc::get(op.getPathAttr(), name.getChildLoc()));
}

/// Keys travel around, or are there, perhaps in margins.
template <class OpTy> LogicalResult ClassBuilder::lowerAttention(OpTy op) {
  std::vector<Hop> hops = ringHops(op, shares);
  return hops.empty() ? windows.lower(op) : ring.lower(op, hops);
}

/// Everything made of an operation is for the micro-batch that it is for, and
/// what moves data for the backward if it does.
LogicalResult ClassBuilder::lower(Operation &op) {
  Block *block = builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  LogicalResult result = lowerOne(op);
  Attribute micro = op.getAttr(nn::kMicroBatch);
  Attribute backward = op.getAttr(nn::kBackward);
  for (Operation &made :
       llvm::make_range(last ? std::next(last->getIterator()) : block->begin(),
                        block->end())) {
    if (micro)
      made.setAttr(nn::kMicroBatch, micro);
    if (backward && isa<spmd::CollectiveOp>(made))
      made.setAttr(nn::kBackward, backward);
  }
  return result;
}

LogicalResult ClassBuilder::lowerOne(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](nn::ValueOp op) {
        lowerName(op);
        return success();
      })
      .Case([&](nn::DropoutOp op) { return operations.lowerDropout(op); })
      .Case([&](nn::HoldOp op) {
        margins.hold(op);
        return success();
      })
      .Case([&](nn::ExchangeOp op) {
        windows.lower(op);
        return success();
      })
      .Case([&](nn::RedistributeOp op) { return redistributions.lower(op); })
      .Case([&](nn::ParameterOp op) {
        return operations.lowerParameter(op, folding.loadOf(op));
      })
      .Case([&](nn::StateOp op) { return operations.lowerState(op); })
      .Case([&](nn::ReturnOp op) { return lowerReturn(op); })
      .Case([&](nn::SliceOp op) {
        nn::LayoutAttr layout = nn::layoutOf(op.getX());
        bool isCut = !shares.axesOf(layout, op.getDim(), 0).empty();
        return isCut && op.getWindows()[op.getDim()]
                   ? windows.lower(op)
                   : operations.lowerAsIs(*op);
      })
      .Case<nn::AttentionOp, nn::AttentionGradOp>(
          [&](auto op) { return lowerAttention(op); })
      .Case([&](nn::WindowedOp op) { return windows.lower(op); })
      .Case<nn::LayerNormOp, nn::RmsNormOp>(
          [&](Operation *op) { return statistics.lowerNorm(*op); })
      .Case([&](nn::NormalizeOp op) { return statistics.lowerNormalize(op); })
      .Case([&](nn::SoftmaxOp op) { return statistics.lowerSoftmax(op); })
      .Case([&](nn::LogSumExpOp op) { return statistics.lowerLogSumExp(op); })
      .Case([&](nn::ReduceOp op) { return statistics.lowerMean(op); })
      .Default([&](Operation *op) { return operations.lowerAsIs(*op); });
}
