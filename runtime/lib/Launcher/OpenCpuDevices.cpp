//===- OpenCpuDevices.cpp - ranks on cores, with the code of a program ----===//

#include "hocket/Io/MemoryLibrary.h"
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

/// The shared object of the generated kernels, and the devices that call it.
struct Loaded {
  MemoryLibrary library;
  std::shared_ptr<const Devices> devices;

  Status add(const plan::Plan &plan, KernelTable &kernels) {
    for (const plan::RankClass &rankClass : plan.classes)
      for (const auto *list : {&rankClass.load, &rankClass.step})
        for (const plan::Instruction &instruction : *list) {
          const std::string symbol = symbolOf(instruction);
          if (symbol.empty() || kernels.count(symbol))
            continue;
          void *found = library.find(symbol.c_str());
          if (!found)
            return Status::runtimeError("kernel '" + symbol +
                                        "' is not in the executable");
          kernels[symbol] = reinterpret_cast<KernelFunction>(found);
        }
    return Status::success();
  }
};

} // namespace

Status openCpuDevices(const plan::Plan &plan, const uint8_t *kernels,
                      size_t kernelsSize, Processes &,
                      std::shared_ptr<const Devices> &devices) {
  if (plan.target != plan::Target::Cpu)
    return Status::runtimeError("this runner has no devices for GPUs; compile "
                                "the program again");
  auto loaded = std::make_shared<Loaded>();
  Status status;
  if (kernelsSize > 0)
    status = loaded->library.load(kernels, kernelsSize, "the kernels");
  KernelTable table;
  if (status.ok())
    status = loaded->add(plan, table);
  for (const plan::Plan &validation : plan.validation)
    if (status.ok())
      status = loaded->add(validation, table);
  loaded->devices = cpuDevices(std::move(table));
  devices = {loaded, loaded->devices.get()};
  return status;
}

} // namespace hocket::runtime
