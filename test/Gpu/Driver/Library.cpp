//===- Library.cpp - loaded PTX, and launches of its kernels --------------===//

#include "test/Gpu/Driver/Library.h"
#include "test/Gpu/Driver/Driver.h"

using namespace hocket::lookalike;

Chip hocket::lookalike::chipOf(int number) {
  int shared = number == 80 || number == 87   ? 163
               : number >= 90 && number < 120 ? 227
                                              : 99;
  return {number / 10, number % 10, shared * 1024};
}

/// The newest version of PTX that a driver of CUDA 13.0 takes.
static constexpr int newestPtx = 90;

/// A number of one digit after the dot, as ".version 8.6"; -1 if it is none.
static int versionOf(const std::string &text) {
  size_t dot = text.find('.');
  if (dot == std::string::npos || dot + 2 != text.size())
    return -1;
  return std::atoi(text.c_str()) * 10 + (text.back() - '0');
}

static void checkTarget(Driver &driver, const hocket::ptx::Module &module) {
  auto refuse = [&](const std::string &what, cuda::Result code) {
    driver.find(module.file + ": " + what);
    throw Failure{code};
  };
  if (versionOf(module.version) > newestPtx)
    refuse("PTX of version " + module.version +
               " is newer than the 9.0 that the driver knows",
           cuda::UnsupportedPtxVersion);
  std::string target = module.target.substr(0, module.target.find(','));
  int chip = target.rfind("sm_", 0) == 0 ? std::atoi(target.c_str() + 3) : 0;
  char kind = target.empty() ? ' ' : target.back();
  int own = driver.environment.chip;
  bool runs = kind == 'a'   ? chip == own
              : kind == 'f' ? chip / 10 == own / 10 && chip <= own
                            : chip <= own;
  if (!chip || !runs)
    refuse("PTX for '" + target + "' does not run on a chip of sm_" +
               std::to_string(own),
           cuda::InvalidPtx);
}

hocket::ptx::Module hocket::lookalike::readModule(Driver &driver,
                                                  const char *code,
                                                  unsigned number) {
  // Of ELF, and of the two forms in which nvcc puts code into a program.
  for (const char *magic : {"\x7f"
                            "ELF",
                            "\x50\xed\x55\xba", "\xb1\x43\x62\x46"})
    if (std::memcmp(code, magic, 4) == 0)
      throw Failure{cuda::NoBinaryForGpu};
  try {
    hocket::ptx::Module module =
        ptx::parse(code, "library " + std::to_string(number));
    checkTarget(driver, module);
    return module;
  } catch (const ptx::PtxError &error) {
    driver.find(error.what());
    throw Failure{cuda::InvalidPtx};
  }
}

CUkern_st *hocket::lookalike::kernelOf(Driver &driver, CUlib_st &library,
                                       const std::string &name) {
  auto entry = library.module.functions.find(name);
  if (entry == library.module.functions.end() || !entry->second.isEntry)
    return nullptr;
  auto &kernel = library.kernels[name];
  if (!kernel) {
    kernel = std::make_unique<CUkern_st>();
    kernel->library = &library;
    kernel->name = name;
  }
  return kernel.get();
}

CUfunc_st *hocket::lookalike::functionOf(Driver &driver, CUkern_st &kernel,
                                         CUctx_st &context) {
  auto &function = kernel.functions[&context];
  if (function)
    return function.get();
  auto &program = kernel.library->programs[&context];
  try {
    if (!program)
      program = std::make_shared<ptx::Program>(kernel.library->module,
                                               driver.allocations.memory);
    auto instance = std::make_shared<Instance>();
    instance->kernel = kernel.name;
    instance->program = program;
    instance->code = &program->kernel(kernel.name);
    function = std::make_unique<CUfunc_st>();
    function->instance = std::move(instance);
  } catch (const ptx::PtxError &error) {
    driver.find(error.what());
    throw Failure{cuda::InvalidPtx};
  }
  function->context = &context;
  function->mostDynamicShared =
      48 * 1024 - static_cast<int>(function->instance->code->sharedBytes);
  return function.get();
}

/// Global variables of the library have no history: they are not allocations.
void KernelLaunch::tellTouched(Execution &execution,
                               const ptx::Report &report) {
  for (const auto &[base, touched] : report.touched) {
    Block *block = execution.driver.allocations.begin(base);
    if (!block || !execution.span(base, 0, "touches").block)
      continue;
    for (ptx::Extent extent : touched.read)
      execution.reads(*block, extent.begin, extent.end);
    for (ptx::Extent extent : touched.written)
      execution.writes(*block, extent.begin, extent.end);
  }
}

void KernelLaunch::run(Execution &execution) {
  if (instance->isUnloaded)
    return execution.find("runs after its library is unloaded");
  ptx::Report report = ptx::launch(*instance->program, instance->kernel, how);
  execution.driver.counts.launched(instance->kernel, report);
  for (const ptx::Finding &finding : report.findings)
    execution.findSentence(finding.sentence);
  tellTouched(execution, report);
}
