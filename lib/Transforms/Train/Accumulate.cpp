//===- Accumulate.cpp - gradients of several micro-batches ----------------===//
//
// With `accumulate N` a step reads N micro-batches, one after the other, and
// adds what their losses and gradients are. The inputs get a major factor of N
// in their first dim; what depends on them stands N times, on one slice each.
// Gradients are added as they come, partial sums as partial sums, so that what
// reduces them stands once, behind the last micro-batch. What fsdp scatters is
// scattered each time: no rank holds all of a gradient for longer than before.
//
// Parameters that fsdp gathers are gathered for each micro-batch: what a step
// keeps in memory is that of one.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/MicroBatch.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::training;

/// The input with N times as many examples.
static RankedTensorType withMicroBatches(Value input, int64_t count) {
  nn::LayoutAttr layout = nn::layoutOf(input);
  MLIRContext *context = layout.getContext();
  SmallVector<nn::DimAttr> dims(layout.getDims());
  SmallVector<nn::FactorAttr> factors = {
      nn::FactorAttr::get(context, StringAttr::get(context, "micro"), count)};
  llvm::append_range(factors, dims[0].getFactors());
  dims[0] = nn::DimAttr::get(context, factors);
  SmallVector<nn::SplitAttr> splits;
  for (nn::SplitAttr split : layout.getSplits())
    splits.push_back(
        split.of(split.getDim(), split.getFactor() + (split.getDim() == 0)));
  auto type = cast<RankedTensorType>(input.getType());
  return nn::tensorOf(
      type.getElementType(),
      nn::LayoutAttr::get(context, dims, splits, layout.getPartials()));
}

/// What is there once for all micro-batches: what comes of the parameters and
/// of constants alone, without communication.
static bool isShared(Operation &op, const llvm::DenseSet<Value> &repeated) {
  return !isa<nn::RedistributeOp>(op) &&
         llvm::none_of(op.getOperands(), [&](Value operand) {
           return repeated.contains(operand);
         });
}

SmallVector<Operation *> StepBuilder::repeatedOps() {
  llvm::DenseSet<Value> repeated;
  for (BlockArgument argument : func.getArguments())
    if (!nn::layoutOf(argument).getDims().empty())
      repeated.insert(argument);
  SmallVector<Operation *> list;
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (isShared(op, repeated))
      continue;
    repeated.insert(op.result_begin(), op.result_end());
    list.push_back(&op);
  }
  return list;
}

/// Dropout draws what it would draw for one batch of all micro-batches, where
/// the batch is the first dim.
static void belongsTo(Operation &op, int64_t micro) {
  Builder builder(op.getContext());
  op.setAttr(nn::kMicroBatch, builder.getI64IntegerAttr(micro));
  if (micro == 0 ||
      !isa<nn::DropoutOp, nn::AttentionOp, nn::AttentionGradOp>(op))
    return;
  auto sizeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> shape = sizeOf(op.getOperand(0));
  int64_t count = llvm::product_of(shape);
  if (!isa<nn::DropoutOp>(op)) // weights [b, h, s, t], k [b, g, t, d]
    count = count / shape[3] * sizeOf(op.getOperand(1))[2];
  op.setAttr(nn::kFirstDrawn, builder.getI64IntegerAttr(micro * count));
}

static bool isSum(Operation *op) {
  auto move = dyn_cast<nn::RedistributeOp>(op);
  return move && move.getKind() == nn::RedistributeKind::AllReduce &&
         llvm::all_of(nn::layoutOf(move.getX()).getPartials(),
                      [](nn::PartialAttr partial) {
                        return partial.getReduction() == nn::Reduction::Sum;
                      });
}

/// The one operand that `op` is linear in and that differs between
/// micro-batches; null without.
static Value linearOperand(Operation *op, const IRMapping &copy) {
  if (isa<nn::ValueOp, nn::RearrangeOp>(op) || isSum(op))
    return op->getOperand(0);
  auto embedding = dyn_cast<nn::EmbeddingGradOp>(op);
  if (embedding && !copy.contains(embedding.getIds()))
    return embedding.getDy();
  return {};
}

/// What makes `value` in the end is done once, to the sum: above all, reducing
/// it. The terms are added right where they are computed.
Value StepBuilder::meanOf(Value value, ArrayRef<IRMapping> copies) {
  SmallVector<Operation *> last;
  Value first = value;
  while (Operation *op = first.getDefiningOp()) {
    Value operand = linearOperand(op, copies.front());
    if (!operand || !copies.front().contains(operand))
      break;
    last.push_back(op);
    first = operand;
  }
  if (!copies.front().contains(first))
    return value; // the same for each
  Value sum = first;
  for (auto [index, copy] : llvm::enumerate(copies)) {
    at = first.getLoc();
    Value term = copy.lookup(first);
    builder.setInsertionPointAfterValue(term);
    sum = binary(nn::BinaryKind::Add, sum, term);
    belongsTo(*sum.getDefiningOp(), index + 1);
  }
  builder.setInsertionPoint(terminator);
  for (Operation *op : llvm::reverse(last)) {
    IRMapping mapping;
    mapping.map(linearOperand(op, copies.front()), sum);
    Operation *once = builder.clone(*op, mapping);
    once->removeAttr(nn::kMicroBatch);
    sum = once->getResult(0);
  }
  return binary(nn::BinaryKind::Mul, sum, 1.0 / double(copies.size() + 1));
}

void StepBuilder::accumulate() {
  auto number = recipe.getAs<IntegerAttr>("accumulate");
  int64_t count = number ? number.getInt() : 1;
  if (count == 1)
    return;
  SmallVector<Operation *> ops = repeatedOps();
  std::vector<IRMapping> copies(count - 1);
  for (BlockArgument argument : func.getArguments()) {
    if (nn::layoutOf(argument).getDims().empty())
      continue;
    int64_t rows = nn::layoutOf(argument).getDims()[0].getSize();
    auto type = cast<RankedTensorType>(argument.getType());
    RankedTensorType longer = withMicroBatches(argument, count);
    SmallVector<nn::SliceOp> slices;
    builder.setInsertionPointToStart(&func.getBody().front());
    for (int64_t micro = 0; micro < count; ++micro) {
      slices.push_back(nn::SliceOp::create(builder, argument.getLoc(), type,
                                           argument, 0, micro * rows, rows,
                                           false));
      if (micro > 0)
        copies[micro - 1].map(slices.front().getResult(),
                              slices.back().getResult());
    }
    llvm::SmallPtrSet<Operation *, 8> made(slices.begin(), slices.end());
    argument.replaceAllUsesExcept(slices.front().getResult(), made);
    argument.setType(longer);
  }
  builder.setInsertionPoint(terminator);
  for (Operation *op : ops)
    belongsTo(*op, 0);
  for (auto [index, copy] : llvm::enumerate(copies))
    for (Operation *op : ops)
      belongsTo(*builder.clone(*op, copy), index + 1);
  for (OpOperand &output : terminator->getOpOperands())
    output.set(meanOf(output.get(), copies));
  for (Trained &trained : list)
    trained.gradient = meanOf(trained.gradient, copies);
}
