//===- Cuts.h - how a directive says to cut --------------------*- C++ -*-===//
//
// In what parts a line cuts a factor, and the text of its `cuts`. Even parts
// are of nn (dialects/Nn/Layout.h).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_CUTS_H
#define HOCKET_LIB_PLACEMENT_CUTS_H

#include "Lines.h"
#include "dialects/Nn/PartSizes.h"
#include "hocket/Placement/Problems.h"

namespace hocket::placement {

/// Whose parts are made, for errors.
struct CutPlace {
  mlir::Operation *directive;
  llvm::StringRef path;
  std::string factor;
};

/// "(dp, tp) weights (1, 2, 1, 1)", "(r aligned 2, u)": what is said of one
/// axis alone stands behind it.
std::string overText(llvm::ArrayRef<std::string> axes,
                     mlir::ArrayAttr cuts = {});
std::string overText(llvm::ArrayRef<unsigned> axes, mlir::ArrayAttr cuts,
                     nn::MeshAttr mesh);

/// Parts in proportion to the weights, one of which is positive: by largest
/// remainder, ties to the first.
llvm::SmallVector<int64_t> weightedSizes(int64_t extent,
                                         llvm::ArrayRef<int64_t> weights);

/// Parts that begin at multiples of `unit`: whole units even with remainder,
/// and the last part has what is left.
llvm::SmallVector<int64_t> alignedSizes(int64_t extent, int64_t unit,
                                        int64_t count);

/// Reads the `cuts` of lines.
class LineCuts {
public:
  /// `all` has axes of size 1, over which lines may state cuts, `mesh` has not.
  /// Ranks without a part are told to `warnings`, if it is there.
  LineCuts(nn::MeshAttr all, nn::MeshAttr mesh, Problems &problems,
           Problems *warnings)
      : all(all), mesh(mesh), problems(problems), warnings(warnings) {}

  /// The `cuts` of a line that makes these splits, the innermost of their
  /// factor; null where they are even.
  mlir::ArrayAttr of(nn::LayoutAttr layout,
                     llvm::ArrayRef<nn::SplitAttr> splits) const;
  /// The splits that a directive makes of a factor, inside of what splits it in
  /// `layout`; even ones after a reported error.
  llvm::SmallVector<nn::SplitAttr>
  splitsFor(mlir::Operation *directive, mlir::ArrayAttr cuts,
            nn::LayoutAttr layout, FactorRef ref, llvm::ArrayRef<unsigned> axes,
            llvm::StringRef path);

private:
  std::optional<nn::PartSizes> sizesOf(const CutPlace &place,
                                       llvm::StringRef kind,
                                       llvm::ArrayRef<int64_t> values,
                                       const nn::PartSizes &parts,
                                       int64_t count);
  void warnOfIdleRanks(const CutPlace &place, const nn::PartSizes &parts,
                       llvm::ArrayRef<unsigned> axes);

  nn::MeshAttr all, mesh;
  Problems &problems;
  Problems *warnings;
};

/// The layout after a sync, as the sync means it: where its operand was not
/// what it wants, still what it would yield. Syncs.cpp
nn::LayoutAttr syncTarget(nn::LayoutAttr layout, const SyncSite &site,
                          std::optional<FactorRef> from,
                          std::optional<FactorRef> to, nn::MeshAttr mesh,
                          LineCuts &cuts);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_CUTS_H
