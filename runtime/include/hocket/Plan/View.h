//===- View.h - where the elements of a plan's tensors lie -----*- C++ -*-===//

#ifndef HOCKET_PLAN_VIEW_H
#define HOCKET_PLAN_VIEW_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::plan {

enum class DType { F32, F64, F16, BF16, I32, I64, Bool };
int64_t byteSize(DType type);
const char *toString(DType type);

enum class Reduction { Sum, Max, Min };

struct MeshAxis {
  std::string name;
  int64_t size;
};

/// A number that differs from rank to rank: values[coordinate along `axes`].
struct Table {
  std::vector<int> axes; // indices into Plan::mesh, major first
  std::vector<int64_t> values;
};

/// A number known when compiling, or `scale * table` on top of it.
struct Scalar {
  int64_t constant = 0;
  int table = -1; // index into Plan::tables, or -1
  int64_t scale = 1;
};

enum class Region { Arena, Weights, Input, Output, State };

/// One memory range of a rank. Arena, Weights and State buffers lie at `offset`
/// bytes (64-byte aligned) of that region; Arena buffers of disjoint lifetimes
/// overlap. What State holds after a step the next step finds there.
/// Input and Output buffers are dense, hold the rank's local box of
/// Plan::inputs / Plan::outputs [offset], and are owned by the executor. They
/// lie in the order in which steps read or compute them: who reads an input
/// from a file, or writes an output to one, turns it.
struct Buffer {
  Region region;
  int64_t offset; // bytes; for Input and Output the index of the tensor
  int64_t bytes;
  DType type;
  /// Of an Input or Output: by factor of its box, in elements; empty:
  /// row-major.
  std::vector<int64_t> strides = {};
};

/// A strided window of a buffer: element (i0, i1, ...) lies at
/// offset + sum(terms) + sum(i_k * strides_k), all in elements.
struct View {
  int buffer = -1;
  int64_t offset = 0;
  std::vector<Scalar> terms; // per-coordinate offsets (a slice is a view)
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_VIEW_H
