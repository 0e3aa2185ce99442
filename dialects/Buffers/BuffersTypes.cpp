//===- BuffersTypes.cpp - types of buffers and views ----------------------===//

#include "dialects/Buffers/Buffers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace hocket;
using namespace hocket::buffers;

#include "dialects/Buffers/BuffersEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Buffers/BuffersAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Buffers/BuffersTypes.cpp.inc"

void BuffersDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Buffers/BuffersTypes.cpp.inc"
      >();
}

void BuffersDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Buffers/BuffersAttrs.cpp.inc"
      >();
}

/// Of what a plan's buffers hold.
static bool isStorable(Type type) {
  return type.isInteger(1) || type.isInteger(32) || type.isInteger(64) ||
         type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type type, int64_t elements) {
  if (!isStorable(type))
    return emitError() << "no buffer holds elements of " << type;
  if (elements < 0)
    return emitError() << "a buffer of " << elements << " elements";
  return success();
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type type, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> strides) {
  if (!isStorable(type))
    return emitError() << "no view has elements of " << type;
  if (sizes.size() != strides.size())
    return emitError() << "a view of " << sizes.size() << " sizes has "
                       << strides.size() << " strides";
  auto isNegative = [](int64_t number) { return number < 0; };
  if (llvm::any_of(sizes, isNegative) || llvm::any_of(strides, isNegative))
    return emitError() << "a size or stride of a view is negative";
  int64_t elements = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(elements, size, elements))
      return emitError() << "a view of more than 2^63 elements";
  return success();
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

int64_t ViewType::getElements() const { return product(getSizes()); }

/// Whether these elements fill memory without gaps.
static bool isDense(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    if (size != 1)
      dims.push_back({stride, size});
  llvm::sort(dims);
  int64_t expected = 1;
  for (auto [stride, size] : dims) {
    if (stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

LogicalResult InputType::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type type, ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> strides) {
  if (failed(ViewType::verify(emitError, type, sizes, strides))) // (C1)
    return failure();
  if (product(sizes) > 0 && !isDense(sizes, strides)) // (C2)
    return emitError() << "an input of sizes [" << sizes << "] by [" << strides
                       << "] has gaps";
  return success();
}

int64_t InputType::getElements() const { return product(getSizes()); }
