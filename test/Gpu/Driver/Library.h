//===- Library.h - loaded PTX, and launches of its kernels -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_LIBRARY_H
#define HOCKET_TEST_GPU_DRIVER_LIBRARY_H

#include "test/Gpu/Driver/Stream.h"
#include "test/Gpu/Ptx/Launch.h"

namespace hocket::lookalike {

/// What the chip of the environment has.
struct Chip {
  int major = 0, minor = 0;
  int sharedBytesOptin = 0; ///< of a block that has asked for more than 48 KiB
};
Chip chipOf(int number);

/// A kernel as one device runs it.
struct Instance {
  std::string kernel;
  std::shared_ptr<ptx::Program> program; ///< keeps the text
  const ptx::Kernel *code = nullptr;
  bool isUnloaded = false;
};

class KernelLaunch : public Operation {
public:
  KernelLaunch(std::shared_ptr<Instance> instance, ptx::Configuration how)
      : Operation("kernel", "kernel '" + instance->kernel + "'"),
        instance(std::move(instance)), how(std::move(how)) {}
  void run(Execution &execution) override;

private:
  void tellTouched(Execution &execution, const ptx::Report &report);

  std::shared_ptr<Instance> instance;
  ptx::Configuration how;
};

} // namespace hocket::lookalike

/// A kernel of a library on one device.
struct CUfunc_st {
  std::shared_ptr<hocket::lookalike::Instance> instance;
  CUctx_st *context = nullptr;
  int mostDynamicShared = 0;
};

struct CUkern_st {
  CUlib_st *library = nullptr;
  std::string name;
  std::map<CUctx_st *, std::unique_ptr<CUfunc_st>> functions;
};

struct CUlib_st {
  unsigned number = 0;
  hocket::ptx::Module module;
  std::map<std::string, std::unique_ptr<CUkern_st>> kernels;
  std::map<CUctx_st *, std::shared_ptr<hocket::ptx::Program>> programs;
};

namespace hocket::lookalike {

/// Throws Failure for what is no PTX that the chip can run; `number` names the
/// library in findings.
ptx::Module readModule(Driver &driver, const char *code, unsigned number);

/// The functions of a library that is not unloaded; null if it has no such one.
CUkern_st *kernelOf(Driver &driver, CUlib_st &library, const std::string &name);
CUfunc_st *functionOf(Driver &driver, CUkern_st &kernel, CUctx_st &context);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_LIBRARY_H
