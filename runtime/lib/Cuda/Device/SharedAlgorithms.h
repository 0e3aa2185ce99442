//===- SharedAlgorithms.h - one algorithm for all ranks --------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_SHAREDALGORITHMS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_SHAREDALGORITHMS_H

#include "hocket/Runtime/PackedBytes.h"
#include "hocket/Runtime/Processes.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// Bytes; addresses that are multiples of more serve no algorithm.
inline constexpr int64_t wantedAlignment = 16;

/// What ranks share of a library that has several algorithms: the library, in a
/// process, and which one computes what, for equal values must not differ in
/// their bits. For any thread, except agree().
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

  /// Chooses an algorithm for what is described so, unless there is one.
  template <class Computation>
  Status propose(const std::string &description, Computation &computation) {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<uint8_t> &algorithm = algorithms[description];
    return algorithm.empty() ? computation.choose(algorithm)
                             : Status::success();
  }

  /// Takes for each description what the first process has that has chosen.
  Status agree(Processes &processes) {
    BytePacker mine;
    for (const auto &[description, algorithm] : algorithms) {
      mine.add(description);
      mine.add(algorithm);
    }
    std::vector<std::string> all;
    if (Status status = processes.gather(mine.bytes, all); !status.ok())
      return status;
    std::map<std::string, std::vector<uint8_t>> first;
    for (const std::string &bytes : all)
      for (ByteUnpacker unpacker(bytes); !unpacker.isAtEnd();) {
        std::string description;
        std::vector<uint8_t> algorithm;
        unpacker.take(description);
        unpacker.take(algorithm);
        first.emplace(description, algorithm);
      }
    algorithms = std::move(first);
    return Status::success();
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
