//===- PrepareKernel.cpp - from a request to a graph and its loops --------===//

#include "PrepareKernel.h"

using namespace mlir;

namespace hocket::codegen {

static std::unique_ptr<GraphBuilder> prepare(const KernelRequest &request,
                                             Schedule &schedule,
                                             std::string &why,
                                             Repeats repeats) {
  std::unique_ptr<GraphBuilder> first;
  for (Inputs inputs : {Inputs::ByValue, Inputs::Linked, Inputs::ByUse}) {
    auto builder = std::make_unique<GraphBuilder>(request, inputs);
    schedule = Schedule();
    bool built = builder->build();
    if (built) {
      joinAxes(builder->graph);
      built = makeSchedule(builder->graph, schedule, builder->reason, repeats);
    }
    if (built) {
      why.clear();
      return builder;
    }
    if (!first)
      first = std::move(builder);
  }
  why = first->reason;
  return first;
}

std::unique_ptr<GraphBuilder> prepareKernel(const KernelRequest &request,
                                            Schedule &schedule,
                                            std::string &why) {
  auto builder = prepare(request, schedule, why, Repeats::Refuse);
  if (!why.empty())
    builder = prepare(request, schedule, why, Repeats::Accept);
  return builder;
}

std::unique_ptr<GraphBuilder> prepareOrReport(const KernelRequest &request,
                                              Schedule &schedule) {
  std::string why;
  auto builder = prepareKernel(request, schedule, why);
  if (why.empty())
    return builder;
  Operation *at =
      builder->culprit ? builder->culprit : request.body->getTerminator();
  at->emitError("cannot be part of one kernel: ") << why;
  return nullptr;
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
