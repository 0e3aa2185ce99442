//===- GpuSchedule.h - which threads compute what --------------*- C++ -*-===//
//
// The axes that reductions run over are a row; the others, flattened, number
// the rows. A group of `lanes` threads computes a row, a block several of them.
// A unit is `vector` elements that lie next to each other. softmax of
// [4096, 1000] in f32:
//
//   row of 1000 elements     250 units of 4 elements (16 bytes)
//   lanes 64                 lane l has units l, 64 + l, 128 + l, 192 + l
//   slots 4                  registers of 4 units a thread; the last slot has
//                            58 units, so lanes 58 to 63 sit out there
//   blocks 2048              2 rows in each, 128 threads
//
// Without reductions a row is one unit. Where rows are too long for registers
// the slots are a loop, and each pass over the row loads it again.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GPU_GPUSCHEDULE_H
#define HOCKET_LIB_CODEGEN_GPU_GPUSCHEDULE_H

#include "lib/CodeGen/Graph/Graph.h"
#include <string>
#include <vector>

namespace hocket::codegen {

struct GpuSchedule {
  /// Bytes that the address of each input, then of each output, is a multiple
  /// of: given, not decided.
  llvm::SmallVector<int64_t> alignments;
  /// Axes in the order of their flat number, the fastest last.
  llvm::SmallVector<int, 4> outer, row;
  /// Axis of the elements of a unit, inside `row`'s (or, without reductions,
  /// `outer`'s); -1: a unit is one element.
  int vectorAxis = -1;
  int64_t vector = 1;
  int64_t rows = 1, units = 1;  // of the kernel, of a row
  int64_t lanes = 1, slots = 1; // threads of a row, units of a thread
  bool inRegisters = true;      // slots are written out, not a loop
  int64_t threads = 128;        // of a block, a multiple of 32
  int64_t rowsOfBlock = 1, blocks = 1;
  std::vector<bool> used; // nodes that reach an output
  std::vector<int> level; // of a node: reductions it waits for
};

/// Decides the rest and cuts the vector axis in the graph, whose reductions all
/// run over the same axes and leave the same.
void makeGpuSchedule(Graph &graph, GpuSchedule &schedule);

/// The axis along which most bytes lie next to each other; -1: there is none.
int fastestAxis(const Graph &graph);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_GPUSCHEDULE_H
