//===- ShiftRows.cpp - wide accesses of rows that begin anywhere ----------===//

#include "ShiftRows.h"
#include "Chip.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace hocket::codegen {

/// Units of a row that are worth the elements at its ends.
static constexpr int64_t kUnitsWorthIt = 64;
/// Rows without reductions that are enough for all of a chip.
static constexpr int64_t kEnoughRows = 128;

namespace {
/// An operand with elements next to each other along the row.
struct WideOperand {
  const LinearForm *form;
  int64_t bytes, alignment; // of an element, of the address
  int load = -1, output = -1;
};
} // namespace

/// Nothing if one lies along the row otherwise.
static std::optional<SmallVector<WideOperand>>
wideOperands(const Graph &graph, const GpuSchedule &schedule, int axis) {
  SmallVector<WideOperand> wide;
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i] || node.kind != NodeKind::Load ||
        node.form.of(axis) == 0)
      continue;
    if (node.form.of(axis) != 1)
      return std::nullopt;
    wide.push_back({&node.form, plan::byteSize(graph.inputTypes[node.argument]),
                    schedule.alignments[node.argument], int(i), -1});
  }
  for (auto [i, output] : enumerate(graph.outputs)) {
    if (output.form.of(axis) == 0)
      continue;
    if (output.form.of(axis) != 1)
      return std::nullopt;
    wide.push_back({&output.form, plan::byteSize(graph.outputTypes[i]),
                    schedule.alignments[graph.inputTypes.size() + i], -1,
                    int(i)});
  }
  return wide;
}

/// Whether rows of both begin at the same place among `shift` elements.
static bool beginAlike(const Graph &graph, const LinearForm &a,
                       const LinearForm &b, int axis, int64_t shift) {
  auto differs = [&](int64_t x, int64_t y) { return (x - y) % shift != 0; };
  for (int other = 0; other < int(graph.axes.size()); ++other)
    if (other != axis && graph.axes[other] != 1 &&
        differs(a.of(other), b.of(other)))
      return false;
  return !differs(a.offset, b.offset);
}

bool shiftRows(const Graph &graph, GpuSchedule &schedule, int fastest,
               int64_t vector) {
  bool isRow = schedule.row == SmallVector<int, 4>{fastest};
  bool reduces = !schedule.row.empty();
  if (graph.isRemapped(fastest) || schedule.partAxis >= 0 ||
      (reduces && !isRow))
    return false;
  auto wide = wideOperands(graph, schedule, fastest);
  if (!wide || wide->empty())
    return false;
  int64_t most = 8, shift = kLineBytes;
  for (const WideOperand &one : *wide) {
    most = std::min(most, kAccessBytes / one.bytes);
    shift = std::min(shift, std::min(one.alignment, kLineBytes) / one.bytes);
  }
  const WideOperand &first = wide->front();
  int64_t rows = 1;
  for (auto &term : first.form->terms)
    if (term.first != fastest)
      rows *= graph.axes[term.first];
  if (most <= vector || shift < most ||
      graph.axes[fastest] < kUnitsWorthIt * most + shift ||
      (!reduces && rows < kEnoughRows))
    return false;
  if (!all_of(*wide, [&](const WideOperand &one) {
        return beginAlike(graph, *first.form, *one.form, fastest, shift);
      }))
    return false;
  schedule.shift = shift;
  schedule.shiftedLoad = first.load;
  schedule.shiftedOutput = first.output;
  schedule.vector = most;
  schedule.vectorAxis = fastest;
  return true;
}

} // namespace hocket::codegen
