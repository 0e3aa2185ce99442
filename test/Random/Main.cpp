//===- Main.cpp - hocket-random: many random cases ------------------------===//
//
// hocket-random [--seed N] [--count N] [--first K] [--only K] [--file F.hkt]
//               [--seconds S] [--json FILE] [--failures DIR] [--rows FILE]
//               [--most-failures N] [--gradients yes] [--windows yes]
//               [--attention yes] [--combinations pairs|all] [--every N]
//               [--wrong yes] [--keep DIR] [--target cpu|cuda]
//               [--journal FILE] [--cases DIR] [--table FILE]
//
// --combinations runs those of Combinations.h, of which --every takes one in N.
// --only prints the case; --file judges a file; --seconds and --most-failures
// end it early; --keep writes the files of equal cases of several ranks.
// --wrong yes draws schedules that are wrong, and follows what their errors
// propose (see Wrong.h). --target cuda runs cases on a GPU, or on look-alikes
// of its libraries, which LD_LIBRARY_PATH names. --journal writes a line for
// each case, and does not run again what has one. --cases judges the files of a
// folder: see Folder.h. Status 1 if a case failed.
//
//===----------------------------------------------------------------------===//

#include "Combinations.h"
#include "Folder.h"
#include "Journal.h"
#include "Lookalikes.h"
#include "Summary.h"
#include "Wrong.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

using namespace hocket;
using namespace hocket::random;

namespace {
struct Options {
  uint64_t seed = 1, count = 200, first = 0, every = 1;
  bool only = false, wrong = false;
  CaseKind kind;
  double seconds = 1e9;
  int64_t mostFailures = INT64_MAX;
  std::string json, failures, rows, file, keep, journal, cases, table,
      combinations, texts, rerun;
};
} // namespace

static volatile uint64_t currentCase = 0;

/// A crash names its case.
static void crashed(int signal) {
  char text[64];
  int length = std::snprintf(text, sizeof text, "crashed in case %llu\n",
                             static_cast<unsigned long long>(currentCase));
  (void)!write(2, text, length);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; i += 2) {
    std::string name = argv[i];
    if (i + 1 == argc)
      return false;
    const char *value = argv[i + 1];
    if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--count")
      options.count = std::strtoull(value, nullptr, 10);
    else if (name == "--gradients")
      options.kind.hasGradients = std::string(value) == "yes";
    else if (name == "--windows")
      options.kind.isGrid = std::string(value) == "yes";
    else if (name == "--attention")
      options.kind.isAttention = std::string(value) == "yes";
    else if (name == "--target")
      options.kind.target =
          std::string(value) == "cuda" ? plan::Target::Cuda : plan::Target::Cpu;
    else if (name == "--wrong")
      options.wrong = std::string(value) == "yes";
    else if (name == "--first")
      options.first = std::strtoull(value, nullptr, 10);
    else if (name == "--only") {
      options.first = std::strtoull(value, nullptr, 10);
      options.count = 1;
      options.only = true;
    } else if (name == "--seconds")
      options.seconds = std::strtod(value, nullptr);
    else if (name == "--most-failures")
      options.mostFailures = std::strtoll(value, nullptr, 10);
    else if (name == "--json")
      options.json = value;
    else if (name == "--failures")
      options.failures = value;
    else if (name == "--keep")
      options.keep = value;
    else if (name == "--journal")
      options.journal = value;
    else if (name == "--texts")
      options.texts = value;
    else if (name == "--rerun")
      options.rerun = value;
    else if (name == "--rows")
      options.rows = value;
    else if (name == "--cases")
      options.cases = value;
    else if (name == "--every")
      options.every = std::max(1ull, std::strtoull(value, nullptr, 10));
    else if (name == "--combinations")
      options.combinations = value;
    else if (name == "--table")
      options.table = value;
    else if (name == "--file")
      options.file = value;
    else
      return false;
  }
  return true;
}

