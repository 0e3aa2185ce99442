//===- Strided.cpp - reshaping views without moving elements --------------===//

#include "hocket/Views/Strided.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace hocket;
using namespace hocket::views;

int64_t Strided::elements() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

Strided Strided::of(buffers::ViewOp view) {
  Strided result;
  result.buffer = view.getBuffer();
  result.offset = view.getOffset();
  if (auto terms = view.getTerms())
    for (auto term : terms->getAsRange<buffers::TermAttr>())
      result.terms.push_back(term);
  buffers::ViewType type = view.getView().getType();
  result.sizes.assign(type.getSizes().begin(), type.getSizes().end());
  result.strides.assign(type.getStrides().begin(), type.getStrides().end());
  return result;
}

Strided Strided::whole(mlir::Value input) {
  auto type = mlir::cast<buffers::InputType>(input.getType());
  Strided result;
  result.buffer = input;
  result.sizes.assign(type.getSizes().begin(), type.getSizes().end());
  result.strides.assign(type.getStrides().begin(), type.getStrides().end());
  return result;
}

void Strided::moveBy(spmd::TableAttr table, int64_t stride) {
  if (elements() == 0) // there may be no such place
    return;
  if (table.isConstant())
    offset += table.getValues()[0] * stride;
  else
    terms.push_back(buffers::TermAttr::get(table.getContext(), table, stride));
}

bool Strided::isDenseRowMajor() const {
  Numbers dense = rowMajorStrides(sizes);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != dense[i])
      return false;
  return true;
}

bool Strided::isDense() const {
  Numbers dense = stridesLike(sizes, strides);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != dense[i])
      return elements() == 0;
  return true;
}

bool Strided::isWhole() const {
  return buffers::elementsOf(buffer) == elements() && offset == 0 &&
         terms.empty() && isDense();
}

Numbers views::factorSizes(nn::LayoutAttr layout) {
  Numbers sizes;
  for (nn::DimAttr dim : layout.getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      sizes.push_back(factor.getSize());
  return sizes;
}

size_t views::firstFactor(nn::LayoutAttr layout, size_t dim) {
  size_t first = 0;
  for (size_t i = 0; i < dim; ++i)
    first += layout.getDims()[i].getFactors().size();
  return first;
}

Numbers views::rowMajorStrides(llvm::ArrayRef<int64_t> sizes) {
  Numbers strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

llvm::SmallVector<size_t> views::orderLike(llvm::ArrayRef<int64_t> sizes,
                                           llvm::ArrayRef<int64_t> like) {
  llvm::SmallVector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  Numbers keys(like.begin(), like.end());
  for (size_t i = sizes.size(); i-- > 0;)
    if (like[i] == 0 || sizes[i] == 1)
      keys[i] = i + 1 < sizes.size() ? keys[i + 1] : 0;
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return keys[a] > keys[b]; });
  return order;
}

Numbers views::stridesBy(llvm::ArrayRef<size_t> order,
                         llvm::ArrayRef<int64_t> sizes) {
  Numbers strides(sizes.size(), 1);
  int64_t stride = 1;
  for (size_t position : llvm::reverse(order)) {
    strides[position] = stride;
    stride *= std::max<int64_t>(sizes[position], 1);
  }
  return strides;
}

Numbers views::stridesLike(llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<int64_t> like) {
  return stridesBy(orderLike(sizes, like), sizes);
}

std::optional<std::pair<int64_t, int64_t>>
views::collapsed(const Strided &value, size_t begin, size_t end) {
  int64_t size = 1, stride = 1;
  bool empty = true;
  for (size_t i = end; i-- > begin;) {
    if (value.sizes[i] == 1)
      continue;
    if (!empty && value.strides[i] != stride * size)
      return std::nullopt;
    if (empty)
      stride = value.strides[i];
    size *= value.sizes[i];
    empty = false;
  }
  return std::make_pair(size, stride);
}

std::optional<Strided> views::reshaped(const Strided &value,
                                       llvm::ArrayRef<int64_t> sizes) {
  Strided result = value;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides.assign(sizes.size(), 1);
  if (value.elements() == 0) {
    result.strides = rowMajorStrides(sizes);
    return result;
  }
  size_t from = 0, to = 0;
  while (from < value.sizes.size() || to < sizes.size()) {
    // The shortest runs of both lists with equal products.
    size_t fromEnd = from, toEnd = to;
    int64_t a = 1, b = 1;
    if (fromEnd < value.sizes.size())
      a *= value.sizes[fromEnd++];
    if (toEnd < sizes.size())
      b *= sizes[toEnd++];
    while (a != b) {
      if (a < b && fromEnd < value.sizes.size())
        a *= value.sizes[fromEnd++];
      else if (b < a && toEnd < sizes.size())
        b *= sizes[toEnd++];
      else
        return std::nullopt;
    }
    auto run = collapsed(value, from, fromEnd);
    if (!run)
      return std::nullopt;
    int64_t stride = run->second;
    for (size_t i = toEnd; i-- > to;) {
      result.strides[i] = stride;
      stride *= sizes[i];
    }
    from = fromEnd;
    to = toEnd;
  }
  return result;
}

std::optional<Strided> views::broadcastTo(const Strided &value,
                                          nn::LayoutAttr from,
                                          nn::LayoutAttr to) {
  Strided result = value;
  result.sizes = factorSizes(to);
  result.strides.clear();
  size_t missing = to.getDims().size() - from.getDims().size();
  for (size_t dim = 0; dim < to.getDims().size(); ++dim) {
    auto factors = to.getDims()[dim].getFactors();
    bool absent = dim < missing;
    if (absent || from.getDims()[dim - missing].getSize() !=
                      to.getDims()[dim].getSize()) {
      result.strides.append(factors.size(), 0);
      continue;
    }
    size_t first = firstFactor(from, dim - missing);
    size_t count = from.getDims()[dim - missing].getFactors().size();
    Strided part = value;
    part.sizes.assign(value.sizes.begin() + first,
                      value.sizes.begin() + first + count);
    part.strides.assign(value.strides.begin() + first,
                        value.strides.begin() + first + count);
    Numbers wanted;
    for (nn::FactorAttr factor : factors)
      wanted.push_back(factor.getSize());
    auto fitted = reshaped(part, wanted);
    if (!fitted)
      return std::nullopt;
    result.strides.append(fitted->strides);
  }
  return result;
}
