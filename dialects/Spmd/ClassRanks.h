//===- ClassRanks.h - what tables say at the ranks of a class --*- C++ -*-===//

#ifndef HOCKET_SPMD_CLASSRANKS_H
#define HOCKET_SPMD_CLASSRANKS_H

#include "dialects/Spmd/Spmd.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::spmd {

/// Tables are over axes of the mesh, and have a value for each coordinate.
mlir::LogicalResult verifyTable(mlir::Operation *op, TableAttr table);

/// Calls `check` with the values of the tables at the ranks of the class, once
/// for each coordinate along their axes; once if all are constant. Only those
/// that a rank of the class has are judged; none where the module has no mesh,
/// or the operation is in no spmd.func.
mlir::LogicalResult forEachRank(
    mlir::Operation *op, llvm::ArrayRef<TableAttr> tables,
    llvm::function_ref<mlir::LogicalResult(llvm::ArrayRef<int64_t>)> check);

/// `size` positions are what every rank of the class has of a dim that is cut:
/// the parts follow one another and fill it.
mlir::LogicalResult verifyPart(mlir::Operation *op, llvm::StringRef what,
                               PositionsAttr positions, int64_t size);

/// Of positions in runs: every rank's rise, and lie in the dim.
mlir::LogicalResult verifyRuns(mlir::Operation *op, llvm::StringRef what,
                               PositionsAttr positions, int64_t size);
/// An operation that knows where its first position is takes one run.
mlir::LogicalResult verifyOneRun(mlir::Operation *op, llvm::StringRef what,
                                 PositionsAttr positions);

/// They lie in the dim, where what ranks have may overlap.
mlir::LogicalResult verifyInside(mlir::Operation *op, llvm::StringRef what,
                                 PositionsAttr positions, int64_t size);

/// A tensor of `type` is what every rank of the class has of the box.
mlir::LogicalResult verifyHolds(mlir::Operation *op, mlir::Type type,
                                BoxAttr box);

/// So many elements are.
mlir::LogicalResult verifyElements(mlir::Operation *op, int64_t elements,
                                   BoxAttr box);

/// Every rank's box has factors of these sizes.
mlir::LogicalResult verifyFactors(mlir::Operation *op, const llvm::Twine &what,
                                  llvm::ArrayRef<int64_t> sizes, BoxAttr box);

/// The shares of every cut follow one another and fill the factor.
mlir::LogicalResult verifyFilled(mlir::Operation *op, BoxAttr box);

/// The box is that of the first dims of x, and the first words are as far from
/// each other as the first elements are. `isFilled`: the boxes of all ranks are
/// the whole, and not some of its elements only.
mlir::LogicalResult verifyDraws(mlir::Operation *op, DrawsAttr draws,
                                mlir::Type x, size_t dims,
                                bool isFilled = true);

} // namespace hocket::spmd

#endif // HOCKET_SPMD_CLASSRANKS_H
