//===- RunCase.cpp - compiles, runs and judges one case -------------------===//

#include "RunCase.h"
#include "../Advice/Follow.h"
#include "Attempt.h"
#include "AttentionModel.h"
#include "Census.h"
#include "Lookalikes.h"
#include "ModelText.h"
#include "ScheduleText.h"
#include "dialects/Nn/Program.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Verify/Verify.h"
#include "mlir/IR/BuiltinOps.h"
#include <cmath>
#include <regex>

using namespace hocket;
using namespace hocket::random;

/// One device that is further off than this share of the tolerance says that
/// the case itself is badly conditioned.
static constexpr double kWellPosed = 0.2;

/// The first error without the names, numbers and places of this case.
static std::string reasonOf(const std::string &errors) {
  size_t at = errors.find("error: ");
  std::string line = at == std::string::npos ? errors : errors.substr(at + 7);
  line = line.substr(0, line.find('\n'));
  line = std::regex_replace(line, std::regex("'[^']*'"), "'...'");
  line = std::regex_replace(line, std::regex("\\b(tp|dp|cp)\\b"), "AXIS");
  line = std::regex_replace(line, std::regex("[0-9]+"), "N");
  return std::regex_replace(line, std::regex("split by (\\S+)( of \\S+)? over"),
                            "split by DIM over");
}

/// An error of the user stands at a line of the file.
static bool namesLine(const std::string &errors) {
  return std::regex_search(errors,
                           std::regex("case\\.hkt:[0-9]+:[0-9]+: error: "));
}

/// What docs/random-testing.md lists as not supported.
static bool isLimit(const std::string &errors) {
  auto says = [&](const char *words) {
    return errors.find(words) != std::string::npos;
  };
  return namesLine(errors) &&
         (says("the factors of its operands cross each other") ||
          says("not supported yet on a GPU"));
}

/// Most cases are compiled without optimizations, which would take two thirds
/// of the time.
static VerifyOptions verifyOptions(uint64_t seed) {
  VerifyOptions options;
  options.open = runtime::openDevices;
  options.seed = seed;
  options.codegen.threads = 1;
  options.codegen.optimize = seed % 8 == 0;
  return options;
}

/// A compiler at the model stage that will do what the kind asks for.
static Attempt load(const std::string &text, CaseKind kind,
                    codegen::KernelCache &cache) {
  Attempt loaded = attempt(text, /*place=*/false, &cache, kind.trains());
  if (loaded.isLoaded && kind.hasGradients)
    nn::computeAllGradients(loaded.compiler->module());
  if (loaded.isLoaded && kind.target == plan::Target::Cuda)
    nn::modelOf(loaded.compiler->module()).setTarget(nn::Target::Cuda);
  return loaded;
}

enum class Run { Float32, Float64, Nudged };

/// How far a program of float32, or widened to float64, is off the reference,
/// or the reference with nudged inputs is. None where it does not run, with why
/// in `errors`.
static std::optional<VerifyReport>
reportOf(const std::string &text, uint64_t seed, codegen::KernelCache &cache,
         CaseKind kind, Run run, std::string *errors = nullptr) {
  Attempt loaded = load(text, kind, cache);
  if (!loaded.isLoaded)
    return {};
  if (run == Run::Float64)
    widenToFloat64(loaded.compiler->module());
  VerifyReport report;
  runtime::Status status;
  auto judge = run == Run::Nudged ? sensitivity : verify;
  if (judge(*loaded.compiler, verifyOptions(seed), report, status))
    return report;
  if (errors)
    *errors = loaded.errors() + status.message;
  return {};
}

/// Whether rounding what the model reads moves its outputs out of float32, or
/// by more than the tolerance leaves room for.
static bool isSensitive(const std::string &text, uint64_t seed,
                        codegen::KernelCache &cache, CaseKind kind,
                        const CaseResult &result) {
  std::string model = text.substr(0, text.find("\nschedule s for"));
  auto nudged = reportOf(model, seed, cache, kind, Run::Nudged);
  return nudged && (!nudged->isFinite() ||
                    nudged->worst() > kWellPosed * result.tolerance);
}

