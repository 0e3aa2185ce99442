//===- Outcome.h - what came of a mutation ---------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_MUTATIONS_OUTCOME_H
#define HOCKET_TEST_GPU_MUTATIONS_OUTCOME_H

#include "test/Gpu/Defects/KernelRun.h"
#include "test/Gpu/Defects/ProgramRun.h"
#include <nlohmann/json.hpp>
#include <string>

namespace hocket::mutations {

enum class Verdict {
  Found,    ///< the interpreter or a look-alike has said what is wrong
  Refused,  ///< the program or the test ended with an error; code was refused
  Numbers,  ///< results are not those of the reference
  NoEnd,    ///< given up after its time
  Crashed,  ///< ended by a signal
  Equal,    ///< nothing was found, and all bits are those without the mutation
  Survived, ///< nothing was found, but bits differ
  NotLive   ///< the call was not made in this run; another one is drawn
};
/// "found", ...
const char *nameOf(Verdict verdict);
Verdict verdictOf(const std::string &name);

/// A mutation and what came of it.
struct Outcome {
  uint64_t number = 0;
  std::string family; ///< "runtime kernel", "generated kernel", "host call"
  std::string target; ///< "Copy copy4", "product row_0", "product"
  std::string kind;
  std::string where;         ///< lines, or the fault
  std::string before, after; ///< texts of the lines
  Verdict verdict = Verdict::NotLive;
  std::string finding;   ///< "Race", "UndefinedMemory", ...
  std::string detail;    ///< the sentence, or the error
  double difference = 0; ///< of a program's results, by the largest number
  double seconds = 0;    ///< of the processor

  nlohmann::ordered_json json() const;
  static Outcome fromJson(const nlohmann::ordered_json &json);
};

/// What a sentence of the interpreter or of a look-alike is about: "Race".
std::string nameOfFinding(const std::string &sentence);

/// Of tests of a kernel, beside those without the mutation.
void judge(const test::KernelRun &run, const test::KernelRun &plain,
           Outcome &outcome);
/// Of a program, beside the run without the mutation; results are numbers to a
/// tolerance.
void judge(const test::ProgramRun &run, const test::ProgramRun &plain,
           double tolerance, Outcome &outcome);

} // namespace hocket::mutations

#endif // HOCKET_TEST_GPU_MUTATIONS_OUTCOME_H
