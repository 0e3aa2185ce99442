//===- HostView.cpp - a strided window of a device, on the host -----------===//

#include "runtime/lib/Device/HostView.h"
#include <algorithm>

namespace hocket::runtime {

Status viewOnHost(const Device &device, const Operand &operand,
                  const std::function<void(const Operand &host)> &use) {
  if (operand.elements() == 0) {
    use(operand);
    return Status::success();
  }
  int64_t first = 0, last = 0; // places of elements, from operand.data
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    int64_t reach = (operand.shape[i] - 1) * operand.strides[i];
    first += std::min<int64_t>(reach, 0);
    last += std::max<int64_t>(reach, 0);
  }
  int64_t size = plan::byteSize(operand.type);
  const char *begin = static_cast<const char *>(operand.data) + first * size;
  return device.download(
      begin, (last - first + 1) * size, [&](const void *host) {
        Operand view = operand;
        // A view of what may only be read.
        view.data =
            const_cast<char *>(static_cast<const char *>(host) - first * size);
        use(view);
        return Status::success();
      });
}

} // namespace hocket::runtime
