//===- LibraryTarget.cpp - memory orders for kernels and libraries --------===//
//
// What is computed from one value keeps its order, so that no tensor is
// transposed only to be read. Convolutions compute with channels innermost, and
// so does everything between two of them; an input that only they read is
// filled so, and what comes in otherwise is turned where it gets margins, and
// once for both gradients; else the library turns it for itself. Attention
// writes batch, positions, heads, dim: what follows joins heads and dim. All
// else is row-major.
//
//===----------------------------------------------------------------------===//

#include "LibraryTarget.h"
#include "Rearranged.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Views/Product.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;
using namespace hocket::views;

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static bool isConvolution(Operation *op) {
  return isa<nn::ConvOp, nn::ConvTransposeOp, nn::ConvGradWeightOp>(op);
}

/// A part of a dim that only convolutions read, which take any strides.
static bool isRowsOfConvolution(Operation *op) {
  return isa<spmd::SliceOp>(op) && llvm::all_of(op->getUsers(), [](auto *user) {
           return isa<nn::ConvOp>(user);
         });
}

static bool isOfConvolutions(nn::ConcatOp op) {
  return llvm::all_of(op.getXs(), [](Value x) {
    return isa_and_present<nn::ConvOp, nn::ConvTransposeOp>(x.getDefiningOp());
  });
}

//===-- Orders ------------------------------------------------------------===//

/// Channels are innermost of what the library computes; our own loops go along
/// rows.
static bool hasChannelsInnermost(Type type) {
  return type.isF32() || type.isBF16();
}

/// Batch, spatial dims, channels; row-major for a type that the library lacks.
static SmallVector<size_t> activationOrder(Value value) {
  size_t rank = nn::layoutOf(value).getDims().size();
  SmallVector<size_t> order = {0};
  bool isInnermost = hasChannelsInnermost(elementOf(value));
  for (size_t dim = isInnermost ? 2 : 1; dim < rank; ++dim)
    order.push_back(dim);
  if (isInnermost)
    order.push_back(1);
  return order;
}

/// [batch, heads, positions..., dim] in memory as batch, positions, heads, dim.
static SmallVector<size_t> sequenceOrder(Value value) {
  size_t last = nn::layoutOf(value).getDims().size() - 1;
  SmallVector<size_t> order = {0};
  for (size_t dim = 2; dim < last; ++dim)
    order.push_back(dim);
  order.append({1, last});
  return order;
}

/// Dense strides of dims that lie in this order, outermost first.
static Numbers byDims(Value value, ArrayRef<size_t> dims) {
  auto layout = nn::layoutOf(value);
  SmallVector<size_t> order;
  for (size_t dim : dims) {
    size_t first = firstFactor(layout, dim);
    for (size_t i = 0; i < layout.getDims()[dim].getFactors().size(); ++i)
      order.push_back(first + i);
  }
  return stridesBy(order, factorSizes(layout));
}

static Numbers rowMajor(Value value) {
  return rowMajorStrides(factorSizes(nn::layoutOf(value)));
}

/// The order of another value, if it has as many factors.
static Numbers likeOf(Value value, ArrayRef<int64_t> like) {
  Numbers sizes = factorSizes(nn::layoutOf(value));
  return like.size() == sizes.size() ? stridesLike(sizes, like)
                                     : rowMajorStrides(sizes);
}

/// That of the first input with its sizes, else of the largest input of as many
/// factors, else row-major.
static Numbers kernelOrder(Value value, ArrayRef<Strided> inputs) {
  Numbers sizes = factorSizes(nn::layoutOf(value));
  const Strided *best = nullptr;
  for (const Strided &input : inputs) {
    if (input.sizes.size() != sizes.size() || sizes.empty())
      continue;
    if (input.sizes == sizes)
      return stridesLike(sizes, input.strides);
    if (!best || input.elements() > best->elements())
      best = &input;
  }
  return best && best->elements() > 1 ? stridesLike(sizes, best->strides)
                                      : rowMajorStrides(sizes);
}

