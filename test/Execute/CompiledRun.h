//===- CompiledRun.h - a file compiled, planned and run ---------*- C++ -*-===//
//
// Drives the command line as a user does: `hocket plan --json`, `hocket
// compile`, and one run of the program with random weights and inputs, which
// are the same under every schedule.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_EXECUTE_COMPILEDRUN_H
#define HOCKET_TEST_UNIT_EXECUTE_COMPILEDRUN_H

#include "tools/dev/FileTensor.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// After gtest, whose folder for temporaries it uses.
#include "test/Runtime/RunProgram.h"

namespace hocket::test {

using Bytes = std::vector<int64_t>; // by rank

class CompiledRun {
public:
  /// `source` is the path of a .hkt file or a whole text of one; `options`
  /// follow it on the command line. Failures are reported to GoogleTest.
  CompiledRun(const std::string &source, const std::string &options);

  /// Whether all three commands succeeded.
  bool done() const { return isDone; }

  /// What `hocket plan --json` said and the run counted.
  nlohmann::json plan, counted;

  /// The whole output file, and one tensor of it.
  std::string outputBytes() const { return folder.read("out.safetensors"); }
  dev::FileTensor output(const std::string &name = "output") const;

  /// Received by each rank in one step, by the plan's n-th collective.
  Bytes planned(size_t n) const { return collective(n)["bytes_per_rank"]; }
  std::string kind(size_t n) const { return collective(n)["kind"]; }
  size_t collectives() const { return plan["collectives"].size(); }

  /// Expects that the plan and the run agree on every number they share.
  void expectPlanIsRun() const;

private:
  const nlohmann::json &collective(size_t n) const {
    return plan["collectives"].at(n);
  }

  TemporaryFolder folder;
  bool isDone = false;
};

/// What rank `rank` holds of `total`, cut as evenly as it goes: the first
/// ranks have one more.
inline int64_t share(int64_t total, int64_t ranks, int64_t rank) {
  return total / ranks + (rank < total % ranks);
}

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_EXECUTE_COMPILEDRUN_H
