//===- BindDims.cpp - which dims of a kernel's operations are one loop ----===//

#include "GraphBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"

using namespace mlir;

namespace hocket::codegen {

bool GraphBuilder::fail(Operation *op, const Twine &why) {
  culprit = op;
  reason = why.str();
  return false;
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Dims GraphBuilder::freshDims(Value value) {
  Dims result;
  for (int64_t size : typeOf(value).getShape())
    result.push_back(atoms.make(size));
  return result;
}

bool GraphBuilder::use(OpOperand &operand) {
  auto &list = uses[operand.getOwner()];
  list.resize(operand.getOwner()->getNumOperands());
  if (!isViewOfInput(operand.get()))
    return true;
  Access &bound = list[operand.getOperandNumber()].emplace();
  bool isShared = inputs == Inputs::ByValue || inputs == Inputs::Linked;
  if (isShared && shared.count(operand.get())) {
    bound = shared.lookup(operand.get());
    return true;
  }
  if (access(operand.get(), bound)) {
    shared[operand.get()] = bound;
    return true;
  }
  if (!culprit)
    culprit = operand.getOwner();
  return false;
}

const Dims &GraphBuilder::dimsOf(OpOperand &operand) {
  auto &bound = uses[operand.getOwner()][operand.getOperandNumber()];
  return bound ? bound->dims : dims[operand.get()];
}

bool GraphBuilder::unify(const Dims &a, const Dims &b) {
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (!atoms.unify(x, y))
      return false;
  return true;
}

/// Dims align at the right; a dim of size 1 meets any size.
bool GraphBuilder::unifyBroadcast(const Dims &operand, Value operandValue,
                                  const Dims &result, Value resultValue) {
  ArrayRef<int64_t> small = typeOf(operandValue).getShape();
  ArrayRef<int64_t> large = typeOf(resultValue).getShape();
  size_t shift = large.size() - small.size();
  for (size_t i = 0; i < small.size(); ++i)
    if (small[i] == large[i + shift] &&
        !atoms.unify(operand[i], result[i + shift]))
      return false;
  return true;
}

bool GraphBuilder::bindReduce(nn::ReduceOp op) {
  Dims &result = dims[op.getResult()];
  const Dims &x = dimsOf(op->getOpOperand(0));
  size_t next = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!llvm::is_contained(op.getDims(), int64_t(i))) {
      if (!atoms.unify(x[i], result[next++]))
        return false;
    } else if (op.getKeepdim()) {
      ++next;
    }
  }
  return true;
}

bool GraphBuilder::bindConcat(nn::ConcatOp op) {
  Dims &result = dims[op.getResult()];
  for (OpOperand &operand : op->getOpOperands()) {
    const Dims &x = dimsOf(operand);
    for (size_t i = 0; i < x.size(); ++i)
      if (i != op.getDim() && !atoms.unify(x[i], result[i]))
        return false;
  }
  return true;
}

bool GraphBuilder::bindSlice(nn::SliceOp op) {
  Dims &result = dims[op.getResult()];
  const Dims &x = dimsOf(op->getOpOperand(0));
  for (size_t i = 0, next = 0; i < x.size(); ++i) {
    if (i != op.getDim()) {
      if (!atoms.unify(x[i], result[next++]))
        return false;
    } else if (!op.getDrop()) {
      ++next;
    }
  }
  return true;
}

bool GraphBuilder::bindLogSumExp(nn::LogSumExpOp op) {
  Dims &result = dims[op.getResult()];
  const Dims &x = dimsOf(op->getOpOperand(0));
  for (size_t i = 0, next = 0; i < x.size(); ++i)
    if (i != op.getDim() && !atoms.unify(x[i], result[next++]))
      return false;
  return true;
}

/// The last dim is (pair, angle) in style half and (angle, pair) in style
/// interleaved.
bool GraphBuilder::bindRotary(spmd::RotaryOp op) {
  Dims &result = dims[op.getResult()];
  int64_t size = typeOf(op.getResult()).getShape().back();
  AtomList pair = atoms.make(2), angle = atoms.make(size / 2), both;
  bool half = op.getStyle() == nn::RotaryStyle::Half;
  llvm::append_range(both, half ? pair : angle);
  llvm::append_range(both, half ? angle : pair);
  rotary[op] = {pair, angle};
  return atoms.unify(both, result.back()) &&
         unify(dimsOf(op->getOpOperand(0)), result);
}

SmallVector<spmd::CutAttr, 1> GraphBuilder::runsOf(spmd::BoxAttr box) {
  SmallVector<spmd::CutAttr, 1> cuts;
  for (spmd::CutAttr cut : box.getCuts())
    if (cut.getRuns())
      cuts.push_back(cut);
  return cuts;
}

