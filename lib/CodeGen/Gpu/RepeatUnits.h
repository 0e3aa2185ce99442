//===- RepeatUnits.h - several units of a thread ---------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_REPEATUNITS_H
#define HOCKET_LIB_CODEGEN_GPU_REPEATUNITS_H

#include "GpuSchedule.h"

namespace hocket::codegen {

/// Gives each thread of a kernel without reductions several units, along axes
/// that become its row:
///
/// - both places of a pair, where each is computed from both;
/// - numbers that lie far apart of another axis, if that leaves enough threads:
///   more loads are under way at once, and what does not vary over the axis is
///   loaded once for all of them.
///
/// The axes `fixed` are left alone.
void repeatUnits(Graph &graph, GpuSchedule &schedule,
                 llvm::ArrayRef<int> fixed);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_REPEATUNITS_H
