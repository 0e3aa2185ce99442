//===- Products.cpp - linear and matmul -----------------------------------===//

#include "dialects/Nn/Products.h"
#include "MatrixProduct.h"
#include "Operations.h"
#include "Strided.h"

using namespace mlir;

namespace hocket::reference {

/// y[m, o] = sum_i x[m, i] w[o, i] + bias[o], m over all leading dims of x.
void evaluateLinear(nn::LinearOp op, Call &call) {
  const Tensor &x = call.operand(0), &weight = call.operand(1);
  int64_t in = x.shape.back(), out = call.result.shape.back();
  int64_t rows = product(ArrayRef<int64_t>(x.shape).drop_back());
  double *y = call.result.values.data();
  if (const Tensor *bias = call.optional(2))
    for (int64_t m = 0; m < rows; ++m)
      std::copy_n(bias->values.data(), out, y + m * out);
  const double *w = weight.values.data();
  Matrix fromInToOut =
      op.getTransposed() ? Matrix{w, out, 1} : Matrix{w, 1, in};
  addProduct({x.values.data(), in, 1}, fromInToOut, y, rows, out, in);
}

/// c[..., m, n] = sum_k a[..., m, k] b[..., k, n]
void evaluateMatMul(nn::MatMulOp op, Call &call) {
  const Tensor &a = call.operand(0), &b = call.operand(1);
  int64_t m = a.shape.end()[-2], k = a.shape.back(), n = b.shape.back();
  auto leading = [](const Tensor &x) {
    return ArrayRef<int64_t>(x.shape).drop_back(2);
  };
  ArrayRef<int64_t> sizes = leading(call.result);
  // Which matrix of a and of b makes each matrix of the result.
  std::vector<int64_t> ofA(product(sizes)), ofB(product(sizes));
  forEachElement(sizes, broadcastStrides(leading(a), sizes),
                 [&](int64_t at, int64_t from) { ofA[at] = from; });
  forEachElement(sizes, broadcastStrides(leading(b), sizes),
                 [&](int64_t at, int64_t from) { ofB[at] = from; });
  for (size_t at = 0; at < ofA.size(); ++at)
    addProduct({a.values.data() + ofA[at] * m * k, k, 1},
               {b.values.data() + ofB[at] * k * n, n, 1},
               call.result.values.data() + at * m * n, m, n, k);
}

} // namespace hocket::reference
