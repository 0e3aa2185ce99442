//===- ChipCode.cpp - generated code for several chips --------------------===//

#include "runtime/lib/Cuda/Device/Gpu.h"
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace hocket::runtime {

std::vector<uint8_t> packChipCode(const std::vector<ChipCode> &code,
                                  const std::vector<uint8_t> &hooks) {
  Json list = Json::array();
  for (const ChipCode &one : code)
    list.push_back(
        {one.chip, Json::binary({one.bytes.begin(), one.bytes.end()})});
  if (!hooks.empty())
    list.push_back({"hooks", Json::binary(hooks)});
  return Json::to_cbor(list);
}

Status cuda::unpackChipCode(const uint8_t *bytes, size_t size,
                            std::vector<ChipCode> &code,
                            std::vector<uint8_t> &hooks) {
  Status broken = Status::runtimeError(
      "the code of the kernels in the executable is damaged");
  Json list = Json::from_cbor(bytes, bytes + size, /*strict=*/true,
                              /*allow_exceptions=*/false);
  if (!list.is_array())
    return broken;
  bool hasPtx = false; // which every chip runs
  for (const Json &one : list) {
    if (!one.is_array() || one.size() != 2 || !one[1].is_binary())
      return broken;
    const Json::binary_t &text = one[1].get_binary();
    if (one[0] == "hooks") {
      hooks = text;
      continue;
    }
    if (!one[0].is_number_integer())
      return broken;
    code.push_back({one[0].get<int>(), {text.begin(), text.end()}});
    hasPtx |= code.back().chip == 0;
  }
  return code.empty() || hasPtx ? Status::success() : broken;
}

/// cubins run on chips of their own major number with no lower minor one.
const ChipCode *cuda::codeFor(int chip, const std::vector<ChipCode> &code) {
  const ChipCode *best = nullptr;
  for (const ChipCode &one : code) {
    bool runs =
        one.chip == 0 || (one.chip / 10 == chip / 10 && one.chip <= chip);
    if (runs && (!best || one.chip > best->chip))
      best = &one;
  }
  return best;
}

} // namespace hocket::runtime
