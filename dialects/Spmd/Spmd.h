//===- Spmd.h - the spmd dialect: one rank's program -----------*- C++ -*-===//

#ifndef HOCKET_SPMD_SPMD_H
#define HOCKET_SPMD_SPMD_H

#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Nn.h"
#include "hocket/Plan/Halo.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <memory>

namespace hocket::spmd {
class ClassRows;
}

#include "dialects/Spmd/SpmdDialect.h.inc"
#include "dialects/Spmd/SpmdEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Spmd/SpmdAttrs.h.inc"
#include "dialects/Spmd/SpmdInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Spmd/SpmdOps.h.inc"

namespace hocket::spmd {

/// Of arguments and results: what they mean is in SpmdFunc.td.
constexpr llvm::StringLiteral kCuts = "spmd.cuts";
constexpr llvm::StringLiteral kReplicatedOver = "spmd.replicated_over";
/// On collectives of several tensors: where each comes from.
constexpr llvm::StringLiteral kOrigins = "spmd.origins";

/// Product of the sizes of the named axes.
int64_t memberCount(nn::MeshAttr mesh, mlir::ArrayAttr axes);
/// Row-major coordinates of `rank`, one for each axis of the mesh.
llvm::SmallVector<int64_t> coordinatesOf(nn::MeshAttr mesh, int64_t rank);
/// Row-major coordinate along `axes` of a rank at `coordinates`.
int64_t memberIndex(nn::MeshAttr mesh, mlir::ArrayAttr axes,
                    llvm::ArrayRef<int64_t> coordinates);

/// What a halo exchange or reduction moves, and the lists of its rows.
template <class OpTy> plan::Halo haloOf(OpTy op, int64_t members);
std::vector<std::vector<int64_t>> rowsOf(std::optional<mlir::ArrayAttr> lists);

} // namespace hocket::spmd

#endif // HOCKET_SPMD_SPMD_H
