//===- Concat.cpp - tensors side by side, computed in place ---------------===//
//
// The gradients of q, k and v, which one projection made, are put together
// again for its backward. Attention's gradient writes them where they go.
//
//===----------------------------------------------------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// The operand's window where the result's, by the factors that are listed in
/// `order`, is known; nothing if either has others.
static std::optional<Strided> beforeRearrange(nn::RearrangeOp op,
                                              const Strided &result) {
  Numbers sizes = factorSizes(op.getSource()), listed;
  if (sizes != factorSizes(nn::layoutOf(op.getX())))
    return std::nullopt;
  SmallVector<int64_t> factors;
  for (Attribute dim : op.getOrder()) {
    for (Attribute factor : cast<ArrayAttr>(dim)) {
      factors.push_back(cast<IntegerAttr>(factor).getInt());
      listed.push_back(sizes[factors.back()]);
    }
    if (cast<ArrayAttr>(dim).empty()) {
      factors.push_back(-1);
      listed.push_back(1);
    }
  }
  std::optional<Strided> window = reshaped(result, listed);
  if (!window)
    return std::nullopt;
  Numbers strides(sizes.size(), 1);
  for (auto [factor, stride] : llvm::zip_equal(factors, window->strides))
    if (factor >= 0)
      strides[factor] = stride;
  window->sizes = sizes;
  window->strides = strides;
  return window;
}

/// Row-major as it is read at the end of a chain of rearranges, if that leaves
/// each dim one run.
static Numbers stridesFor(nn::ConcatOp op) {
  auto layout = nn::layoutOf(op.getResult());
  SmallVector<nn::RearrangeOp> chain;
  Value last = op.getResult();
  while (last.hasOneUse()) {
    auto reader = dyn_cast<nn::RearrangeOp>(*last.user_begin());
    if (!reader)
      break;
    chain.push_back(reader);
    last = reader.getResult();
  }
  std::optional<Strided> window = Strided();
  window->sizes = factorSizes(nn::layoutOf(last));
  window->strides = rowMajorStrides(window->sizes);
  for (nn::RearrangeOp reader : llvm::reverse(chain))
    if (window)
      window = beforeRearrange(reader, *window);
  return window && reshaped(*window, layout.getShape())
             ? window->strides
             : rowMajorStrides(factorSizes(layout));
}

/// Where operand `number` lies in the result, by dims.
Strided ClassPlanner::partOf(nn::ConcatOp op, unsigned number) {
  Value result = op.getResult();
  auto layout = nn::layoutOf(result);
  bool ofConvolutions = llvm::all_of(op.getXs(), [](Value x) {
    return isa_and_present<nn::ConvOp, nn::ConvTransposeOp>(x.getDefiningOp());
  });
  if (!values.count(result) && ofConvolutions)
    allocateActivation(result);
  else if (!values.count(result))
    values[result] =
        allocate(typeOf(result), factorSizes(layout), stridesFor(op));
  Strided part = *reshaped(get(result), layout.getShape());
  size_t dim = op.getDim();
  for (Value before : op.getXs().take_front(number))
    part.offset += nn::layoutOf(before).getShape()[dim] * part.strides[dim];
  auto shape = nn::layoutOf(op.getXs()[number]).getShape();
  part.sizes.assign(shape.begin(), shape.end());
  return part;
}

/// The one use of a value, but for that others are told of it; null if there
/// are more.
static OpOperand *onlyReader(Value value) {
  OpOperand *reader = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isa<spmd::StartOp>(use.getOwner()))
      continue;
    if (reader)
      return nullptr;
    reader = &use;
  }
  return reader;
}

/// Gives `value`, which is about to be computed, its place in the concatenation
/// that alone reads it; false if there is none.
bool ClassPlanner::placeInConcat(Value value) {
  OpOperand *use = onlyReader(value);
  if (!use || loadTime.contains(value))
    return false;
  auto view = dyn_cast<nn::RearrangeOp>(use->getOwner());
  Value part = view ? view.getResult() : value;
  if (view)
    use = onlyReader(part);
  auto concat = use ? dyn_cast<nn::ConcatOp>(use->getOwner()) : nn::ConcatOp();
  if (!concat)
    return false;
  std::optional<Strided> window = partOf(concat, use->getOperandNumber());
  auto layout = nn::layoutOf(value);
  window = view ? beforeRearrange(view, *window)
                : reshaped(*window, factorSizes(layout));
  if (!window || !reshaped(*window, layout.getShape()))
    return false;
  values[value] = *window;
  inPlace.insert(part);
  return true;
}

LogicalResult ClassPlanner::planConcat(nn::ConcatOp op) {
  for (auto [number, part] : llvm::enumerate(op.getXs())) {
    Strided target = partOf(op, number);
    if (!inPlace.contains(part))
      emit(*op, plan::Copy{byDims(*op, part).view(), target.view()});
  }
  return success();
}
