//===- Reduce.h - element-wise reduction of strided windows ----*- C++ -*-===//

#ifndef HOCKET_CPU_REDUCE_H
#define HOCKET_CPU_REDUCE_H

#include "hocket/Cpu/Call.h"
#include "hocket/Cpu/VectorFunctions.h"

namespace hocket::runtime {

/// out = terms[0] op terms[1] op ... element for element, in this order, over
/// windows of one shape and type. With one term it is a copy. `out` may be one
/// of the terms. F16 and BF16 are reduced in F32 and rounded once; a sum of
/// Bool is "or".
///
/// Elements are numbered row-major over the shape, dims taken in the order
/// `order` (outermost first); a part of them can be reduced on its own.
class Reduce {
public:
  Reduce() = default;
  Reduce(plan::Reduction reduction, const Operand &out,
         const std::vector<Operand> &terms, const std::vector<int> &order);

  int64_t elements() const { return total; }
  /// Reduces elements [begin, end). Not to be called by two threads at once.
  void run(int64_t begin, int64_t end);

private:
  void runRow(int64_t count);

  ReduceFunction function = nullptr;
  plan::DType type = plan::DType::F32;
  plan::Reduction reduction = plan::Reduction::Sum;
  int64_t total = 0, elementBytes = 0;
  std::vector<int64_t> extents;              // merged dims, outermost first
  std::vector<std::vector<int64_t>> strides; // by operand (out first), bytes
  std::vector<int64_t> steps;                // innermost, by operand, bytes
  std::vector<char *> bases, rows;           // by operand
  std::vector<const void *> termRows;
  bool contiguous = true; // innermost stride is one element everywhere
};

/// 0, 1, ..., rank - 1 sorted by falling stride.
std::vector<int> orderByStride(const std::vector<int64_t> &strides);

} // namespace hocket::runtime

#endif // HOCKET_CPU_REDUCE_H
