//===- KernelFunctions.cpp - functions that stand for kernels -------------===//

#include "KernelFunctions.h"
#include "dialects/Nn/Nn.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/LowerKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket::codegen {

/// The strides of one argument or result: from its attribute, or dense.
static SmallVector<int64_t> stridesOf(DictionaryAttr attributes, Type type) {
  if (attributes)
    if (auto strides = attributes.getAs<DenseI64ArrayAttr>(kStrides))
      return SmallVector<int64_t>(strides.asArrayRef());
  SmallVector<int64_t> strides;
  int64_t next = 1;
  for (nn::DimAttr dim : llvm::reverse(nn::layoutOf(type).getDims()))
    for (nn::FactorAttr factor : llvm::reverse(dim.getFactors())) {
      strides.push_back(next);
      next *= factor.getSize();
    }
  std::reverse(strides.begin(), strides.end());
  return strides;
}

/// The alignment that an attribute says, or one element's; 0 after an error.
static int64_t alignmentOf(func::FuncOp function, DictionaryAttr attributes,
                           Type type, const Twine &what) {
  Type element = cast<RankedTensorType>(type).getElementType();
  int64_t least = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  IntegerAttr bytes;
  if (attributes)
    bytes = attributes.getAs<IntegerAttr>(kAlignment);
  if (!bytes)
    return least;
  int64_t given = bytes.getInt();
  if (given >= least && llvm::isPowerOf2_64(given))
    return given;
  function.emitError() << kAlignment << " of " << what << " is " << given
                       << ": it must be a power of two, and at least " << least
                       << ", the bytes of an element";
  return 0;
}

std::string nameOfTable(func::FuncOp function, size_t table) {
  return (function.getName() + "_table" + Twine(table)).str();
}

FailureOr<KernelRequest> requestOf(func::FuncOp function) {
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa_and_nonnull<nn::LayoutAttr>(tensor.getEncoding()))
      return function.emitError("is not a kernel: its arguments and results "
                                "must be tensors with a layout");
  }
  KernelRequest request;
  request.body = &function.getBody().front();
  // In a plan's own source the group stands in the function.
  if (auto kernel = dyn_cast<spmd::KernelOp>(request.body->front()))
    request.body = &kernel.getBody().front();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    DictionaryAttr attributes = function.getArgAttrDict(i);
    request.inputStrides.push_back(stridesOf(attributes, type));
    request.inputAlignments.push_back(
        alignmentOf(function, attributes, type, "argument " + Twine(i)));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    DictionaryAttr attributes = function.getResultAttrDict(i);
    request.outputStrides.push_back(stridesOf(attributes, type));
    request.outputAlignments.push_back(
        alignmentOf(function, attributes, type, "result " + Twine(i)));
  }
  if (llvm::is_contained(request.inputAlignments, 0) ||
      llvm::is_contained(request.outputAlignments, 0))
    return failure();
  return request;
}

} // namespace hocket::codegen
