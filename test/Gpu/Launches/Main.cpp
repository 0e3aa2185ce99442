//===- Main.cpp - launch-counts: what launches ask of memory --------------===//
//
// launch-counts KERNELS.ptx < LAUNCHES > COUNTS
//
// Runs launches of kernels whose addresses depend on no data, on memory that
// holds zeros. Of each, a line of JSON says
//
//   {"entry": "k_1_0", "grid": 64, "threads": 128, "blocks": [[0, 8], [60, 4]],
//    "operands": [{"bytes": 4096, "shift": 8, "same": -1}], "scalars": [0]}
//
// blocks: which of them run, as first and number. An operand's address is
// `shift` bytes behind a multiple of 256, or, where `same` is not -1, that of
// the operand of this number. A line of counts for each:
//
//   {"findings": [], "operands": [{"read": 4096, "written": 0, "loads": ...}],
//    "ways": 0, "idealWays": 0}
//
// read and written are distinct bytes; the others are sums of ptx::Counts.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Launch.h"
#include "test/Gpu/Ptx/Syntax.h"
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

using namespace hocket::ptx;
using Json = nlohmann::ordered_json;

namespace {

/// One launch, and its operands in memory of their own.
class Run {
public:
  Run(Program &program, const Json &what);
  Json counts();

private:
  void add(const Report &report);

  Program &program;
  const Json &what;
  Configuration how;
  std::vector<uint64_t> bases; // of operands
  Report sum;
};

} // namespace

Run::Run(Program &program, const Json &what) : program(program), what(what) {
  how.grid.x = what.at("grid");
  how.block.x = what.at("threads");
  std::vector<uint64_t> addresses;
  for (const Json &operand : what.at("operands")) {
    int same = operand.at("same");
    uint64_t shift = operand.at("shift"), bytes = operand.at("bytes");
    bases.push_back(same >= 0 ? bases[same]
                              : program.memory().allocateZeros(
                                    shift + bytes,
                                    "operand " + std::to_string(bases.size())));
    addresses.push_back(same >= 0 ? addresses[same] : bases.back() + shift);
    how.arguments.add(addresses.back());
  }
  for (int64_t scalar : what.at("scalars"))
    how.arguments.add(scalar);
}

void Run::add(const Report &report) {
  sum.findings.insert(sum.findings.end(), report.findings.begin(),
                      report.findings.end());
  sum.total += report.total;
  for (auto &[base, counts] : report.byAllocation)
    sum.byAllocation[base] += counts;
  for (auto &[base, touched] : report.touched) {
    Touched &all = sum.touched[base];
    all.read.insert(all.read.end(), touched.read.begin(), touched.read.end());
    all.written.insert(all.written.end(), touched.written.begin(),
                       touched.written.end());
  }
}

static uint64_t bytesOf(std::vector<Extent> extents) {
  unite(extents);
  uint64_t bytes = 0;
  for (const Extent &extent : extents)
    bytes += extent.end - extent.begin;
  return bytes;
}

Json Run::counts() {
  for (const Json &range : what.at("blocks")) {
    uint64_t first = range.at(0), most = range.at(1), all = how.grid.count();
    how.onlyBlocks.resize(std::min(most, all - std::min(all, first)));
    std::iota(how.onlyBlocks.begin(), how.onlyBlocks.end(), first);
    if (how.onlyBlocks.empty())
      continue;
    add(launch(program, what.at("entry"), how));
  }
  Json result = {{"findings", Json::array()}, {"operands", Json::array()}};
  for (const Finding &finding : sum.findings)
    result["findings"].push_back(finding.sentence);
  for (uint64_t base : bases) {
    const Counts &counts = sum.byAllocation[base];
    const Touched &touched = sum.touched[base];
    result["operands"].push_back(
        {{"read", bytesOf(touched.read)},
         {"written", bytesOf(touched.written)},
         {"loadBytes", counts.loadBytes},
         {"storeBytes", counts.storeBytes},
         {"loadSectors", counts.loadSectors},
         {"storeSectors", counts.storeSectors},
         {"idealLoadSectors", counts.idealLoadSectors},
         {"idealStoreSectors", counts.idealStoreSectors}});
  }
  result["loads"] = sum.total.loads;
  result["stores"] = sum.total.stores;
  result["loadSectors"] = sum.total.loadSectors;
  result["idealLoadSectors"] = sum.total.idealLoadSectors;
  result["storeSectors"] = sum.total.storeSectors;
  result["idealStoreSectors"] = sum.total.idealStoreSectors;
  result["ways"] = sum.total.sharedWays;
  result["idealWays"] = sum.total.idealSharedWays;
  result["warps"] = sum.total.warps;
  for (size_t i = 0; i < bases.size(); ++i)
    if (what["operands"][i]["same"] == -1)
      program.memory().release(bases[i]);
  return result;
}

int main(int argc, char **argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  if (!file) {
    std::cerr << "usage: launch-counts KERNELS.ptx < LAUNCHES > COUNTS\n";
    return 2;
  }
  std::stringstream text;
  text << file.rdbuf();
  try {
    Memory memory;
    Program program(parse(text.str(), argv[1]), memory);
    for (std::string line; std::getline(std::cin, line);)
      std::cout << Run(program, Json::parse(line)).counts().dump() << "\n";
  } catch (const PtxError &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
