//===- Locations.h - what an op's location says ----------------*- C++ -*-===//
//
// A model op is at NameLoc(path, model line), a directive at its schedule line
// or, through `use`, at CallSiteLoc(line in the def, line of the use), and an
// op that a directive made at FusedLoc[model, directive].
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_LOCATIONS_H
#define HOCKET_LIB_PLACEMENT_LOCATIONS_H

#include "hocket/Placement/ModelPath.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace hocket::placement {

/// The path that a location carries, or "".
llvm::StringRef pathOf(mlir::Location loc);
/// Whether a path is `root`'s or of something inside it; all is inside "".
bool isAtOrUnder(llvm::StringRef path, llvm::StringRef root);
/// The line of the model, without its path.
mlir::Location modelLine(mlir::Location loc);
/// The line that the user's own schedule has: of a chain of uses the outermost.
mlir::Location scheduleLine(mlir::Location loc);
/// The line of the directive itself, inside the def; as scheduleLine if it
/// came through no `use`.
mlir::Location definitionLine(mlir::Location loc);
/// The location of an op that `directive` makes at `model`.
mlir::Location madeBy(mlir::Location model, mlir::Location directive);
/// "gpt2.hkt:77" for texts, "" if unknown.
std::string lineText(mlir::Location loc);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_LOCATIONS_H