/// Whether the model, not its schedule, is why a case is off: one device, which
/// moves nothing, is off as well, or there is next to no rounding in float64
/// and all is right there. Infinities tell nothing, since one device may hide a
/// fault behind its own, until float64 overflows too: there, or in the
/// reference itself, and then the order of what is added up decides between
/// infinite and undefined. Where float64 meets a limit, the reference says
/// whether float32 has its numbers, and what their rounding does.
static bool isIllPosed(const std::string &text, uint64_t seed,
                       codegen::KernelCache &cache, CaseKind kind,
                       CaseResult &result) {
  std::string model = text.substr(0, text.find("\nschedule s for"));
  std::string errors;
  auto reportIn = [&](const std::string &program, Run run) {
    return reportOf(program, seed, cache, kind, run, &errors);
  };
  auto single = reportIn(model, Run::Float32);
  double alone = single ? single->worst() : 0;
  result.detail = "relative error " + std::to_string(result.error * 1e6) +
                  "e-6, on one device " + std::to_string(alone * 1e6) + "e-6";
  if (std::isfinite(result.error) && alone > kWellPosed * result.tolerance)
    return true;
  auto wide = reportIn(text, Run::Float64);
  if (wide && wide->worst() < kFloat64Tolerance)
    return true;
  // A ring's terms take the mean of a row from its result, which one device
  // adds up from the weights: where one weight is nearly 1, rounding shows. It
  // is smaller in float64 by as much as the precision is finer, about 2e-9.
  if (wide && kind.isAttention && wide->worst() < 1e-7 * result.error)
    return true;
  if (!wide && isLimit(errors))
    return isSensitive(text, seed, cache, kind, result);
  if (std::isfinite(alone) || std::isfinite(result.error))
    return false;
  auto wideAlone = reportIn(model, Run::Float64);
  return wideAlone &&
         (wideAlone->worst() >= kFloat64Tolerance || !wideAlone->isFinite());
}

/// What is equal in float32, through the libraries, must be in float64, through
/// loops, to a far smaller tolerance. Sums behind products of a library are
/// made by that, and are a loop's in float64, which may meet the limits.
static void judgeWide(const std::string &text, uint64_t seed,
                      codegen::KernelCache &cache, CaseKind kind,
                      CaseResult &result) {
  std::string errors;
  auto wide = reportOf(text, seed, cache, kind, Run::Float64, &errors);
  double error = wide ? wide->worst() : 0;
  result.isWide = wide && error <= kFloat64Tolerance;
  // Which moves are inserted depends on bytes, and so what is left for lines.
  bool isAuto = text.find("auto reshard") != std::string::npos;
  if (result.isWide ||
      (!wide && (isLimit(errors) || (isAuto && namesLine(errors)))))
    return;
  std::string model = text.substr(0, text.find("\nschedule s for"));
  kind.target = plan::Target::Cpu;
  auto single = reportOf(model, seed, cache, kind, Run::Float64);
  double alone = single ? single->worst() : 0;
  bool isModels = wide && alone > kWellPosed * kFloat64Tolerance;
  result.verdict = isModels ? Verdict::IllPosed : Verdict::Failed;
  result.detail =
      wide ? "in float64: relative error " + std::to_string(error * 1e12) +
                 "e-12, on one device " + std::to_string(alone * 1e12) + "e-12"
           : "not in float64: " + errors;
}

static std::map<std::string, Moved> movedIn(const plan::Plan &plan) {
  std::map<std::string, Moved> moved;
  plan::Traffic traffic(plan, &plan::RankClass::step);
  for (const plan::Traffic::Entry &entry : traffic.entries()) {
    Moved &kind = moved[plan::toString(entry.collective->namedKind())];
    ++kind.calls;
    for (const plan::Received &received : traffic.byRank(entry)) {
      kind.bytes += received.bytes;
      kind.messages += received.peers;
    }
  }
  return moved;
}

