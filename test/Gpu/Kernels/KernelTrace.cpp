//===- KernelTrace.cpp - what other tests ask of these tests --------------===//

#include "test/Gpu/Kernels/KernelTrace.h"
#include "test/Gpu/Ptx/LineList.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace hocket::test {

std::optional<std::string> changedText(const std::string &entry) {
  const char *folder = std::getenv("HOCKET_TEST_PTX");
  if (!folder)
    return std::nullopt;
  std::ifstream file(std::string(folder) + "/" + entry + ".ptx");
  if (!file)
    return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

uint64_t mostStepsOfLaunch(uint64_t most) {
  const char *steps = std::getenv("HOCKET_TEST_STEPS");
  return steps ? std::strtoull(steps, nullptr, 10) : most;
}

/// Empty: nothing is traced.
static std::string traceFile() {
  const char *file = std::getenv("HOCKET_TEST_TRACE");
  return file ? file : "";
}

static std::string testName() {
  const testing::TestInfo *test =
      testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "." + test->name();
}

void traceLaunch(const std::string &source, const std::string &entry,
                 const ptx::Report &report) {
  std::string file = traceFile();
  if (file.empty())
    return;
  std::ofstream stream(file, std::ios::app);
  stream << "launch " << testName() << " " << source << " " << entry << " "
         << ptx::toText(report.lines()) << " " << report.total.warps << "\n";
  for (const ptx::Finding &finding : report.findings)
    stream << "finding " << testName() << " " << ptx::nameOf(finding.kind)
           << " " << finding.sentence << "\n";
}

/// FNV-1a of 64 bits.
static void mix(uint64_t &hash, const std::byte *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<uint8_t>(bytes[i])) * 0x100000001b3;
}

void traceMemory(const ptx::Memory &memory) {
  std::string file = traceFile();
  if (file.empty())
    return;
  uint64_t hash = 0xcbf29ce484222325;
  memory.each([&](const ptx::Allocation &allocation) {
    const ptx::Region &region = allocation.region;
    if (allocation.name != scratchName)
      mix(hash, region.bytes.data(), region.bytes.size());
  });
  std::ofstream(file, std::ios::app)
      << "memory " << testName() << " " << std::hex << hash << "\n";
}

} // namespace hocket::test
