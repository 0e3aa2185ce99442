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
//   {"findings": [], "operands": [{"read": 4096, "readByBlocks": 8192,
//    "readByWarps": 8192, "readSectors": 128, "written": 0, ...}], "ways": 0,
//    "idealWays": 0}
//
// Bytes, each counted once: in all blocks that run; in each block; in each
// instruction of a warp. Sectors of 32 bytes that hold those of all blocks. The
// others are sums of ptx::Counts.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Launch.h"
#include "test/Gpu/Ptx/Syntax.h"
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
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
  Json countsOf(uint64_t base);

  Program &program;
  const Json &what;
  Configuration how;
  std::vector<uint64_t> bases; // of operands
  Report sum;
  struct Bytes {
    uint64_t read = 0, written = 0;
  };
  std::map<uint64_t, Bytes> byBlocks; // by the base of an allocation
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

static uint64_t bytesOf(std::vector<Extent> extents) {
  unite(extents);
  uint64_t bytes = 0;
  for (const Extent &extent : extents)
    bytes += extent.end - extent.begin;
  return bytes;
}

static uint64_t sectorsOf(std::vector<Extent> extents) {
  for (Extent &extent : extents)
    extent = {extent.begin / 32, (extent.end + 31) / 32};
  return bytesOf(std::move(extents));
}

/// What one block did.
void Run::add(const Report &report) {
  sum.findings.insert(sum.findings.end(), report.findings.begin(),
                      report.findings.end());
  sum.total += report.total;
  for (auto &[base, counts] : report.byAllocation)
    sum.byAllocation[base] += counts;
  for (auto &[base, touched] : report.touched) {
    byBlocks[base].read += bytesOf(touched.read);
    byBlocks[base].written += bytesOf(touched.written);
    Touched &all = sum.touched[base];
    all.read.insert(all.read.end(), touched.read.begin(), touched.read.end());
    all.written.insert(all.written.end(), touched.written.begin(),
                       touched.written.end());
  }
}

Json Run::countsOf(uint64_t base) {
  const Counts &counts = sum.byAllocation[base];
  const Touched &touched = sum.touched[base];
  return {{"read", bytesOf(touched.read)},
          {"written", bytesOf(touched.written)},
          {"readSectors", sectorsOf(touched.read)},
          {"writtenSectors", sectorsOf(touched.written)},
          {"readByBlocks", byBlocks[base].read},
          {"writtenByBlocks", byBlocks[base].written},
          {"readByWarps", counts.loadedOnce},
          {"writtenByWarps", counts.storedOnce},
          {"loads", counts.loads},
          {"stores", counts.stores},
          {"loadSectors", counts.loadSectors},
          {"storeSectors", counts.storeSectors},
          {"idealLoadSectors", counts.idealLoadSectors},
          {"idealStoreSectors", counts.idealStoreSectors}};
}

Json Run::counts() {
  uint64_t all = how.grid.count();
  for (const Json &range : what.at("blocks")) {
    uint64_t first = range.at(0), count = range.at(1);
    for (uint64_t block = first; block < std::min(first + count, all);
         ++block) {
      how.onlyBlocks = {block};
      add(launch(program, what.at("entry"), how));
    }
  }
  Json result = {{"findings", Json::array()}, {"operands", Json::array()}};
  for (const Finding &finding : sum.findings)
    result["findings"].push_back(finding.sentence);
  for (uint64_t base : bases)
    result["operands"].push_back(countsOf(base));
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
