//===- BlockShape.h - threads of a row and of a block ----------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_BLOCKSHAPE_H
#define HOCKET_LIB_CODEGEN_GPU_BLOCKSHAPE_H

#include "GpuSchedule.h"

namespace hocket::codegen {

/// Decides from the axes of a schedule which threads have which of its units.
/// `alongRow`: the elements of a row lie next to each other, else the rows do.
void shapeBlocks(const Graph &graph, GpuSchedule &schedule, bool alongRow);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_BLOCKSHAPE_H
