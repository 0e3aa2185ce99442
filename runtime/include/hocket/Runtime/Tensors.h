//===- Tensors.h - global tensors that ranks read and write ----*- C++ -*-===//
//
// The executor never opens a file: weights and inputs come from a TensorSource
// and outputs go to a TensorSink. Both speak of global tensors by name, and of
// the box of one that a rank holds.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_TENSORS_H
#define HOCKET_RUNTIME_TENSORS_H

#include "hocket/Plan/Plan.h"
#include "hocket/Plan/Runs.h"
#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace hocket::runtime {

struct TensorDescription {
  plan::DType type;
  std::vector<int64_t> dims;
};

/// The runs of entry `dim` of a shape.
struct RunsOf {
  size_t dim;
  plan::Runs runs;
};

/// An axis-parallel box of a dense row-major tensor. `shape` may be finer than
/// the tensor's dims (a dim (heads, head_dim) is two entries); its product is
/// the number of elements. For every k: 0 <= offset[k], 0 <= size[k] and
/// offset[k] + size[k] <= shape[k]. Of an entry in `runs`, [offset, offset +
/// size) are numbers of their list.
struct Box {
  std::vector<int64_t> shape, offset, size;
  std::vector<RunsOf> runs = {};
  int64_t elements() const;
};

/// The box of `tensor` that `rank` holds.
Box boxOf(const plan::Plan &plan, const plan::GlobalTensor &tensor,
          int64_t rank);

/// Where weights and inputs come from. `describe` and `read` are called by all
/// ranks at once.
class TensorSource {
public:
  virtual ~TensorSource() = default;
  /// "weights 'w.safetensors'", "input 'in.npz'": the start of an error.
  virtual std::string name() const = 0;
  /// False if there is no tensor of that name.
  virtual bool describe(const std::string &tensor,
                        TensorDescription &description) const = 0;
  /// Writes `box` of `tensor` dense and row-major to `destination`, converted
  /// to `type`. The caller has compared the dims with `describe`.
  virtual Status read(const std::string &tensor, const Box &box,
                      plan::DType type, void *destination) const = 0;
};

/// Where outputs go.
class TensorSink {
public:
  virtual ~TensorSink() = default;
  /// Called for every output of a step by one thread before any rank writes;
  /// again in every step, with the same dims.
  virtual Status prepare(const std::string &tensor,
                         const TensorDescription &description) = 0;
  /// Called by all ranks at once, with disjoint boxes that together cover the
  /// tensor. `source` is dense, row-major, of the described type.
  virtual Status write(const std::string &tensor, const Box &box,
                       const void *source) = 0;
};

/// Reads `box` of the dense tensor at `global` (of type `from`) to dense
/// memory of type `to`. Narrowing rounds to nearest even; float to integer
/// truncates; Bool is one byte, non-zero = true.
void readBox(const void *global, plan::DType from, const Box &box,
             void *destination, plan::DType to);

/// Writes dense memory into `box` of the dense tensor at `global`.
void writeBox(void *global, const Box &box, const void *source,
              plan::DType type);

/// Converts `count` elements.
void convert(const void *source, plan::DType from, void *destination,
             plan::DType to, int64_t count);

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_TENSORS_H
