//===- DnnObject.cpp - one descriptor of cuDNN ----------------------------===//

#include "runtime/lib/Cuda/Dnn/DnnObject.h"

namespace hocket::runtime::cuda {

DnnObject::DnnObject(const DnnLibrary &library, DnnDescriptorType type,
                     std::string what)
    : library(library), what(std::move(what)) {
  check("cudnnBackendCreateDescriptor",
        library.functions.descriptorCreate(type, &descriptor));
}

DnnObject::~DnnObject() {
  if (descriptor)
    library.functions.descriptorDestroy(descriptor);
}

void DnnObject::check(const char *function, DnnStatus returned) {
  if (!returned || !status.ok())
    return;
  code = returned;
  status = library.failure(function, code, what);
}

void DnnObject::set(DnnAttribute attribute, DnnAttributeType type,
                    int64_t count, const void *elements) {
  if (status.ok())
    check("cudnnBackendSetAttribute",
          library.functions.setAttribute(descriptor, attribute, type, count,
                                         elements));
}

void DnnObject::set(DnnAttribute attribute, const DnnObject &other) {
  if (status.ok() && !other.status.ok()) {
    code = other.code;
    status = other.status;
  }
  set(attribute, DnnTypeDescriptor, 1, &other.descriptor);
}

void DnnObject::finish() {
  if (status.ok())
    check("cudnnBackendFinalize", library.functions.finalize(descriptor));
}

int64_t DnnObject::get(DnnAttribute attribute, DnnAttributeType type,
                       int64_t most, void *elements) {
  int64_t count = 0;
  if (status.ok())
    check("cudnnBackendGetAttribute",
          library.functions.getAttribute(descriptor, attribute, type, most,
                                         &count, elements));
  return status.ok() ? count : 0;
}

} // namespace hocket::runtime::cuda
