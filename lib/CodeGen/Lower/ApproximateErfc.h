//===- ApproximateErfc.h - erfc of f32 without a call ----------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_LOWER_APPROXIMATEERFC_H
#define HOCKET_LIB_CODEGEN_LOWER_APPROXIMATEERFC_H

#include "mlir/IR/PatternMatch.h"

namespace hocket::codegen {

/// Replaces math.erfc of f32 by one exp, one division and a polynomial, with a
/// relative error below 1e-6 up to erfc(3) that grows with the square of the
/// argument (as that of any evaluation from an f32 argument does).
void populateErfcPattern(mlir::RewritePatternSet &patterns);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_LOWER_APPROXIMATEERFC_H
