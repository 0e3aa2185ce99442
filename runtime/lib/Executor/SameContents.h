//===- SameContents.h - whether processes read the same tensors *- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_SAMECONTENTS_H
#define HOCKET_LIB_EXECUTOR_SAMECONTENTS_H

#include "hocket/Runtime/Processes.h"
#include "hocket/Runtime/Tensors.h"
#include <map>
#include <mutex>

namespace hocket::runtime {

/// A source that keeps a digest of what is read of another, so that processes
/// can compare what they hold replicas of: each reads its own files, and on
/// disks of their own these may differ.
class SameContents : public TensorSource {
public:
  /// Where the process is alone it only passes on.
  SameContents(const TensorSource &source, const Processes &processes)
      : source(source), isAlone(processes.count() == 1) {}

  std::string name() const override { return source.name(); }
  bool describe(const std::string &tensor,
                TensorDescription &description) const override {
    return source.describe(tensor, description);
  }
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

  /// An error on all processes where two describe one of `tensors` otherwise,
  /// or have read other contents of one box.
  Status compare(const std::vector<plan::GlobalTensor> &tensors,
                 Processes &processes) const;

private:
  const TensorSource &source;
  const bool isAlone;
  mutable std::mutex mutex;
  mutable std::map<std::string, uint64_t> digests; // "'lin.bias' [0:3]"
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_SAMECONTENTS_H
