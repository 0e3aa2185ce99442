//===- AttentionLengths.cpp - launches that count what padding leaves -----===//

#include "runtime/lib/Cuda/Attention/AttentionLengths.h"
#include "runtime/lib/Cuda/Attention/LengthsParameters.h"

namespace hocket::runtime::cuda {

void addAttentionLengths(const Operand &keep, int64_t queries,
                         void *queryLengths, void *keyLengths, uint64_t error,
                         KernelLaunches &launches) {
  LengthsParameters p = {};
  p.keep = addressOf(keep);
  p.queryLengths = reinterpret_cast<uint64_t>(queryLengths);
  p.keyLengths = reinterpret_cast<uint64_t>(keyLengths);
  p.error = error;
  p.keepStrides[0] = keep.strides[0];
  p.keepStrides[1] = keep.strides[1];
  p.queries = int32_t(queries);
  p.keys = int32_t(keep.shape[1]);
  launches.add("AttentionLengths", "lengths", uint64_t(keep.shape[0]),
               lengthsThreads, p);
}

Status statusOfPadding(const LookupError &error) {
  if (!error.isSet())
    return Status::success();
  std::string entry = "batch entry " + std::to_string(error.place());
  return Status::userError(
      (error.id() < 0
           ? "padding hides all keys of " + entry
           : "padding hides keys before key " + std::to_string(error.id()) +
                 " of " + entry + ", which it shows") +
      "; cuDNN takes padding behind the keys alone: compile the program with "
      "--attention own");
}

} // namespace hocket::runtime::cuda
