//===- Injector.h - which calls go wrong, and what is logged ---*- C++ -*-===//
//
// A library under the names of NVIDIA's libraries, between a program and the
// look-alikes: it hands every call on, and does to some what HOCKET_INJECT says
// (Fault.h). A program finds it through LD_LIBRARY_PATH=test/injector of the
// build folder, the look-alikes lie in the folder beside it.
//
//   HOCKET_INJECT        faults
//   HOCKET_INJECT_LOG    file to which each call is written, and each fault
//                        that was done
//   HOCKET_INJECT_CODE   folder for the code that is loaded: 1.ptx, 2.ptx, ...
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_INJECTOR_INJECTOR_H
#define HOCKET_TEST_GPU_INJECTOR_INJECTOR_H

#include "test/Gpu/Injector/Fault.h"
#include <functional>
#include <map>
#include <mutex>

namespace hocket::inject {

/// One call, as the log has it.
struct Record {
  const char *function = nullptr;
  std::string arguments; ///< " i:3 a:127 h:55", and " w:9", words of a launch
};

class Injector {
public:
  static Injector &get();

  /// Counts the call; the faults that are meant for it.
  std::vector<const Fault *> faultsOf(const Record &record);
  /// A fault was done, not only meant.
  void done(const Fault &fault);
  /// A fault that cannot be done ends the program, with status 2.
  [[noreturn]] static void refuse(const std::string &why);

  /// A function of the look-alike of this name: libcuda.so.1, ...
  static void *find(const char *library, const char *function);

  /// Keeps the code under the number of the load.
  void keepCode(const char *code);

private:
  Injector();
  void write(const std::string &line);

  std::mutex mutex;
  std::vector<Fault> faults;
  std::map<std::string, uint64_t> calls;                  ///< of the process
  std::map<std::pair<int, std::string>, uint64_t> ofRank; ///< of each rank
  std::string log, codes;
  unsigned loads = 0;
};

/// The rank whose thread calls; -1 on the thread that began the process. Ranks
/// are threads that the program starts one after the other, or processes, each
/// of which is of one rank.
int rankOfThread();

/// Whether this thread is in a call of another library than the driver's: what
/// that asks of the driver is not the program's doing.
bool &isInLibrary();

/// What a thread does after its next call.
std::function<void()> &postponed();

/// Addresses that this thread's calls of cuMemAlloc have given.
std::vector<uint64_t> &allocations();

/// A copy of the bytes in memory of its own, which is spoiled by `spoil`.
const void *copyOf(const void *bytes, size_t size);
void spoil(const void *copy, size_t size);

/// The text of a file, which lives as long as the process.
const char *textOf(const std::string &file);

} // namespace hocket::inject

#endif // HOCKET_TEST_GPU_INJECTOR_INJECTOR_H
