//===- Reduce.cpp - element-wise reduction of strided windows -------------===//

#include "hocket/Cpu/Reduce.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace hocket::runtime {

std::vector<int> orderByStride(const std::vector<int64_t> &strides) {
  std::vector<int> order(strides.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    int64_t first = std::llabs(strides[a]), second = std::llabs(strides[b]);
    return first != second ? first > second : a < b;
  });
  return order;
}

// ---- types without vector loops -------------------------------------------

template <typename T, typename Wide>
static Wide applyReduction(plan::Reduction reduction, Wide a, Wide b) {
  if constexpr (std::is_same_v<T, Boolean>)
    return reduction == plan::Reduction::Min ? (a && b) : (a || b);
  switch (reduction) {
  case plan::Reduction::Sum:
    return a + b;
  case plan::Reduction::Max:
    return (a < b || b != b) ? b : a;
  case plan::Reduction::Min:
    break;
  }
  return (b < a || b != b) ? b : a;
}

/// Any type and any strides, one element at a time: half types and rows that
/// are not contiguous.
template <typename T>
static void reduceRow(plan::Reduction reduction,
                      const std::vector<char *> &rows,
                      const std::vector<int64_t> &steps, int64_t count) {
  using Wide = std::conditional_t<
      std::is_same_v<T, Boolean>, int,
      std::conditional_t<
          std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>>;
  for (int64_t i = 0; i < count; ++i) {
    auto load = [&](size_t operand) {
      T value;
      std::memcpy(&value, rows[operand] + i * steps[operand], sizeof value);
      return static_cast<Wide>(value);
    };
    Wide result = load(1);
    for (size_t term = 2; term < rows.size(); ++term)
      result = applyReduction<T, Wide>(reduction, result, load(term));
    T narrow = T(result);
    std::memcpy(rows[0] + i * steps[0], &narrow, sizeof narrow);
  }
}

static ReduceFunction chooseFunction(plan::DType type, int reduction) {
  const VectorFunctions &functions = vectorFunctions();
  switch (type) {
  case plan::DType::F32:
    return functions.reduceF32[reduction];
  case plan::DType::F64:
    return functions.reduceF64[reduction];
  case plan::DType::I32:
    return functions.reduceI32[reduction];
  case plan::DType::I64:
    return functions.reduceI64[reduction];
  default:
    return nullptr;
  }
}

// ---- loops ----------------------------------------------------------------

Reduce::Reduce(plan::Reduction reduction, const Operand &out,
               const std::vector<Operand> &terms, const std::vector<int> &order)
    : function(chooseFunction(out.type, static_cast<int>(reduction))),
      type(out.type), reduction(reduction), total(out.elements()),
      elementBytes(plan::byteSize(out.type)) {
  std::vector<const Operand *> operands{&out};
  for (const Operand &term : terms)
    operands.push_back(&term);
  strides.resize(operands.size());
  for (const Operand *operand : operands)
    bases.push_back(static_cast<char *>(operand->data));
  rows = bases;
  termRows.resize(terms.size());
  for (int dim : order) {
    int64_t extent = out.shape[dim];
    if (extent == 1)
      continue;
    bool merges = !extents.empty();
    for (size_t k = 0; merges && k < operands.size(); ++k)
      merges = strides[k].back() ==
               operands[k]->strides[dim] * extent * elementBytes;
    for (size_t k = 0; k < operands.size(); ++k) {
      int64_t stride = operands[k]->strides[dim] * elementBytes;
      if (merges)
        strides[k].back() = stride;
      else
        strides[k].push_back(stride);
    }
    if (merges)
      extents.back() *= extent;
    else
      extents.push_back(extent);
  }
  if (extents.empty()) {
    extents.push_back(1);
    for (std::vector<int64_t> &stride : strides)
      stride.push_back(elementBytes);
  }
  for (const std::vector<int64_t> &stride : strides) {
    steps.push_back(stride.back());
    contiguous &= stride.back() == elementBytes;
  }
}

void Reduce::run(int64_t begin, int64_t end) {
  size_t inner = extents.size() - 1;
  while (begin < end) {
    int64_t column = begin % extents[inner], rest = begin / extents[inner];
    int64_t count = std::min(end - begin, extents[inner] - column);
    for (size_t k = 0; k < rows.size(); ++k)
      rows[k] = bases[k] + column * strides[k][inner];
    for (size_t dim = inner; dim-- > 0; rest /= extents[dim])
      for (size_t k = 0; k < rows.size(); ++k)
        rows[k] += rest % extents[dim] * strides[k][dim];
    runRow(count);
    begin += count;
  }
}

void Reduce::runRow(int64_t count) {
  if (contiguous && rows.size() == 2) {
    if (rows[0] != rows[1])
      std::memcpy(rows[0], rows[1], count * elementBytes);
    return;
  }
  if (contiguous && function) {
    for (size_t k = 0; k < termRows.size(); ++k)
      termRows[k] = rows[k + 1];
    return function(rows[0], termRows.data(),
                    static_cast<int64_t>(termRows.size()), count);
  }
  visitType(type, [&](auto zero) {
    reduceRow<decltype(zero)>(reduction, rows, steps, count);
  });
}

} // namespace hocket::runtime
