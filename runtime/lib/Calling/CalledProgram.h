//===- CalledProgram.h - a program that is loaded and called ---*- C++ -*-===//

#ifndef HOCKET_LIB_CALLING_CALLEDPROGRAM_H
#define HOCKET_LIB_CALLING_CALLEDPROGRAM_H

#include "hocket/Io/NameMap.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Runtime/Executor.h"
#include "hocket/hocket.h"
#include <mutex>
#include <sys/types.h>

namespace hocket::runtime {

/// What hocket.h's functions call. Those that run something wait for each
/// other.
class CalledProgram {
public:
  /// Empty `path`: the file of the library that this code is in.
  static Status load(const std::string &path, const hocket_options &options,
                     std::unique_ptr<CalledProgram> &program);
  ~CalledProgram();

  /// False in a child of the process that loaded it: there it has no threads.
  bool isOfThisProcess() const;

  Status loadWeights(const std::vector<std::string> &files,
                     const std::vector<std::string> &renames);
  Status takeWeights(const hocket_array *arrays, size_t count);
  Status drawWeights(uint64_t seed);
  Status run(const void *const *inputs, void *const *outputs);
  Status run(const hocket_array *inputs, size_t inputCount,
             const hocket_array *outputs, size_t outputCount);

  const void *wholeOutput(size_t output) const;

  std::string description; // as JSON
  std::vector<hocket_array> inputs, outputs, parameters;

private:
  CalledProgram();
  Status open(const std::string &path);
  Status start(const hocket_options &options);
  /// Begins each call: its lock, or what hinders it.
  Status enter(std::unique_lock<std::mutex> &lock);
  /// The same of one that runs.
  Status enterStep(std::unique_lock<std::mutex> &lock);
  Status load(const TensorSource &weights,
              const std::vector<std::string> &names);
  Status step(const TensorSource &source, TensorSink &sink);
  /// After a call of the executor: `status`, once it may be called again.
  Status settle(Status status);

  std::mutex mutex;
  pid_t process; // that has the threads
  std::unique_ptr<Package> package;
  std::shared_ptr<const Devices> devices;
  std::unique_ptr<Executor> executor;
  bool isLoaded = false;
  bool isStuck = false; // a rank has not come back from its task
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CALLING_CALLEDPROGRAM_H