static CaseResult judge(const std::string &text, bool isExact, uint64_t seed,
                        codegen::KernelCache &cache, Coverage &coverage,
                        CaseKind kind, bool alsoWide) {
  CaseResult result;
  result.text = text;
  result.isExact = isExact;
  Attempt placed =
      attempt(text, /*place=*/true, /*cache=*/nullptr, kind.trains());
  if (placed.isPlaced)
    coverage.add(placed.compiler->module());
  if (!placed.isPlaced) {
    bool isRefused = placed.isLoaded && namesLine(placed.errors());
    result.verdict = isRefused ? Verdict::Refused : Verdict::Failed;
    result.reason = reasonOf(placed.errors());
    result.detail = placed.errors();
    return result;
  }
  Attempt loaded = load(text, kind, cache);
  double tolerance = roundingTolerance(loaded.compiler->module());
  VerifyReport report;
  runtime::Status status;
  if (!verify(*loaded.compiler, verifyOptions(seed), report, status)) {
    // What was placed compiles, except where it meets a limit.
    result.detail = loaded.errors() + status.message;
    result.reason = reasonOf(result.detail);
    if (isLimit(result.detail))
      result.verdict = Verdict::Refused;
    return result;
  }
  coverage.add(report.plan);
  result.error = report.worst();
  result.ranks = report.ranks;
  result.collectives = report.collectives;
  result.digest = report.digest;
  result.moved = movedIn(report.plan);
  result.tolerance = tolerance;
  isExact = isExact && !kind.hasGradients; // derivatives round
  if (result.error <= (isExact ? 0 : tolerance)) {
    result.verdict = Verdict::Equal;
    result.features = featuresOf(placed.compiler->module(), text);
    if (alsoWide)
      judgeWide(text, seed, cache, kind, result);
    return result;
  }
  // What one GPU makes of the model may be wrong by the same mistake.
  bool isModels = !isExact && kind.target == plan::Target::Cpu &&
                  isIllPosed(text, seed, cache, kind, result);
  result.verdict = isModels ? Verdict::IllPosed : Verdict::Failed;
  return result;
}

const char *random::nameOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Equal:
    return "equal";
  case Verdict::Refused:
    return "refused";
  case Verdict::IllPosed:
    return "ill posed";
  case Verdict::Failed:
    return "FAILED";
  }
  return "";
}

/// What a look-alike finds is a failure, and what fails is run on a CPU too.
static CaseResult judgeOnGpu(const std::string &text, bool isExact,
                             uint64_t seed, codegen::KernelCache &cache,
                             Coverage &coverage, CaseKind kind, bool alsoWide) {
  startLookalikes(seed);
  CaseResult result =
      judge(text, isExact, seed, cache, coverage, kind, alsoWide);
  std::string findings = takeFindings();
  result.detail = findings + result.detail;
  if (!findings.empty())
    result.verdict = Verdict::Failed;
  if (result.verdict != Verdict::Failed)
    return result;
  kind.target = plan::Target::Cpu;
  Coverage ofCpu;
  Verdict onCpu =
      judge(text, isExact, seed, cache, ofCpu, kind, alsoWide).verdict;
  result.detail += "\nrelative error " + std::to_string(result.error) +
                   ", on a CPU: " + nameOf(onCpu);
  bool isWrong = findings.empty() && result.error > 0 && !isExact;
  if (isWrong && (onCpu == Verdict::IllPosed ||
                  isSensitive(text, seed, cache, kind, result)))
    result.verdict = Verdict::IllPosed;
  return result;
}

CaseResult random::runText(const std::string &text, bool isExact, uint64_t seed,
                           codegen::KernelCache &cache, Coverage *coverage,
                           CaseKind kind, bool alsoWide) {
  Coverage seen;
  auto run = kind.target == plan::Target::Cpu ? judge : judgeOnGpu;
  CaseResult result = run(text, isExact, seed, cache, seen, kind, alsoWide);
  if (!coverage)
    return result;
  if (result.verdict == Verdict::Equal)
    coverage->merge(seen);
  else
    coverage->mergeRows(seen);
  return result;
}

namespace {
/// A model and a schedule for it.
struct Draw {
  ModelText model;
  std::string modelErrors;
  Schedule schedule;
  std::string mistake;
  const char *ending = "";
};
} // namespace

static Draw drawCase(uint64_t seed, uint64_t number, CaseKind kind) {
  Rng rng(seed * 1000003 + number);
  Draw draw;
  draw.model =
      kind.isAttention ? makeAttentionModel(rng) : makeModel(rng, kind.isGrid);
  Attempt loaded = attempt(draw.model.text, /*place=*/false,
                           /*cache=*/nullptr, kind.trains());
  if (!loaded.isLoaded) {
    draw.modelErrors = loaded.errors();
    return draw;
  }
  size_t share = rng.below(10);
  Ending ending = share < 3   ? Ending::Auto
                  : share < 7 ? Ending::Explicit
                              : Ending::Bare;
  static const char *names[] = {"auto", "explicit", "bare"};
  draw.ending = names[int(ending)];
  ScheduleMaker maker(rng, draw.model, kind.isGrid || kind.isAttention,
                      kind.trains());
  draw.schedule = maker.make(ending);
  Rng backwardRng(~(seed * 1000003 + number));
  bool hasBackward = !kind.isAttention || backwardRng.chance(0.4);
  if (kind.hasGradients && hasBackward && maker.mistake.empty())
    draw.schedule = maker.addBackward(backwardRng);
  draw.mistake = maker.mistake;
  return draw;
}

