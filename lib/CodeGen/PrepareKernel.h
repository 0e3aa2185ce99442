//===- PrepareKernel.h - a request to a graph and loops --------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_PREPAREKERNEL_H
#define HOCKET_LIB_CODEGEN_PREPAREKERNEL_H

#include "Backend.h"
#include "lib/CodeGen/Graph/GraphBuilder.h"

namespace hocket::codegen {

/// The graph (axes joined) and the loops of a request. If it cannot be a
/// kernel, `why` says so and the builder knows at which operation; else `why`
/// is empty. That it would do work again is no reason here: whyNotKernel has
/// been asked, and strides that are known since then change the answer.
std::unique_ptr<GraphBuilder> prepareKernel(const KernelRequest &request,
                                            Schedule &schedule,
                                            std::string &why);
std::unique_ptr<GraphBuilder> prepareKernel(const KernelRequest &request,
                                            GpuKernel &kernel,
                                            std::string &why);

/// The same with an error emitted; null on failure. For a GPU, the builder's
/// graph says in `inPlace` which of request.inPlace are granted: the kernel
/// must be launched with equal addresses for these.
std::unique_ptr<GraphBuilder> prepareOrReport(const KernelRequest &request,
                                              Schedule &schedule);
std::unique_ptr<GraphBuilder> prepareOrReport(const KernelRequest &request,
                                              GpuKernel &kernel);

/// A request that is decided for a target, except its code.
struct PreparedKernel {
  std::unique_ptr<GraphBuilder> builder;
  ScheduledKernel kernel;
};

/// Nothing after an error was emitted.
std::optional<PreparedKernel> prepareFor(plan::Target target,
                                         const KernelRequest &request);
/// The same of a table that a kernel reads; a sentence in `why` on failure.
std::optional<ScheduledKernel>
scheduleTable(plan::Target target, const Graph &graph, std::string &why);

/// Bytes that the address of a table (KernelTable) is a multiple of.
constexpr int64_t kTableAlignment = 64;

using InPlacePairs = llvm::SmallVector<std::pair<unsigned, unsigned>>;

/// Those of KernelRequest::inPlace that can be, of all targets: by what is
/// computed alone.
InPlacePairs inPlaceOf(const KernelRequest &request, const Graph &graph);
/// Of these, those that the loops of a CPU allow.
InPlacePairs inPlaceOf(const KernelRequest &request, const Graph &graph,
                       const Schedule &schedule);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_PREPAREKERNEL_H
