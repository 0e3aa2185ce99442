//===- StoredTensors.h - tensors that lie in memory as stored --*- C++ -*-===//

#ifndef HOCKET_IO_STOREDTENSORS_H
#define HOCKET_IO_STOREDTENSORS_H

#include "hocket/Io/FileTypes.h"

namespace hocket::runtime {

/// A source whose tensors lie in memory in the types that they are stored in:
/// of mapped files, or arrays of a caller.
class StoredTensors : public TensorSource {
public:
  /// Null if there is none of that name.
  virtual const StoredTensor *find(const std::string &tensor) const = 0;

  bool describe(const std::string &tensor,
                TensorDescription &description) const override {
    const StoredTensor *stored = find(tensor);
    if (stored)
      description = {describedAs(stored->type), stored->dims};
    return stored != nullptr;
  }
};

} // namespace hocket::runtime

#endif // HOCKET_IO_STOREDTENSORS_H
