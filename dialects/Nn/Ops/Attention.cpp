//===- Attention.cpp - placement and gradient of nn.attention -------------===//

#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Ops/AttentionRule.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value q = adaptor.getQ(), k = adaptor.getK();
  FailureOr<Type> type =
      attentionResult(location, q, k, adaptor.getV(), MaskData::of(adaptor),
                      {adaptor.getBefore(), adaptor.getAfter()});
  if (failed(type))
    return failure();
  if (failed(checkBias(location, q, adaptor.getBias(), // (C11)
                       dimsOf(k)[2].getSize())))
    return failure();
  int64_t heads = dimsOf(q)[1].getSize(), groups = dimsOf(k)[1].getSize();
  if (groups == 0 ? heads != 0 : heads % groups != 0) // (C3)
    return emitOptionalError(location, "attention takes a multiple of the ",
                             groups,
                             " heads of k and v as heads of q, but q "
                             "has ",
                             heads);
  if (failed(verifyBlockLayout(
          location, adaptor.getBlockLayoutAttr(),
          {heads, dimsOf(q)[2].getSize(), dimsOf(k)[2].getSize()}))) // (C9)
    return failure();
  double dropout = adaptor.getDropout().convertToDouble();
  if (!(dropout >= 0 && dropout < 1))
    return emitOptionalError(location,
                             "attention takes a dropout of at least "
                             "0 and less than 1, but it is ",
                             dropout);
  if (adaptor.getRing() && dimsOf(q)[2].getSize() != dimsOf(k)[2].getSize())
    return emitOptionalError( // (C8)
        location,
        "attention takes a ring where queries and keys are as many, "
        "but there are ",
        dimsOf(q)[2].getSize(), " queries and ", dimsOf(k)[2].getSize(),
        " keys");
  if (failed(checkDraws(location, "attention", adaptor.getStep(), // (C5)
                        adaptor.getStreamAttr())))
    return failure();
  types.push_back(*type);
  return success();
}

/// How many of q's minor factors lie inside a group of heads that share keys
/// and values; nothing where the border of a group is none of theirs.
static std::optional<size_t> factorsInside(ArrayRef<FactorAttr> factors,
                                           int64_t group) {
  int64_t inside = 1;
  for (size_t count = 0; count <= factors.size(); ++count) {
    if (inside == group)
      return count;
    if (count < factors.size())
      inside *= factors[factors.size() - 1 - count].getSize();
  }
  return std::nullopt;
}

void nn::addHeads(RuleBuilder &rule, ArrayRef<DimOf> queries,
                  ArrayRef<DimOf> keys) {
  int64_t kvHeads = rule.sizeOf(keys[0]);
  int64_t group = kvHeads ? rule.sizeOf(queries[0]) / kvHeads : 1;
  if (group == 1) {
    SmallVector<DimOf> all(queries);
    llvm::append_range(all, keys);
    return rule.add(all);
  }
  SmallVector<SmallVector<FactorAttr>> grouped(keys.size());
  SmallVector<ArrayRef<FactorAttr>> lists;
  for (auto [list, key] : llvm::zip(grouped, keys)) {
    llvm::append_range(list, rule.layoutOf(key));
    MLIRContext *context = list[0].getContext();
    list.push_back(FactorAttr::get(context, StringAttr::get(context), group));
    lists.push_back(list);
  }
  for (DimOf query : queries)
    lists.push_back(rule.layoutOf(query));
  auto factors = refineAll(lists);
  if (failed(factors)) {
    // No border of q's heads falls between two groups.
    rule.addPositions(queries);
    return rule.add(keys, FactorUse::Whole,
                    "the factors of the heads of q cut through a group of "
                    "heads that share keys and values");
  }
  size_t inside = *factorsInside(*factors, group);
  bool isApart = factorsInside(rule.layoutOf(queries[0]), group).has_value();
  if (!isApart)
    factors->pop_back_n(inside);
  SmallVector<int, 2> numbers;
  for (FactorAttr factor : *factors)
    numbers.push_back(rule.addFactor(factor, FactorUse::Pointwise));
  for (DimOf query : queries) {
    rule.factorsOf(query) = numbers;
    if (!isApart)
      rule.multiplicity(query, group);
  }
  if (isApart)
    numbers.pop_back_n(inside);
  if (numbers.empty()) // one kv head
    rule.add(keys, FactorUse::Whole, "all heads of q read this one");
  for (DimOf key : keys) {
    if (!numbers.empty())
      rule.factorsOf(key) = numbers;
    rule.picks(key, rule.factorsOf(key));
  }
}