/// Whether it has batch, channels and spatial dims, of one factor each.
static bool isActivation(Value value) {
  ArrayRef<nn::DimAttr> dims = nn::layoutOf(value).getDims();
  return dims.size() >= 3 && llvm::all_of(dims, [](nn::DimAttr dim) {
           return dim.getFactors().size() == 1;
         });
}

static bool isForConvolution(Operation *user) {
  return isConvolution(user) || isRowsOfConvolution(user);
}

/// Of what an exchange attaches margins to: as convolutions read it, where
/// nothing else does; else as it was.
static Numbers orderWithMargins(Value held, ArrayRef<int64_t> like) {
  return isActivation(held) && llvm::all_of(held.getUsers(), isForConvolution)
             ? byDims(held, activationOrder(held))
             : Numbers(like);
}

/// That of the source, unless factors of other dims lie between those of a dim
/// there.
static Numbers rowsOrder(Value value, const Strided &source) {
  Strided at;
  at.sizes = factorSizes(nn::layoutOf(value));
  at.strides = likeOf(value, source.strides);
  return reshaped(at, nn::layoutOf(value).getShape()) ? at.strides
                                                      : rowMajor(value);
}

/// Row-major as it is read at the end of a chain of rearranges, if that leaves
/// each dim one run.
static Numbers concatOrder(Value value) {
  SmallVector<nn::RearrangeOp> chain;
  Value last = value;
  while (last.hasOneUse()) {
    auto reader = dyn_cast<nn::RearrangeOp>(*last.user_begin());
    if (!reader)
      break;
    chain.push_back(reader);
    last = reader.getResult();
  }
  std::optional<Strided> at = Strided();
  at->sizes = factorSizes(nn::layoutOf(last));
  at->strides = rowMajorStrides(at->sizes);
  for (nn::RearrangeOp reader : llvm::reverse(chain))
    if (at)
      at = beforeRearrange(reader, *at);
  return at && reshaped(*at, nn::layoutOf(value).getShape()) ? at->strides
                                                             : rowMajor(value);
}

//===-- The target --------------------------------------------------------===//

/// As convolutions read it, also with margins, where nothing reads it that
/// would rather have rows: kernels take any order.
Numbers LibraryTarget::inputOrder(BlockArgument input) const {
  bool isRead = false;
  for (OpOperand &use : input.getUses()) {
    Operation *user = use.getOwner();
    auto exchange = dyn_cast<spmd::HaloExchangeOp>(user);
    bool isForMargins =
        exchange &&
        llvm::all_of(exchange.getResults()[use.getOperandNumber()].getUsers(),
                     isForConvolution);
    isRead |= isForMargins || isForConvolution(user);
    if (!isForMargins && !isForConvolution(user) &&
        !isa<spmd::KernelOp, spmd::StartOp>(user))
      return rowMajor(input);
  }
  return isRead && isActivation(input) ? byDims(input, activationOrder(input))
                                       : rowMajor(input);
}

Numbers LibraryTarget::order(OpResult result,
                             ArrayRef<Strided> operands) const {
  Operation *op = result.getOwner();
  if (isa<nn::ConvOp, nn::ConvTransposeOp, spmd::PoolOp, spmd::PoolGradOp>(op))
    return byDims(result, activationOrder(result));
  bool isForward = isa<spmd::AttentionOp, spmd::NeighborhoodAttentionOp>(op);
  if (isForward && result.getResultNumber() == 1)
    return rowMajor(result); // lse: queries innermost
  if (isForward ||
      isa<spmd::AttentionGradOp, spmd::NeighborhoodAttentionGradOp>(op))
    return byDims(result, sequenceOrder(result));
  if (isa<nn::GatherOp, nn::ScatterSumOp>(op))
    return rowsOrder(result, operands[0]);
  if (isa<spmd::KernelOp>(op))
    return kernelOrder(result, operands);
  if (isa<nn::LinearOp, nn::MatMulOp>(op))
    return resultStrides(productOf(op, operands[0], operands[1]),
                         factorSizes(nn::layoutOf(result)));
  if (auto concat = dyn_cast<nn::ConcatOp>(op))
    return isOfConvolutions(concat) ? byDims(result, activationOrder(result))
                                    : concatOrder(result);
  // Margins: nobody has the whole of such a value, and what follows, a
  // convolution, reads the operand's order best.
  if (isa<spmd::HaloExchangeOp>(op))
    return orderWithMargins(result, operands[result.getResultNumber()].strides);
  if (isa<spmd::HaloReduceOp>(op))
    return operands[result.getResultNumber()].strides;
  // Other collectives read and write parts in strided views, so any order will
  // do. That of the operand depends on sizes that differ from class to class (a
  // dim of size 1 has no place in an order), and what is then computed on whole
  // values would not be the same to the last bit.
  return rowMajor(result);
}

