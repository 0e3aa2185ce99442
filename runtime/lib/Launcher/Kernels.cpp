//===- Kernels.cpp - loading generated kernels from memory ----------------===//

#include "hocket/Launcher/Pack.h"

namespace hocket::runtime {

namespace {

/// Of the function that an instruction calls; empty if it calls none.
std::string symbolOf(const plan::Instruction &instruction) {
  if (auto *kernel = std::get_if<plan::Kernel>(&instruction.body))
    return kernel->symbol;
  if (auto *hook = std::get_if<plan::Hook>(&instruction.body))
    return hook->name;
  if (auto *collective = std::get_if<plan::Collective>(&instruction.body))
    return collective->hook;
  return "";
}

} // namespace

Status KernelLibrary::load(const uint8_t *bytes, size_t size,
                           const plan::Plan &plan) {
  if (size > 0)
    if (Status status = library.load(bytes, size, "the kernels"); !status.ok())
      return status;
  auto lookUp = [&](const std::string &symbol) {
    void *found = library.find(symbol.c_str());
    kernels[symbol] = reinterpret_cast<KernelFunction>(found);
    return found != nullptr;
  };
  auto lookUpAll = [&](const plan::Plan &calling) {
    for (const plan::RankClass &rankClass : calling.classes)
      for (const auto *list : {&rankClass.load, &rankClass.step})
        for (const plan::Instruction &instruction : *list) {
          const std::string symbol = symbolOf(instruction);
          if (!symbol.empty() && !kernels.count(symbol) && !lookUp(symbol))
            return Status::runtimeError("kernel '" + symbol +
                                        "' is not in the executable");
        }
    return Status::success();
  };
  Status status = lookUpAll(plan);
  for (const plan::Plan &validation : plan.validation)
    if (status.ok())
      status = lookUpAll(validation);
  return status;
}

} // namespace hocket::runtime
