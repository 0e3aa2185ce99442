//===- KernelStock.cpp - mutants of the runtime's own kernels -------------===//

#include "test/Gpu/Kernels/KernelText.h"
#include "test/Gpu/Mutations/Stock.h"
#include "test/Gpu/Ptx/LineList.h"
#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace hocket::mutations {

using test::KernelRun;
using test::KernelTask;
using test::TracedLaunch;

KernelStock::KernelStock(const std::string &folder, const std::string &filter) {
  std::string trace = folder + "/tests-as-they-are";
  if (std::filesystem::exists(trace)) {
    asIs = test::readKernelTrace(trace);
  } else {
    KernelTask task;
    task.filter = filter;
    task.folder = folder + "/as-is";
    task.seconds = 1200;
    task.trace = trace + ".part";
    std::filesystem::create_directories(folder);
    std::filesystem::remove(task.trace); // of a run that was cut off
    asIs = test::runKernelTests(task);
    if (!asIs.passed)
      throw std::runtime_error("tests fail without a mutation:\n" +
                               asIs.output.substr(0, 2000));
    std::filesystem::rename(task.trace, trace);
  }
  std::map<std::string, std::map<std::string, Kernel>> found;
  for (const TracedLaunch &launch : asIs.launches) {
    Kernel &kernel = found[launch.source][launch.kernel];
    kernel.name = launch.kernel;
    kernel.lines.insert(launch.lines.begin(), launch.lines.end());
    kernel.launches.push_back(&launch);
    Test &test = tests[launch.test];
    test.name = launch.test;
    test.warps += launch.warps;
    test.longest = std::max(test.longest, launch.warps);
  }
  for (auto &[source, named] : found) {
    test::kernelsOf(source); // is known to all threads then
    for (auto &[name, kernel] : named)
      kernels[source].push_back(std::move(kernel));
  }
  if (kernels.empty())
    throw std::runtime_error("the tests launch no kernel");
}

/// Those that ran one of the lines, the shortest first; all, if no line is one
/// of those that run (a variable).
std::vector<KernelStock::Test>
KernelStock::testsOf(const Kernel &kernel,
                     const std::set<unsigned> &lines) const {
  bool areRun = std::any_of(lines.begin(), lines.end(), [&](unsigned line) {
    return kernel.lines.count(line) != 0;
  });
  std::set<std::string> names;
  for (const TracedLaunch *launch : kernel.launches)
    if (!areRun || std::any_of(lines.begin(), lines.end(), [&](unsigned line) {
          return launch->lines.count(line) != 0;
        }))
      names.insert(launch->test);
  std::vector<Test> sorted;
  for (const std::string &name : names)
    sorted.push_back(tests.at(name));
  std::sort(sorted.begin(), sorted.end(), [](const Test &a, const Test &b) {
    return a.warps != b.warps ? a.warps < b.warps : a.name < b.name;
  });
  return sorted;
}

KernelTask KernelStock::taskOf(const std::vector<Test> &chosen) const {
  KernelTask task;
  task.stops = true;
  for (const Test &test : chosen) {
    task.filter += (task.filter.empty() ? "" : ":") + test.name;
    task.steps = std::max(task.steps, 2 * test.longest + 20000);
  }
  return task;
}

void KernelStock::run(Rng &rng, const std::string &scratch,
                      Outcome &outcome) const {
  auto source = kernels.begin();
  std::advance(source, rng.below(kernels.size()));
  const Kernel &kernel = rng.oneOf(source->second);
  PtxMutator mutator(test::textOfKernel(source->first, kernel.name),
                     kernel.name, kernel.lines);
  std::optional<PtxMutation> made = mutator.draw(rng);
  if (!made)
    return;
  outcome.target = source->first + " " + kernel.name;
  outcome.kind = made->kind;
  outcome.where = ptx::toText(made->lines);
  outcome.before = made->before;
  outcome.after = made->after;
  runTests(testsOf(kernel, made->lines), kernel.name, made->text, scratch,
           outcome);
}

/// The two shortest first; if all bits are equal others that are short; and if
/// bits differ and nothing is found all the others.
void KernelStock::runTests(const std::vector<Test> &sorted,
                           const std::string &kernel, const std::string &text,
                           const std::string &scratch, Outcome &outcome) const {
  // Warps of the second part, all together: about as long as a test takes to
  // begin.
  uint64_t rest = 2000000;
  std::vector<Test> parts[3];
  for (size_t i = 0; i < sorted.size(); ++i) {
    const bool isShort = i < 2 || (parts[2].empty() && sorted[i].warps <= rest);
    if (i >= 2 && isShort)
      rest -= sorted[i].warps;
    parts[i < 2 ? 0 : isShort ? 1 : 2].push_back(sorted[i]);
  }
  std::optional<Outcome> survivor;
  for (const std::vector<Test> &part : parts) {
    if (part.empty() || (&part == &parts[2] && !survivor))
      break;
    KernelTask task = taskOf(part);
    task.folder = scratch;
    task.kernel = kernel;
    task.text = text;
    KernelRun run = test::runKernelTests(task);
    judge(run, asIs, outcome);
    outcome.seconds += run.seconds;
    if (outcome.verdict == Verdict::Survived && !survivor)
      survivor = outcome;
    else if (outcome.verdict != Verdict::Equal &&
             outcome.verdict != Verdict::Survived)
      return;
  }
  if (survivor) {
    survivor->seconds = outcome.seconds;
    outcome = *survivor;
  }
}

} // namespace hocket::mutations
