//===- Pack.cpp - weights in oneDNN's own layouts -------------------------===//

#include "runtime/lib/Cpu/Dnnl.h"
#include <cstring>

namespace hocket::runtime {

const dnnl::engine &cpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

bool hasDnnlType(plan::DType type) {
  return type == plan::DType::F32 || type == plan::DType::BF16;
}

dnnl::memory::data_type dnnlType(plan::DType type) {
  return type == plan::DType::BF16 ? dnnl::memory::data_type::bf16
                                   : dnnl::memory::data_type::f32;
}

PackedWeight::PackedWeight() = default;
PackedWeight::~PackedWeight() = default;

std::unique_ptr<PackedWeight> PackedWeight::make(const Operand &b, int64_t m) {
  auto weight = std::make_unique<PackedWeight>();
  weight->given = b;
  int64_t k = b.shape[0], n = b.shape[1];
  if (!hasDnnlType(b.type) || m == 0 || k == 0 || n == 0)
    return weight;
  using dnnl::memory;
  memory::data_type type = dnnlType(b.type);
  try {
    auto any = memory::format_tag::any;
    auto rowMajor = memory::format_tag::ab;
    dnnl::matmul::desc description(memory::desc({m, k}, type, rowMajor),
                                   memory::desc({k, n}, type, any),
                                   memory::desc({m, n}, type, rowMajor));
    dnnl::matmul::primitive_desc primitive(description, cpuEngine());
    if (!isFast(primitive))
      return weight;
    auto layout = std::make_unique<Layout>();
    layout->descriptor = primitive.weights_desc();
    layout->packed = memory(layout->descriptor, cpuEngine());
    layout->plain = memory({{k, n}, type, b.strides}, cpuEngine(), b.data);
    layout->reorder = dnnl::reorder(layout->plain, layout->packed);
    weight->chosen = std::move(layout);
  } catch (const dnnl::error &) {
    // No layout of its own for this shape: products keep the plain one.
  }
  return weight;
}

int64_t PackedWeight::bytes() const {
  int64_t packed =
      chosen ? static_cast<int64_t>(chosen->descriptor.get_size()) : 0;
  return packed + static_cast<int64_t>(kept.size());
}

void *PackedWeight::keepPlain() {
  int64_t elements = given.elements() == 0 ? 0 : 1;
  for (size_t i = 0; elements > 0 && i < given.shape.size(); ++i)
    elements += (given.shape[i] - 1) * given.strides[i];
  kept.resize(elements * plan::byteSize(given.type));
  if (isPacked && !kept.empty())
    std::memcpy(kept.data(), given.data, kept.size());
  return kept.data();
}

Status PackedWeight::pack() {
  isPacked = true;
  if (!kept.empty())
    std::memcpy(kept.data(), given.data, kept.size());
  if (!chosen)
    return Status::success();
  try {
    dnnl::stream stream(cpuEngine());
    chosen->reorder.execute(stream, chosen->plain, chosen->packed);
    stream.wait();
  } catch (const dnnl::error &error) {
    return Status::runtimeError(
        std::string("oneDNN could not pack a weight: ") + error.what());
  }
  return Status::success();
}

} // namespace hocket::runtime
