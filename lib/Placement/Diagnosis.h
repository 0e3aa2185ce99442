//===- Diagnosis.h - why placements don't meet -----------------*- C++ -*-===//
//
// Reads what is placed and where that came from; changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_DIAGNOSIS_H
#define HOCKET_LIB_PLACEMENT_DIAGNOSIS_H

#include "Lines.h"
#include "Origins.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Placement/Problems.h"

namespace hocket::placement {

class Diagnosis {
public:
  Diagnosis(nn::MeshAttr mesh, const Origins &origins)
      : mesh(mesh), origins(origins) {}

  /// "add in 'h.0' gets its left side split by hidden over tp, and ..."
  std::string text(mlir::Operation *op, const nn::PlacementRule &rule,
                   const Mismatch &mismatch) const;
  /// Why that does not meet.
  std::string reason(mlir::Operation *op, const nn::PlacementRule &rule,
                     const Mismatch &mismatch) const;
  /// The primary location of an error about `value`.
  mlir::Location causeLocation(mlir::Value value, unsigned axis,
                               mlir::Operation *op) const;
  /// Notes that tell why `value` holds what it holds.
  void noteCause(Problem &problem, mlir::Value value, unsigned axis) const;

  // Involved.cpp
  /// The lines that placed `value`.
  void involve(Problem &problem, mlir::Value value, unsigned axis,
               unsigned depth = 0) const;
  void involveLine(Problem &problem, mlir::Operation *directive,
                   mlir::Value value, unsigned axis) const;

private:
  std::string splitName(mlir::Operation *op, unsigned operand,
                        unsigned axis) const;
  std::string partsText(mlir::Operation *op, const nn::PlacementRule &rule,
                        unsigned operand, const Mismatch &mismatch) const;

  nn::MeshAttr mesh;
  const Origins &origins;
};

/// Where keys have to be whole: of a line that would have moved their windows,
/// why there are none, and what moves keys all the same. AttentionLines.cpp
void noteSequence(Problem &problem, mlir::Operation *op, unsigned axis,
                  nn::MeshAttr mesh, llvm::ArrayRef<Licence> strategies,
                  llvm::ArrayRef<Licence> halos);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_DIAGNOSIS_H
