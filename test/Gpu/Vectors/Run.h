//===- Run.h - a vector on the interpreter and on a GPU --------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_VECTORS_RUN_H
#define HOCKET_TEST_GPU_VECTORS_RUN_H

#include "runtime/lib/Cuda/Driver/Driver.h"
#include "test/Gpu/Vectors/Vector.h"

namespace hocket::vectors {

/// The output. Throws PtxError where the interpreter refuses the kernel or
/// finds something wrong with it.
std::vector<std::byte> runOnInterpreter(const Vector &vector);

/// The first GPU that libcuda.so.1 shows.
class DriverRun {
public:
  ~DriverRun();
  runtime::Status open();
  /// "NVIDIA H100, compute capability 9.0, driver of CUDA 13.0"
  std::string name() const { return title; }
  runtime::Status run(const Vector &vector, std::vector<std::byte> &output);

private:
  struct Buffers;
  runtime::Status launch(const Vector &vector, Buffers &buffers);

  const runtime::cuda::Driver *driver = nullptr;
  runtime::cuda::DeviceNumber device = 0;
  runtime::cuda::Context context = nullptr;
  runtime::cuda::Stream stream = nullptr;
  std::string title;
};

} // namespace hocket::vectors

#endif // HOCKET_TEST_GPU_VECTORS_RUN_H
