//===- Objects.cpp - handles and descriptors of the look-alike ------------===//

#include "test/Gpu/Libraries/Dnn/Objects.h"
#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Control.h"

using namespace hocket::lookalike;

namespace hocket::lookalike {

/// What the latest failure of a thread was about.
static thread_local std::string lastError;

// Never ends: programs destroy handles when they end.
Dnn &dnn() {
  static Dnn &all = *new Dnn;
  return all;
}

DnnStatus Dnn::find(const char *function, const std::string &sentence,
                    DnnStatus code) {
  std::string line = std::string(function) + ": " + sentence;
  findings += line + "\n";
  tell(line);
  return refuse(sentence, code);
}

DnnStatus Dnn::refuse(const std::string &reason, DnnStatus code) {
  lastError = reason;
  return code;
}

Object *Dnn::object(const char *function, DnnDescriptor descriptor) {
  auto *object = static_cast<Object *>(descriptor);
  if (objects.has(object))
    return object;
  find(function, "there is no such descriptor");
  return nullptr;
}

std::string Dnn::left() const {
  std::string text;
  auto add = [&](size_t count, const char *name) {
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  };
  add(handles.count(), "handles");
  add(objects.count(), "descriptors");
  return text.empty() ? "" : "never destroyed: " + text;
}

Numbers Object::list(DnnAttribute attribute) const {
  const Value &value = values.at(attribute);
  Numbers numbers(value.count);
  std::memcpy(numbers.data(), value.bytes.data(), value.bytes.size());
  return numbers;
}

const char *nameOf(DnnDescriptorType type) {
  switch (type) {
  case DnnPointwise:
    return "a pointwise computation";
  case DnnConvolutionDescriptor:
    return "a convolution";
  case DnnEngine:
    return "an engine";
  case DnnEngineConfig:
    return "an engine's configuration";
  case DnnHeuristics:
    return "heuristics";
  case DnnPlan:
    return "a plan";
  case DnnOperationForward:
  case DnnOperationWeightGradient:
  case DnnOperationInputGradient:
  case DnnOperationPointwise:
  case DnnOperationMatmul:
  case DnnOperationReduction:
  case DnnOperationReshape:
    return "an operation";
  case DnnMatmul:
    return "a product";
  case DnnReduction:
    return "a reduction";
  case DnnOperationGraph:
    return "a graph";
  case DnnVariantPack:
    return "a variant pack";
  case DnnTensorDescriptor:
    return "a tensor";
  default:
    return nullptr;
  }
}

} // namespace hocket::lookalike

namespace {

/// At the end of a program.
struct AtEnd {
  ~AtEnd() {
    std::string text = dnn().left();
    if (!text.empty())
      tellAtEnd("cuDNN: " + text);
  }
} atEnd;

} // namespace

using Lock = std::lock_guard<std::mutex>;

extern "C" {

const char *hocketDnnTakeFindings() {
  static std::string taken;
  Lock lock(dnn().mutex);
  taken = std::move(dnn().findings);
  dnn().findings.clear();
  return taken.c_str();
}

const char *hocketDnnLeft() {
  static std::string text;
  Lock lock(dnn().mutex);
  text = dnn().left();
  return text.c_str();
}

void hocketDnnSetVersion(size_t version) { dnn().version = version; }
void hocketDnnSetDevice(int device) { dnn().device = device; }
void hocketDnnSetOffers(int best, int fallback) {
  dnn().bestOffers = best;
  dnn().fallbackOffers = fallback;
}

size_t cudnnGetVersion() { return dnn().version; }

const char *cudnnGetErrorString(DnnStatus status) {
  switch (status) {
  case DnnSuccess:
    return "CUDNN_STATUS_SUCCESS";
  case DnnNotInitialized:
    return "CUDNN_STATUS_NOT_INITIALIZED";
  case DnnBadParam:
    return "CUDNN_STATUS_BAD_PARAM";
  case DnnBadParamNotFinalized:
    return "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED";
  case DnnBadParamAttributeType:
    return "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE";
  case DnnNotSupported:
    return "CUDNN_STATUS_NOT_SUPPORTED";
  case DnnExecutionFailed:
    return "CUDNN_STATUS_EXECUTION_FAILED";
  case 4004:
    return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
  default:
    return "CUDNN_STATUS_INTERNAL_ERROR";
  }
}

void cudnnGetLastErrorString(char *message, size_t bytes) {
  if (bytes == 0)
    return;
  std::strncpy(message, lastError.c_str(), bytes);
  message[bytes - 1] = 0;
  lastError.clear();
}

DnnStatus cudnnCreate(DnnHandle *handle) {
  Lock lock(dnn().mutex);
  if (int code = countCall("cudnnCreate"))
    return code;
  int device = currentDevice(dnn().device);
  if (device < 0)
    return dnn().find("cudnnCreate", "there is no current context",
                      DnnNotInitialized);
  *handle = dnn().handles.make();
  (*handle)->device = device;
  return DnnSuccess;
}

DnnStatus cudnnDestroy(DnnHandle handle) {
  Lock lock(dnn().mutex);
  if (int code = countCall("cudnnDestroy"))
    return code;
  if (dnn().handles.destroy(handle))
    return DnnSuccess;
  return dnn().find("cudnnDestroy", "there is no such handle");
}

DnnStatus cudnnSetStream(DnnHandle handle, Stream stream) {
  Lock lock(dnn().mutex);
  if (int code = countCall("cudnnSetStream"))
    return code;
  if (!dnn().handles.has(handle))
    return dnn().find("cudnnSetStream", "there is no such handle");
  handle->stream = stream;
  return DnnSuccess;
}

DnnStatus cudnnBackendCreateDescriptor(DnnDescriptorType type,
                                       DnnDescriptor *descriptor) {
  Lock lock(dnn().mutex);
  if (int code = countCall("cudnnBackendCreateDescriptor"))
    return code;
  if (!nameOf(type))
    return dnn().find("cudnnBackendCreateDescriptor",
                      "the look-alike has no descriptors of kind " +
                          std::to_string(type));
  Object *made = dnn().objects.make();
  made->type = type;
  made->number = ++dnn().made;
  *descriptor = made;
  return DnnSuccess;
}

DnnStatus cudnnBackendDestroyDescriptor(DnnDescriptor descriptor) {
  Lock lock(dnn().mutex);
  if (int code = countCall("cudnnBackendDestroyDescriptor"))
    return code;
  if (dnn().objects.destroy(static_cast<Object *>(descriptor)))
    return DnnSuccess;
  return dnn().find("cudnnBackendDestroyDescriptor",
                    "there is no such descriptor");
}

DnnStatus cudnnBackendFinalize(DnnDescriptor descriptor) {
  const char *function = "cudnnBackendFinalize";
  Lock lock(dnn().mutex);
  if (int code = countCall(function))
    return code;
  Object *object = dnn().object(function, descriptor);
  if (!object)
    return DnnBadParam;
  if (object->isFinal)
    return dnn().find(function, std::string(nameOf(object->type)) +
                                    " is finalized twice");
  DnnStatus code = DnnBadParam;
  std::string wrong = finishObject(*object, code);
  if (!wrong.empty())
    return dnn().find(function,
                      std::string(nameOf(object->type)) + ": " + wrong, code);
  object->isFinal = true;
  return DnnSuccess;
}
}
