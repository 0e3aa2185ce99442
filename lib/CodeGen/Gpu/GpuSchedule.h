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
// Without reductions a row is one unit, or some that lie far apart and read the
// same of an operand that has fewer dims. Where rows are too long for registers
// the slots are a loop, and each pass over the row loads it again.
//
// Where what lies next to each other is no part of the row, a unit is of
// several rows, which a thread reduces beside each other, and threads next to
// each other have rows next to each other. The sum over i of x [32768, 1024] in
// f32, in 64 parts (CutReductions.h):
//
//   rows 256                 of 4 columns each
//   rowsTogether 32          a warp has 128 columns, 512 bytes
//   lanes 16                 16 warps have the same columns; lane l has
//                            elements l, 16 + l, ... of a part
//   blocks 8 * 64            512 threads
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GPU_GPUSCHEDULE_H
#define HOCKET_LIB_CODEGEN_GPU_GPUSCHEDULE_H

#include "lib/CodeGen/Graph/Graph.h"
#include "llvm/ADT/STLExtras.h"
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
  bool isVectorOfRow = false; // a unit is of one row
  /// What numbers the parts of a row (Node::axis of reductions), or -1: each
  /// has units of its own, one after the other, and blocks of its own.
  int partAxis = -1;
  int64_t parts = 1, unitsOfPart = 1;
  int64_t rows = 1, units = 1;  // of the kernel, of a row
  int64_t lanes = 1, slots = 1; // threads of a row, units of a thread
  bool inRegisters = true;      // slots are written out, not a loop
  bool readsOnce = false;       // nothing of a row is needed once it is reduced
  int64_t unrolled = 1;         // slots of one turn of the loop, at most
  int64_t threads = 128;        // of a block, a multiple of 32
  int64_t rowsOfBlock = 1, blocks = 1;
  /// Of so many rows the first lanes are threads next to each other, then the
  /// second ones, where rows share sectors; 1: the lanes of a row are.
  int64_t rowsTogether = 1;
  /// Rows begin anywhere: units begin behind their first elements, at multiples
  /// of so many elements (ShiftRows.h); 0: a row begins with a unit.
  int64_t shift = 0;
  int shiftedLoad = -1, shiftedOutput = -1; // what says where rows begin
  std::vector<bool> used;                   // nodes that reach an output
  std::vector<int> level; // of a node: reductions it waits for

  bool isShifted() const { return shift > 0; }
  bool hasRow() const { return !row.empty() || isShifted(); }
  /// Whether the axis numbers units of a row, or their elements.
  bool isOfUnit(int axis) const {
    return llvm::is_contained(row, axis) ||
           (isVectorOfRow && axis == vectorAxis);
  }
  const LinearForm &shiftedForm(const Graph &graph) const {
    return shiftedLoad >= 0 ? graph.nodes[shiftedLoad].form
                            : graph.outputs[shiftedOutput].form;
  }
};

/// Bytes of the elements that differ along the axes of a form.
double bytesOf(const Graph &graph, const LinearForm &form, DType type);

/// Decides the rest and cuts the vector axis in the graph, whose reductions all
/// run over the same axes and leave the same.
void makeGpuSchedule(Graph &graph, GpuSchedule &schedule);

/// The axis along which most bytes lie next to each other, of what the node
/// needs, or, without one, of all that is loaded and stored; -1: there is none.
int fastestAxis(const Graph &graph, int node = -1);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_GPUSCHEDULE_H
