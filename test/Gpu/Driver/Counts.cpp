//===- Counts.cpp - what a program asked of the driver --------------------===//

#include "test/Gpu/Driver/Counts.h"
#include "test/Gpu/Driver/Operation.h"
#include "test/Gpu/Ptx/LineList.h"
#include <fstream>
#include <nlohmann/json.hpp>

using namespace hocket::lookalike;

void Counts::ran(const Operation &operation) {
  Operations &of = operations[operation.kind];
  ++of.count;
  of.bytes += operation.bytes;
}

uint64_t Counts::operationsThatRan() const {
  uint64_t all = 0;
  for (const auto &[kind, of] : operations)
    all += of.count;
  return all;
}

void Counts::launched(const std::string &kernel, const ptx::Report &report) {
  Launches &of = kernels[kernel];
  ++of.launches;
  of.barriers += report.barriers;
  of.divergent += report.divergent;
  of.sum += report.total;
  of.lines.merge(report.lines());
}

void Counts::write(const std::string &path, uint64_t peakBytes) const {
  nlohmann::ordered_json out;
  out["calls"] = calls;
  out["operations"] = nlohmann::ordered_json::object();
  for (const auto &[kind, of] : operations)
    out["operations"][kind] = {{"count", of.count}, {"bytes", of.bytes}};
  out["peakBytes"] = peakBytes;
  out["kernels"] = nlohmann::ordered_json::object();
  for (const auto &[name, of] : kernels) {
    const ptx::Counts &sum = of.sum;
    out["kernels"][name] = {{"launches", of.launches},
                            {"barriers", of.barriers},
                            {"divergent", of.divergent},
                            {"warps", sum.warps},
                            {"threads", sum.threads},
                            {"loads", sum.loads},
                            {"stores", sum.stores},
                            {"loadBytes", sum.loadBytes},
                            {"storeBytes", sum.storeBytes},
                            {"loadSectors", sum.loadSectors},
                            {"storeSectors", sum.storeSectors},
                            {"idealLoadSectors", sum.idealLoadSectors},
                            {"idealStoreSectors", sum.idealStoreSectors},
                            {"sharedAccesses", sum.sharedAccesses},
                            {"sharedBytes", sum.sharedBytes},
                            {"sharedWays", sum.sharedWays},
                            {"idealSharedWays", sum.idealSharedWays},
                            {"lines", ptx::toText(of.lines)}};
  }
  std::ofstream(path) << out.dump(1) << "\n";
}
