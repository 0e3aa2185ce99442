//===- KernelRun.cpp - tests of kernels, with one kernel changed ----------===//

#include "test/Gpu/Defects/KernelRun.h"
#include "test/Gpu/Defects/Shell.h"
#include "test/Gpu/Ptx/LineList.h"
#include "test/Paths.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hocket::test {

namespace fs = std::filesystem;

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
      launch.lines = ptx::readLines(lines);
      run.launches.push_back(std::move(launch));
    } else if (kind == "finding") {
      KernelFinding finding;
      words >> finding.kind;
      std::getline(words >> std::ws, finding.sentence);
      run.findings.push_back(std::move(finding));
    } else if (kind == "failed") {
      run.failed.insert(test);
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

/// To the trace, the tests of lines "[  FAILED  ] TEST (3 ms)".
static void traceFailed(const std::string &output, const std::string &trace) {
  const std::string begin = "[  FAILED  ] ";
  std::istringstream lines(output);
  std::ofstream stream(trace, std::ios::app);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(begin, 0) == 0 && line.find(" ms)") != line.npos)
      stream << "failed "
             << line.substr(begin.size(),
                            line.find_first_of(", ", begin.size()) -
                                begin.size())
             << "\n";
}

KernelRun readKernelTrace(const std::string &file) {
  KernelRun run;
  readTrace(file, run);
  return run;
}

KernelRun runKernelTests(const KernelTask &task) {
  const std::string &folder = task.folder;
  fs::create_directories(folder);
  std::string file = folder + "/" + task.kernel + ".ptx";
  if (!task.kernel.empty())
    std::ofstream(file) << task.text;
  std::string trace = task.trace.empty() ? folder + "/trace" : task.trace;
  std::string output = folder + "/output";
  if (task.trace.empty())
    fs::remove(trace); // of a task that was cut off
  std::string command =
      "ulimit -c 0; ulimit -t " + std::to_string(task.seconds) +
      "; HOCKET_TEST_PTX=" + folder +
      (task.steps ? " HOCKET_TEST_STEPS=" + std::to_string(task.steps) : "") +
      " HOCKET_TEST_TRACE=" + trace + " exec " +
      builtPath("test/bin/CudaKernelTests") + " --gtest_brief=1" +
      (task.stops ? " --gtest_break_on_failure" : "") + " --gtest_filter='" +
      task.filter + "' >" + output + " 2>&1";
  Ended ended = runShell(command);
  KernelRun run;
  run.passed = ended.status == 0;
  run.ended = ended.status != -SIGXCPU && ended.status != -SIGKILL;
  run.seconds = ended.seconds;
  run.output = readFile(output);
  traceFailed(run.output, trace);
  readTrace(trace, run);
  if (task.trace.empty())
    fs::remove(trace);
  if (!task.kernel.empty())
    fs::remove(file);
  return run;
}

} // namespace hocket::test
