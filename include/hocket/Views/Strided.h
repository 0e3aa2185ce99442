//===- Strided.h - views of memory, by factor -------------------*- C++ -*-===//
//
// Where the elements of a value lie: a size and a stride for each factor of its
// layout, in the layout's order, over one buffer. Rearranging, slicing and
// broadcasting change only these numbers.
//
//   q = rearrange(c_attn(x), "b s (three h d) -> three b h s d")[0]
//   buffer of c_attn   sizes [1, 96, 3, 12, 32]  strides [110592, 1152, 384,
//   32, 1] q                  sizes [1, 12, 96, 32]     strides [110592, 32,
//   1152, 1]
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_VIEWS_STRIDED_H
#define HOCKET_VIEWS_STRIDED_H

#include "dialects/Buffers/Buffers.h"
#include <optional>

namespace hocket::views {

using Numbers = llvm::SmallVector<int64_t, 6>;

struct Strided {
  mlir::Value buffer; // of the buffers dialect
  int64_t offset = 0;
  llvm::SmallVector<buffers::TermAttr, 1> terms;
  Numbers sizes, strides;

  /// What a view says.
  static Strided of(buffers::ViewOp view);
  /// All of an input, as it lies there.
  static Strided whole(mlir::Value input);

  int64_t elements() const;
  bool isDenseRowMajor() const;
  /// Whether the elements have no gap between them, in some order.
  bool isDense() const;
  /// Whether they are all of the buffer, in some order.
  bool isWhole() const;
  /// Begins `table` elements times `stride` later.
  void moveBy(spmd::TableAttr table, int64_t stride);
};

/// The sizes of all factors of a layout, dim after dim.
Numbers factorSizes(nn::LayoutAttr layout);
/// Number of the first factor of `dim` in that list.
size_t firstFactor(nn::LayoutAttr layout, size_t dim);

Numbers rowMajorStrides(llvm::ArrayRef<int64_t> sizes);
/// The factors by falling stride. Broadcast and single ones say nothing: they
/// stay before what follows them, as in row-major order.
llvm::SmallVector<size_t> orderLike(llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> like);
/// Dense strides of sizes that lie in this order, outermost first.
Numbers stridesBy(llvm::ArrayRef<size_t> order, llvm::ArrayRef<int64_t> sizes);
/// The same in the order of `like`.
Numbers stridesLike(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> like);

/// The same elements in the same order under another list of sizes; nothing
/// when that would need a copy.
std::optional<Strided> reshaped(const Strided &value,
                                llvm::ArrayRef<int64_t> sizes);

/// Factors [begin, end) as one; nothing when they are not one run of memory.
/// A list without elements or of size 1 collapses to size 1.
std::optional<std::pair<int64_t, int64_t>> collapsed(const Strided &value,
                                                     size_t begin, size_t end);

/// The value as an operand of a broadcasting op with result dims `to`: strides
/// 0 where it is broadcast. Nothing when factors need a copy to fit.
std::optional<Strided> broadcastTo(const Strided &value, nn::LayoutAttr from,
                                   nn::LayoutAttr to);

} // namespace hocket::views

#endif // HOCKET_VIEWS_STRIDED_H
