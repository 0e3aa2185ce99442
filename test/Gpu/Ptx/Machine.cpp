//===- Machine.cpp - runs the blocks of a launch --------------------------===//

#include "test/Gpu/Ptx/Machine.h"
#include <algorithm>

using namespace hocket::ptx;

Counts &Counts::operator+=(const Counts &other) {
  static_assert(sizeof(Counts) % sizeof(uint64_t) == 0);
  auto *to = reinterpret_cast<uint64_t *>(this);
  auto *from = reinterpret_cast<const uint64_t *>(&other);
  for (size_t i = 0; i < sizeof(Counts) / sizeof(uint64_t); ++i)
    to[i] += from[i];
  return *this;
}

std::string Report::text() const {
  std::string text;
  for (const Finding &finding : findings)
    text += finding.sentence + "\n";
  return text;
}

std::set<unsigned> Report::lines() const {
  std::set<unsigned> lines;
  for (const auto &[line, counts] : byLine)
    if (counts.warps)
      lines.insert(line);
  return lines;
}

Machine::Machine(Program &program, const Kernel &kernel,
                 const Configuration &how)
    : kernel(kernel), memory(program.memory()), how(how),
      constants(kernel.constants), parameters(kernel.parameterBytes),
      touches(kernel.steps.size()) {
  check();
  constants.resize(constants.size() + 64);
  auto begin = reinterpret_cast<uintptr_t>(constants.data());
  std::memmove(constants.data() + (63 - (begin + 63) % 64), constants.data(),
               constants.size() - 64);
  fillCommons();
  if (parameters.size()) {
    std::memcpy(parameters.bytes.data(), how.arguments.bytes.data(),
                parameters.size());
    parameters.define(0, parameters.size());
  }
  sites.resize(kernel.steps.size());
  lastTouched.resize(kernel.steps.size());
  firstBlock = memory.takeBlocks(how.grid.count());
}

static std::string text(uint64_t x, uint64_t y, uint64_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")";
}

void Machine::check() const {
  auto fail = [&](const std::string &text) {
    refuse(kernel.file, kernel.function->line,
           "'" + kernel.name + "' cannot be launched: " + text);
  };
  uint64_t threads = how.block.count(), blocks = how.grid.count();
  if (!threads || threads > 1024 || how.block.z > 64)
    fail("a block has 1 to 1024 threads, at most 64 in z, not " +
         std::to_string(threads));
  if (!blocks || how.grid.y > 65535 || how.grid.z > 65535 ||
      how.grid.x > 0x7fffffff || blocks > 0xffffffff)
    fail("a grid has at most 2^31 - 1 blocks in x, 65535 in y and z, and no "
         "size of 0");
  auto product = [](const std::vector<uint64_t> &sizes) {
    uint64_t all = 1;
    for (uint64_t size : sizes)
      all *= size;
    return all;
  };
  const Function &function = *kernel.function;
  if (function.mostThreads && threads > product(*function.mostThreads))
    fail(std::to_string(threads) + " threads, .maxntid allows " +
         std::to_string(product(*function.mostThreads)));
  if (function.exactThreads) {
    std::vector<uint64_t> exact = *function.exactThreads;
    exact.resize(3, 1);
    if (exact != std::vector<uint64_t>{how.block.x, how.block.y, how.block.z})
      fail("a block of " + text(how.block.x, how.block.y, how.block.z) +
           ", .reqntid asks for " + text(exact[0], exact[1], exact[2]));
  }
  if (how.arguments.bytes.size() != kernel.parameterBytes)
    fail("arguments of " + std::to_string(how.arguments.bytes.size()) +
         " bytes for parameters of " + std::to_string(kernel.parameterBytes));
  for (const Variable &parameter : function.parameters) {
    uint64_t address = 0, align = parameter.pointedAlign;
    if (align)
      std::memcpy(&address,
                  &how.arguments.bytes[kernel.parameters.at(parameter.name)],
                  sizeof address);
    if (align && address % align)
      fail("'" + parameter.name + "' points to multiples of " +
           std::to_string(align) + ", the address given is none");
  }
  if (kernel.sharedBytes > 48 * 1024)
    fail("variables of " + std::to_string(kernel.sharedBytes) +
         " bytes in shared memory, 49152 are allowed");
  if (kernel.sharedBytes + how.dynamicShared > 227 * 1024)
    fail(std::to_string(kernel.sharedBytes + how.dynamicShared) +
         " bytes of shared memory, 232448 are allowed");
}

void Machine::fillCommons() {
  uint32_t values[] = {
      how.block.x,
      how.block.y,
      how.block.z,
      how.grid.x,
      how.grid.y,
      how.grid.z,
      static_cast<uint32_t>((how.block.count() + 31) / 32),
      static_cast<uint32_t>(how.dynamicShared),
      static_cast<uint32_t>(kernel.sharedBytes + how.dynamicShared)};
  auto begin = reinterpret_cast<uintptr_t>(constants.data());
  std::byte *bank = constants.data() + (63 - (begin + 63) % 64);
  for (auto [common, slot] : kernel.commons)
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      std::memcpy(bank + (slot & ~sharedBank) + 32 + lane * 4,
                  &values[static_cast<unsigned>(common)], 4);
}

const char *hocket::ptx::nameOf(FindingKind kind) {
  static const char *const names[] = {"OutOfBounds",
                                      "Misaligned",
                                      "AfterRelease",
                                      "WriteToConstant",
                                      "UndefinedRegister",
                                      "UndefinedMemory",
                                      "Race",
                                      "PendingCopy",
                                      "DivergentBarrier",
                                      "MissingThreads",
                                      "BadExchange",
                                      "NoEnd",
                                      "Trap"};
  return names[static_cast<unsigned>(kind)];
}

void Machine::find(FindingKind kind, const Step &step,
                   const std::string &what) {
  auto [place, isNew] =
      found.try_emplace({kind, step.index}, report.findings.size());
  if (!isNew) {
    ++report.findings[place->second].times;
    return;
  }
  const Statement &at = statement(step);
  report.findings.push_back({kind, at.line,
                             kernel.file + ":" + std::to_string(at.line) +
                                 ": " + at.text + ": " + what,
                             1});
}

Report Machine::run() {
  try {
    uint64_t all = how.grid.count();
    uint64_t count = how.onlyBlocks.empty() ? all : how.onlyBlocks.size();
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t block = how.onlyBlocks.empty() ? i : how.onlyBlocks[i];
      uint64_t rest = block / how.grid.x;
      Dim3 id = {uint32_t(block % how.grid.x), uint32_t(rest % how.grid.y),
                 uint32_t(rest / how.grid.y)};
      Block(*this, id, firstBlock + static_cast<uint32_t>(block)).run();
    }
  } catch (const EndOfLaunch &) {
    report.finished = false;
  }
  gather();
  return std::move(report);
}

void Machine::gather() {
  report.touched = touches.take();
  for (const Step &step : kernel.steps) {
    const Counts &site = sites[step.index];
    report.total += site;
    report.byClass[static_cast<unsigned>(step.kind)] += site;
    report.byLine[statement(step).line] += site;
    if (const Allocation *touched = lastTouched[step.index])
      report.byAllocation[touched->base] += site;
  }
}

Report hocket::ptx::launch(Program &program, const std::string &entry,
                           const Configuration &how) {
  return Machine(program, program.kernel(entry), how).run();
}
