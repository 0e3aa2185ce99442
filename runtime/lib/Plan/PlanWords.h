//===- PlanWords.h - the words of a plan for its enums ---------*- C++ -*-===//
//
// words(E()) lists them in the order of the enum.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLAN_PLANWORDS_H
#define HOCKET_LIB_PLAN_PLANWORDS_H

#include "hocket/Plan/Plan.h"
#include <array>

namespace hocket::plan {

inline constexpr std::array<const char *, 7> words(DType) {
  return {"f32", "f64", "f16", "bf16", "i32", "i64", "bool"};
}
inline constexpr std::array<const char *, 2> words(Target) {
  return {"cpu", "cuda"};
}
inline constexpr std::array<const char *, 3> words(Reduction) {
  return {"sum", "max", "min"};
}
inline constexpr std::array<const char *, 5> words(Region) {
  return {"arena", "weights", "input", "output", "state"};
}
inline constexpr std::array<const char *, 2> words(InitKind) {
  return {"constant", "normal"};
}
inline constexpr std::array<const char *, 7> words(PostOp) {
  return {"add", "relu", "gelu_erf", "gelu_tanh", "silu", "tanh", "mul"};
}
inline constexpr std::array<const char *, 7> words(CollectiveKind) {
  return {"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
          "broadcast",  "halo_exchange",  "halo_reduce"};
}
inline constexpr std::array<const char *, 2> words(HaloStrategy) {
  return {"neighbors", "all_to_all"};
}
inline constexpr std::array<const char *, 4> words(Border) {
  return borderWords;
}
inline constexpr std::array<const char *, 2> words(AttentionEngine) {
  return {"own", "cudnn"};
}
inline constexpr std::array<const char *, 7> words(LayoutKind) {
  return {"dense",   "fixed",        "variable",
          "bigbird", "bslongformer", "local_sliding_window",
          "layout"};
}
inline constexpr std::array<const char *, 3> words(ConvolutionPass) {
  return {"forward", "input_gradient", "weight_gradient"};
}
inline constexpr std::array<const char *, 3> words(PoolingKind) {
  return {"max", "average", "max_index"};
}

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_PLANWORDS_H
