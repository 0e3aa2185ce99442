//===- LibraryCalls.cpp - libraries, their kernels, launches --------------===//

#include "test/Gpu/Driver/Calls.h"
#include <functional>
#include <numeric>

using namespace hocket::lookalike;

namespace hocket::runtime::cuda {

static CUlib_st &libraryOf(Call &call, Library library) {
  call.require(call.driver.libraries.has(library), InvalidHandle,
               "is given a library that does not exist");
  return *library;
}

static CUkern_st &kernelOf(Call &call, Kernel kernel) {
  for (const auto &library : call.driver.libraries)
    for (const auto &[name, known] : library->kernels)
      if (known.get() == kernel)
        return *kernel;
  call.refuse(InvalidHandle, "is given a kernel that does not exist");
}

static CUfunc_st &functionOf(Call &call, Function function) {
  for (const auto &library : call.driver.libraries)
    for (const auto &[name, kernel] : library->kernels)
      for (const auto &[context, known] : kernel->functions)
        if (known.get() == function)
          return *function;
  call.refuse(InvalidHandle, "is given a function that does not exist");
}

Result cuLibraryLoadData(Library *library, const void *code, int *jitOptions,
                         void **jitValues, unsigned jitCount, int *options,
                         void **values, unsigned count) {
  return call("cuLibraryLoadData", Needs::Initialized, [&](Call &call) {
    call.checkNoCapture();
    call.require(code, InvalidValue, "is given no code");
    call.require(jitCount == 0 && count == 0, InvalidValue,
                 "is given options, which the look-alike does not know");
    CUlib_st *made = call.driver.libraries.make();
    try {
      made->module = readModule(call.driver, static_cast<const char *>(code),
                                made->number);
    } catch (const Failure &) {
      call.driver.libraries.take(made);
      throw;
    }
    *library = made;
  });
}

/// Kernels that are still in a stream run first.
Result cuLibraryUnload(Library library) {
  return call("cuLibraryUnload", Needs::Initialized, [&](Call &call) {
    CUlib_st &known = libraryOf(call, library);
    call.checkNoCapture();
    call.driver.scheduler.drain();
    for (const auto &[name, kernel] : known.kernels)
      for (const auto &[context, function] : kernel->functions)
        function->instance->isUnloaded = true;
    call.driver.libraries.take(&known);
  });
}

Result cuLibraryGetKernel(Kernel *kernel, Library library, const char *name) {
  return call("cuLibraryGetKernel", Needs::Initialized, [&](Call &call) {
    *kernel = lookalike::kernelOf(call.driver, libraryOf(call, library), name);
    if (!*kernel)
      throw Failure{NotFound};
  });
}

Result cuKernelGetFunction(Function *function, Kernel kernel) {
  return call("cuKernelGetFunction", Needs::Context, [&](Call &call) {
    *function = lookalike::functionOf(call.driver, kernelOf(call, kernel),
                                      call.driver.context());
  });
}

/// What ptxas would take is not known here: as many as the PTX names, but no
/// more than a thread of the largest block can have.
static int registersOf(const ptx::Kernel &code) {
  size_t threads = 1024;
  for (const auto &sizes :
       {code.function->mostThreads, code.function->exactThreads})
    if (sizes)
      threads = std::accumulate(sizes->begin(), sizes->end(), size_t(1),
                                std::multiplies<>());
  return static_cast<int>(
      std::min({code.registers.size(), 65536 / threads, size_t(255)}));
}

Result cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                          Function function) {
  return call("cuFuncGetAttribute", Needs::Context, [&](Call &call) {
    CUfunc_st &known = functionOf(call, function);
    const ptx::Kernel &code = *known.instance->code;
    switch (attribute) {
    case SharedSizeBytes:
      *value = static_cast<int>(code.sharedBytes);
      return;
    case LocalSizeBytes:
      *value = static_cast<int>(code.localBytes);
      return;
    case NumRegs:
      *value = registersOf(code);
      return;
    case MaxDynamicSharedSizeBytes:
      *value = known.mostDynamicShared;
      return;
    }
    call.refuse(InvalidValue, "is asked for attribute " +
                                  std::to_string(attribute) +
                                  ", which the look-alike does not know");
  });
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute,
                          int value) {
  return call("cuFuncSetAttribute", Needs::Context, [&](Call &call) {
    CUfunc_st &known = functionOf(call, function);
    call.require(attribute == MaxDynamicSharedSizeBytes, InvalidValue,
                 "sets attribute " + std::to_string(attribute) +
                     ", which cannot be set");
    int most = chipOf(call.driver.environment.chip).sharedBytesOptin -
               static_cast<int>(known.instance->code->sharedBytes);
    call.require(value >= 0 && value <= most, InvalidValue,
                 "asks for " + std::to_string(value) +
                     " bytes of dynamic shared memory; the chip has " +
                     std::to_string(most) + " for '" + known.instance->kernel +
                     "'");
    known.mostDynamicShared = value;
  });
}

