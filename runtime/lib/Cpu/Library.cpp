//===- Library.cpp - which oneDNN computes, and with what -----------------===//

#include "hocket/Cpu/Library.h"
#include <dnnl.hpp>

namespace hocket::runtime {

std::string libraryText() {
  const dnnl_version_t &version = *dnnl_version();
  return std::to_string(version.major) + "." + std::to_string(version.minor) +
         "." + std::to_string(version.patch) + " with instruction set " +
         std::to_string(int(dnnl_get_effective_cpu_isa()));
}

} // namespace hocket::runtime
