//===- ProductChecks.cpp - what of a product cuBLASLt has -----------------===//

#include "runtime/lib/Cuda/Blas/ProductChecks.h"

namespace hocket::runtime::cuda {

using plan::DType;
using plan::PostOp;

std::string describe(const ProductArguments &arguments) {
  return listText(arguments.a.shape) + " x " + listText(arguments.b.shape) +
         " " + plan::toString(arguments.c.type);
}

static const char *nameOf(PostOp op) {
  switch (op) {
  case PostOp::Add:
    return "add";
  case PostOp::Relu:
    return "relu";
  case PostOp::GeluErf:
    return "gelu with erf";
  case PostOp::GeluTanh:
    return "gelu with tanh";
  case PostOp::Silu:
    return "silu";
  case PostOp::Tanh:
    return "tanh";
  case PostOp::Mul:
    return "mul";
  }
  return "";
}

static bool libraryType(DType type, BlasType &found) {
  switch (type) {
  case DType::F32:
    found = BlasF32;
    return true;
  case DType::F64:
    found = BlasF64;
    return true;
  case DType::F16:
    found = BlasF16;
    return true;
  case DType::BF16:
    found = BlasBF16;
    return true;
  default:
    return false;
  }
}

/// Sets the types; the table of cublasLtMatmul's documentation.
static std::string checkTypes(const ProductArguments &arguments,
                              ProductForm &form) {
  DType a = arguments.a.type, b = arguments.b.type, c = arguments.c.type;
  bool isHalf = a == DType::F16 || a == DType::BF16;
  bool fits = libraryType(a, form.inputs) && libraryType(c, form.result) &&
              a == b && (c == a || (isHalf && c == DType::F32));
  if (!fits)
    return std::string("cuBLASLt has no product of ") + plan::toString(a) +
           " and " + plan::toString(b) + " with a result of " +
           plan::toString(c);
  if (arguments.bias && arguments.bias->type != c)
    return std::string("cuBLASLt adds a bias only of the result's type ") +
           plan::toString(c) + ", not of " +
           plan::toString(arguments.bias->type);
  return "";
}

/// Sets the epilogue and what is added.
static std::string checkPost(const ProductArguments &arguments,
                             ProductForm &form) {
  uint32_t epilogue = 0;
  const char *before = nullptr;
  for (const ProductPost &post : arguments.post) {
    bool isAdd = post.op == PostOp::Add;
    if (!isAdd && post.op != PostOp::Relu && post.op != PostOp::GeluTanh)
      return std::string("cuBLASLt has no ") + nameOf(post.op) +
             " after a product";
    if (post.op == PostOp::GeluTanh && arguments.c.type == DType::F64)
      return "cuBLASLt's gelu with tanh errs by 1e-10 in f64";
    if (before && (isAdd || epilogue))
      return std::string("cuBLASLt has no ") + nameOf(post.op) + " after " +
             before;
    before = nameOf(post.op);
    if (isAdd)
      form.added = &post.operand;
    else
      epilogue = post.op == PostOp::Relu ? BlasRelu : BlasGelu;
  }
  if (form.added && form.added->type != arguments.c.type)
    return std::string("cuBLASLt adds only what has the result's type ") +
           plan::toString(arguments.c.type) + ", not " +
           plan::toString(form.added->type);
  if (arguments.bias)
    epilogue |= BlasBias;
  form.epilogue = epilogue ? BlasEpilogue(epilogue) : BlasDefault;
  return "";
}

static std::string checkStrides(const ProductArguments &arguments,
                                const Operand *added) {
  auto check = [](const char *name, const Operand &operand) -> std::string {
    for (int64_t stride : operand.strides)
      if (stride < 0)
        return std::string("cuBLASLt cannot read backwards, and the strides "
                           "of ") +
               name + " are " + listText(operand.strides);
    return "";
  };
  std::string reason = check("a", arguments.a);
  if (reason.empty())
    reason = check("b", arguments.b);
  if (reason.empty())
    reason = check("c", arguments.c);
  if (reason.empty() && added)
    reason = check("the added operand", *added);
  const std::optional<Operand> &bias = arguments.bias;
  if (reason.empty() && bias && bias->shape[0] > 1 && bias->strides[0] != 1)
    return "cuBLASLt reads a bias only with stride 1, not " +
           std::to_string(bias->strides[0]);
  return reason;
}

std::string checkArguments(const ProductArguments &arguments,
                           ProductForm &form) {
  std::string reason = checkTypes(arguments, form);
  if (reason.empty())
    reason = checkPost(arguments, form);
  if (reason.empty())
    reason = checkStrides(arguments, form.added);
  return reason;
}

} // namespace hocket::runtime::cuda
