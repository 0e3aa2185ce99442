//===- Steps.cpp - a kernel as launches one after the other ---------------===//

#include "Steps.h"
#include "CutReductions.h"
#include "Span.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace hocket::codegen {

static constexpr int64_t kScratchAlignment = 64;
/// Elements of a kernel from which on a launch costs less than what all threads
/// would compute again.
static constexpr int64_t kWorthALaunch = 1 << 14;

namespace {
/// Takes the graph apart, one set of reduced axes after the other.
class StepMaker {
public:
  StepMaker(const Graph &graph, ArrayRef<int64_t> alignments, GpuKernel &kernel)
      : graph(graph), alignments(alignments), kernel(kernel),
        scratchOf(graph.nodes.size(), -1), isWritten(graph.outputs.size()) {}
  void run();

private:
  void findUsed();
  std::optional<Span> nextSpan() const;
  void markReady(const std::optional<Span> &span);
  bool crossesRows(const Node &node) const;
  bool waits(int node, int axis) const;
  std::set<int> costlyScalars() const;
  std::vector<int> takeOutputs(const std::optional<Span> &span);
  void makeStep(const std::vector<int> &outputs, const std::set<int> &kept);
  bool belongs(const Output &output, const std::optional<Span> &span) const;
  std::set<int> keptReductions() const;
  int build(int node, GpuStep &step, std::vector<int> &numbers);
  int argument(GpuStep &step, int operand, DType type, int64_t alignment);
  int64_t distanceAlong(int axis, int node) const;
  LinearForm scratchForm(int node, int64_t &elements) const;
  void writeOutput(size_t number, GpuStep &step, std::vector<int> &numbers);
  void writeScratch(int node, GpuStep &step, std::vector<int> &numbers);
  int operands() const { return int(alignments.size()); }

  const Graph &graph;
  ArrayRef<int64_t> alignments;
  GpuKernel &kernel;
  std::vector<bool> used;
  std::vector<int> scratchOf; // of a reduction that a step before has made
  std::vector<bool> isWritten;
  std::vector<bool> ready; // nodes that the step in the making can compute
};
} // namespace

/// The span of the first reduction that is not made yet and waits for none.
std::optional<Span> StepMaker::nextSpan() const {
  for (auto [i, node] : enumerate(graph.nodes))
    if (used[i] && node.kind == NodeKind::Reduce && scratchOf[i] < 0 &&
        !ready[i])
      return spanOf(graph, node);
  return std::nullopt;
}

/// Whether a reduction that this step makes, and that varies over the axis, is
/// below the node.
bool StepMaker::waits(int number, int axis) const {
  const Node &node = graph.nodes[number];
  if (scratchOf[number] >= 0 || !is_contained(node.axes, axis))
    return false;
  return node.kind == NodeKind::Reduce ||
         any_of(node.operands,
                [&](int operand) { return waits(operand, axis); });
}

/// Whether it reads what another row is reduced to: threads of other rows do
/// not know.
bool StepMaker::crossesRows(const Node &node) const {
  for (auto [k, operand] : enumerate(node.operands)) {
    int axis = node.kind == NodeKind::Flip     ? node.axis
               : node.kind == NodeKind::Pieces ? node.pieceAxes[k]
                                               : -1;
    if (axis >= 0 && waits(operand, axis))
      return true;
  }
  return false;
}

/// What can be computed with reductions of this span and those made before.
void StepMaker::markReady(const std::optional<Span> &span) {
  for (auto [i, node] : enumerate(graph.nodes)) {
    bool operandsAre =
        all_of(node.operands, [&](int operand) { return ready[operand]; });
    bool isOther = node.kind == NodeKind::Reduce &&
                   !(span && spanOf(graph, node) == *span);
    ready[i] =
        scratchOf[i] >= 0 || (operandsAre && !isOther && !crossesRows(node));
  }
}

int StepMaker::argument(GpuStep &step, int operand, DType type,
                        int64_t alignment) {
  auto at = llvm::find(step.operands, operand);
  if (at != step.operands.end())
    return at - step.operands.begin();
  step.operands.push_back(operand);
  step.graph.inputTypes.push_back(type);
  step.schedule.alignments.push_back(alignment);
  return step.operands.size() - 1;
}

/// How far apart what a node needs lies along an axis, at the nearest.
int64_t StepMaker::distanceAlong(int axis, int number) const {
  std::vector<bool> needed = graph.neededBy(number);
  int64_t distance = INT64_MAX;
  for (auto [i, node] : enumerate(graph.nodes))
    if (needed[i] && node.kind == NodeKind::Load && node.form.of(axis) != 0)
      distance = std::min(distance, std::abs(node.form.of(axis)));
  return distance;
}

