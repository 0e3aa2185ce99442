//===- Images.cpp - the compiled CUDA kernels, in the program -------------===//

#include "runtime/lib/Cuda/Kernels/Images.h"

// The bytes of a file between two symbols, in memory that is only read.
#define HOCKET_EMBED(name, path)                                               \
  __asm__(".pushsection .rodata\n.balign 64\n" #name "Begin:\n.incbin \"" path \
          "\"\n" #name "End:\n.byte 0\n.popsection\n");                        \
  extern "C" const uint8_t name##Begin[], name##End[];

// KernelImages.inc has a line HOCKET_IMAGE(source, chip, path) for each image;
// without the toolkit it has none.
#define HOCKET_IMAGE(source, chip, path)                                       \
  HOCKET_EMBED(hocketCuda##source##chip, path)
#include "KernelImages.inc"
#undef HOCKET_IMAGE

namespace hocket::runtime::cuda {

const std::vector<Image> &images() {
  static const std::vector<Image> all = {
#define HOCKET_IMAGE(source, chip, path)                                       \
  {#source, chip, hocketCuda##source##chip##Begin,                             \
   size_t(hocketCuda##source##chip##End - hocketCuda##source##chip##Begin)},
#include "KernelImages.inc"
#undef HOCKET_IMAGE
  };
  return all;
}

Status chooseImage(const std::string &source, int chip, Image &image) {
  if (images().empty())
    return Status::userError("this build of Hocket has no CUDA kernels, "
                             "because nvcc was not found when it was built");
  if (chip < 80)
    return Status::runtimeError(
        "the CUDA kernels need compute capability 8.0, this GPU has " +
        std::to_string(chip / 10) + "." + std::to_string(chip % 10));
  const Image *best = nullptr;
  for (const Image &one : images()) {
    bool isUsable =
        one.chip == 0 || (one.chip / 10 == chip / 10 && one.chip <= chip);
    if (one.source == source && isUsable && (!best || one.chip > best->chip))
      best = &one;
  }
  if (!best)
    return Status::runtimeError("there are no CUDA kernels of the source '" +
                                source + "'");
  image = *best;
  return Status::success();
}

} // namespace hocket::runtime::cuda
