//===- Rows.h - in which type each kind of operation computes --*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PRECISION_ROWS_H
#define HOCKET_LIB_TRANSFORMS_PRECISION_ROWS_H

#include "dialects/Nn/Program.h"

namespace hocket::precision {

/// How an operation of a float32 model is computed in a program of a narrower
/// type.
enum class Row {
  Source,  // reads nothing that is cast: parameters, constants, casts
  Product, // narrow operands, added up in f32; the result is what is asked for
  Narrow,  // narrow operands and results; f32 inside
  Rounded, // f32 operands, a narrow result
  Wide,    // f32 operands and results
  Like,    // f32 where an operand can only be f32, else narrow
  View,    // the value again, in the type that it has
};

/// In a program for `target`. What is not known is computed in float32.
Row rowOf(mlir::Operation *op, nn::Target target);

} // namespace hocket::precision

#endif // HOCKET_LIB_TRANSFORMS_PRECISION_ROWS_H
