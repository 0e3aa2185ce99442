//===- Vector.h - a kernel that runs one instruction often -----*- C++ -*-===//
//
// A vector runs one form of an instruction for many inputs, so that what a GPU
// computes is compared with what the interpreter does, input by input.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_VECTORS_VECTOR_H
#define HOCKET_TEST_GPU_VECTORS_VECTOR_H

#include "test/Gpu/Vectors/Form.h"
#include <cstddef>
#include <optional>

namespace hocket::vectors {

enum class Kind { Predicate, Integer, Half, Brain, Float, Double };

/// What a register holds: one number, or two halves side by side.
struct Type {
  Kind kind = Kind::Integer;
  unsigned bytes = 4; ///< of the register
  unsigned numbers = 1;
  bool isSigned = false;

  unsigned numberBytes() const { return bytes / numbers; }
};

/// Of a modifier: "f16x2", "pred", "s64". Registers have 2 bytes at least.
Type typeOf(const std::string &name);
constexpr Type word{Kind::Integer, 4, 1, false};

/// An array in the kernel's input or output.
struct Section {
  Type type;
  uint64_t offset = 0, count = 0;
};

/// How the two results of an element may differ.
struct Rule {
  enum Of {
    Bits,     ///< not at all
    AnyNan,   ///< a NaN may have other bits
    Relative, ///< by `relative` of the interpreter's, or by `absolute`
    Bounds,   ///< by a bound for each element
  } of = Bits;
  double relative = 0, absolute = 0;
  std::vector<double> bounds;
};

struct Vector {
  std::string form;
  /// A module with the entry `k`, of the input's address, the output's and,
  /// where there are `parameters`, a block of these bytes.
  std::string ptx;
  uint32_t blocks = 1, threads = 1;
  std::vector<std::byte> input, parameters;
  uint64_t outputBytes = 0;
  std::vector<Section> inputs, outputs;
  Rule rule;
};

/// Throws PtxError for a form that there are no vectors for.
Vector vectorOf(const Form &form);

// By family; nothing for a form of another one.
std::optional<Vector> lanewiseVector(const Form &form);
std::optional<Vector> carryVector(const Form &form);
std::optional<Vector> accessVector(const Form &form);
std::optional<Vector> addressVector(const Form &form);
std::optional<Vector> exchangeVector(const Form &form);
std::optional<Vector> matrixVector(const Form &form);
std::optional<Vector> blockVector(const Form &form);
std::optional<Vector> branchVector(const Form &form);

} // namespace hocket::vectors

#endif // HOCKET_TEST_GPU_VECTORS_VECTOR_H
