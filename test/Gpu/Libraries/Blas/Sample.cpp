//===- Sample.cpp - operands of products ----------------------------------===//

#include "test/Gpu/Libraries/Blas/Sample.h"

namespace hocket::test {

ProductArguments Sample::arguments() const {
  ProductArguments arguments{a.operand(), b.operand(), c.operand(), {}, {}};
  if (bias)
    arguments.bias = bias->operand();
  for (const Post &each : post)
    arguments.post.push_back({each.op, each.operand.shape.empty()
                                           ? Operand()
                                           : each.operand.operand()});
  return arguments;
}

Sample sample(DType in, DType out, std::vector<int64_t> batch, int64_t m,
              int64_t n, int64_t k) {
  auto shape = [&](int64_t rows, int64_t columns) {
    std::vector<int64_t> all = batch;
    all.push_back(rows);
    all.push_back(columns);
    return all;
  };
  return {Tensor(in, shape(m, k)),
          Tensor(in, shape(k, n)),
          Tensor(out, shape(m, n)),
          std::nullopt,
          {}};
}

} // namespace hocket::test
