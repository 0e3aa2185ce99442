//===- CallersArrays.h - tensors in memory of who calls --------*- C++ -*-===//

#ifndef HOCKET_LIB_CALLING_CALLERSARRAYS_H
#define HOCKET_LIB_CALLING_CALLERSARRAYS_H

#include "hocket/Io/NameMap.h"
#include "hocket/Io/StoredTensors.h"
#include "hocket/hocket.h"
#include <map>

namespace hocket::runtime {

/// Arrays that are read: inputs of a call, or weights.
class ReadArrays : public StoredTensors {
public:
  /// `title` begins errors: "input in memory".
  explicit ReadArrays(std::string title) : title(std::move(title)) {}

  /// Refuses what no array can be, and two that `map` gives one name.
  Status add(const hocket_array *arrays, size_t count, const NameMap &map = {});
  /// Dense data of just the tensor's shape and type, or null where it has no
  /// elements.
  void put(const plan::GlobalTensor &tensor, const void *data);
  std::vector<std::string> names() const;

  std::string name() const override { return title; }
  const StoredTensor *find(const std::string &tensor) const override;
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

private:
  std::string title;
  std::map<std::string, StoredTensor> arrays;
};

/// Arrays that outputs are written to; an output that has none is left out.
class WrittenArrays : public TensorSink {
public:
  /// Each has to be as an output of `plan` is.
  Status add(const plan::Plan &plan, const hocket_array *arrays, size_t count);
  void put(const plan::GlobalTensor &tensor, void *data);

  Status prepare(const std::string &tensor,
                 const TensorDescription &description) override;
  Status write(const std::string &tensor, const Box &box,
               const void *source) override;

private:
  struct Place {
    plan::DType type;
    void *data;
  };
  std::map<std::string, Place> places;
};

/// The elements of what `array` describes; nothing of what no array can be.
std::optional<int64_t> countElements(const hocket_array &array);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CALLING_CALLERSARRAYS_H
