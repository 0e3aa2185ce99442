//===- ProgramRun.cpp - a whole program with faults in its calls ----------===//

#include "test/Gpu/Defects/ProgramRun.h"
#include "test/Gpu/Defects/Shell.h"
#include "test/Gpu/Defects/Weights.h"
#include "test/Gpu/Ptx/LineList.h"
#include "test/Paths.h"
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace hocket::test {

namespace fs = std::filesystem;

const std::vector<ProgramCase> &programCases() {
  static const std::vector<ProgramCase> cases = {
      {"product", "test/Cuda/Inputs/mlp.hkt --schedule tp",
       "--weights %w --random-input 2 --warmup 1 --repeat 2"},
      {"lookup",
       "docs/examples/gpt2_schedules.hkt --schedule tensor_parallel -D "
       "layers=1 -D hidden=24 -D heads=4 -D vocab=31 -D positions=16 -D "
       "batch=2 -D seq=11",
       "--weights %w --random-input 2 --warmup 1 --repeat 2"},
      {"convolution", "test/Cuda/Inputs/convolutions.hkt --schedule halo",
       "--weights %w --random-input 2 --repeat 1"},
      {"norm", "test/Gpu/Defects/Inputs/norm.hkt",
       "--weights %w --random-input 2 --repeat 1"},
      {"training",
       "test/Cuda/Inputs/training.hkt --train rows --schedule data -D "
       "model.layers=1 -D model.hidden=24 -D model.heads=2 -D vocab=256 -D "
       "positions=16 -D seq=16 -D batch=4 -D p=0.1",
       "--data %t --validation-data %t --token-type u8 --steps 2 --checkpoint "
       "saved --metrics metrics",
       "saved/step-0000000002.safetensors"},
      {"half",
       "test/Execute/precision.hkt --variant Brain --schedule tensor -D "
       "batch=2 -D seq=6",
       "--weights %w --random-input 2 --warmup 1 --repeat 2", "out", "", 2e-2},
      {"processes", "test/Cuda/Inputs/mlp.hkt --schedule tp",
       "--weights %w --random-input 2 --repeat 2 --ranks-per-node 2", "out",
       "HOCKET_LOOKALIKE_DEVICES=2"},
      {"exchange", "test/Cuda/Inputs/convolutions.hkt --schedule halo",
       "--weights %w --random-input 2 --repeat 1 --ranks-per-node 2", "out",
       "HOCKET_LOOKALIKE_DEVICES=2 HOCKET_LOOKALIKE_ALIKE=1"},
  };
  return cases;
}

static std::string readFile(const std::string &name) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

static std::vector<std::string> linesOf(const std::string &name,
                                        const std::string &begin = "") {
  std::vector<std::string> lines;
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, begin.size(), begin) == 0)
      lines.push_back(line.substr(begin.size()));
  return lines;
}

static const ProgramCase &caseOf(const std::string &name) {
  for (const ProgramCase &one : programCases())
    if (one.name == name)
      return one;
  throw std::runtime_error("no program is called " + name);
}

/// Bytes that are all different before the first comes again: a label for each
/// place that a loss can look for it.
static std::string differentBytes() {
  std::string bytes;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>((i * 101 + 7) % 256);
  return bytes;
}

void Programs::compile(const std::string &name) {
  if (!known.insert(name).second)
    return;
  fs::create_directories(folder);
  std::string log = folder + "/compile", plan = folder + "/plan.json";
  std::string compile = builtPath("bin/hocket") + " compile " +
                        caseOf(name).compile + " --target=cuda";
  if (runShell("{ cd " + sourcePath("") + " && " + compile + " -o " + folder +
               "/" + name + " && " + compile + " --emit=plan >" + plan +
               "; } 2>" + log)
          .status)
    throw std::runtime_error(name + " does not compile: " + readFile(log));
  std::ofstream(weightsOf(name), std::ios::binary)
      << weightsFor(readFile(plan));
  std::ofstream(tokens(), std::ios::binary) << differentBytes();
}

/// The losses and norms that a training run has told, as bytes of f32.
static std::string lossesOf(const std::vector<std::string> &metrics) {
  std::string bytes;
  for (const std::string &line : metrics) {
    nlohmann::json step = nlohmann::json::parse(line);
    for (const char *name : {"loss", "grad_norm", "validation_loss"})
      if (step.contains(name) && step[name].is_number()) {
        auto value = step[name].get<float>();
        bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
      }
  }
  return bytes;
}

std::string Programs::weightsOf(const std::string &name) const {
  return folder + "/weights-of-" + name;
}

