//===- MemoryTensors.h - named tensors held in memory ----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_MEMORYTENSORS_H
#define HOCKET_RUNTIME_MEMORYTENSORS_H

#include "hocket/Runtime/Tensors.h"
#include <map>
#include <vector>

namespace hocket::runtime {

/// Both a source and a sink; what one step wrote the next may read.
class MemoryTensors : public TensorSource, public TensorSink {
public:
  struct Tensor {
    TensorDescription description;
    std::vector<uint8_t> bytes; // dense, row-major
    template <typename T> T *as() {
      return reinterpret_cast<T *>(bytes.data());
    }
    template <typename T> const T *as() const {
      return reinterpret_cast<const T *>(bytes.data());
    }
  };

  explicit MemoryTensors(std::string name = "memory") : title(name) {}

  /// Adds or replaces a tensor of zeros and returns it.
  Tensor &add(const std::string &tensor, plan::DType type,
              const std::vector<int64_t> &dims);
  /// Null if there is none.
  const Tensor *find(const std::string &tensor) const;
  Tensor *find(const std::string &tensor);
  std::vector<std::string> names() const;

  std::string name() const override { return title; }
  bool describe(const std::string &tensor,
                TensorDescription &description) const override;
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;
  Status prepare(const std::string &tensor,
                 const TensorDescription &description) override;
  Status write(const std::string &tensor, const Box &box,
               const void *source) override;

private:
  std::string title;
  std::map<std::string, Tensor> tensors;
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_MEMORYTENSORS_H
