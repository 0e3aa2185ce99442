//===- PartSizes.h - sizes of the parts of an extent -----------*- C++ -*-===//
//
// As runs of equal sizes: an even split takes two numbers, on however many
// ranks.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_PARTSIZES_H
#define HOCKET_NN_PARTSIZES_H

#include "dialects/Nn/Nn.h"
#include <optional>

namespace hocket::nn {

class PartSizes {
public:
  PartSizes() = default; ///< no part
  explicit PartSizes(llvm::ArrayRef<int64_t> sizes);

  int64_t count() const;
  int64_t largest() const;  ///< 0 of no part
  int64_t smallest() const; ///< the same
  int64_t sum() const;
  int64_t countOf(int64_t size) const;
  llvm::SmallVector<int64_t> list() const;

  /// Each cut in `parts`, even with remainder (nn::cut).
  PartSizes cutEvenly(int64_t parts) const;
  /// What each `count` neighbours have together; all are in such a group.
  PartSizes grouped(int64_t count) const;
  /// In the place of each part, what all others have together.
  PartSizes ofOthers() const;
  PartSizes times(int64_t factor) const;
  /// Part by part, of equally many.
  PartSizes times(const PartSizes &other) const;
  /// Nothing where one is no multiple of `unit`.
  std::optional<PartSizes> dividedBy(int64_t unit) const;

  bool operator==(const PartSizes &other) const { return runs == other.runs; }
  bool operator!=(const PartSizes &other) const { return !(*this == other); }

private:
  struct Run {
    int64_t size, count;
    bool operator==(const Run &other) const {
      return size == other.size && count == other.count;
    }
  };

  void add(int64_t size, int64_t count);

  llvm::SmallVector<Run, 2> runs; ///< neighbours differ, none is empty
};

/// The parts that one more split makes of those before it.
PartSizes cutBy(SplitAttr split, const PartSizes &parts, MeshAttr mesh);
/// As partSizes.
PartSizes partsOf(int64_t extent, llvm::ArrayRef<SplitAttr> splits,
                  MeshAttr mesh);

/// As splitOf of lists.
SplitAttr splitOf(mlir::StringAttr axis, int64_t dim, int64_t factor,
                  const PartSizes &parts, const PartSizes &sizes,
                  const Bounds &bounds = {});

} // namespace hocket::nn

#endif // HOCKET_NN_PARTSIZES_H
