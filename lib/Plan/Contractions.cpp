//===- Contractions.cpp - linear and matmul as library calls --------------===//
//
// The rows of a product are the leading factors of its left operand, in the
// order in which they lie in memory; the result is written in that order. For
// x [batch, seq, in] read from a dense buffer that is one matrix; for a window
// whose rows are not one run, the outer factors become batch dims that the
// right operand does not have (stride 0).
//
//===----------------------------------------------------------------------===//

#include "Flops.h"
#include "Product.h"
#include "dialects/Nn/Products.h"
#include "hocket/Transforms/Fuse.h"
#include "llvm/ADT/StringSwitch.h"
#include <numeric>

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

namespace {

/// Leading factors in the order in which they lie, adjacent runs joined: (size,
/// stride).
struct Rows {
  SmallVector<size_t> order;                     // of the original factors
  SmallVector<std::pair<int64_t, int64_t>> runs; // outermost first
  SmallVector<SmallVector<size_t>> members;      // factors of each run
};

/// The rows of `a` from factor `begin` to `end`, joined where those of the
/// result `c` join as well.
Rows rowsOf(const Strided &a, const Strided &c, size_t begin, size_t end) {
  ArrayRef<int64_t> sizes = a.sizes, strides = a.strides;
  Rows rows;
  for (size_t i : orderLike(sizes.slice(begin, end - begin),
                            strides.slice(begin, end - begin)))
    if (sizes[begin + i] != 1)
      rows.order.push_back(begin + i);
  auto follows = [&](ArrayRef<int64_t> in, size_t factor) {
    return in[rows.members.back().back()] == in[factor] * sizes[factor];
  };
  for (size_t factor : rows.order) {
    bool joins = !rows.runs.empty() && strides[factor] > 0 &&
                 follows(strides, factor) && follows(c.strides, factor);
    if (joins) {
      rows.runs.back().first *= sizes[factor];
      rows.runs.back().second = strides[factor];
      rows.members.back().push_back(factor);
    } else {
      rows.runs.push_back({sizes[factor], strides[factor]});
      rows.members.push_back({factor});
    }
  }
  if (rows.runs.empty()) {
    rows.runs.push_back({1, 1});
    rows.members.emplace_back();
  }
  return rows;
}

/// A view of `base` with the given runs for dims.
plan::View viewOf(const Strided &base,
                  ArrayRef<std::pair<int64_t, int64_t>> runs) {
  plan::View view = base.view();
  view.shape.clear();
  view.strides.clear();
  for (auto [size, stride] : runs) {
    view.shape.push_back(size);
    view.strides.push_back(stride);
  }
  return view;
}

/// The runs of `rows` in another window with the same factors; nothing where
/// its factors do not join likewise.
std::optional<SmallVector<std::pair<int64_t, int64_t>>>
runsIn(const Rows &rows, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  SmallVector<std::pair<int64_t, int64_t>> runs;
  for (const SmallVector<size_t> &members : rows.members) {
    int64_t size = 1, stride = 1;
    bool first = true;
    for (size_t factor : llvm::reverse(members)) {
      if (!first && strides[factor] != stride * size)
        return std::nullopt;
      if (first)
        stride = strides[factor];
      size *= sizes[factor];
      first = false;
    }
    runs.push_back({size, stride});
  }
  return runs;
}

int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

std::optional<plan::PostOp> activationOf(StringRef kind) {
  return llvm::StringSwitch<std::optional<plan::PostOp>>(kind)
      .Case("gelu", plan::PostOp::GeluErf)
      .Case("gelu_tanh", plan::PostOp::GeluTanh)
      .Case("relu", plan::PostOp::Relu)
      .Case("silu", plan::PostOp::Silu)
      .Case("tanh", plan::PostOp::Tanh)
      .Case("add", plan::PostOp::Add)
      .Case("mul", plan::PostOp::Mul)
      .Default(std::nullopt);
}

} // namespace

