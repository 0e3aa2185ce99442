//===- Main.cpp - hocket-gpu-mutate ---------------------------------------===//

#include "runtime/lib/Cuda/Kernels/Images.h"
#include "test/Gpu/Mutations/Campaign.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

using namespace hocket::mutations;

namespace {

const char usage[] =
    "usage: hocket-gpu-mutate --folder DIR [--seed S] [--count N] [--only K]\n"
    "           [--jobs J] [--journal FILE] [--tests FILTER]\n"
    "           [--programs NAME,NAME]\n"
    "       hocket-gpu-mutate --report FILE [--seed S]\n"
    "\n"
    "Changes PTX and calls of programs for GPUs, one at a time, and says what\n"
    "the tests and the look-alikes find. test/Gpu/README.md has more.\n";

[[noreturn]] void fail(const std::string &text) {
  std::fprintf(stderr, "error: %s\n", text.c_str());
  std::exit(1);
}

uint64_t numberOf(const std::string &name, const std::string &text) {
  char *end = nullptr;
  uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end)
    fail(name + " is '" + text + "', expected a number");
  return number;
}

/// The options, and the file of --report.
std::string readOptions(int count, char **words, CampaignOptions &options) {
  std::string report;
  for (int i = 1; i < count; i += 2) {
    std::string name = words[i];
    if (i + 1 == count)
      fail(std::string("'") + name + "' needs a value\n" + usage);
    std::string value = words[i + 1];
    if (name == "--folder")
      options.folder = value;
    else if (name == "--seed")
      options.seed = numberOf(name, value);
    else if (name == "--count")
      options.count = numberOf(name, value);
    else if (name == "--jobs")
      options.jobs = static_cast<unsigned>(numberOf(name, value));
    else if (name == "--journal")
      options.journal = value;
    else if (name == "--tests")
      options.tests = value;
    else if (name == "--report")
      report = value;
    else if (name == "--only") {
      options.begin = numberOf(name, value);
      options.count = 1;
    } else if (name == "--programs") {
      std::istringstream list(value);
      for (std::string one; std::getline(list, one, ',');)
        options.programs.insert(one);
    } else
      fail("'" + name + "' is no option\n" + usage);
  }
  if (report.empty() && options.folder.empty())
    fail(std::string("there is no --folder\n") + usage);
  return report;
}

} // namespace

int main(int count, char **words) {
  CampaignOptions options;
  std::string report = readOptions(count, words, options);
  if (report.empty() && hocket::runtime::cuda::images().empty())
    fail("nvcc was not found when this was built");
  if (!report.empty() && !std::ifstream(report))
    fail("--report: there is no file '" + report + "'");
  try {
    std::vector<Outcome> outcomes = report.empty()
                                        ? runCampaign(options)
                                        : readJournal(report, options.seed);
    if (options.count == 1 && report.empty())
      for (const Outcome &outcome : outcomes)
        std::cout << outcome.json().dump(1) << "\n";
    else
      std::cout << reportOf(outcomes);
    return unexplained(outcomes).empty() ? 0 : 1;
  } catch (const std::exception &error) {
    fail(error.what());
  }
}
