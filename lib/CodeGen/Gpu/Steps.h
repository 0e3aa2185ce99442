//===- Steps.h - a kernel as launches one after the other ------*- C++ -*-===//
//
// Threads of different blocks cannot wait for each other, so what reduces over
// several sets of dims takes a launch for each set; what one has reduced lies
// in scratch memory for the next. The gradient of a norm's weight w [j], x
// [i, j]:
//
//   step 0   over j: mean and deviation of each row     -> scratch [i], [i]
//   step 1   over a part of i: sums of dy * normal(x)   -> scratch [parts, j]
//   step 2   over the parts                             -> dw [j]
//
// Step 1 and 2 are one reduction over i, cut so that there are enough threads.
//
// A number that costs much and varies over no dim (the powers of an optimizer's
// step, in f64) is computed by a step of its own, into scratch of one element.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GPU_STEPS_H
#define HOCKET_LIB_CODEGEN_GPU_STEPS_H

#include "GpuSchedule.h"

namespace hocket::codegen {

/// One launch.
struct GpuStep {
  Graph graph;
  GpuSchedule schedule;
  /// What the entry's addresses are: numbers among the inputs, then the
  /// outputs, then the scratch of the kernel.
  std::vector<int> operands;
};

struct GpuScratch {
  DType type;
  int64_t elements;
};

struct GpuKernel {
  std::vector<GpuStep> steps;
  std::vector<GpuScratch> scratch;
};

/// Cuts the graph in steps and schedules each. `alignments` are the bytes that
/// the address of each input, then of each output, is a multiple of.
GpuKernel makeGpuKernel(const Graph &graph, llvm::ArrayRef<int64_t> alignments);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_STEPS_H