LogicalResult ClassPlanner::planLinear(nn::LinearOp op) {
  Product product;
  product.result = op.getResult();
  product.bias = op.getBias();
  auto xLayout = nn::layoutOf(op.getX());
  size_t lead = firstFactor(xLayout, xLayout.getDims().size() - 1);
  Strided x = get(op.getX());
  int64_t in = xLayout.getDims().back().getSize();
  Numbers sizes(x.sizes.begin(), x.sizes.begin() + lead);
  sizes.push_back(in);
  product.a = reshapedOrCopied(*op, x, sizes, typeOf(op.getX()));
  Strided weight = byDims(*op, op.getWeight());
  if (!op.getTransposed()) {
    std::swap(weight.sizes[0], weight.sizes[1]);
    std::swap(weight.strides[0], weight.strides[1]);
  }
  product.b = weight;
  if (loadTime.contains(op.getWeight()))
    product.weight = op.getWeight();
  auto layout = nn::layoutOf(op.getResult());
  for (nn::FactorAttr factor : layout.getDims().back().getFactors())
    product.outFactors.push_back(factor.getSize());
  return planProduct(*op, product);
}

LogicalResult ClassPlanner::planMatMul(nn::MatMulOp op) {
  Product product;
  product.result = op.getResult();
  auto layout = nn::layoutOf(op.getResult());
  auto aLayout = nn::layoutOf(op.getA()), bLayout = nn::layoutOf(op.getB());
  size_t rank = layout.getDims().size();
  product.batch = bLayout.getDims().size() > 2;
  for (nn::FactorAttr factor : layout.getDims().back().getFactors())
    product.outFactors.push_back(factor.getSize());
  // Operands under the factors of the result's leading dims; m, k, n are one
  // size each.
  auto withDims = [&](nn::LayoutAttr operand, size_t leading,
                      ArrayRef<int64_t> last) {
    SmallVector<nn::DimAttr> dims(layout.getDims().take_front(leading));
    for (int64_t size : last)
      dims.push_back(nn::dimOf(op.getContext(), "", size));
    return nn::LayoutAttr::get(op.getContext(), dims, {}, {});
  };
  auto fit = [&](Value value, nn::LayoutAttr from, nn::LayoutAttr to) {
    if (auto window = broadcastTo(get(value), from, to))
      return *window;
    return *broadcastTo(copied(*op, get(value), typeOf(value)), from, to);
  };
  int64_t k = aLayout.getDims().back().getSize();
  int64_t n = bLayout.getDims().back().getSize();
  int64_t m = layout.getDims()[rank - 2].getSize();
  if (product.batch) {
    product.a = fit(op.getA(), aLayout, withDims(aLayout, rank - 2, {m, k}));
    product.b = fit(op.getB(), bLayout, withDims(bLayout, rank - 2, {k, n}));
  } else {
    product.a = fit(op.getA(), aLayout, withDims(aLayout, rank - 1, {k}));
    product.b = byDims(*op, op.getB());
    if (loadTime.contains(op.getB()))
      product.weight = op.getB();
  }
  return planProduct(*op, product);
}

int ClassPlanner::pack(Operation &op, const plan::View &weight, Value value,
                       int64_t rows) {
  // One pack for each window and number of rows, however often it is used.
  std::vector<int64_t> key = {weight.buffer, weight.offset, rows};
  key.insert(key.end(), weight.shape.begin(), weight.shape.end());
  key.insert(key.end(), weight.strides.begin(), weight.strides.end());
  for (const plan::Scalar &term : weight.terms)
    key.insert(key.end(), {term.constant, term.table, term.scale});
  auto [entry, isNew] = packs.try_emplace(key, rankClass->packs);
  if (isNew) {
    ++rankClass->packs;
    rankClass->load.push_back({tables.source(op.getLoc()),
                               plan::PackWeight{entry->second, weight, rows}});
  }
  return entry->second;
}

