//===- HostView.h - a strided window of a device, on the host --*- C++ -*-===//

#ifndef HOCKET_LIB_DEVICE_HOSTVIEW_H
#define HOCKET_LIB_DEVICE_HOSTVIEW_H

#include "hocket/Runtime/Device.h"

namespace hocket::runtime {

/// Shows `use` the elements of `operand` in memory of the host.
Status viewOnHost(const Device &device, const Operand &operand,
                  const std::function<void(const Operand &host)> &use);

} // namespace hocket::runtime

#endif // HOCKET_LIB_DEVICE_HOSTVIEW_H