/// Dense over the axes of a node, in the order of what it is made from; parts
/// of a reduction lie farthest apart.
LinearForm StepMaker::scratchForm(int number, int64_t &elements) const {
  const Node &node = graph.nodes[number];
  SmallVector<std::pair<int64_t, int>, 6> axes; // the nearest first
  for (int axis : node.axes)
    axes.push_back({distanceAlong(axis, number), axis});
  llvm::sort(axes);
  LinearForm form;
  elements = 1;
  for (auto [distance, axis] : axes) {
    if (graph.axes[axis] != 1)
      form.add(axis, elements);
    elements *= graph.axes[axis];
  }
  return form;
}

/// Copies a node and what it needs; returns its number in the step.
int StepMaker::build(int number, GpuStep &step, std::vector<int> &numbers) {
  if (numbers[number] >= 0)
    return numbers[number];
  Node node = graph.nodes[number];
  if (scratchOf[number] >= 0) {
    Node load;
    load.kind = NodeKind::Load;
    load.type = node.type;
    int64_t elements;
    load.form = scratchForm(number, elements);
    load.argument = argument(step, operands() + scratchOf[number], node.type,
                             kScratchAlignment);
    node = load;
  } else {
    for (int &operand : node.operands)
      operand = build(operand, step, numbers);
    if (node.kind == NodeKind::Load)
      node.argument =
          argument(step, node.argument, graph.inputTypes[node.argument],
                   alignments[node.argument]);
  }
  step.graph.nodes.push_back(node);
  return numbers[number] = int(step.graph.nodes.size()) - 1;
}

void StepMaker::writeOutput(size_t number, GpuStep &step,
                            std::vector<int> &numbers) {
  Output output = graph.outputs[number];
  output.node = build(output.node, step, numbers);
  step.graph.outputs.push_back(output);
  step.graph.outputTypes.push_back(graph.outputTypes[number]);
}

void StepMaker::writeScratch(int number, GpuStep &step,
                             std::vector<int> &numbers) {
  const Node &node = graph.nodes[number];
  int64_t elements;
  Output output;
  output.form = scratchForm(number, elements);
  output.axes.assign(node.axes.begin(), node.axes.end());
  output.node = build(number, step, numbers);
  step.graph.outputs.push_back(output);
  step.graph.outputTypes.push_back(node.type);
  kernel.scratch.push_back({node.type, elements});
}

/// Whether an output is written in a step with this span: no reduction is done
/// again for dims that it does not have.
bool StepMaker::belongs(const Output &output,
                        const std::optional<Span> &span) const {
  return ready[output.node] && (!span || all_of(output.axes, [&](int axis) {
           return graph.axes[axis] == 1 || span->has(axis);
         }));
}

/// The reductions of the step in the making that a later one reads.
std::set<int> StepMaker::keptReductions() const {
  std::set<int> kept;
  for (auto [i, node] : enumerate(graph.nodes))
    if (used[i] && !ready[i])
      kept.insert(node.operands.begin(), node.operands.end());
  for (auto [output, done] : zip(graph.outputs, isWritten))
    if (!done)
      kept.insert(output.node);
  // Other values are computed again, from the reductions below them.
  for (size_t i = graph.nodes.size(); i-- > 0;)
    if (kept.count(i) && ready[i] && scratchOf[i] < 0 &&
        graph.nodes[i].kind != NodeKind::Reduce)
      kept.insert(graph.nodes[i].operands.begin(),
                  graph.nodes[i].operands.end());
  std::set<int> reductions;
  for (int number : kept)
    if (ready[number] && scratchOf[number] < 0 &&
        graph.nodes[number].kind == NodeKind::Reduce)
      reductions.insert(number);
  return reductions;
}

/// The outputs that the step in the making writes.
std::vector<int> StepMaker::takeOutputs(const std::optional<Span> &span) {
  std::vector<int> taken;
  for (auto [i, output] : enumerate(graph.outputs))
    if (!isWritten[i] && belongs(output, span)) {
      taken.push_back(i);
      isWritten[i] = true;
    }
  return taken;
}

