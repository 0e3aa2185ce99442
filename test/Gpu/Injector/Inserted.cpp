//===- Inserted.cpp - calls that the program does not make ----------------===//

#include "test/Gpu/Driver/Lookalike.h"
#include "test/Gpu/Injector/Forward.h"

namespace hocket::inject {

void callInserted(const char *library, const std::string &name,
                  uint64_t value) {
  using Function = int (*)(uint64_t);
  reinterpret_cast<Function>(Injector::find(library, name.c_str()))(value);
}

std::shared_ptr<KeptParameters> keep(runtime::cuda::Function function,
                                     void **parameters) {
  using Sizes = decltype(&hocketLookalikeParameters);
  auto sizesOf = reinterpret_cast<Sizes>(
      Injector::find("libcuda.so.1", "hocketLookalikeParameters"));
  auto kept = std::make_shared<KeptParameters>();
  size_t count = sizesOf(function, nullptr, 0);
  std::vector<size_t> sizes(count);
  sizesOf(function, sizes.data(), count);
  kept->bytes.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    auto *from = static_cast<std::byte *>(parameters[i]);
    kept->bytes.emplace_back(from, from + sizes[i]);
    kept->places.push_back(kept->bytes.back().data());
  }
  return kept;
}

bool changeWord(KeptParameters &kept, const Fault &fault) {
  size_t at = size_t(fault.word) * sizeof(uint32_t);
  for (std::vector<std::byte> &parameter : kept.bytes) {
    if (at + sizeof(uint32_t) <= parameter.size()) {
      uint32_t word = 0;
      std::memcpy(&word, &parameter[at], sizeof word);
      word = static_cast<uint32_t>(fault.changed(word));
      std::memcpy(&parameter[at], &word, sizeof word);
      return true;
    }
    at -= std::min(at, parameter.size());
  }
  return false;
}

} // namespace hocket::inject
