//===- PreparedPlan.h - a plan of cuDNN, ready to run ----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_PREPAREDPLAN_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_PREPAREDPLAN_H

#include "runtime/lib/Cuda/Dnn/DnnObject.h"
#include <functional>
#include <memory>

namespace hocket::runtime::cuda {

/// A plan that one rank has chosen and all ranks use whose bits have to agree:
/// it travels as text, with the version of the library that wrote it.
class PreparedPlan {
public:
  /// What it computes, in errors: `dnn` outlives it.
  PreparedPlan(const Dnn &dnn, std::string what)
      : dnn(dnn), what(std::move(what)) {}

  static std::vector<uint8_t> pack(size_t version, const std::string &text);

  /// Before the first run: what pack() has made. An error if the plan wants
  /// more than `most` bytes of workspace here, or is of another version.
  Status use(const uint8_t *bytes, size_t size, int64_t most);
  /// What `other` uses, on the same handle: no work of the library.
  void share(const PreparedPlan &other) {
    variants.reset();
    plan = other.plan;
    bytes = other.bytes;
  }
  int64_t workspaceBytes() const { return bytes; }

  /// An address for each tensor of the plan, by name; the library keeps them.
  struct Addresses {
    std::vector<int64_t> names;
    std::vector<void *> places;
    void add(int64_t name, void *place) {
      names.push_back(name);
      places.push_back(place);
    }
  };
  /// Puts the plan on `stream`; does not wait. `workspace` is that of the plan,
  /// aligned to 256 bytes. `addresses` is called before the first run, and
  /// where the workspace is another than in the run before.
  Status run(Stream stream, void *workspace,
             const std::function<Addresses()> &addresses);

private:
  Status setAddresses(const Addresses &addresses, void *workspace);

  const Dnn &dnn;
  std::string what;
  std::shared_ptr<DnnObject> plan;
  std::unique_ptr<DnnObject> variants;
  void *packWorkspace = nullptr; // of `variants`
  int64_t bytes = 0;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_PREPAREDPLAN_H
