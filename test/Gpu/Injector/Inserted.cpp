//===- Inserted.cpp - calls that the program does not make ----------------===//

#include "runtime/lib/Cuda/Dnn/Numbers.h"
#include "test/Gpu/Driver/Lookalike.h"
#include "test/Gpu/Injector/Forward.h"

namespace hocket::inject {

void callInserted(const char *library, const std::string &name,
                  uint64_t value) {
  using Function = int (*)(uint64_t);
  reinterpret_cast<Function>(Injector::find(library, name.c_str()))(value);
}

size_t bytesOfElement(int attributeType) {
  switch (attributeType) {
  case runtime::cuda::DnnTypeBoolean:
  case runtime::cuda::DnnTypeChar:
    return 1;
  case runtime::cuda::DnnTypeHandle:
  case runtime::cuda::DnnTypeInt64:
  case runtime::cuda::DnnTypeDouble:
  case runtime::cuda::DnnTypePointer:
  case runtime::cuda::DnnTypeDescriptor:
    return 8;
  default: // enumerators and floats
    return 4;
  }
}

/// Bytes of each parameter.
static std::vector<size_t> sizesOf(runtime::cuda::Function function) {
  using Sizes = decltype(&hocketLookalikeParameters);
  static const auto ask = reinterpret_cast<Sizes>(
      Injector::find("libcuda.so.1", "hocketLookalikeParameters"));
  std::vector<size_t> sizes(ask(function, nullptr, 0));
  ask(function, sizes.data(), sizes.size());
  return sizes;
}

size_t countWords(runtime::cuda::Function function) {
  size_t words = 0;
  for (size_t bytes : sizesOf(function))
    words += bytes / sizeof(uint32_t);
  return words;
}

std::shared_ptr<KeptParameters> keep(runtime::cuda::Function function,
                                     void **parameters) {
  auto kept = std::make_shared<KeptParameters>();
  std::vector<size_t> sizes = sizesOf(function);
  const size_t count = sizes.size();
  kept->bytes.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    auto *from = static_cast<std::byte *>(parameters[i]);
    kept->bytes.emplace_back(from, from + sizes[i]);
    kept->places.push_back(kept->bytes.back().data());
  }
  return kept;
}

bool changeWordAt(void *place, const Fault &fault) {
  uint32_t word = 0;
  std::memcpy(&word, place, sizeof word);
  auto changed = static_cast<uint32_t>(fault.changed(word));
  std::memcpy(place, &changed, sizeof changed);
  return changed != word;
}

bool changeWord(KeptParameters &kept, const Fault &fault) {
  size_t at = size_t(fault.word) * sizeof(uint32_t);
  for (std::vector<std::byte> &parameter : kept.bytes) {
    if (at + sizeof(uint32_t) <= parameter.size())
      return changeWordAt(&parameter[at], fault);
    at -= std::min(at, parameter.size());
  }
  return false;
}

} // namespace hocket::inject
