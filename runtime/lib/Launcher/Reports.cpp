//===- Reports.cpp - what a run prints beside its results -----------------===//

#include "Reports.h"
#include "hocket/Io/OutputFiles.h"
#include "hocket/Io/ShardedWriter.h"
#include "hocket/Io/TextFile.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdio_ext.h>

namespace hocket::runtime {

Status printOut(const std::string &text) {
  bool good = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (good && std::fflush(stdout) == 0)
    return Status::success();
  std::string why = std::strerror(errno);
  // It has been told: nobody need find it again at the end.
  __fpurge(stdout);
  std::clearerr(stdout);
  return Status::runtimeError("cannot write to standard output: " + why);
}

/// A place that cannot be written is the user's mistake, a full disk a failure.
static Status writeText(const std::string &path, const std::string &text) {
  if (path == "-")
    return printOut(text);
  std::string why;
  if (writeTextFile(path, text, why))
    return Status::success();
  bool isFailure = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ||
                   errno == EIO || errno == EPIPE;
  why = "'" + path + "' cannot be written: " + why;
  return isFailure ? Status::runtimeError(why) : Status::userError(why);
}

Status checkOutputs(const LauncherOptions &options) {
  std::vector<OutputFile> files;
  auto add = [&](const char *what, const std::string &path, OutputKind kind) {
    if (!path.empty() && path != "-")
      files.push_back({std::string(what) + " '" + path + "'", path, kind});
  };
  add("output", options.output, OutputKind::Tensors);
  add("metrics", options.metrics, OutputKind::Metrics);
  add("trace", options.trace, OutputKind::Trace);
  add("statistics", options.statsJson, OutputKind::Statistics);
  return checkOutputs(files, options.force);
}

std::string shardFault(const LauncherOptions &options) {
  return options.shardSize && options.outputShards.empty()
             ? "--shard-size needs a folder of shards: --output-shards FOLDER"
             : "";
}

Status openShards(const LauncherOptions &options,
                  const std::vector<NamedTensor> &tensors,
                  std::unique_ptr<OutputWriter> &writer, Processes &processes) {
  ShardOptions shards{options.outputShards};
  shards.mostBytes = options.shardSize.value_or(shards.mostBytes);
  shards.force = options.force;
  shards.processes = &processes;
  std::unique_ptr<ShardedWriter> made;
  Status status = ShardedWriter::create(shards, tensors, made);
  writer = std::move(made);
  return status;
}

Status writeReports(const LauncherOptions &options, const plan::Plan &plan,
                    const RunReport &report) {
  Status status;
  if (!options.trace.empty())
    status = writeText(options.trace, report.trace);
  if (status.ok() && options.stats)
    status = writeText("-", statisticsText(plan, report));
  if (status.ok() && !options.statsJson.empty())
    status =
        writeText(options.statsJson, statistics(plan, report).dump(2) + "\n");
  if (status.ok() && options.repeat > 0 && !options.stats) {
    char line[128];
    std::snprintf(
        line, sizeof line, "%lld steps: median %.3f ms, least %.3f ms\n",
        static_cast<long long>(options.repeat),
        report.medianStepSeconds() * 1e3, report.leastStepSeconds() * 1e3);
    status = writeText(options.statsJson == "-" ? "/dev/stderr" : "-", line);
  }
  return status.ok() ? checkAgainstPlan(plan, report) : status;
}

} // namespace hocket::runtime