/// The parameters as the kernel finds them, each at its place.
static ptx::Arguments argumentsOf(Call &call, const CUfunc_st &function,
                                  void **parameters) {
  const ptx::Kernel &code = *function.instance->code;
  ptx::Arguments arguments;
  arguments.bytes.resize(code.parameterBytes);
  for (size_t i = 0; i < code.function->parameters.size(); ++i) {
    const ptx::Variable &parameter = code.function->parameters[i];
    call.require(parameters && parameters[i], InvalidValue,
                 "is given no value for parameter " + std::to_string(i) +
                     " of '" + code.name + "'");
    std::memcpy(&arguments.bytes[code.parameters.at(parameter.name)],
                parameters[i], ptx::bytesOf(parameter.type) * parameter.count);
  }
  return arguments;
}

static void checkSizes(Call &call, const CUfunc_st &function, ptx::Dim3 grid,
                       ptx::Dim3 block, unsigned sharedBytes) {
  auto text = [](ptx::Dim3 size) {
    return "(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
           std::to_string(size.z) + ")";
  };
  std::string launches = "launches '" + function.instance->kernel + "' with ";
  call.require(grid.count() && grid.x <= 0x7fffffff && grid.y <= 65535 &&
                   grid.z <= 65535,
               InvalidValue,
               launches + "a grid of " + text(grid) +
                   "; its sizes are 1 to 2147483647, 65535 and 65535");
  call.require(block.count() && block.count() <= 1024 && block.z <= 64,
               InvalidValue,
               launches + "blocks of " + text(block) +
                   "; they have 1 to 1024 threads, at most 64 in z");
  call.require(
      static_cast<int>(sharedBytes) <= function.mostDynamicShared, InvalidValue,
      launches + std::to_string(sharedBytes) +
          " bytes of dynamic shared memory; " +
          std::to_string(function.mostDynamicShared) + " are set for it");
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes, Stream stream,
                      void **parameters, void **extra) {
  return call("cuLaunchKernel", Needs::Context, [&](Call &call) {
    CUstream_st &checked = call.streamHere(stream);
    CUfunc_st &known = functionOf(call, function);
    call.require(known.context == checked.context, InvalidHandle,
                 "is given a function of another device");
    call.require(!extra, InvalidValue,
                 "is given extra options, which the look-alike does not know");
    ptx::Configuration how;
    how.mostSteps = call.driver.environment.steps;
    how.grid = {gridX, gridY, gridZ};
    how.block = {blockX, blockY, blockZ};
    how.dynamicShared = sharedBytes;
    checkSizes(call, known, how.grid, how.block, sharedBytes);
    how.arguments = argumentsOf(call, known, parameters);
    call.driver.scheduler.issue(
        checked, std::make_shared<KernelLaunch>(known.instance, how));
  });
}

} // namespace hocket::runtime::cuda
