//===- DnnObject.h - one descriptor of cuDNN -------------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNOBJECT_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNOBJECT_H

#include "runtime/lib/Cuda/Dnn/DnnLibrary.h"

namespace hocket::runtime::cuda {

/// It ends with this. Calls after one that failed do nothing: `status` and
/// `code` are the first failure.
class DnnObject {
public:
  /// `what` it is for, in errors. `library` outlives it.
  DnnObject(const DnnLibrary &library, DnnDescriptorType type,
            std::string what);
  ~DnnObject();
  DnnObject(const DnnObject &) = delete;
  DnnObject &operator=(const DnnObject &) = delete;

  void set(DnnAttribute attribute, DnnAttributeType type, int64_t count,
           const void *elements);
  void set(DnnAttribute attribute, const std::vector<int64_t> &numbers) {
    set(attribute, DnnTypeInt64, int64_t(numbers.size()), numbers.data());
  }
  void set(DnnAttribute attribute, int64_t number) {
    set(attribute, DnnTypeInt64, 1, &number);
  }
  /// An enumeration of the library, as wide as int.
  void set(DnnAttribute attribute, DnnAttributeType type, int value) {
    set(attribute, type, 1, &value);
  }
  /// A failure of `other` is one of this.
  void set(DnnAttribute attribute, const DnnObject &other);
  void finish();

  /// At most `most` elements; returns how many there are.
  int64_t get(DnnAttribute attribute, DnnAttributeType type, int64_t most,
              void *elements);

  DnnDescriptor descriptor = nullptr;
  Status status;
  DnnStatus code = DnnSuccess;

private:
  void check(const char *function, DnnStatus returned);

  const DnnLibrary &library;
  std::string what;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNOBJECT_H
