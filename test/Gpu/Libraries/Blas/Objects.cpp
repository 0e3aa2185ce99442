//===- Objects.cpp - handles and descriptors of the look-alike ------------===//

#include "test/Gpu/Libraries/Blas/Objects.h"
#include "test/Gpu/Libraries/Blas/Control.h"
#include "test/Gpu/Libraries/Device.h"
#include <cstring>

using namespace hocket::lookalike;

namespace hocket::lookalike {

// Never ends: programs destroy handles when they end.
Blas &blas() {
  static Blas &all = *new Blas;
  return all;
}

BlasStatus Blas::find(const char *function, const std::string &sentence,
                      BlasStatus code) {
  std::string line = std::string(function) + ": " + sentence;
  findings += line + "\n";
  tell(line);
  return code;
}

std::string Blas::left() const {
  std::string text;
  auto add = [&](size_t count, const char *name) {
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  };
  add(handles.count(), "handles");
  add(layouts.count(), "layouts");
  add(descriptions.count(), "descriptions");
  add(preferences.count(), "preferences");
  return text.empty() ? "" : "never destroyed: " + text;
}

} // namespace hocket::lookalike

namespace {

/// Sets one attribute, whose value has the documented size.
struct Setter {
  const char *function;
  const void *value;
  size_t bytes;

  template <typename T> BlasStatus set(T &member) const {
    if (!value)
      return blas().find(function, "the value is null");
    if (bytes != sizeof member)
      return blas().find(function, "the attribute has " +
                                       std::to_string(sizeof member) +
                                       " bytes, not " + std::to_string(bytes));
    std::memcpy(&member, value, sizeof member);
    return BlasSuccess;
  }
  BlasStatus unknown(int attribute) const {
    return blas().find(function, "attribute " + std::to_string(attribute) +
                                     " is not one of the look-alike's");
  }
};

/// At the end of a program.
struct AtEnd {
  ~AtEnd() {
    std::string text = blas().left();
    if (!text.empty())
      tellAtEnd("cuBLASLt: " + text);
  }
} atEnd;

} // namespace

using Lock = std::lock_guard<std::mutex>;

extern "C" {

const char *hocketBlasTakeFindings() {
  static std::string taken;
  Lock lock(blas().mutex);
  taken = std::move(blas().findings);
  blas().findings.clear();
  return taken.c_str();
}

const char *hocketBlasLeft() {
  static std::string text;
  Lock lock(blas().mutex);
  text = blas().left();
  return text.c_str();
}

void hocketBlasSetVersion(size_t version) { blas().version = version; }
void hocketBlasSetDevice(int device) { blas().device = device; }

size_t cublasLtGetVersion() { return blas().version; }

const char *cublasLtGetStatusString(BlasStatus status) {
  switch (status) {
  case BlasSuccess:
    return "the operation completed successfully";
  case BlasNotInitialized:
    return "the library was not initialized";
  case BlasAllocFailed:
    return "resource allocation failed";
  case BlasInvalidValue:
    return "an unsupported value or parameter was passed to the function";
  case BlasExecutionFailed:
    return "the function failed to launch on the GPU";
  case BlasNotSupported:
    return "the functionality requested is not supported";
  default:
    return "an internal operation failed";
  }
}

BlasStatus cublasLtCreate(BlasHandle *handle) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtCreate"))
    return code;
  int device = currentDevice(blas().device);
  if (device < 0)
    return blas().find("cublasLtCreate", "there is no current context",
                       BlasNotInitialized);
  *handle = blas().handles.make();
  (*handle)->device = device;
  return BlasSuccess;
}

BlasStatus cublasLtDestroy(BlasHandle handle) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtDestroy"))
    return code;
  if (blas().handles.destroy(handle))
    return BlasSuccess;
  return blas().find("cublasLtDestroy", "there is no such handle",
                     BlasNotInitialized);
}

BlasStatus cublasLtMatrixLayoutCreate(BlasLayout *layout, BlasType type,
                                      uint64_t rows, uint64_t columns,
                                      int64_t leading) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatrixLayoutCreate"))
    return code;
  *layout = blas().layouts.make();
  (*layout)->type = type;
  (*layout)->rows = rows;
  (*layout)->columns = columns;
  (*layout)->leading = leading;
  return BlasSuccess;
}

BlasStatus cublasLtMatrixLayoutDestroy(BlasLayout layout) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatrixLayoutDestroy"))
    return code;
  if (blas().layouts.destroy(layout))
    return BlasSuccess;
  return blas().find("cublasLtMatrixLayoutDestroy", "there is no such layout");
}