//===-- Windows -----------------------------------------------------------===//

/// The keys that a query sees, if they are a window: bounded on both sides,
/// with a query for each key. In a ring other parts come as a whole.
template <class OpTy> static std::optional<Window> windowOf(OpTy op) {
  if (op.getRing())
    return std::nullopt;
  std::optional<int64_t> after = op.getAfter();
  if (op.getCausal())
    after = 0;
  int64_t keys = dimsOf(op.getK())[2].getSize();
  if (!op.getBefore() || !after || dimsOf(op.getQ())[2].getSize() != keys)
    return std::nullopt;
  Window window;
  window.extent = keys;
  window.low = *op.getBefore();
  window.high = *after;
  window.kernel = window.low + 1 + window.high;
  window.isTruncated = true;
  return window;
}

template <class OpTy> static SmallVector<std::optional<Window>> byDim(OpTy op) {
  return {std::nullopt, std::nullopt, windowOf(op), std::nullopt};
}

/// Of a mask, by key.
template <class OpTy>
static void addMasks(OpTy op, SmallVector<Value> &positions) {
  for (Value value : {op.getKeep(), op.getKeyDocuments()})
    if (value)
      positions.push_back(value);
}

/// Masks have no heads.
template <class OpTy>
static int64_t positionsDim(OpTy op, Value positions, int64_t dim) {
  bool isMask = positions == op.getKeep() || positions == op.getKeyDocuments();
  return isMask ? dim - 1 : dim;
}

SmallVector<Value> AttentionOp::getPositions() {
  SmallVector<Value> values = {getK(), getV()};
  addMasks(*this, values);
  return values;
}
Value AttentionOp::getWindowed() { return getResult(); }
SmallVector<std::optional<Window>> AttentionOp::getWindows() {
  return byDim(*this);
}
int64_t AttentionOp::getPositionsDim(Value positions, int64_t dim) {
  return positionsDim(*this, positions, dim);
}
void AttentionOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

SmallVector<Value> AttentionGradOp::getPositions() {
  SmallVector<Value> values = {getK(), getV(), getDk(), getDv()};
  addMasks(*this, values);
  return values;
}
Value AttentionGradOp::getWindowed() { return getDout(); }
SmallVector<std::optional<Window>> AttentionGradOp::getWindows() {
  return byDim(*this);
}
int64_t AttentionGradOp::getPositionsDim(Value positions, int64_t dim) {
  return positionsDim(*this, positions, dim);
}
void AttentionGradOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

