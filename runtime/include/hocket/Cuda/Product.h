//===- Product.h - which products cuBLASLt computes ------------*- C++ -*-===//
//
// Asked when compiling, so it needs neither the library nor a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CUDA_PRODUCT_H
#define HOCKET_CUDA_PRODUCT_H

#include "hocket/Runtime/Call.h"
#include <optional>

namespace hocket::runtime::cuda {

struct ProductPost {
  plan::PostOp op;
  Operand operand; // Add: the shape of c, strides 0 where it is broadcast
};

/// c[..., m, n] = post(sum_k a[..., m, k] * b[..., k, n] + bias[n]), see
/// plan::Matmul. All except the bias have c's batch dims.
struct ProductArguments {
  Operand a, b, c;
  std::optional<Operand> bias; // [n]
  std::vector<ProductPost> post;
};

/// The memory on the device that is set aside for a product, beside its
/// operands: the more, the more algorithms there are.
constexpr int64_t productWorkspaceBytes = int64_t(32) << 20;

/// Why cuBLASLt cannot compute this where its operands lie, or nothing. `data`
/// of the operands is not looked at. It can:
/// - all f32 or all f64; f16 or bf16 with a result of the same type or of f32,
///   added up in f32; bias and added operand of the type of the result;
/// - any a and b with a unit stride in one of their last two dims; batch dims
///   with any strides, 0 for what is repeated;
/// - a result with a unit stride in one of its last two dims, with a bias in
///   the last;
/// - after the sum one `add` of an operand that lies in c's order (or is the
///   same for all rows), and after it one of relu and gelu with tanh;
/// - no columns of a at all: the sum is 0, the rest is computed;
/// - a result without elements: nothing is done.
/// Where several batch dims cannot be joined, the longest is one call's and the
/// others are a loop of calls (blasCalls).
std::string whyNotBlas(const ProductArguments &arguments);

/// How many calls of the library one product takes: 1, or more where several
/// batch dims stay apart; 0 where there is nothing to compute. Of what
/// whyNotBlas takes.
int64_t blasCalls(const ProductArguments &arguments);

} // namespace hocket::runtime::cuda

#endif // HOCKET_CUDA_PRODUCT_H