/// Elements are counted in the global tensor, whose minor factors may be cut.
bool GraphBuilder::bindDropout(spmd::DropoutOp op) {
  Dims &result = dims[op.getResult()];
  nn::LayoutAttr held = nn::layoutOf(op.getResult());
  nn::LayoutAttr whole = op.getDraws().getBox().getLayout();
  Access &global = draws[op];
  SmallVector<spmd::CutAttr, 1> runs = runsOf(op.getDraws().getBox());
  global.dims.resize(runs.size());
  int64_t stride = 1;
  for (int64_t d = held.getDims().size(); d-- > 0;) {
    ArrayRef<nn::FactorAttr> factors = held.getDims()[d].getFactors();
    AtomList dim;
    for (int64_t f = factors.size(); f-- > 0;) {
      AtomList factor = atoms.make(factors[f].getSize());
      auto isThis = [&](spmd::CutAttr cut) {
        return cut.getDim() == d && cut.getFactor() == f;
      };
      if (auto cut = llvm::find_if(runs, isThis); cut != runs.end())
        global.dims[cut - runs.begin()] = factor;
      else
        for (int atom : factor)
          global.strides.push_back({atom, stride});
      dim.insert(dim.begin(), factor.begin(), factor.end());
      stride *= whole.getDims()[d].getFactors()[f].getSize();
    }
    if (!atoms.unify(dim, result[d]))
      return false;
  }
  return unify(dimsOf(op->getOpOperand(0)), result);
}

bool GraphBuilder::bind(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (!use(operand))
      return false;
  Value result = op->getResult(0);
  auto first = [&]() -> const Dims & { return dimsOf(op->getOpOperand(0)); };
  if (auto view = dyn_cast<nn::RearrangeOp>(op)) {
    Dims to;
    bool good = rearrange(view, first(), to);
    dims[result] = to;
    return good;
  }
  dims[result] = freshDims(result);
  if (isa<nn::FillOp, spmd::IotaOp>(op))
    return true;
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return bindReduce(reduce);
  if (auto concat = dyn_cast<nn::ConcatOp>(op))
    return bindConcat(concat);
  if (auto slice = dyn_cast<nn::SliceOp>(op))
    return bindSlice(slice);
  if (auto sum = dyn_cast<nn::LogSumExpOp>(op))
    return bindLogSumExp(sum);
  if (auto rotate = dyn_cast<spmd::RotaryOp>(op))
    return bindRotary(rotate);
  if (auto dropout = dyn_cast<spmd::DropoutOp>(op))
    return bindDropout(dropout);
  if (isa<nn::LayerNormOp, nn::RmsNormOp>(op)) {
    for (OpOperand &operand : op->getOpOperands().drop_front())
      if (!atoms.unify(dimsOf(operand).back(), first().back()))
        return false;
    return unify(first(), dims[result]);
  }
  for (OpOperand &operand : op->getOpOperands())
    if (!unifyBroadcast(dimsOf(operand), operand.get(), dims[result], result))
      return false;
  return true;
}

bool GraphBuilder::bindDims() {
  for (Operation &op : request.body->without_terminator()) {
    if (!isKernelOp(&op))
      return fail(&op, "'" + op.getName().getStringRef() +
                           "' cannot be part of a kernel");
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op.getOperandTypes()),
                                  SmallVector<Type>(op.getResultTypes())))
      if (!dtypeOf(cast<RankedTensorType>(type).getElementType()))
        return fail(&op, "no kernel holds elements of this type");
    if (isViewOfInput(op.getResult(0)) && op.getNumOperands() == 1)
      continue; // bound at each use
    if (bind(&op))
      continue;
    factorsCross = reason.empty();
    return factorsCross
               ? fail(&op, "the factors of its operands cross each other")
               : false;
  }
  return bindOutputs(request.body->getTerminator());
}

bool isKernelOp(Operation *op) {
  return isa<nn::UnaryOp, nn::BinaryOp, nn::WhereOp, nn::CastOp, nn::FillOp,
             spmd::IotaOp, nn::BroadcastOp, nn::ReduceOp, nn::SoftmaxOp,
             nn::LayerNormOp, nn::RmsNormOp, spmd::RotaryOp, nn::RearrangeOp,
             nn::LogSumExpOp, nn::SliceOp, nn::ConcatOp, nn::ValueOp,
             spmd::DropoutOp, spmd::KeepFirstOp>(op);
}

} // namespace hocket::codegen
