//===- Schedule.h - loops, passes and rows of a kernel ---------*- C++ -*-===//
//
// A kernel runs outer loops over the axes that nothing reduces, and inside
// them, for each row, a sequence of nests over the row axes. softmax over j:
//
//   for i in parallel                 outer loop, cut over threads
//     nest: for j: m = max(m, x)      pass 0
//     nest: for j: e[j] = exp(x - m); s += e[j]       pass 1, e is a kept row
//     nest: for j: y = e[j] * (1 / s)                 pass 2
//
// A value that several passes need is kept in a row on the stack if it costs
// more to compute than to load; if it is an output it is loaded from there. A
// reduction that leaves row axes accumulates in a row (sum over i of x [i, j]:
// acc[j] += x, j innermost), else in a scalar.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_CPU_SCHEDULE_H
#define HOCKET_LIB_CODEGEN_CPU_SCHEDULE_H

#include "lib/CodeGen/Graph/Graph.h"
#include <map>
#include <set>

namespace hocket::codegen {

using AxisList = llvm::SmallVector<int, 4>;

struct Nest {
  AxisList loops;    // outermost first
  AxisList unrolled; // innermost, written out (pairs of a rotary; rows of a
                     // sum over leading dims)
  llvm::SmallVector<int, 2> reductions, outputs, kept; // nodes, numbers, nodes
  bool inMemory = false; // reductions accumulate in rows
};

struct Schedule {
  AxisList parallel; // flattened into [begin, end)
  AxisList serial;   // loops inside, above the nests
  std::vector<Nest> nests;
  /// Row axes of every reduction and kept value; empty list: a scalar.
  std::map<int, AxisList> rows;
  /// Values loaded back from an output: node to output number.
  std::map<int, int> reloaded;
  std::vector<bool> used; // nodes that reach an output
  std::vector<int> level; // of a node: reductions it waits for
  int64_t extent = 1;
};

/// Whether work that outer loops do again may be more than all the rest. What
/// repeats depends on strides (an operand that is broadcast varies over fewer
/// axes), so that is asked where operations are grouped, not where the groups,
/// with the strides of their operands, are compiled.
enum class Repeats { Refuse, Accept };

/// Decides the loops; may cut axes of the graph. False if the graph cannot be
/// one kernel: `reason` says why.
bool makeSchedule(Graph &graph, Schedule &schedule, std::string &reason,
                  Repeats repeats = Repeats::Accept);

/// Elements of a row.
int64_t rowSize(const Graph &graph, const AxisList &axes);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_SCHEDULE_H
