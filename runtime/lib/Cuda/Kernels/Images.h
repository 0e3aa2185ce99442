//===- Images.h - the compiled CUDA kernels, in the program ----*- C++ -*-===//
//
// The kernels of instructions that are neither generated nor a library's, as
// nvcc compiled them when Hocket was built: for each source one PTX of
// compute_80 and cubins that ptxas made of that very PTX.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_KERNELS_IMAGES_H
#define HOCKET_LIB_CUDA_KERNELS_IMAGES_H

#include "hocket/Runtime/Status.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// What cuLibraryLoadData takes; PTX ends with a zero byte, which `size` does
/// not count.
struct Image {
  const char *source; // "Copy": as in KernelLaunch::source
  int chip;           // 80, 90, 100; 0: PTX
  const uint8_t *data;
  size_t size;
};

/// Empty where the toolkit was not found when Hocket was built.
const std::vector<Image> &images();

/// The best image of a source for a chip (compute capability as 10 * major +
/// minor): the cubin of the same major version and the highest minor that is
/// not above the chip's, else PTX. Fails on a chip before 80, and where Hocket
/// was built without the toolkit.
Status chooseImage(const std::string &source, int chip, Image &image);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_IMAGES_H
