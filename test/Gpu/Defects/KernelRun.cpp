//===- KernelRun.cpp - tests of kernels, with one kernel changed ----------===//

#include "test/Gpu/Defects/KernelRun.h"
#include "test/Paths.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

namespace hocket::test {

namespace fs = std::filesystem;

/// Seconds after which a test is taken to have no end.
static constexpr int mostSeconds = 120;

/// "3-17,20".
static std::set<unsigned> readLines(const std::string &text) {
  std::set<unsigned> lines;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    size_t dash = item.find('-');
    unsigned first = std::atoi(item.c_str());
    unsigned last =
        dash == item.npos ? first : std::atoi(item.c_str() + dash + 1);
    for (unsigned line = first; first && line <= last; ++line)
      lines.insert(line);
  }
  return lines;
}

static void readTrace(const std::string &file, KernelRun &run) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string kind, test;
    words >> kind >> test;
    if (kind == "launch") {
      TracedLaunch launch{test, "", "", {}, 0};
      std::string lines;
      words >> launch.source >> launch.kernel >> lines >> launch.warps;
      launch.lines = readLines(lines);
      run.launches.push_back(std::move(launch));
    } else if (kind == "finding") {
      KernelFinding finding;
      words >> finding.kind;
      std::getline(words >> std::ws, finding.sentence);
      run.findings.push_back(std::move(finding));
    } else {
      run.memory.push_back(line);
    }
  }
}

static std::string readFile(const std::string &name) {
  std::ifstream file(name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

KernelRun runKernelTests(const std::string &filter, const std::string &folder) {
  fs::create_directories(folder);
  std::string trace = folder + "/trace", output = folder + "/output";
  std::string command =
      "HOCKET_TEST_PTX=" + folder + " HOCKET_TEST_TRACE=" + trace +
      " timeout " + std::to_string(mostSeconds) + " " +
      builtPath("test/bin/CudaKernelTests") +
      " --gtest_brief=1 --gtest_filter='" + filter + "' >" + output + " 2>&1";
  int code = std::system(command.c_str());
  KernelRun run;
  run.passed = WIFEXITED(code) && WEXITSTATUS(code) == 0;
  run.ended = !(WIFEXITED(code) && WEXITSTATUS(code) == 124);
  run.output = readFile(output);
  readTrace(trace, run);
  fs::remove(trace);
  return run;
}

KernelRun runKernelTests(const std::string &filter, const std::string &kernel,
                         const std::string &text, const std::string &folder) {
  fs::create_directories(folder);
  std::string file = folder + "/" + kernel + ".ptx";
  std::ofstream(file) << text;
  KernelRun run = runKernelTests(filter, folder);
  fs::remove(file);
  return run;
}

} // namespace hocket::test
