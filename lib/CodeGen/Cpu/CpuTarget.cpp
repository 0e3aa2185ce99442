//===- CpuTarget.cpp - the CPU that a user names --------------------------===//

#include "MachineCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace llvm;

namespace hocket::codegen {

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
}

/// In a fixed order, so that equal machines make equal bytes.
static std::string hostFeatures() {
  StringMap<bool> all = sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (auto &entry : all)
    names.push_back((entry.second ? "+" : "-") + entry.first().str());
  llvm::sort(names);
  return join(names, ",");
}

std::optional<CpuTarget> resolveCpu(StringRef name, std::string &error) {
  initializeTargets();
  CpuTarget result;
  result.triple = sys::getProcessTriple();
  result.cpu = name == "native" ? sys::getHostCPUName().str() : name.str();
  if (name == "native")
    result.features = hostFeatures();
  Triple triple(result.triple);
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return std::nullopt;
  // The check below prints its own warning for an unknown name otherwise.
  std::unique_ptr<MCSubtargetInfo> plain(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!plain->isCPUStringValid(result.cpu)) {
    error = "unknown cpu '" + result.cpu + "' for " +
            triple.getArchName().str() +
            "; write --cpu=native, --cpu=x86-64-v3, --cpu=x86-64-v4 or another "
            "name that LLVM knows";
    return std::nullopt;
  }
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, result.cpu, result.features));
  if (triple.isX86()) {
    result.hasBf16 = info->checkFeatures("+avx512bf16,+avx512vl");
    result.hasF16 = info->checkFeatures("+f16c");
    result.wideVectors = info->checkFeatures("+avx512f,+avx512vl");
  }
  return result;
}

} // namespace hocket::codegen
