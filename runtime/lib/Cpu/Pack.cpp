//===- Pack.cpp - weights in oneDNN's own layouts -------------------------===//

#include "runtime/lib/Cpu/Dnnl.h"
#include <cstring>
#include <sys/mman.h>

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

/// Memory in huge pages where it is large: a product walks through all of a
/// weight, and pages of 4 KiB cost it some percent.
static void *allocatePages(size_t bytes) {
  constexpr size_t hugePage = size_t(2) << 20;
  size_t alignment = bytes < hugePage ? 4096 : hugePage;
  void *data = nullptr;
  if (posix_memalign(&data, alignment, bytes) != 0)
    return nullptr;
  if (bytes >= hugePage)
    madvise(data, bytes / hugePage * hugePage, MADV_HUGEPAGE);
  return data;
}

/// With many rows and columns oneDNN's inner product goes through them in an
/// order that leaves the caches alone; its matmul is up to 8 % slower there.
/// With fewer rows it is the other way round.
static bool prefersInnerProduct(int64_t m, int64_t n) {
  return m >= 512 && n >= 8192;
}

/// The layout that oneDNN wants a weight [k, n] in; false if it has no fast
/// product.
static bool chooseLayout(int64_t m, int64_t k, int64_t n,
                         dnnl::memory::data_type type, bool isInnerProduct,
                         dnnl::memory::desc &chosen) {
  using dnnl::memory;
  auto any = memory::format_tag::any;
  memory::desc a({m, k}, type, memory::format_tag::ab);
  memory::desc c({m, n}, type, memory::format_tag::ab);
  if (isInnerProduct) {
    dnnl::inner_product_forward::desc description(
        dnnl::prop_kind::forward_inference, a, memory::desc({n, k}, type, any),
        c);
    dnnl::inner_product_forward::primitive_desc primitive(description,
                                                          cpuEngine());
    chosen = primitive.weights_desc();
    return std::string(primitive.impl_info_str()).find("brg") == 0;
  }
  dnnl::matmul::desc description(a, memory::desc({k, n}, type, any), c);
  dnnl::matmul::primitive_desc primitive(description, cpuEngine());
  chosen = primitive.weights_desc();
  return isFast(primitive);
}

std::unique_ptr<PackedWeight> PackedWeight::make(const Operand &b, int64_t m) {
  auto weight = std::make_unique<PackedWeight>();
  weight->given = b;
  int64_t k = b.shape[0], n = b.shape[1];
  if (!hasDnnlType(b.type) || m == 0 || k == 0 || n == 0)
    return weight;
  using dnnl::memory;
  memory::data_type type = dnnlType(b.type);
  try {
    auto layout = std::make_unique<Layout>();
    layout->isInnerProduct =
        prefersInnerProduct(m, n) &&
        chooseLayout(m, k, n, type, true, layout->descriptor);
    if (!layout->isInnerProduct &&
        !chooseLayout(m, k, n, type, false, layout->descriptor))
      return weight;
    layout->data.reset(allocatePages(layout->descriptor.get_size()));
    if (!layout->data)
      return weight;
    layout->packed =
        memory(layout->descriptor, cpuEngine(), layout->data.get());
    memory::desc plain =
        layout->isInnerProduct
            ? memory::desc({n, k}, type, {b.strides[1], b.strides[0]})
            : memory::desc({k, n}, type, b.strides);
    layout->plain = memory(plain, cpuEngine(), b.data);
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
