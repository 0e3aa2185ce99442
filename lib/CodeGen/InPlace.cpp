//===- InPlace.cpp - what a kernel can write where it reads ---------------===//

#include "PrepareKernel.h"

namespace hocket::codegen {

/// Whether each element of the output is computed from that element of the
/// input alone, and once: whoever writes it is the only one who reads it.
static bool canBeInPlace(const Graph &graph, int input, int output) {
  const Output &written = graph.outputs[output];
  if (graph.inputTypes[input] != graph.outputTypes[output])
    return false;
  for (auto [axis, size] : llvm::enumerate(graph.axes))
    if (size > 1 && !llvm::is_contained(written.axes, int(axis)))
      return false;
  for (const Node &node : graph.nodes) {
    if (node.kind == NodeKind::Reduce || node.kind == NodeKind::Flip ||
        node.kind == NodeKind::Pieces)
      return false;
    if (node.kind == NodeKind::Load && node.argument == input &&
        (node.form.offset != written.form.offset ||
         node.form.terms != written.form.terms))
      return false;
  }
  return true;
}

InPlacePairs inPlaceOf(const KernelRequest &request, const Graph &graph) {
  InPlacePairs pairs;
  for (auto [input, output] : request.inPlace)
    if (canBeInPlace(graph, input, output))
      pairs.push_back({input, output});
  return pairs;
}

InPlacePairs inPlaceOf(const KernelRequest &request, const Graph &graph,
                       const Schedule &schedule) {
  // Outputs of several nests are written one nest after the other.
  if (schedule.nests.size() != 1 || !schedule.reloaded.empty())
    return {};
  return inPlaceOf(request, graph);
}

InPlacePairs inPlaceOf(const KernelRequest &request, plan::Target target) {
  std::string why;
  if (target == plan::Target::Cuda) {
    GpuKernel steps;
    auto builder = prepareKernel(request, steps, why);
    return why.empty() ? inPlaceOf(request, builder->graph) : InPlacePairs();
  }
  Schedule schedule;
  auto builder = prepareKernel(request, schedule, why);
  return why.empty() ? inPlaceOf(request, builder->graph, schedule)
                     : InPlacePairs();
}

} // namespace hocket::codegen
