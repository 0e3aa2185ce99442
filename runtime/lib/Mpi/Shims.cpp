//===- Shims.cpp - the shared objects of shims, in the program ------------===//

#include "runtime/lib/Mpi/Shims.h"

// The bytes of a file between two symbols, in memory that is only read.
#define HOCKET_EMBED(name, path)                                               \
  __asm__(".pushsection .rodata\n.balign 64\n" #name "Begin:\n.incbin \"" path \
          "\"\n" #name "End:\n.popsection\n");                                 \
  extern "C" const uint8_t name##Begin[], name##End[];

#ifdef HOCKET_OPENMPI_SHIM
HOCKET_EMBED(hocketOpenMpiShim, HOCKET_OPENMPI_SHIM)
#endif
#ifdef HOCKET_MPICH_SHIM
HOCKET_EMBED(hocketMpichShim, HOCKET_MPICH_SHIM)
#endif

namespace hocket::runtime {

ShimBytes openMpiShim() {
#ifdef HOCKET_OPENMPI_SHIM
  return {hocketOpenMpiShimBegin,
          size_t(hocketOpenMpiShimEnd - hocketOpenMpiShimBegin)};
#else
  return {};
#endif
}

ShimBytes mpichShim() {
#ifdef HOCKET_MPICH_SHIM
  return {hocketMpichShimBegin,
          size_t(hocketMpichShimEnd - hocketMpichShimBegin)};
#else
  return {};
#endif
}

} // namespace hocket::runtime
