//===- Outcome.cpp - what came of a mutation ------------------------------===//

#include "test/Gpu/Mutations/Outcome.h"
#include <algorithm>
#include <map>
#include <stdexcept>

namespace hocket::mutations {

static const char *const verdictNames[] = {"found",    "refused", "numbers",
                                           "no end",   "crashed", "equal",
                                           "survived", "not live"};

const char *nameOf(Verdict verdict) {
  return verdictNames[static_cast<size_t>(verdict)];
}

Verdict verdictOf(const std::string &name) {
  for (size_t i = 0; i < std::size(verdictNames); ++i)
    if (name == verdictNames[i])
      return static_cast<Verdict>(i);
  throw std::runtime_error("no verdict is called '" + name + "'");
}

nlohmann::ordered_json Outcome::json() const {
  return {{"number", number},         {"family", family},
          {"target", target},         {"kind", kind},
          {"where", where},           {"before", before},
          {"after", after},           {"verdict", nameOf(verdict)},
          {"finding", finding},       {"detail", detail},
          {"difference", difference}, {"seconds", seconds}};
}

Outcome Outcome::fromJson(const nlohmann::ordered_json &json) {
  Outcome read;
  json.at("number").get_to(read.number);
  json.at("family").get_to(read.family);
  json.at("target").get_to(read.target);
  json.at("kind").get_to(read.kind);
  json.at("where").get_to(read.where);
  json.at("before").get_to(read.before);
  json.at("after").get_to(read.after);
  read.verdict = verdictOf(json.at("verdict"));
  json.at("finding").get_to(read.finding);
  json.at("detail").get_to(read.detail);
  // An infinite one is null.
  if (json.at("difference").is_number())
    json.at("difference").get_to(read.difference);
  json.at("seconds").get_to(read.seconds);
  return read;
}

std::string nameOfFinding(const std::string &sentence) {
  static const std::pair<const char *, const char *> names[] = {
      {"nothing orders the two", "Unordered"},
      {"with no barrier between", "Race"},
      {"in the same launch", "Race"},
      {"which another block", "Race"},
      {"may still write", "PendingCopy"},
      {"is still here after", "NoEnd"},
      {"reads a register that has no value", "UndefinedRegister"},
      {"reads a predicate that has no value", "UndefinedRegister"},
      {"have no value", "UndefinedMemory"},
      {"no multiple of", "Misaligned"},
      {"not released when the process ends", "Leak"},
      {"never destroyed", "Leak"},
      {"released", "AfterRelease"},
      {"not pinned", "NotPinned"},
      {"captur", "Capture"},
      {"where nothing is allocated", "OutOfBounds"},
      {"ever come", "MissingThreads"},
      {"needs all 32 lanes", "MissingThreads"},
      {"names barrier", "DivergentBarrier"},
      {"comes to barrier", "DivergentBarrier"},
      {"waits for its warp", "DivergentBarrier"},
      {"wait here", "DivergentBarrier"},
      {"takes no part", "BadExchange"},
      {"not in the mask", "BadExchange"},
      {"default stream", "DefaultStream"},
      {"does not exist", "NoSuchHandle"},
      {"there is no such", "NoSuchHandle"},
      {"at which no", "NoSuchHandle"},
      {", which has ", "OutOfBounds"},
      {"goes to target", "OutOfBounds"},
  };
  for (const auto &[part, name] : names)
    if (sentence.find(part) != std::string::npos)
      return name;
  return "WrongCall";
}

static std::string beginning(const std::string &text) {
  return text.substr(0, 300);
}

/// The line of a program's output that says why it ended.
static std::string errorIn(const std::string &output) {
  for (const char *word : {"error: ", "Failure", "exception"}) {
    size_t at = output.find(word);
    if (at == std::string::npos)
      continue;
    size_t begin = output.rfind('\n', at);
    begin = begin == std::string::npos ? 0 : begin + 1;
    return beginning(output.substr(begin));
  }
  return beginning(output);
}

/// The hashes of memory, by test.
static std::map<std::string, std::vector<std::string>>
byTest(const std::vector<std::string> &memory) {
  std::map<std::string, std::vector<std::string>> tests;
  for (const std::string &line : memory) { // "memory TEST HASH"
    size_t space = line.rfind(' ');
    tests[line.substr(0, space)].push_back(line.substr(space + 1));
  }
  return tests;
}

void judge(const test::KernelRun &run, const test::KernelRun &plain,
           Outcome &outcome) {
  outcome.detail.clear();
  if (!run.findings.empty()) {
    outcome.verdict = Verdict::Found;
    outcome.finding = run.findings[0].kind;
    outcome.detail = beginning(run.findings[0].sentence);
  } else if (!run.ended) {
    outcome.verdict = Verdict::NoEnd;
  } else if (!run.passed) {
    bool compared = run.output.find("Failure") != std::string::npos;
    bool threw = run.output.find("exception") != std::string::npos;
    outcome.verdict = threw      ? Verdict::Refused
                      : compared ? Verdict::Numbers
                                 : Verdict::Crashed;
    outcome.detail = errorIn(run.output);
  } else {
    outcome.verdict = Verdict::Equal;
    auto expected = byTest(plain.memory);
    for (const auto &[test, hashes] : byTest(run.memory))
      if (hashes != expected[test]) {
        outcome.verdict = Verdict::Survived;
        outcome.detail += (outcome.detail.empty() ? "" : ", ") +
                          test.substr(test.find(' ') + 1);
      }
    outcome.detail = beginning(outcome.detail);
  }
}

void judge(const test::ProgramRun &run, const test::ProgramRun &plain,
           double tolerance, Outcome &outcome) {
  outcome.detail.clear();
  if (run.done.empty()) {
    outcome.verdict = Verdict::NotLive;
  } else if (!run.findings.empty()) {
    outcome.verdict = Verdict::Found;
    outcome.finding = nameOfFinding(run.findings[0]);
    outcome.detail = beginning(run.findings[0]);
  } else if (run.status == 137 || run.status == 152 || run.status == -24) {
    outcome.verdict = Verdict::NoEnd;
  } else if (run.status < 0 || run.status > 128) {
    outcome.verdict = Verdict::Crashed;
    outcome.detail = beginning(run.errors);
  } else if (run.status != 0) {
    outcome.verdict = Verdict::Refused;
    outcome.detail = errorIn(run.errors);
  } else {
    outcome.difference = test::differenceOf(run.output, plain.output);
    outcome.verdict = run.output == plain.output       ? Verdict::Equal
                      : outcome.difference > tolerance ? Verdict::Numbers
                                                       : Verdict::Survived;
  }
}

} // namespace hocket::mutations
