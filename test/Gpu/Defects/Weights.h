//===- Weights.h - weights whose mistakes show -----------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DEFECTS_WEIGHTS_H
#define HOCKET_TEST_GPU_DEFECTS_WEIGHTS_H

#include <string>

namespace hocket::test {

/// A safetensors file with the parameters of a plan (JSON), all of f32. What a
/// layer gives is about as large as what it gets: those of a fresh model
/// (--random-weights) are so small that behind some layers nothing is left of
/// an input, and what is wrong with it does not show.
std::string weightsFor(const std::string &plan);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_DEFECTS_WEIGHTS_H
