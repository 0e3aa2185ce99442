//===- KernelSource.h - what the code of a plan is made from ---*- C++ -*-===//

#ifndef HOCKET_PLAN_KERNELSOURCE_H
#define HOCKET_PLAN_KERNELSOURCE_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::plan {

/// What the code of a kernel is made from, and of its tables: for a compiler.
struct KernelSource {
  std::string symbol;
  std::vector<std::string> tables; // their symbols
  /// A module of the kernels stage with one kernel, by lines.
  std::vector<std::string> text;
  std::vector<std::vector<int64_t>> inputStrides, outputStrides; // by factor
  /// Of a GPU's: bytes that the addresses are multiples of.
  std::vector<int64_t> inputAlignments, outputAlignments;
  /// [input, output] of which the output is to be where the input is.
  std::vector<std::vector<int64_t>> inPlace;
};

/// The source, object or library that has a user's own function.
struct HookSource {
  std::string name, file;
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_KERNELSOURCE_H
