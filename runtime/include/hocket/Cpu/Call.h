//===- Call.h - the threads of a rank's computations -----------*- C++ -*-===//

#ifndef HOCKET_CPU_CALL_H
#define HOCKET_CPU_CALL_H

#include "hocket/Runtime/Call.h"

namespace hocket::runtime {

/// Runs body(context, part) for part in [0, threads), on oneDNN's thread pool;
/// on this thread alone if threads is 1.
void parallelFor(int threads, void (*body)(void *context, int part),
                 void *context);

/// Runs body(part) for part in [0, threads) in the same way.
template <class Body> void parallelFor(int threads, Body body) {
  parallelFor(
      threads,
      [](void *context, int part) { (*static_cast<Body *>(context))(part); },
      &body);
}

/// Makes library calls of this thread use `threads` threads.
void setLibraryThreads(int threads);

} // namespace hocket::runtime

#endif // HOCKET_CPU_CALL_H
