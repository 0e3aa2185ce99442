//===- RunCase.cpp - compiles, runs and judges one case -------------------===//

#include "RunCase.h"
#include "ModelText.h"
#include "ScheduleText.h"
#include "hocket/Verify/Verify.h"
#include <regex>

using namespace hocket;
using namespace hocket::random;

/// As the project promises: sums in another order, and nothing else.
static constexpr double kTolerance = 1e-5;
/// One device that is further off than this says that the case itself is
/// badly conditioned.
static constexpr double kWellPosed = 2e-6;

/// The first error without the names, numbers and places of this case.
static std::string reasonOf(const std::string &errors) {
  std::string line = errors.substr(0, errors.find('\n'));
  size_t at = line.find("error: ");
  line = at == std::string::npos ? line : line.substr(at + 7);
  line = std::regex_replace(line, std::regex("'[^']*'"), "'...'");
  line = std::regex_replace(line, std::regex("\\b(tp|dp|cp)\\b"), "AXIS");
  line = std::regex_replace(line, std::regex("[0-9]+"), "N");
  return std::regex_replace(
      line, std::regex("split by (\\S+)( of \\S+)? over"), "split by DIM over");
}

/// An error of the user stands at a line of the file.
static bool namesLine(const std::string &errors) {
  return std::regex_search(errors,
                           std::regex("case\\.hkt:[0-9]+:[0-9]+: error: "));
}

/// Does one device, which moves nothing, agree with the reference?
static double errorOfOneDevice(const std::string &text, uint64_t seed,
                               codegen::KernelCache &cache) {
  std::string model = text.substr(0, text.find("\nschedule s for"));
  Attempt loaded = attempt(model, /*place=*/false, &cache);
  VerifyOptions options;
  options.seed = seed;
  options.codegen.threads = 1;
  VerifyReport report;
  runtime::Status status;
  if (!loaded.isLoaded ||
      !verify(*loaded.compiler, options, report, status))
    return 0;
  return report.worst();
}

CaseResult random::runText(const std::string &text, bool isExact,
                           uint64_t seed, codegen::KernelCache &cache,
                           Coverage *coverage) {
  CaseResult result;
  result.text = text;
  result.isExact = isExact;
  Attempt placed = attempt(text, /*place=*/true);
  if (placed.isPlaced && coverage)
    coverage->add(placed.compiler->module());
  if (!placed.isPlaced || !placed.compiler->runTo("kernels")) {
    result.verdict = placed.isLoaded && namesLine(placed.errors())
                         ? Verdict::Refused
                         : Verdict::Failed;
    result.reason = reasonOf(placed.errors());
    result.detail = placed.errors();
    return result;
  }
  Attempt loaded = attempt(text, /*place=*/false, &cache);
  VerifyOptions options;
  options.seed = seed;
  options.codegen.threads = 1;
  VerifyReport report;
  runtime::Status status;
  if (!verify(*loaded.compiler, options, report, status)) {
    result.detail = loaded.errors() + status.message;
    return result;
  }
  result.error = report.worst();
  result.ranks = report.ranks;
  result.collectives = report.collectives;
  if (result.error <= (isExact ? 0 : kTolerance)) {
    result.verdict = Verdict::Equal;
    return result;
  }
  double alone = errorOfOneDevice(text, seed, cache);
  bool isIllPosed = !isExact && alone > kWellPosed;
  result.verdict = isIllPosed ? Verdict::IllPosed : Verdict::Failed;
  result.detail = "relative error " + std::to_string(result.error * 1e6) +
                  "e-6, on one device " + std::to_string(alone * 1e6) + "e-6";
  return result;
}

CaseResult random::runCase(uint64_t seed, uint64_t number,
                           codegen::KernelCache &cache, Coverage &coverage) {
  Rng rng(seed * 1000003 + number);
  ModelText model = makeModel(rng);
  CaseResult result;
  result.text = model.text;
  Attempt loaded = attempt(model.text, /*place=*/false);
  if (!loaded.isLoaded) {
    result.detail = "the tester's model:\n" + loaded.errors();
    return result;
  }
  double draw = double(rng.below(1000)) / 1000;
  Ending ending = draw < 0.3   ? Ending::Auto
                  : draw < 0.7 ? Ending::Explicit
                               : Ending::Bare;
  ScheduleMaker maker(rng, model.text);
  Schedule schedule = maker.make(ending);
  if (!maker.refusedResolution.empty()) {
    result.text = maker.refusedResolution;
    result.detail = "the lines that `auto reshard` names are refused";
    return result;
  }
  uint64_t dataSeed = number + 1;
  result = runText(model.text + schedule.text(), model.isExact, dataSeed, cache,
                   &coverage);
  result.ending = ending == Ending::Auto       ? "auto"
                  : ending == Ending::Explicit ? "explicit"
                                               : "bare";
  if (result.verdict != Verdict::Refused || schedule.isAuto)
    return result;
  schedule.isAuto = true;
  CaseResult mended = runText(model.text + schedule.text(), model.isExact,
                              dataSeed, cache, &coverage);
  result.isMended = mended.verdict == Verdict::Equal;
  if (mended.verdict == Verdict::Failed)
    return mended;
  return result;
}
