//===- PrepareKernel.cpp - from a request to a graph and its loops --------===//

#include "PrepareKernel.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;

namespace hocket::codegen {

/// Whether it computes in one operation, beside views of what it reads.
static bool isOneOperation(const KernelRequest &request) {
  return llvm::count_if(request.body->without_terminator(), [](Operation &op) {
           return op.getNumOperands() > 0 &&
                  !isa<nn::RearrangeOp, nn::SliceOp, nn::ValueOp>(op);
         }) == 1;
}

/// The graph of the first way to relate uses of inputs that `makeLoops` takes.
/// Factors are joined for one operation alone: of several each may do without,
/// and where a group is looked for it is not known yet whether what they read
/// has gaps.
static std::unique_ptr<GraphBuilder> firstThatFits(
    const KernelRequest &request, std::string &why,
    llvm::function_ref<bool(Graph &, std::string &reason)> makeLoops) {
  std::unique_ptr<GraphBuilder> first;
  bool factorsCross = false;
  for (Inputs inputs :
       {Inputs::ByValue, Inputs::Linked, Inputs::ByUse, Inputs::Joined}) {
    if (inputs == Inputs::Joined && (!factorsCross || !isOneOperation(request)))
      break;
    auto builder = std::make_unique<GraphBuilder>(request, inputs);
    bool built = builder->build();
    if (built) {
      joinAxes(builder->graph);
      built = makeLoops(builder->graph, builder->reason);
    }
    if (built) {
      why.clear();
      return builder;
    }
    factorsCross |= builder->factorsCross;
    if (!first)
      first = std::move(builder);
  }
  why = first->reason;
  return first;
}

static std::unique_ptr<GraphBuilder> prepare(const KernelRequest &request,
                                             Schedule &schedule,
                                             std::string &why,
                                             Repeats repeats) {
  return firstThatFits(request, why, [&](Graph &graph, std::string &reason) {
    schedule = Schedule();
    return makeSchedule(graph, schedule, reason, repeats);
  });
}

std::unique_ptr<GraphBuilder> prepareKernel(const KernelRequest &request,
                                            Schedule &schedule,
                                            std::string &why) {
  auto builder = prepare(request, schedule, why, Repeats::Refuse);
  if (!why.empty())
    builder = prepare(request, schedule, why, Repeats::Accept);
  return builder;
}

static std::unique_ptr<GraphBuilder>
orReport(const KernelRequest &request, std::unique_ptr<GraphBuilder> builder,
         const std::string &why) {
  if (why.empty())
    return builder;
  Operation *at =
      builder->culprit ? builder->culprit : request.body->getTerminator();
  at->emitError("cannot be part of one kernel: ") << why;
  return nullptr;
}

std::unique_ptr<GraphBuilder> prepareOrReport(const KernelRequest &request,
                                              Schedule &schedule) {
  std::string why;
  auto builder = prepareKernel(request, schedule, why);
  return orReport(request, std::move(builder), why);
}

/// Of the addresses of a graph's inputs and outputs; tables, behind the inputs
/// of the request, are allocated for the kernel.
static SmallVector<int64_t> alignmentsOf(const KernelRequest &request,
                                         const Graph &graph) {
  SmallVector<int64_t> alignments;
  auto add = [&](ArrayRef<DType> types, ArrayRef<int64_t> given) {
    for (auto [i, type] : llvm::enumerate(types))
      alignments.push_back(i < given.size() ? given[i] : plan::byteSize(type));
  };
  size_t inputs = request.body->getNumArguments();
  ArrayRef<DType> types = graph.inputTypes;
  add(types.take_front(inputs), request.inputAlignments);
  alignments.append(types.size() - inputs, kTableAlignment);
  add(graph.outputTypes, request.outputAlignments);
  return alignments;
}

/// Whether the loops that write one output are empty and those of another are
/// not. (An empty row has its sum.)
static bool isEmptyBesideFull(const Graph &graph) {
  auto has = [](int axis) {
    return [=](const Output &output) {
      return llvm::is_contained(output.axes, axis);
    };
  };
  for (int axis = 0; axis < int(graph.axes.size()); ++axis) {
    bool isReduced = llvm::any_of(graph.nodes, [&](const Node &node) {
      return llvm::is_contained(node.reduced, axis);
    });
    if (graph.axes[axis] == 0 && !isReduced &&
        llvm::any_of(graph.outputs, has(axis)) &&
        !llvm::all_of(graph.outputs, has(axis)))
      return true;
  }
  return false;
}

std::unique_ptr<GraphBuilder> prepareKernel(const KernelRequest &request,
                                            GpuKernel &kernel,
                                            std::string &why) {
  return firstThatFits(request, why, [&](Graph &graph, std::string &reason) {
    if (isEmptyBesideFull(graph)) {
      reason = "one result is empty and another is not";
      return false;
    }
    for (auto [input, output] : inPlaceOf(request, graph))
      graph.inPlace.push_back({int(input), int(output)});
    kernel = makeGpuKernel(graph, alignmentsOf(request, graph));
    return true;
  });
}

std::unique_ptr<GraphBuilder> prepareOrReport(const KernelRequest &request,
                                              GpuKernel &kernel) {
  std::string why;
  auto builder = prepareKernel(request, kernel, why);
  return orReport(request, std::move(builder), why);
}

/// Strides and types are in the graph; a GPU's code depends on alignments too.
static std::string contentOf(const Graph &graph, ArrayRef<int64_t> alignments) {
  std::string content = graph.serialize();
  for (int64_t alignment : alignments)
    content += " " + std::to_string(alignment);
  return content;
}

static std::optional<PreparedKernel>
prepareForCpu(const KernelRequest &request) {
  CpuKernel loops;
  std::unique_ptr<GraphBuilder> builder =
      prepareOrReport(request, loops.schedule);
  if (!builder)
    return std::nullopt;
  for (auto [input, output] :
       inPlaceOf(request, builder->graph, loops.schedule))
    builder->graph.inPlace.push_back({int(input), int(output)});
  loops.graph = builder->graph;
  std::string content = contentOf(loops.graph, {});
  return PreparedKernel{std::move(builder),
                        {std::move(loops), std::move(content)}};
}

static std::optional<PreparedKernel>
prepareForGpu(const KernelRequest &request) {
  GpuKernel steps;
  std::unique_ptr<GraphBuilder> builder = prepareOrReport(request, steps);
  if (!builder)
    return std::nullopt;
  std::string content =
      contentOf(builder->graph, alignmentsOf(request, builder->graph));
  return PreparedKernel{std::move(builder),
                        {std::move(steps), std::move(content)}};
}

std::optional<PreparedKernel> prepareFor(plan::Target target,
                                         const KernelRequest &request) {
  return target == plan::Target::Cuda ? prepareForGpu(request)
                                      : prepareForCpu(request);
}

std::optional<ScheduledKernel>
scheduleTable(plan::Target target, const Graph &graph, std::string &why) {
  if (target == plan::Target::Cuda) {
    SmallVector<int64_t> alignments = {kTableAlignment};
    return ScheduledKernel{makeGpuKernel(graph, alignments),
                           contentOf(graph, alignments)};
  }
  CpuKernel loops{graph, {}};
  if (!makeSchedule(loops.graph, loops.schedule, why))
    return std::nullopt;
  std::string content = contentOf(loops.graph, {});
  return ScheduledKernel{std::move(loops), std::move(content)};
}

std::string whyNotKernel(Block &body, int64_t *extent) {
  KernelRequest request;
  request.body = &body;
  Schedule schedule;
  std::string why;
  prepare(request, schedule, why, Repeats::Refuse);
  if (extent)
    *extent = schedule.extent;
  return why;
}

} // namespace hocket::codegen