bool LibraryTarget::reads(OpOperand &operand, const Strided &at) const {
  Operation *op = operand.getOwner();
  if (isa<spmd::KernelOp, spmd::CollectiveOp>(op))
    return true;
  if (isa<nn::LinearOp, nn::MatMulOp>(op))
    return productOperand(op, operand.getOperandNumber(), at).has_value();
  if (auto lookup = dyn_cast<spmd::EmbeddingOp>(op))
    if (&operand == &lookup.getIdsMutable())
      return true;
  if (auto lookup = dyn_cast<spmd::EmbeddingGradOp>(op)) {
    if (&operand == &lookup.getIdsMutable())
      return true;
    Numbers rows = factorSizes(nn::layoutOf(lookup.getIds()));
    rows.push_back(nn::layoutOf(operand.get()).getShape().back());
    return reshaped(at, rows).has_value();
  }
  // A dim is one size and stride.
  return reshaped(at, nn::layoutOf(operand.get()).getShape()).has_value();
}

/// The gradients of a convolution both read that of its result: it is turned
/// once for them.
std::optional<Numbers> LibraryTarget::turned(OpOperand &operand,
                                             const Strided &at) const {
  Value value = operand.get();
  Operation *op = operand.getOwner();
  auto isGradient = [](Operation *user) {
    return isConvolution(user) && user->hasAttr(nn::kBackward);
  };
  bool isWeight =
      operand.getOperandNumber() > 0 && !isa<nn::ConvGradWeightOp>(op);
  auto given = reshaped(at, nn::layoutOf(value).getShape());
  if (!isGradient(op) || isWeight || !hasChannelsInnermost(elementOf(value)) ||
      !given || llvm::count_if(value.getUsers(), isGradient) < 2)
    return std::nullopt;
  Numbers wanted = stridesBy(activationOrder(value), given->sizes);
  for (auto [size, has, stride] :
       llvm::zip(given->sizes, given->strides, wanted))
    if (size != 1 && has != stride)
      return wanted;
  return std::nullopt;
}

bool LibraryTarget::writesParts(Operation *op) const {
  if (auto concat = dyn_cast<nn::ConcatOp>(op))
    return isOfConvolutions(concat);
  return isa<nn::ConvOp, nn::ConvTransposeOp, spmd::PoolOp, spmd::PoolGradOp,
             nn::GatherOp, nn::ScatterSumOp, spmd::AttentionGradOp,
             spmd::NeighborhoodAttentionGradOp>(op);
}

bool LibraryTarget::writesMiddles(Operation *op) const {
  if (auto concat = dyn_cast<nn::ConcatOp>(op))
    return isOfConvolutions(concat);
  return isa<spmd::KernelOp, nn::ConvOp, nn::ConvTransposeOp, spmd::PoolOp,
             spmd::PoolGradOp, nn::GatherOp, nn::ScatterSumOp,
             spmd::AllGatherOp, spmd::AllGatherManyOp, spmd::HaloExchangeOp>(
      op);
}

bool LibraryTarget::readsMiddles(Operation *op) const {
  return isa<spmd::KernelOp, nn::GatherOp>(op) || isRowsOfConvolution(op);
}