/// Queries and the keys that they see. Keys may be whole where queries are
/// split: each rank finds its windows in them.
template <class OpTy>
static void addPositions(RuleBuilder &rule, OpTy op, SmallVector<DimOf> queries,
                         SmallVector<DimOf> keys) {
  MaskOperands mask = MaskOperands::of(op);
  if (mask.queryDocuments)
    queries.push_back(operand(*mask.queryDocuments, 1));
  if (op.getRing()) {
    if (mask.keep)
      rule.add(operand(*mask.keep, 1), FactorUse::Whole,
               "each rank reads parts of the padding");
    if (mask.keyDocuments)
      rule.add(operand(*mask.keyDocuments, 1), FactorUse::Whole,
               "each rank reads the documents of others' keys");
    llvm::append_range(queries, keys);
    // The line of the forward is the licence of both; what a gradient has of
    // all queries is a sum of terms.
    return rule.addPositions(queries, std::is_same_v<OpTy, AttentionOp>
                                          ? FactorUse::Statistics
                                          : FactorUse::Pointwise);
  }
  for (std::optional<unsigned> number : {mask.keep, mask.keyDocuments})
    if (number)
      keys.push_back(operand(*number, 1));
  if (std::optional<Window> window = windowOf(op)) {
    if (rule.addWindows(keys, queries, *window))
      for (DimOf key : keys)
        rule.picks(key, rule.factorsOf(key));
    return;
  }
  if (op.getCausal() || op.getBefore() || op.getAfter() || op.getBlockLayout())
    rule.addPositions(queries);
  else
    rule.add(queries);
  rule.add(keys, FactorUse::Whole,
           "the softmax over the keys needs all of them");
}

template <class OpTy>
static void addMaskBatch(OpTy op, SmallVector<DimOf> &batch) {
  MaskOperands mask = MaskOperands::of(op);
  for (std::optional<unsigned> number :
       {mask.keep, mask.queryDocuments, mask.keyDocuments})
    if (number)
      batch.push_back(operand(*number, 0));
}

namespace {
/// Dims of the operands and results of an attention that are one index.
struct SharedDims {
  SmallVector<DimOf> batch, heads, queries;

  /// Those of a bias or of its gradient, which has them or 1, and all keys.
  void addBias(RuleBuilder &rule, DimOf (*dimOf)(unsigned, int64_t),
               unsigned number) {
    for (auto [dim, shared] :
         llvm::enumerate(std::array{&batch, &heads, &queries})) {
      DimOf own = dimOf(number, dim);
      if (rule.sizeOf(own) == rule.sizeOf(shared->front()))
        shared->push_back(own);
      else
        rule.broadcast(own);
    }
    rule.add(dimOf(number, 3), FactorUse::Whole,
             "each rank finds what is of its keys in the bias");
  }
};
} // namespace

PlacementRule AttentionOp::getPlacementRule() {
  RuleBuilder rule(*this, "attention weights of a sum are not the sum of the "
                          "attention weights");
  SharedDims dims = {{operand(0, 0), operand(1, 0), operand(2, 0), result(0)},
                     {operand(0, 1), result(1)},
                     {operand(0, 2), result(2)}};
  SmallVector<DimOf> keys = {operand(1, 2), operand(2, 2)};
  addMaskBatch(*this, dims.batch);
  if (auto bias = MaskOperands::biasOf(*this))
    dims.addBias(rule, operand, *bias);
  if (getLse()) {
    dims.batch.push_back(resultOf(1, 0));
    dims.heads.push_back(resultOf(1, 1));
    dims.queries.push_back(resultOf(1, 2));
    rule.ignores(1, 2);
  }
  rule.add(dims.batch);
  addHeads(rule, dims.heads, {operand(1, 1), operand(2, 1)});
  addPositions(rule, *this, dims.queries, keys);
  rule.add({operand(0, 3), operand(1, 3)}, FactorUse::Whole,
           "the product of a query and a key needs the whole head dim");
  rule.add({operand(2, 3), result(3)});
  rule.partial(2, PartialUse::Linear);
  return rule.take();
}

void AttentionOp::differentiate(Derivative &d) {
  auto read = [&](Value x) { return x ? d.read(x) : Value(); };
  Value q = d.read(getQ()), k = d.read(getK()), v = d.read(getV());
  Value dy = d.cotangent(), y = d.read(getResult()), lse = d.read(getLse());
  Value keep = read(getKeep()), step = read(getStep()), bias = read(getBias());
  auto biasNumber = MaskOperands::biasOf(*this);
  bool isLearned = biasNumber && d.isWanted(*biasNumber);
  Value ofQueries = read(getQueryDocuments()), ofKeys = read(getKeyDocuments());
  auto gradient = d.makeTyped<AttentionGradOp>(
      q.getType(), k.getType(), v.getType(),
      isLearned ? bias.getType() : Type(), q, k, v, dy, y, lse, keep, ofQueries,
      ofKeys, bias, step, getCausalAttr(), getBeforeAttr(), getAfterAttr(),
      getBlockLayoutAttr(), getScaleAttr(), getDropoutAttr(), getStreamAttr(),
      getRingAttr());
  for (unsigned i = 0; i < 3; ++i)
    if (d.isWanted(i))
      d.give(i, gradient->getResult(i));
  if (isLearned)
    d.give(*biasNumber, gradient.getDbias());
}

