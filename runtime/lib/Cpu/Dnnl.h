//===- Dnnl.h - the few oneDNN notions that calls share --------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_DNNL_H
#define HOCKET_LIB_CPU_DNNL_H

#include "hocket/Cpu/Matmul.h"
#include <cstdlib>
#include <dnnl.hpp>
#include <memory>

namespace hocket::runtime {

const dnnl::engine &cpuEngine();

/// Whether oneDNN has products of `type` on a CPU, and its name for it.
bool hasDnnlType(plan::DType type);
dnnl::memory::data_type dnnlType(plan::DType type);

/// False for the reference loops, which are a thousand times slower.
inline bool isFast(const dnnl::primitive_desc_base &descriptor) {
  return std::string(descriptor.impl_info_str()).find("ref") ==
         std::string::npos;
}

struct PackedWeight::Layout {
  struct Free {
    void operator()(void *data) const { std::free(data); }
  };
  std::unique_ptr<void, Free> data;
  /// For dnnl::inner_product rather than dnnl::matmul.
  bool isInnerProduct = false;
  dnnl::memory::desc descriptor;
  dnnl::memory packed, plain;
  dnnl::reorder reorder;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_DNNL_H
