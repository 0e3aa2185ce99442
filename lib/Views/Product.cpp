//===- Product.cpp - a contraction as products of matrices ----------------===//

#include "hocket/Views/Product.h"
#include "dialects/Nn/Products.h"
#include <numeric>

using namespace mlir;
using namespace hocket;
using namespace hocket::views;

//===-- Operands ----------------------------------------------------------===//

/// The operand under the first `leading` dims of the result and these.
static nn::LayoutAttr withDims(nn::LayoutAttr result, size_t leading,
                               ArrayRef<int64_t> last) {
  SmallVector<nn::DimAttr> dims(result.getDims().take_front(leading));
  for (int64_t size : last)
    dims.push_back(nn::dimOf(result.getContext(), "", size));
  return nn::LayoutAttr::get(result.getContext(), dims, {}, {});
}

static std::optional<Strided> operandOf(nn::MatMulOp op, unsigned number,
                                        const Strided &at) {
  auto layout = nn::layoutOf(op.getResult());
  auto a = nn::layoutOf(op.getA()), b = nn::layoutOf(op.getB());
  size_t rank = layout.getDims().size();
  bool isBatch = b.getDims().size() > 2;
  int64_t k = a.getDims().back().getSize();
  int64_t n = b.getDims().back().getSize();
  int64_t m = layout.getDims()[rank - 2].getSize();
  if (number == 1 && !isBatch)
    return reshaped(at, b.getShape());
  if (number == 1)
    return broadcastTo(at, b, withDims(layout, rank - 2, {k, n}));
  return broadcastTo(at, a,
                     isBatch ? withDims(layout, rank - 2, {m, k})
                             : withDims(layout, rank - 1, {k}));
}

static std::optional<Strided> operandOf(nn::LinearOp op, unsigned number,
                                        const Strided &at) {
  if (number == 2) {
    auto layout = nn::layoutOf(op.getResult());
    return reshaped(at, {layout.getDims().back().getSize()});
  }
  if (number == 1) {
    auto weight = reshaped(at, nn::layoutOf(op.getWeight()).getShape());
    if (weight && !op.getTransposed()) {
      std::swap(weight->sizes[0], weight->sizes[1]);
      std::swap(weight->strides[0], weight->strides[1]);
    }
    return weight;
  }
  auto x = nn::layoutOf(op.getX());
  Numbers sizes = factorSizes(x);
  sizes.resize(firstFactor(x, x.getDims().size() - 1));
  sizes.push_back(x.getDims().back().getSize());
  return reshaped(at, sizes);
}

std::optional<Strided> views::productOperand(Operation *op, unsigned number,
                                             const Strided &at) {
  if (auto linear = dyn_cast<nn::LinearOp>(op))
    return operandOf(linear, number, at);
  return operandOf(cast<nn::MatMulOp>(op), number, at);
}

Product views::productOf(Operation *op, Strided a, Strided b) {
  Product product;
  product.a = std::move(a);
  product.b = std::move(b);
  if (auto matmul = dyn_cast<nn::MatMulOp>(op))
    product.isBatch = nn::layoutOf(matmul.getB()).getDims().size() > 2;
  auto layout = nn::layoutOf(op->getResult(0));
  for (nn::FactorAttr factor : layout.getDims().back().getFactors())
    product.outFactors.push_back(factor.getSize());
  return product;
}

int64_t Product::columns() const {
  return std::accumulate(outFactors.begin(), outFactors.end(), int64_t(1),
                         std::multiplies<>());
}

Numbers Product::resultSizes() const {
  Numbers sizes(a.sizes.begin(), a.sizes.end() - 1);
  sizes.push_back(columns());
  return sizes;
}

Numbers views::resultStrides(const Product &product, ArrayRef<int64_t> sizes) {
  size_t lead = product.lead();
  if (sizes.size() - product.outFactors.size() != lead || product.isBatch)
    return rowMajorStrides(sizes);
  Numbers strides = stridesLike(sizes.take_front(lead),
                                ArrayRef(product.a.strides).take_front(lead));
  for (int64_t &stride : strides)
    stride *= std::max<int64_t>(product.columns(), 1);
  strides.append(rowMajorStrides(product.outFactors));
  return strides;
}

//===-- Rows --------------------------------------------------------------===//

/// The runs of these groups of factors in a view; nothing where the factors of
/// a group are no run.
static std::optional<SmallVector<Run>>
runsIn(ArrayRef<SmallVector<size_t>> members, const Strided &view) {
  SmallVector<Run> runs;
  for (const SmallVector<size_t> &factors : members) {
    int64_t size = 1, stride = 1;
    bool first = true;
    for (size_t factor : llvm::reverse(factors)) {
      if (!first && view.strides[factor] != stride * size)
        return std::nullopt;
      if (first)
        stride = view.strides[factor];
      size *= view.sizes[factor];
      first = false;
    }
    runs.push_back({size, stride});
  }
  return runs;
}

/// Factors [begin, end) in the order in which they lie in `a`, grouped where
/// they are one run in `a` and in `c`.
static SmallVector<SmallVector<size_t>>
groupRows(const Strided &a, const Strided &c, size_t begin, size_t end) {
  ArrayRef<int64_t> sizes = a.sizes, strides = a.strides;
  SmallVector<SmallVector<size_t>> groups;
  for (size_t i : orderLike(sizes.slice(begin, end - begin),
                            strides.slice(begin, end - begin))) {
    size_t factor = begin + i;
    if (sizes[factor] == 1)
      continue;
    auto follows = [&](ArrayRef<int64_t> in) {
      return in[groups.back().back()] == in[factor] * sizes[factor];
    };
    if (!groups.empty() && strides[factor] > 0 && follows(strides) &&
        follows(c.strides))
      groups.back().push_back(factor);
    else
      groups.push_back({factor});
  }
  if (groups.empty())
    groups.emplace_back();
  return groups;
}

Matrices::Matrices(const Product &product, const Strided &result) {
  size_t lead = product.lead();
  // With batch dims the rows are the last leading factor by itself.
  batchDims = product.isBatch ? lead - 1 : 0;
  for (size_t i = 0; i < batchDims; ++i) {
    a.push_back({product.a.sizes[i], product.a.strides[i]});
    b.push_back({product.b.sizes[i], product.b.strides[i]});
    c.push_back({result.sizes[i], result.strides[i]});
  }
  members = groupRows(product.a, result, batchDims, lead);
  auto runs = runsIn(members, product.a), target = runsIn(members, result);
  assert(runs && target && "rows join where those of the result do");
  for (size_t i = 0; i < runs->size(); ++i) {
    a.push_back((*runs)[i]);
    c.push_back((*target)[i]);
    if (i + 1 < runs->size())
      b.push_back({(*runs)[i].first, 0});
  }
  rows = c.front().first;
  a.push_back({product.a.sizes[lead], product.a.strides[lead]});
  c.push_back({product.columns(), 1});
  size_t inner = product.b.sizes.size() - 2;
  b.push_back({product.b.sizes[inner], product.b.strides[inner]});
  b.push_back({product.b.sizes[inner + 1], product.b.strides[inner + 1]});
}

std::optional<SmallVector<Run>> Matrices::runsOf(const Strided &other) const {
  auto runs = runsIn(members, other);
  if (!runs)
    return std::nullopt;
  SmallVector<Run> dims;
  for (size_t i = 0; i < batchDims; ++i)
    dims.push_back({other.sizes[i], other.strides[i]});
  dims.append(*runs);
  dims.push_back({other.sizes.back(), other.strides.back()});
  return dims;
}
