//===- NaiveEvaluator.h - kernel bodies in double, element by element -----===//

#ifndef HOCKET_TEST_UNIT_CODEGEN_NAIVEEVALUATOR_H
#define HOCKET_TEST_UNIT_CODEGEN_NAIVEEVALUATOR_H

#include "mlir/IR/Block.h"
#include <cstdint>
#include <vector>

namespace hocket::test {

/// Dense row-major by dims; bools are 0 and 1.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;

  explicit Tensor(std::vector<int64_t> shape = {});
  int64_t size() const { return int64_t(data.size()); }
};

/// What the block's terminator returns. Tables take their value at
/// `coordinate`, masks keep where it is 0.
std::vector<Tensor> evaluate(mlir::Block &body,
                             const std::vector<Tensor> &inputs,
                             int64_t coordinate);

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_CODEGEN_NAIVEEVALUATOR_H
