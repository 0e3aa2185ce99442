//===- Precision.h - computing in a narrower type --------------*- C++ -*-===//
//
// A model is written, placed and differentiated in float32. Where nn.model says
// `precision`, this rewrites the placed program, its backward included, so that
// what is safe is computed in the narrower type:
//
//   precision = {compute = bf16, reduce = f32}
//
// Parameters, inputs, outputs and gradients stay float32. Each kind of
// operation has a row in a table (lib/Transforms/Precision/Rows.cpp). Products
// add up in float32 in any case. Partial sums keep that type, and are moved in
// it, with `reduce = f32`; else each rank rounds its term before it is moved.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_PRECISION_H
#define HOCKET_TRANSFORMS_PRECISION_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Inserts the casts that the precision of nn.model asks for in the placed
/// function of a module; leaves modules without one as they are.
mlir::LogicalResult applyPrecision(mlir::ModuleOp module);

/// Registers --hocket-precision.
void registerPrecisionPass();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_PRECISION_H
