//===- PlanFuzz.cpp - any bytes as a plan, in CBOR and in JSON ------------===//

#include "hocket/Plan/Summary.h"
#include <cstdlib>

using namespace hocket::plan;

/// A plan that is accepted is written and read back as it is, and can be
/// reported on; one that is refused is refused with a sentence.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Plan plan;
  std::string error;
  bool isText = size > 0 && data[0] == '{';
  bool good =
      isText ? fromJson(std::string(reinterpret_cast<const char *>(data), size),
                        plan, error)
             : fromCbor(data, size, plan, error);
  if (!good) {
    if (error.empty())
      std::abort();
    return 0;
  }
  summary(plan);
  std::vector<uint8_t> bytes = toCbor(plan);
  Plan back;
  if (!fromCbor(bytes.data(), bytes.size(), back, error) ||
      toCbor(back) != bytes)
    std::abort();
  return 0;
}