std::string random::caseText(uint64_t seed, uint64_t number, CaseKind kind) {
  Draw draw = drawCase(seed, number, kind);
  return draw.model.text +
         (draw.modelErrors.empty() ? draw.schedule.text() : "");
}

/// What becomes of a refused case whose first proposals are followed.
static CaseResult runProposed(const CaseResult &refused, uint64_t seed,
                              codegen::KernelCache &cache, Coverage &coverage,
                              CaseKind kind) {
  advice::Followed followed =
      advice::follow(kFileName, {{kFileName, refused.text}},
                     optionsOf(refused.text, kind.trains()));
  CaseResult result = refused;
  result.verdict = Verdict::Failed;
  result.detail = "no way out:\n" + followed.log;
  if (!followed.checks)
    return result;
  const std::string &text = followed.texts.at(kFileName);
  result = runText(text, refused.isExact, seed, cache, &coverage, kind);
  if (result.verdict == Verdict::Refused)
    result.verdict = Verdict::Failed;
  if (result.verdict == Verdict::Failed)
    result.detail += "\nas proposed:\n" + followed.log;
  return result;
}

static constexpr llvm::StringLiteral kAuto = "  auto reshard\n}\n";

/// A drawn text, and what becomes of it if it is refused.
static CaseResult runDrawn(const std::string &text, bool isExact,
                           uint64_t number, codegen::KernelCache &cache,
                           Coverage &coverage, CaseKind kind) {
  uint64_t dataSeed = number + 1;
  bool isOther = kind.isGrid || kind.target == plan::Target::Cuda;
  bool alsoWide =
      (isOther && number % 8 == 1) || (kind.isAttention && number % 4 == 1);
  CaseResult result =
      runText(text, isExact, dataSeed, cache, &coverage, kind, alsoWide);
  if (result.verdict != Verdict::Refused)
    return result;
  result.refusal = result.reason;
  CaseResult mended = result;
  if (!llvm::StringRef(text).ends_with(kAuto))
    mended = runText(text.substr(0, text.size() - 2) + kAuto.str(), isExact,
                     dataSeed, cache, &coverage, kind);
  result.digest = mended.digest;
  result.moved = mended.moved;
  if (mended.verdict == Verdict::Refused && kind.isAttention &&
      !isLimit(mended.detail)) {
    mended = runProposed(result, dataSeed, cache, coverage, kind);
    if (mended.verdict == Verdict::Failed)
      return mended;
    result.isFollowed = true;
    result.reason = {};
    return result;
  }
  if (mended.verdict == Verdict::Refused && !isLimit(mended.detail)) {
    mended.verdict = Verdict::Failed;
    mended.detail = "not mended by `auto reshard`: " + mended.detail;
  }
  if (mended.verdict == Verdict::Failed)
    return mended;
  result.isMended = mended.verdict != Verdict::Refused;
  result.reason = mended.reason;
  return result;
}

CaseResult random::runCase(uint64_t seed, uint64_t number,
                           codegen::KernelCache &cache, Coverage &coverage,
                           CaseKind kind) {
  Draw draw = drawCase(seed, number, kind);
  CaseResult result;
  result.text = draw.model.text;
  if (!draw.modelErrors.empty()) {
    result.detail = "the tester's model:\n" + draw.modelErrors;
    return result;
  }
  if (!draw.mistake.empty()) {
    result.text = draw.mistake;
    result.detail = draw.mistake.substr(0, draw.mistake.find('\n'));
    return result;
  }
  result = runDrawn(draw.model.text + draw.schedule.text(), draw.model.isExact,
                    number, cache, coverage, kind);
  result.ending = draw.ending;
  return result;
}

CaseResult random::rerunCase(const std::string &text, uint64_t number,
                             codegen::KernelCache &cache, Coverage &coverage,
                             CaseKind kind) {
  return runDrawn(text, /*isExact=*/false, number, cache, coverage, kind);
}
