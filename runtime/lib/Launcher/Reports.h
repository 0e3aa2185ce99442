//===- Reports.h - what a run prints beside its results --------*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_REPORTS_H
#define HOCKET_LIB_LAUNCHER_REPORTS_H

#include "Options.h"
#include "hocket/Io/Safetensors.h"
#include "hocket/Launcher/Execute.h"

namespace hocket::runtime {

/// Trace, statistics and times, as far as they were asked for; an error where
/// the run counted something else than the plan promised.
Status writeReports(const LauncherOptions &options, const plan::Plan &plan,
                    const RunReport &report);

/// The files that a run writes, as far as they were asked for, must neither be
/// read by it nor hold something else, see Io/OutputFiles.h.
Status checkOutputs(const LauncherOptions &options);

/// What is wrong with the options of shards, or nothing.
std::string shardFault(const LauncherOptions &options);

/// The writer that --output-shards asks for, see Io/ShardedWriter.h.
Status openShards(const LauncherOptions &options,
                  const std::vector<NamedTensor> &tensors,
                  std::unique_ptr<OutputWriter> &writer, Processes &processes);

/// Writes to standard output at once. A disk that is full is a failure.
Status printOut(const std::string &text);

/// Events of a trace that a rank may record.
constexpr int64_t mostTraceEvents = 1 << 16;

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_REPORTS_H