static void print(const CaseResult &result) {
  std::cout << "\n# " << nameOf(result.verdict) << ", " << result.ranks
            << " ranks, " << result.collectives
            << " collectives, relative error " << result.error
            << (result.isMended ? ", equal under auto reshard" : "") << "\n"
            << result.detail << "\n";
}

static std::string read(const std::string &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

static int judgeFile(const Options &options) {
  codegen::KernelCache cache;
  CaseResult result = runText(read(options.file), /*isExact=*/false,
                              options.seed, cache, nullptr, options.kind);
  print(result);
  return result.verdict == Verdict::Failed;
}

static void writeRows(const std::string &file, const Coverage &coverage) {
  if (file.empty())
    return;
  std::ofstream rows(file);
  for (auto &[row, count] : coverage.rows())
    rows << count << "\t" << row << "\n";
}

static int judgeFolder(const Options &options) {
  FolderReport report =
      runFolder(options.cases, options.table, options.seed, options.kind);
  writeRows(options.rows, report.summary.coverage);
  std::cout << report.text();
  return !report.wrong.empty();
}

/// Of `all`, or `pairs`, each --every-th from --first on, --count at most.
static int runCombinations(const Options &options) {
  auto list =
      options.combinations == "all" ? allCombinations() : pairCombinations();
  auto cache = std::make_unique<codegen::KernelCache>();
  std::map<std::string, int64_t> verdicts;
  uint64_t runs = 0;
  for (uint64_t i = options.first; i < list.size() && runs < options.count;
       i += options.every) {
    currentCase = i;
    if (++runs % 500 == 0) // what a long run keeps is bounded
      cache = std::make_unique<codegen::KernelCache>();
    CaseResult result = runCombination(list[i], *cache);
    ++verdicts[nameOf(result.verdict)];
    if (options.only)
      std::cout << result.text;
    if (options.only || result.verdict != Verdict::Equal)
      std::cout << "case " << i << " " << nameOf(result.verdict) << ": "
                << nameOf(list[i]) << "\n"
                << result.detail << std::endl;
  }
  std::cout << list.size() << " combinations, of which " << runs << " ran:";
  for (auto &[verdict, count] : verdicts)
    std::cout << " " << count << " " << verdict;
  std::cout << "\n";
  return verdicts["equal"] != int64_t(runs);
}

/// Status 1 if fewer than nine of ten lead to what was right, or some to what
/// cannot be read.
static int runWrongs(const Options &options) {
  WrongSummary summary;
  for (uint64_t i = 0; i < options.count; ++i) {
    currentCase = options.first + i;
    WrongCase made = runWrong(options.seed, currentCase);
    summary.add(made);
    if (options.only || (made.isWrong && !made.isGood()))
      std::cerr << "case " << currentCase << ": " << made.change << ", "
                << made.bytes << " bytes, right " << made.rightBytes << "\n";
    if (options.only)
      std::cout << made.text << made.log;
  }
  std::cout << summary.text();
  return 10 * summary.good < 9 * summary.wrong || summary.unreadable > 0;
}

static std::string fileOf(const std::string &folder, uint64_t number) {
  return folder + "/" + std::to_string(number) + ".hkt";
}

static void write(const std::string &folder, uint64_t number,
                  const std::string &text) {
  std::filesystem::create_directories(folder);
  std::ofstream(fileOf(folder, number)) << text;
}

static std::string asComment(const std::string &lines) {
  std::istringstream stream(lines);
  std::string comment;
  for (std::string line; std::getline(stream, line);)
    comment += "\n# " + line;
  return comment;
}

static void report(const Options &options, uint64_t number,
                   const CaseResult &result) {
  if (!options.keep.empty() && result.verdict == Verdict::Equal &&
      result.ranks > 1)
    write(options.keep, number, result.text);
  if (options.only)
    return print(result);
  bool isFailed = result.verdict == Verdict::Failed;
  if (!isFailed && result.verdict != Verdict::IllPosed)
    return;
  std::cerr << "case " << number << " " << nameOf(result.verdict) << ": "
            << result.detail.substr(0, 300) << "\n";
  if (!options.failures.empty() && isFailed)
    write(options.failures, number, result.text + asComment(result.detail));
}

/// False where there is no text to run again.
static bool run(const Options &options, uint64_t number,
                codegen::KernelCache &cache, Journal::Entry &made) {
  if (options.rerun.empty()) {
    made.result =
        runCase(options.seed, number, cache, made.coverage, options.kind);
    bool isCase =
        llvm::StringRef(made.result.text).starts_with("hocket 1") &&
        made.result.text.find("\nschedule s for") != std::string::npos;
    if (!options.texts.empty() && isCase) // else a mistake of the tester
      write(options.texts, number, made.result.text);
    return true;
  }
  std::string text = read(fileOf(options.rerun, number));
  if (text.empty()) {
    std::cerr << "case " << number << " has no text in " << options.rerun
              << "\n";
    return false;
  }
  made.result = rerunCase(text, number, cache, made.coverage, options.kind);
  return true;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::cerr << "usage: hocket-random [--seed N] [--count N] [--first K] "
                 "[--only K] [--file F.hkt] [--seconds S] [--json FILE] "
                 "[--failures DIR] [--rows FILE] [--most-failures N] "
                 "[--gradients yes] [--windows yes] [--attention yes] "
                 "[--combinations pairs|all] [--every N] [--wrong yes] "
                 "[--keep DIR] [--target cpu|cuda] [--journal FILE] "
                 "[--cases DIR] [--table FILE] [--texts DIR] [--rerun DIR]\n";
    return 2;
  }
  if (options.kind.target == plan::Target::Cuda && !hasDriver()) {
    std::cerr << "--target cuda needs libcuda.so.1: NVIDIA's driver, or its "
                 "look-alike with LD_LIBRARY_PATH=BUILD/test/lookalike\n";
    return 2;
  }
  if (!options.file.empty())
    return judgeFile(options);
  for (auto &[name, folder] : {std::pair("--cases", options.cases),
                               std::pair("--rerun", options.rerun)})
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
      std::cerr << name << ": there is no folder '" << folder << "'\n";
      return 2;
    }
  if (!options.cases.empty())
    return judgeFolder(options);
  if (!options.combinations.empty())
    return runCombinations(options);
  if (options.wrong)
    return runWrongs(options);
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    std::signal(signal, crashed);
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  Journal journal;
  if (!options.journal.empty())
    if (std::string why =
            journal.open(options.journal, options.seed, options.kind);
        !why.empty()) {
      std::cerr << why << "\n";
      return 2;
    }
  Summary summary;
  auto cache = std::make_unique<codegen::KernelCache>();
  for (uint64_t i = 0; i < options.count && elapsed() < options.seconds; ++i) {
    currentCase = options.first + i;
    if (i % 500 == 499) // what a long run keeps is bounded
      cache = std::make_unique<codegen::KernelCache>();
    if (options.only) // in case it crashes
      std::cout << caseText(options.seed, currentCase, options.kind)
                << std::flush;
    if (const Journal::Entry *known = journal.find(currentCase)) {
      summary.add(known->result);
      summary.coverage.merge(known->coverage);
      continue;
    }
    Journal::Entry made;
    if (!run(options, currentCase, *cache, made))
      continue;
    summary.add(made.result);
    summary.coverage.merge(made.coverage);
    journal.add(currentCase, made);
    report(options, currentCase, made.result);
    if (summary.failed >= options.mostFailures)
      break;
  }
  nlohmann::ordered_json json = summary.json();
  json["seed"] = options.seed;
  json["seconds"] = elapsed();
  if (!options.json.empty())
    std::ofstream(options.json) << json.dump(1) << "\n";
  writeRows(options.rows, summary.coverage);
  if (!options.only)
    std::cout << json.dump(1) << "\n";
  return summary.failed != 0;
}
