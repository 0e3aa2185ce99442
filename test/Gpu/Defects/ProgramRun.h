//===- ProgramRun.h - a whole program with faults in its calls -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DEFECTS_PROGRAMRUN_H
#define HOCKET_TEST_GPU_DEFECTS_PROGRAMRUN_H

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hocket::test {

/// A program for GPUs, and how it is run.
struct ProgramCase {
  const char *name;
  const char *compile; ///< what follows `hocket compile --target=cuda -o NAME`
  const char *run;     ///< its options; %w: a file of weights, %t: one of
                       ///< tokens of a byte
  const char *result = "out";   ///< the file that it writes
  const char *environment = ""; ///< variables: "A=1 B=2"
  /// Of results, by the largest number: what test/Cuda compares them with a
  /// CPU's to.
  double tolerance = 1e-5;
  bool isOneProcess() const { return !*environment; }
};

/// The programs that defects and mutants are tried on: small, of one or two
/// ranks, in one process or two, that infer or train, in f32 or bf16, and steps
/// that are handed over one by one as well as by a graph.
const std::vector<ProgramCase> &programCases();

struct ProgramRun {
  int status = 0;                    ///< minus the signal; 137, 152: no end
  std::string errors;                ///< what it wrote to stderr
  std::vector<std::string> findings; ///< of the look-alikes
  std::vector<std::string> calls;    ///< as the injector has logged them
  std::vector<std::string> done;     ///< faults
  std::string output;                ///< bytes of the file, and losses
  double seconds = 0;                ///< of the processor
};

/// Compiled programs in a folder of their own.
class Programs {
public:
  explicit Programs(std::string folder) : folder(std::move(folder)) {}

  /// Compiles the program when it is first asked for. `variables` are of the
  /// environment: {"HOCKET_INJECT", "cuEventRecord@0:1=drop"}.
  ProgramRun run(const std::string &name,
                 const std::map<std::string, std::string> &variables = {});
  /// The same in another folder, for one that is compiled: threads may do so at
  /// once, each in a folder of its own.
  ProgramRun
  runIn(const std::string &scratch, const std::string &name,
        const std::map<std::string, std::string> &variables = {}) const;
  /// The run without faults.
  const ProgramRun &plain(const std::string &name);
  /// The lines of its generated kernels that it runs, by kernel; of a program
  /// that is one process.
  std::map<std::string, std::set<unsigned>> lines(const std::string &name);
  /// The PTX of generated kernels.
  std::string code(const std::string &name);

private:
  void compile(const std::string &name);
  std::string weightsOf(const std::string &name) const;
  std::string tokens() const;
  std::string optionsOf(const ProgramCase &program) const;

  std::string folder;
  std::set<std::string> known;
  std::map<std::string, ProgramRun> plainRuns;
};

/// The largest difference of the numbers of two safetensors files of f32, by
/// the largest number; infinite if they do not have as many.
double differenceOf(const std::string &found, const std::string &expected);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_DEFECTS_PROGRAMRUN_H