std::string Programs::tokens() const { return folder + "/tokens"; }

static void replaceAll(std::string &text, const std::string &word,
                       const std::string &by) {
  for (size_t at; (at = text.find(word)) != text.npos;)
    text.replace(at, word.size(), by);
}

std::string Programs::optionsOf(const ProgramCase &program) const {
  std::string options = program.run;
  replaceAll(options, "%w", weightsOf(program.name));
  replaceAll(options, "%t", tokens());
  if (program.result == std::string("out"))
    options += " --output out --force";
  return options + " --threads 1 --deadline 20";
}

ProgramRun Programs::run(const std::string &name,
                         const std::map<std::string, std::string> &variables) {
  compile(name);
  return runIn(folder, name, variables);
}

ProgramRun
Programs::runIn(const std::string &scratch, const std::string &name,
                const std::map<std::string, std::string> &variables) const {
  const ProgramCase &program = caseOf(name);
  fs::create_directories(scratch);
  for (const char *file :
       {"findings", "log", "out", "saved", "errors", "metrics"})
    fs::remove_all(scratch + "/" + file);
  // A chip that no machine code is made for; launches are short.
  std::string command =
      "ulimit -c 0; ulimit -t 30; cd " + scratch +
      " && exec env HOCKET_LOOKALIKE_CHIP=120 HOCKET_LOOKALIKE_STEPS=4000000"
      " HOCKET_LOOKALIKE_REPORT=findings HOCKET_INJECT_LOG=log"
      " LD_LIBRARY_PATH=" +
      builtPath("test/injector") + " " + program.environment;
  for (const auto &[variable, value] : variables)
    command += " " + variable + "='" + value + "'";
  command += " timeout -s KILL 600 " + folder + "/" + name + " " +
             optionsOf(program) + " >errors 2>&1";
  ProgramRun run;
  Ended ended = runShell(command);
  run.status = ended.status;
  run.seconds = ended.seconds;
  run.errors = readFile(scratch + "/errors");
  run.findings = linesOf(scratch + "/findings");
  run.calls = linesOf(scratch + "/log", "call ");
  run.done = linesOf(scratch + "/log", "done ");
  run.output = readFile(scratch + "/" + program.result) +
               lossesOf(linesOf(scratch + "/metrics"));
  return run;
}

const ProgramRun &Programs::plain(const std::string &name) {
  auto found = plainRuns.find(name);
  if (found == plainRuns.end())
    found = plainRuns.emplace(name, run(name)).first;
  return found->second;
}

std::string Programs::code(const std::string &name) {
  std::string to = folder + "/code-of-" + name;
  fs::create_directories(to);
  run(name, {{"HOCKET_INJECT_CODE", to}});
  return readFile(to + "/1.ptx");
}

std::map<std::string, std::set<unsigned>>
Programs::lines(const std::string &name) {
  std::string file = folder + "/counts-of-" + name;
  run(name, {{"HOCKET_LOOKALIKE_COUNTS", file}});
  std::map<std::string, std::set<unsigned>> lines;
  nlohmann::json kernels = nlohmann::json::parse(readFile(file))["kernels"];
  for (const auto &[kernel, counts] : kernels.items())
    lines[kernel] = ptx::readLines(counts["lines"]);
  return lines;
}

/// What follows the header of a safetensors file.
static std::vector<float> numbersOf(const std::string &file) {
  uint64_t header = 0;
  if (file.size() < sizeof header)
    return {};
  std::memcpy(&header, file.data(), sizeof header);
  size_t begin = std::min<size_t>(sizeof header + header, file.size());
  std::vector<float> numbers((file.size() - begin) / sizeof(float));
  std::memcpy(numbers.data(), file.data() + begin,
              numbers.size() * sizeof(float));
  return numbers;
}

double differenceOf(const std::string &found, const std::string &expected) {
  std::vector<float> a = numbersOf(found), b = numbersOf(expected);
  double most = 0, largest = 0;
  if (a.empty() || a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(b[i]))
      largest = std::max(largest, std::fabs(double(b[i])));
    if (std::memcmp(&a[i], &b[i], sizeof a[i]) == 0)
      continue; // also where it is a NaN, or no float
    double difference = std::fabs(double(a[i]) - double(b[i]));
    if (!(difference >= 0)) // a NaN is far from everything
      return std::numeric_limits<double>::infinity();
    most = std::max(most, difference);
  }
  return most == 0 ? 0 : most / largest; // infinite where all must be 0
}

} // namespace hocket::test
