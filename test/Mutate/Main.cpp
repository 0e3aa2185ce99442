//===- Main.cpp - hocket-mutate: damaged texts and dumps ------------------===//
//
// hocket-mutate [--kind KIND] [--seed N] [--count N] [--first K] [--only K]
//               [--failures DIR] FOLDER...
//
// Mutates the .hkt files below the folders (text), or the dumps (of the stage
// that KIND names) or plans of their programs. Every case must end with status
// 0, or with status 1 (of a plan that is run also 3) and an error, within ten
// seconds of the processor. --only prints the mutated text and what came of it.
// Status 1 if a case failed.
//
//===----------------------------------------------------------------------===//

#include "Corpus.h"
#include "Judge.h"
#include "Programs.h"
#include "ScratchFolder.h"
#include "tools/hocket/Options.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace hocket;
using namespace hocket::mutate;
namespace fs = std::filesystem;

namespace {
struct Settings {
  std::string kind = "text", failures;
  uint64_t seed = 1, count = 200, first = 0;
  bool only = false;
  std::vector<std::string> folders;
};

struct Counts {
  uint64_t accepted = 0, refused = 0, failed = 0;
  double longest = 0; // of a case that did not fail
};
} // namespace

static bool parse(int argc, char **argv, Settings &settings) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      settings.folders.push_back(name);
      continue;
    }
    if (++i == argc)
      return false;
    const char *value = argv[i];
    if (name == "--kind")
      settings.kind = value;
    else if (name == "--failures")
      settings.failures = value;
    else if (name == "--seed")
      settings.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--count")
      settings.count = std::strtoull(value, nullptr, 10);
    else if (name == "--first" || name == "--only")
      settings.first = std::strtoull(value, nullptr, 10);
    else
      return false;
    if (name == "--only") {
      settings.count = 1;
      settings.only = true;
    }
  }
  return !settings.folders.empty();
}

/// What is done with a mutated file, one after the other while it is accepted:
/// a text is checked, and planned under one of its schedules; a dump is taken
/// up, and planned; a plan is also run.
static std::vector<std::function<int()>> commandsFor(const Settings &settings,
                                                     const std::string &file,
                                                     const std::string &text,
                                                     random::Rng &rng) {
  tool::Options options;
  options.source.path = file;
  std::vector<std::function<int()>> commands;
  bool alsoPlans = rng.chance(settings.kind == "buffers" ? 1 : 0.25);
  if (settings.kind == "text") {
    commands.push_back([options] { return tool::runCheck(options); });
    std::vector<std::string> schedules = declared(text, "schedule"),
                             recipes = declared(text, "train");
    if (!schedules.empty())
      options.source.elaborate.schedule = rng.oneOf(schedules);
    if (!recipes.empty() && rng.chance(0.5))
      options.source.elaborate.train = rng.oneOf(recipes);
    if (text.find("layers: int") != std::string::npos)
      options.source.elaborate.defines.push_back({"model", "layers", "1"});
  } else {
    options.source.from = settings.kind;
    options.emit = settings.kind == "plan" ? "plan" : "buffers";
    commands.push_back([options] { return tool::runCompile(options); });
  }
  if (alsoPlans)
    commands.push_back([options] { return tool::runPlan(options); });
  if (settings.kind == "plan")
    commands.push_back([options] { return runProgram(options); });
  return commands;
}

static int highestStatus(const Settings &settings) {
  return settings.kind == "plan" ? 3 : 1;
}

static const char *extensionOf(const Settings &settings) {
  return settings.kind == "text"   ? ".hkt"
         : settings.kind == "plan" ? ".json"
                                   : ".mlir";
}

static void report(const Settings &settings, uint64_t number,
                   const Corpus &corpus, size_t chosen, const std::string &text,
                   const Outcome &outcome) {
  std::cout << settings.kind << " case " << number << " " << outcome.complaint()
            << ", made of " << corpus.names[chosen] << "\n"
            << outcome.errors.substr(0, 300) << std::endl;
  if (settings.failures.empty())
    return;
  fs::create_directories(settings.failures);
  std::ofstream(settings.failures + "/" + settings.kind + "-" +
                std::to_string(settings.seed) + "-" + std::to_string(number) +
                extensionOf(settings))
      << text;
}

static void runCase(const Settings &settings, uint64_t number,
                    const Corpus &corpus, const std::string &scratch,
                    Counts &counts) {
  random::Rng rng(settings.seed * 1000003 + number);
  size_t chosen = rng.below(corpus.texts.size());
  std::string text = mutate::mutate(corpus.texts[chosen], corpus.stock, rng);
  std::string file = scratch + "/case" + extensionOf(settings);
  std::ofstream(file, std::ios::binary) << text;
  if (settings.only)
    std::cout << text << "\n";
  Outcome outcome;
  for (const auto &command : commandsFor(settings, file, text, rng)) {
    outcome = runApart(command, scratch + "/errors");
    if (settings.only)
      std::cout << "status " << outcome.status << ", signal " << outcome.signal
                << ", " << outcome.seconds << " s\n"
                << outcome.errors;
    if (outcome.signal || outcome.status)
      break;
  }
  if (!outcome.complaint(highestStatus(settings)).empty()) {
    ++counts.failed;
    report(settings, number, corpus, chosen, text, outcome);
    return;
  }
  ++(outcome.status ? counts.refused : counts.accepted);
  counts.longest = std::max(counts.longest, outcome.seconds);
}

int main(int argc, char **argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::cerr << "usage: hocket-mutate [--kind KIND] [--seed N] [--count N] "
                 "[--first K] [--only K] [--failures DIR] FOLDER...\n";
    return 2;
  }
  ScratchFolder scratch;
  Corpus corpus = readTexts(settings.folders);
  if (settings.kind != "text") {
    std::map<std::string, Corpus> dumps =
        makeDumps(corpus, scratch.path, settings.kind == "plan");
    corpus = dumps[settings.kind];
  }
  if (corpus.texts.empty()) {
    std::cerr << "hocket-mutate: nothing to mutate\n";
    return 2;
  }
  Counts counts;
  for (uint64_t i = 0; i < settings.count; ++i)
    runCase(settings, settings.first + i, corpus, scratch.path, counts);
  std::cout << settings.kind << ": " << settings.count << " mutations of "
            << corpus.texts.size() << ", " << counts.accepted << " accepted, "
            << counts.refused << " refused, " << counts.failed
            << " failed, the longest " << counts.longest << " s\n";
  return counts.failed != 0;
}