/// A launch that writes outputs, and to scratch the nodes that are kept.
void StepMaker::makeStep(const std::vector<int> &outputs,
                         const std::set<int> &kept) {
  GpuStep step;
  step.graph.axes = graph.axes;
  step.graph.scalars = graph.scalars;
  std::vector<int> numbers(graph.nodes.size(), -1);
  SmallVector<int> written; // their operand numbers
  SmallVector<int64_t> bytes;
  for (int output : outputs) {
    writeOutput(output, step, numbers);
    written.push_back(graph.inputTypes.size() + output);
    bytes.push_back(alignments[written.back()]);
  }
  SmallVector<std::pair<int, int>> made;
  for (int number : kept) {
    made.push_back({number, int(kernel.scratch.size())});
    written.push_back(operands() + int(kernel.scratch.size()));
    bytes.push_back(kScratchAlignment);
    writeScratch(number, step, numbers);
  }
  for (auto [number, place] : made)
    scratchOf[number] = place;
  step.operands.insert(step.operands.end(), written.begin(), written.end());
  step.schedule.alignments.append(bytes);
  step.graph.deriveAxes();
  makeGpuSchedule(step.graph, step.schedule);
  kernel.steps.push_back(std::move(step));
}

/// Whether a GPU computes it in hundreds of instructions.
static bool callsFunction(const Node &node) {
  switch (node.function) {
  case ScalarOp::Pow:
  case ScalarOp::Sin:
  case ScalarOp::Cos:
    return true;
  case ScalarOp::Exp:
  case ScalarOp::Log:
  case ScalarOp::Erf:
  case ScalarOp::Erfc:
  case ScalarOp::Tanh:
    return node.type == DType::F64;
  default:
    return false;
  }
}

/// What is one number in all of a large kernel, and too costly for each thread
/// to compute: the powers of an optimizer's step. Of these, those that others
/// need.
std::set<int> StepMaker::costlyScalars() const {
  std::vector<bool> isUsed = graph.usedNodes();
  std::vector<bool> isScalar(graph.nodes.size()), isCostly(isScalar);
  std::set<int> needed;
  for (auto [i, node] : enumerate(graph.nodes)) {
    auto is = [](const std::vector<bool> &list) {
      return [&](int operand) { return list[operand]; };
    };
    isScalar[i] =
        node.kind != NodeKind::Reduce &&
        all_of(node.axes, [&](int axis) { return graph.axes[axis] == 1; }) &&
        all_of(node.operands, is(isScalar));
    isCostly[i] = isScalar[i] && node.kind == NodeKind::Compute &&
                  (callsFunction(node) || any_of(node.operands, is(isCostly)));
    for (int operand : node.operands)
      if (isUsed[i] && !isScalar[i] && isCostly[operand])
        needed.insert(operand);
  }
  int64_t elements = 1;
  for (int64_t size : graph.axes)
    elements *= size;
  return elements >= kWorthALaunch ? needed : std::set<int>();
}

/// What outputs that are not written yet need, down to what is in scratch.
void StepMaker::findUsed() {
  used.assign(graph.nodes.size(), false);
  for (auto [output, done] : zip(graph.outputs, isWritten))
    if (!done)
      used[output.node] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;)
    if (used[i] && scratchOf[i] < 0)
      for (int operand : graph.nodes[i].operands)
        used[operand] = true;
}

void StepMaker::run() {
  ready.assign(graph.nodes.size(), false);
  std::set<int> scalars = costlyScalars();
  if (!scalars.empty())
    makeStep({}, scalars);
  while (!all_of(isWritten, [](bool done) { return done; })) {
    findUsed();
    markReady(std::nullopt);
    std::optional<Span> span = nextSpan();
    markReady(span);
    std::vector<int> outputs = takeOutputs(span);
    makeStep(outputs, keptReductions());
  }
}

/// In the step that writes the output; a pair whose input that step does not
/// read binds nothing.
static void markInPlace(GpuKernel &kernel, int input, int inputs, int output) {
  for (GpuStep &step : kernel.steps) {
    ArrayRef<int> all = step.operands;
    size_t reads = step.graph.inputTypes.size();
    const int *read = llvm::find(all.take_front(reads), input);
    const int *written = llvm::find(all.drop_front(reads), inputs + output);
    if (read != all.begin() + reads && written != all.end())
      step.graph.inPlace.push_back(
          {int(read - all.begin()), int(written - all.begin() - reads)});
  }
}

GpuKernel makeGpuKernel(const Graph &graph, ArrayRef<int64_t> alignments) {
  GpuKernel kernel;
  Graph cut = graph;
  cutReductions(cut);
  StepMaker(cut, alignments, kernel).run();
  for (auto [input, output] : graph.inPlace)
    markInPlace(kernel, input, int(graph.inputTypes.size()), output);
  return kernel;
}

} // namespace hocket::codegen
