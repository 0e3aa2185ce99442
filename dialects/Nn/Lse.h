//===- Lse.h - what attention leaves for its gradient ----------*- C++ -*-===//
//
// The gradient of attention reads `lse`, the logarithm of the sum of exp(score)
// of each query. A forward by itself does not compute it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_LSE_H
#define HOCKET_NN_LSE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hocket::nn {

/// The type of the lse of an attention whose result is of type `out`: the same
/// dims but the last, f32 or, of f64, f64. It is placed as the result is, and
/// whole where that is split by its last dim or is a partial sum: it does not
/// depend on v.
mlir::RankedTensorType lseType(mlir::Type out);

/// Every attention gives its lse.
void addLse(mlir::Block &body);
/// Only those give it whose lse is read.
void dropUnreadLse(mlir::Block &body);

} // namespace hocket::nn

#endif // HOCKET_NN_LSE_H
