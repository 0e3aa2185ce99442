//===- ShiftRows.h - wide accesses of rows that begin anywhere -*- C++ -*-===//
//
// A row of x [512, 50257] in bf16 begins at any multiple of 2 bytes, but at the
// same one in all operands that have such rows. Units of 8 elements (16 bytes)
// begin behind as many elements as are before the next multiple of 64 bytes;
// these, and those behind the last unit, are units of one element.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GPU_SHIFTROWS_H
#define HOCKET_LIB_CODEGEN_GPU_SHIFTROWS_H

#include "GpuSchedule.h"

namespace hocket::codegen {

/// Makes units along the fastest axis, which numbers the elements of a row, and
/// says so in the schedule; false if rows begin at different places in
/// different operands, or are too short, or have wide units without it
/// (`vector` elements).
bool shiftRows(const Graph &graph, GpuSchedule &schedule, int fastest,
               int64_t vector);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_SHIFTROWS_H
