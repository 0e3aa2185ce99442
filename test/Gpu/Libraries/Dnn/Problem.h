//===- Problem.h - a convolution that a graph describes --------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_PROBLEM_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_PROBLEM_H

#include "runtime/lib/Cuda/Dnn/Api.h"
#include <string>
#include <vector>

namespace hocket::lookalike {

using namespace hocket::runtime::cuda;

using Numbers = std::vector<int64_t>;

struct Tensor {
  int64_t id = 0, type = 0, alignment = 0, isVirtual = 0;
  int64_t isValue = 0;      // a number in memory of the host
  Numbers extents, strides; // batch, channels, dims

  int64_t elements() const;
  /// Elements from the first, row-major in the extents.
  Numbers places() const;
};

/// Of an element of a DnnType; 0 for one that the look-alike does not have.
int64_t bytesOf(int64_t type);

struct Problem {
  int64_t operation = DnnOperationForward;
  int64_t compute = DnnF32;
  int64_t hasBias = 0;
  Tensor x, weight, y, bias;
  Numbers strides, dilations, lows, highs;

  bool isDouble() const { return compute == DnnF64; }
  int64_t groups() const { return x.extents[1] / weight.extents[1]; }
  const Tensor &result() const;
  /// Those with memory.
  std::vector<const Tensor *> tensors() const;
  /// What the documentation forbids, or nothing.
  std::string check() const;

  Numbers pack() const;
  /// False for what pack() did not make.
  bool unpack(const Numbers &numbers);
};

/// How terms are added. Each order rounds differently.
enum class Order : int64_t {
  Taps,    ///< one after the other, from the first
  Halves,  ///< two sums, backwards; they stand in the workspace in between
  Chunks,  ///< sums of eight terms, added up
  Random,  ///< from another term in each run
  Rounded, ///< as Taps, each term rounded to 10 bits of mantissa
};

struct Engine {
  int64_t index = 0;
  Order order = Order::Taps;
  std::vector<int> notes; // DnnNote
  int64_t workspace = 0;  // bytes
};

/// The engines for a problem, the best first, which differ from device to
/// device, so that ranks which do not share their choice show other bits. The
/// first four are those that Hocket does not want.
std::vector<Engine> bestEngines(const Problem &problem, int device);
/// That which takes everything.
std::vector<Engine> fallbackEngines(const Problem &problem);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_PROBLEM_H