LogicalResult ClassPlanner::planProduct(Operation &op, Product &product) {
  size_t lead = product.a.sizes.size() - 1;
  // With batch dims the rows are the last leading factor by itself.
  size_t rowsBegin = product.batch ? lead - 1 : 0;
  auto layout = nn::layoutOf(product.result);
  Numbers sizes = factorSizes(layout);
  // The result: rows in the operand's order, then the out factors.
  Numbers like(product.a.strides.begin(), product.a.strides.begin() + lead);
  int64_t inner = ::product(product.outFactors);
  size_t leadFactors = sizes.size() - product.outFactors.size();
  Strided result;
  if (leadFactors == lead && !product.batch) {
    Numbers leadSizes(sizes.begin(), sizes.begin() + lead);
    Numbers strides = stridesLike(leadSizes, like);
    for (int64_t &stride : strides)
      stride *= std::max<int64_t>(inner, 1);
    strides.append(rowMajorStrides(product.outFactors));
    result = allocate(typeOf(product.result), sizes, strides);
  } else {
    result = allocate(product.result.getType(), {});
  }
  values[product.result] = result;
  Numbers flat(product.a.sizes.begin(), product.a.sizes.begin() + lead);
  flat.push_back(inner);
  Strided c = *reshaped(result, flat);
  Rows rows = rowsOf(product.a, c, rowsBegin, lead);

  using Run = std::pair<int64_t, int64_t>;
  plan::Matmul matmul;
  SmallVector<Run> a, b, target;
  for (size_t i = 0; i < rowsBegin; ++i) {
    a.push_back({product.a.sizes[i], product.a.strides[i]});
    b.push_back({product.b.sizes[i], product.b.strides[i]});
    target.push_back({c.sizes[i], c.strides[i]});
  }
  auto targetRuns = runsIn(rows, c.sizes, c.strides);
  assert(targetRuns && "rows join where those of the result do");
  for (size_t i = 0; i < rows.runs.size(); ++i) {
    a.push_back(rows.runs[i]);
    target.push_back((*targetRuns)[i]);
    if (i + 1 < rows.runs.size())
      b.push_back({rows.runs[i].first, 0});
  }
  a.push_back({product.a.sizes[lead], product.a.strides[lead]});
  target.push_back({inner, 1});
  size_t bLead = product.b.sizes.size() - 2;
  b.push_back({product.b.sizes[bLead], product.b.strides[bLead]});
  b.push_back({product.b.sizes[bLead + 1], product.b.strides[bLead + 1]});
  matmul.a = viewOf(product.a, a);
  matmul.b = viewOf(product.b, b);
  matmul.c = viewOf(c, target);
  SmallVector<int64_t> multiplied = {2, product.a.sizes[lead]};
  for (Run run : target)
    multiplied.push_back(run.first);
  if (!atLoad(op))
    addFlops(*rankClass, multiplied);
  if (product.bias) {
    Strided bias =
        reshapedOrCopied(op, get(product.bias), {inner}, typeOf(product.bias));
    matmul.hasBias = true;
    matmul.bias = bias.view();
  }
  // What oneDNN has products of.
  auto packs = [&] {
    plan::DType type = typeOf(product.weight);
    return type == plan::DType::F32 || type == plan::DType::BF16;
  };
  if (product.weight && packs() && !atLoad(op) && matmul.b.shape.size() == 2)
    matmul.packedWeight = pack(op, matmul.b, product.weight, target[0].first);
  product.leadStrides = like;
  Value last = planEpilogue(op, matmul, c, product);
  emit(op, matmul);
  // What was joined may have named the dims' factors otherwise.
  if (last != product.result)
    values[last] = reshapedOrCopied(op, result, factorSizes(nn::layoutOf(last)),
                                    typeOf(last));
  return success();
}

Value ClassPlanner::planEpilogue(Operation &op, plan::Matmul &matmul,
                                 const Strided &result,
                                 const Product &product) {
  Value value = product.result;
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    auto chained = user->getAttrOfType<IntegerAttr>(kInEpilogue);
    if (!chained || chained.getInt() != use.getOperandNumber())
      break;
    plan::FusedPostOp post{
        *activationOf(user->getAttrOfType<StringAttr>("kind").getValue()), {}};
    if (user->getNumOperands() == 2) {
      Value other = user->getOperand(1 - chained.getInt());
      // The operand under the dims of c, in c's order of rows.
      Strided window =
          reshapedOrCopied(op, get(other), result.sizes, typeOf(other));
      size_t lead = result.sizes.size() - 1;
      size_t rowsBegin = product.batch ? lead - 1 : 0;
      Rows rows = rowsOf(product.a, result, rowsBegin, lead);
      auto runs = runsIn(rows, window.sizes, window.strides);
      if (!runs) {
        Strided same = allocate(typeOf(other), result.sizes, result.strides);
        emit(op, plan::Copy{window.view(), same.view()});
        window = same;
        runs = runsIn(rows, window.sizes, window.strides);
      }
      SmallVector<std::pair<int64_t, int64_t>> dims;
      for (size_t i = 0; i < rowsBegin; ++i)
        dims.push_back({window.sizes[i], window.strides[i]});
      dims.append(runs->begin(), runs->end());
      dims.push_back({window.sizes[lead], window.strides[lead]});
      post.operand = viewOf(window, dims);
    }
    matmul.post.push_back(post);
    done.insert(user);
    value = user->getResult(0);
  }
  return value;
}
