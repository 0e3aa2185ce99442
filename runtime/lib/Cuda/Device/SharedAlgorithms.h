//===- SharedAlgorithms.h - one algorithm for all ranks --------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_SHAREDALGORITHMS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_SHAREDALGORITHMS_H

#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// Bytes; addresses that are multiples of more serve no algorithm.
inline constexpr int64_t wantedAlignment = 16;

/// What the ranks of a process share of a library that has several algorithms:
/// the library, and which one computes what, for equal values must not differ
/// in their bits. For any thread.
template <class Library> class SharedAlgorithms {
public:
  /// Loads the library when it is first asked for.
  Status open(const Library *&opened) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!isLoaded)
      loaded = library.load();
    isLoaded = true;
    opened = &library;
    return loaded;
  }

  /// Has `computation` use the algorithm that the first rank has chosen for one
  /// that is described so.
  template <class Computation>
  Status decide(const std::string &description, Computation &computation) {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<uint8_t> &algorithm = algorithms[description];
    Status status;
    if (algorithm.empty())
      status = computation.choose(algorithm);
    return status.ok() ? computation.use(algorithm) : status;
  }

private:
  std::mutex mutex;
  bool isLoaded = false;
  Status loaded;
  Library library;
  std::map<std::string, std::vector<uint8_t>> algorithms;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_SHAREDALGORITHMS_H