BlasStatus cublasLtMatrixLayoutSetAttribute(BlasLayout layout,
                                            BlasLayoutAttribute attribute,
                                            const void *value, size_t bytes) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatrixLayoutSetAttribute"))
    return code;
  Setter setter{"cublasLtMatrixLayoutSetAttribute", value, bytes};
  if (!blas().layouts.has(layout))
    return blas().find(setter.function, "there is no such layout");
  switch (attribute) {
  case BlasLayoutType:
    return setter.set(layout->type);
  case BlasLayoutOrder:
    return setter.set(layout->order);
  case BlasLayoutRows:
    return setter.set(layout->rows);
  case BlasLayoutColumns:
    return setter.set(layout->columns);
  case BlasLayoutLeading:
    return setter.set(layout->leading);
  case BlasLayoutBatchCount:
    return setter.set(layout->batchCount);
  case BlasLayoutBatchStride:
    return setter.set(layout->batchStride);
  }
  return setter.unknown(attribute);
}

BlasStatus cublasLtMatmulDescCreate(BlasDescription *description,
                                    BlasCompute compute, BlasType scale) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatmulDescCreate"))
    return code;
  *description = blas().descriptions.make();
  (*description)->compute = compute;
  (*description)->scale = scale;
  return BlasSuccess;
}

BlasStatus cublasLtMatmulDescDestroy(BlasDescription description) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatmulDescDestroy"))
    return code;
  if (blas().descriptions.destroy(description))
    return BlasSuccess;
  return blas().find("cublasLtMatmulDescDestroy",
                     "there is no such description");
}

BlasStatus cublasLtMatmulDescSetAttribute(BlasDescription description,
                                          BlasDescriptionAttribute attribute,
                                          const void *value, size_t bytes) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatmulDescSetAttribute"))
    return code;
  Setter setter{"cublasLtMatmulDescSetAttribute", value, bytes};
  if (!blas().descriptions.has(description))
    return blas().find(setter.function, "there is no such description");
  switch (attribute) {
  case BlasDescriptionCompute:
    return setter.set(description->compute);
  case BlasDescriptionScale:
    return setter.set(description->scale);
  case BlasDescriptionPointerMode:
    return setter.set(description->pointerMode);
  case BlasDescriptionTransposesA:
    return setter.set(description->transposesA);
  case BlasDescriptionTransposesB:
    return setter.set(description->transposesB);
  case BlasDescriptionTransposesC:
    return setter.set(description->transposesC);
  case BlasDescriptionEpilogue:
    return setter.set(description->epilogue);
  case BlasDescriptionBias:
    return setter.set(description->bias);
  case BlasDescriptionBiasStride:
    return setter.set(description->biasStride);
  case BlasDescriptionBiasType:
    return setter.set(description->biasType);
  }
  return setter.unknown(attribute);
}

BlasStatus cublasLtMatmulPreferenceCreate(BlasPreference *preference) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatmulPreferenceCreate"))
    return code;
  *preference = blas().preferences.make();
  return BlasSuccess;
}

BlasStatus cublasLtMatmulPreferenceDestroy(BlasPreference preference) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatmulPreferenceDestroy"))
    return code;
  if (blas().preferences.destroy(preference))
    return BlasSuccess;
  return blas().find("cublasLtMatmulPreferenceDestroy",
                     "there are no such preferences");
}

BlasStatus
cublasLtMatmulPreferenceSetAttribute(BlasPreference preference,
                                     BlasPreferenceAttribute attribute,
                                     const void *value, size_t bytes) {
  Lock lock(blas().mutex);
  if (int code = countCall("cublasLtMatmulPreferenceSetAttribute"))
    return code;
  Setter setter{"cublasLtMatmulPreferenceSetAttribute", value, bytes};
  if (!blas().preferences.has(preference))
    return blas().find(setter.function, "there are no such preferences");
  switch (attribute) {
  case BlasPreferenceWorkspace:
    return setter.set(preference->workspace);
  case BlasPreferenceReduction:
    return setter.set(preference->reduction);
  case BlasPreferenceAlignmentA:
  case BlasPreferenceAlignmentB:
  case BlasPreferenceAlignmentC:
  case BlasPreferenceAlignmentD:
    return setter.set(
        preference->alignment[attribute - BlasPreferenceAlignmentA]);
  }
  return setter.unknown(attribute);
}
}
