//===- ChooseVector.cpp - picks the inner loops for this processor --------===//

#include "hocket/Cpu/SplitFunctions.h"
#include <atomic>
#include <cstdlib>
#include <string>
#ifdef __linux__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hocket::runtime {

extern const VectorFunctions vectorFunctionsV3, vectorFunctionsV4;
extern const SplitFunctions amxFunctions;

static bool isWide() {
  static const bool wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vl");
  return wide;
}

const VectorFunctions &vectorFunctions() {
  return isWide() ? vectorFunctionsV4 : vectorFunctionsV3;
}

/// Whether the processor has tiles of bf16 numbers, and Linux lets this process
/// have them, which it has to ask for (Documentation/arch/x86/xstate.rst).
static bool hasTiles() {
#ifdef __linux__
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24;
  constexpr long askForState = 0x1023, tileData = 18;
  unsigned a, b, c, d;
  return isWide() && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bf16) &&
         (d & tile) && syscall(SYS_arch_prctl, askForState, tileData) == 0;
#else
  return false;
#endif
}

/// By the environment: processors may slow their unit down, and a program may
/// need the bits of those that have none.
static std::string wishOf() {
  const char *wish = std::getenv("HOCKET_MATRIX_UNIT");
  return wish ? wish : "on";
}

Status checkMatrixUnit() {
  std::string wish = wishOf();
  if (wish == "on" || wish == "off")
    return Status::success();
  return Status::userError("HOCKET_MATRIX_UNIT is '" + wish +
                           "' in the environment; write on or off");
}

static std::atomic<bool> isSplitAllowed = true;

void setSplitFunctions(bool allowed) { isSplitAllowed = allowed; }

const SplitFunctions *splitFunctions() {
  static const bool exist = wishOf() == "on" && hasTiles();
  return exist && isSplitAllowed ? &amxFunctions : nullptr;
}

} // namespace hocket::runtime
