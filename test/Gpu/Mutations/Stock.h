//===- Stock.h - what is mutated, and how a mutant is run ------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_MUTATIONS_STOCK_H
#define HOCKET_TEST_GPU_MUTATIONS_STOCK_H

#include "test/Gpu/Mutations/CallMutation.h"
#include "test/Gpu/Mutations/Outcome.h"
#include "test/Gpu/Mutations/PtxMutation.h"

namespace hocket::mutations {

/// The runtime's own kernels, by the tests that run them.
class KernelStock {
public:
  /// Runs the tests of the filter as they are; `folder` keeps what they said,
  /// so that the next stock need not run them.
  KernelStock(const std::string &folder, const std::string &filter);

  /// Draws a mutation and runs tests whose launches ran a line of it; one has
  /// survived only where all of these have found nothing. `scratch` is a folder
  /// of this thread.
  void run(Rng &rng, const std::string &scratch, Outcome &outcome) const;
  const test::KernelRun &plain() const { return asIs; }

private:
  struct Kernel {
    std::string name;
    std::set<unsigned> lines;
    std::vector<const test::TracedLaunch *> launches;
  };
  /// What a test takes, in instructions of warps: all of it, and its longest
  /// launch.
  struct Test {
    std::string name;
    uint64_t warps = 0, longest = 0;
  };
  std::vector<Test> testsOf(const Kernel &kernel,
                            const std::set<unsigned> &lines) const;
  test::KernelTask taskOf(const std::vector<Test> &tests) const;
  void runTests(const std::vector<Test> &sorted, const std::string &kernel,
                const std::string &text, const std::string &scratch,
                Outcome &outcome) const;

  test::KernelRun asIs;
  std::map<std::string, Test> tests;
  std::map<std::string, std::vector<Kernel>> kernels; ///< by source
};

/// Whole programs on look-alikes.
class ProgramStock {
public:
  /// Compiles the programs of the names, and runs them as they are.
  ProgramStock(const std::string &folder, const std::set<std::string> &names);

  /// Draws a mutation of a generated kernel.
  void runGenerated(Rng &rng, const std::string &scratch,
                    Outcome &outcome) const;
  /// Draws a mutation of a call.
  void runCall(Rng &rng, const std::string &scratch, Outcome &outcome) const;
  const test::ProgramRun &plain(const std::string &name) const {
    return known.at(name).plain;
  }

private:
  struct Program {
    test::ProgramRun plain;
    double tolerance = 0;
    std::string code;
    std::map<std::string, std::set<unsigned>> lines; ///< by kernel
  };
  void judgeFault(const std::string &program, const std::string &fault,
                  const std::string &scratch, Outcome &outcome) const;

  test::Programs programs;
  std::map<std::string, Program> known;
};

} // namespace hocket::mutations

#endif // HOCKET_TEST_GPU_MUTATIONS_STOCK_H
