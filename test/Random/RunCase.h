//===- RunCase.h - one random case from seed to verdict ---------*- C++ -*-===//

#ifndef HOCKET_TEST_RANDOM_RUNCASE_H
#define HOCKET_TEST_RANDOM_RUNCASE_H

#include "Coverage.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "hocket/Plan/Plan.h"
#include <cstdint>
#include <set>
#include <string>

namespace hocket::random {

enum class Verdict {
  Equal,    // compiled, ran and agreed with the reference
  Refused,  // with an error that names a line; mended by `auto reshard`,
            // or `reason` says why it cannot be
  IllPosed, // one device is no closer to the reference either
  Failed,   // anything else: a mistake of the compiler, or of the tester
};

const char *nameOf(Verdict verdict);

/// What all ranks do in the collectives of one kind in a step.
struct Moved {
  int64_t calls = 0, bytes = 0, messages = 0; // received
};

struct CaseResult {
  Verdict verdict = Verdict::Failed;
  std::string text;         // the .hkt file
  std::string detail;       // of a failure: what happened
  std::string reason;       // of a refusal: its first line without names
  std::string refusal = {}; // the reason of the case as it was drawn
  double error = 0;         // relative, the worst output
  double tolerance = 0;
  int64_t ranks = 1, collectives = 0;
  bool isExact = false;
  std::string ending;      // auto, explicit, bare
  bool isMended = false;   // Refused, and equal under `auto reshard`
  bool isFollowed = false; // Refused, and equal as its errors propose
  bool isWide = false;     // Equal also to 1e-12 with everything in float64
  std::set<std::string> features = {}; // of an equal case, see Census
  /// Of what ran: of the case itself, or as `auto reshard` has it.
  uint64_t digest = 0;                // VerifyReport::digest
  std::map<std::string, Moved> moved; // by kind
};

struct CaseKind {
  bool hasGradients = false; // those of inputs and parameters are compared too
  bool isGrid = false;       // see makeModel
  bool isAttention = false;  // of attention, which drops with gradients
  /// What runs it. On look-alikes of a GPU's libraries each finding is a
  /// failure, and what fails is run on a CPU as well.
  plan::Target target = plan::Target::Cpu;

  /// A training step, in which dropouts drop.
  bool trains() const { return isAttention && hasGradients; }
};

/// Case `number` of `seed`: the same everywhere. `coverage` gets the rows that
/// it could meet; met are those, and the kinds of instructions, of an equal
/// one.
CaseResult runCase(uint64_t seed, uint64_t number, codegen::KernelCache &cache,
                   Coverage &coverage, CaseKind kind = {});

/// Its text alone; nothing is compiled beyond placement.
std::string caseText(uint64_t seed, uint64_t number, CaseKind kind = {});

/// The same of a text that `caseText` gave.
CaseResult rerunCase(const std::string &text, uint64_t number,
                     codegen::KernelCache &cache, Coverage &coverage,
                     CaseKind kind = {});

/// A .hkt file as a case; with a schedule `s` or none. With `alsoWide` it must
/// be equal in float64, too.
CaseResult runText(const std::string &text, bool isExact, uint64_t seed,
                   codegen::KernelCache &cache, Coverage *coverage,
                   CaseKind kind = {}, bool alsoWide = false);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_RUNCASE_H
