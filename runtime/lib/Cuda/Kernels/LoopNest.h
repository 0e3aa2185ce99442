//===- LoopNest.h - strided loops over several operands --------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_LOOPNEST_H
#define HOCKET_LIB_CUDA_KERNELS_LOOPNEST_H

#include "hocket/Runtime/Status.h"
#include "runtime/lib/Cuda/Kernels/LoopParameters.h"
#include <array>
#include <vector>

namespace hocket::runtime::cuda {

/// Loops over windows of one shape, up to four operands. Dims of one element
/// are dropped, the others ordered by the first operand's strides, the
/// innermost first, and merged where every operand allows it.
class LoopNest {
public:
  using Strides = std::array<int64_t, mostOperands>; // bytes, by operand
  struct Dim {
    int64_t extent;
    Strides strides;
  };

  /// strides[operand][dim] in elements of `bytes[operand]`; operands that are
  /// not there have no strides.
  LoopNest(const std::vector<int64_t> &shape,
           const std::vector<std::vector<int64_t>> &strides,
           const std::vector<int64_t> &bytes);

  bool isEmpty() const { return total() == 0; }
  int64_t total() const;
  /// Operand `operand` steps from element to element along the innermost dim.
  bool isContiguous(int operand, int64_t bytes) const {
    return !dims.empty() && dims[0].strides[operand] == bytes;
  }

  /// Moves units of several elements at once: the most bytes, 16 at most, of
  /// which `addresses` and all strides of the operands in `moved` are
  /// multiples, and of which the innermost dim, contiguous in these and without
  /// a step in the others, has a whole number. Returns them; `bytes` if no more
  /// than one element can be moved.
  int64_t widen(int64_t bytes, const std::vector<int> &moved,
                const std::vector<uint64_t> &addresses);

  /// Cut along outer dims into parts that a kernel can count.
  struct Part {
    Loops loops;
    Strides begin; // bytes, by operand
  };
  Status parts(std::vector<Part> &out) const;

  std::vector<Dim> dims; // innermost first

private:
  void addParts(Strides begin, std::vector<Part> &out) const;
  bool isWidened(int64_t unit, int64_t bytes, const std::vector<int> &moved,
                 const std::vector<uint64_t> &addresses) const;
};

/// The numbers that divide by `extent` >= 2.
LoopDim loopDim(int64_t extent, const LoopNest::Strides &strides);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_LOOPNEST_H