//===-- The gradient ------------------------------------------------------===//

LogicalResult AttentionGradOp::verify() {
  // (C1) What attention takes it takes, and the gradient of its result.
  SmallVector<Type> types;
  SmallVector<Value> operands = {getQ(), getK(), getV()};
  AttentionOp::Properties forward;
  forward.operandSegmentSizes = {1, 1, 1};
  Value others[] = {getKeep(), getQueryDocuments(), getKeyDocuments(),
                    getBias(), getStep()};
  for (auto [number, value] : llvm::enumerate(others)) {
    forward.operandSegmentSizes[3 + number] = bool(value);
    if (value)
      operands.push_back(value);
  }
  forward.causal = getCausalAttr();
  forward.before = getBeforeAttr();
  forward.after = getAfterAttr();
  forward.block_layout = getBlockLayoutAttr();
  forward.scale = getScaleAttr();
  forward.dropout = getDropoutAttr();
  forward.stream = getStreamAttr();
  forward.ring = getRingAttr();
  if (failed(AttentionOp::inferReturnTypes(
          getContext(), getLoc(), operands,
          (*this)->getDiscardableAttrDictionary(), &forward, {}, types)))
    return failure();
  if (failed(verifySameBlockLayout<AttentionOp>(*this)) ||      // (C4)
      failed(verifyBiasGradient(*this, getBias(), getDbias()))) // (C5)
    return failure();
  return verifyGradients(*this, types); // (C2), (C3)
}

PlacementRule AttentionGradOp::getPlacementRule() {
  RuleBuilder rule(*this, "the gradients of attention are linear in the "
                          "gradient of its result alone");
  auto ofQueries = [](int64_t dim) -> SmallVector<DimOf> {
    return {operand(0, dim), operand(3, dim), operand(4, dim), operand(5, dim),
            resultOf(0, dim)};
  };
  SharedDims dims = {{operand(0, 0), operand(1, 0), operand(2, 0),
                      operand(3, 0), operand(4, 0), operand(5, 0),
                      resultOf(0, 0), resultOf(1, 0), resultOf(2, 0)},
                     ofQueries(1),
                     ofQueries(2)};
  SmallVector<DimOf> keys = {operand(1, 2), operand(2, 2), resultOf(1, 2),
                             resultOf(2, 2)};
  addMaskBatch(*this, dims.batch);
  if (auto bias = MaskOperands::biasOf(*this))
    dims.addBias(rule, operand, *bias);
  // Where one number of a bias is for all, each of these adds a term.
  if (getDbias())
    dims.addBias(rule, resultOf, 3);
  rule.add(dims.batch);
  addHeads(rule, dims.heads,
           {operand(1, 1), operand(2, 1), resultOf(1, 1), resultOf(2, 1)});
  // Of keys and values every query adds a term to the gradient.
  addPositions(rule, *this, dims.queries, keys);
  rule.add({operand(0, 3), operand(1, 3), resultOf(0, 3), resultOf(1, 3)},
           FactorUse::Whole,
           "the product of a query and a key needs the whole head dim");
  rule.add({operand(2, 3), operand(3, 3), operand(4, 3), resultOf(2, 3)});
  rule.partial(3, PartialUse::Linear);
  return rule.take();
}

void AttentionGradOp::differentiate(Derivative &d) {
  d.refuse("the derivative of a gradient");
}
