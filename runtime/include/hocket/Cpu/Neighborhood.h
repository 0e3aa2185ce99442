//===- Neighborhood.h - neighborhood attention -----------------*- C++ -*-===//

#ifndef HOCKET_CPU_NEIGHBORHOOD_H
#define HOCKET_CPU_NEIGHBORHOOD_H

#include "hocket/Cpu/Call.h"
#include "hocket/Plan/Neighborhood.h"
#include <optional>

namespace hocket::runtime {

/// See plan::NeighborhoodAttention; the scalars are this rank's.
struct NeighborhoodArguments {
  Operand q, k, v, out; // [B, H, n..., D], [B, K, m..., D], [B, K, m..., E],
                        // [B, H, n..., E]
  std::optional<Operand> lse; // [B, H, n...], F32 or, of F64, F64
  double scale = 1;
  int64_t group = 1, headOffset = 0, kvHeadOffset = 0;
  std::vector<plan::Neighborhood> windows; // of the whole dims
  std::vector<int64_t> queryOffsets, keyOffsets;
};

/// A query at a time, all keys of its window at once: what is visited is what
/// is seen. F64 in F64, other floats in F32.
std::unique_ptr<Call> makeNeighborhood(const NeighborhoodArguments &arguments,
                                       int threads);

/// `forward.out` and `forward.lse` are read.
struct NeighborhoodGradArguments {
  NeighborhoodArguments forward;
  Operand dout, dq, dk, dv;
};

/// Results do not depend on the number of threads.
std::unique_ptr<Call>
makeNeighborhoodGrad(const NeighborhoodGradArguments &arguments, int threads);

} // namespace hocket::runtime

#endif // HOCKET_CPU_NEIGHBORHOOD_H
