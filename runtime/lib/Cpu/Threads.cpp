//===- Threads.cpp - one thread pool with oneDNN --------------------------===//
//
// oneDNN's packages run on libgomp. Its entry points are called directly, so
// that any compiler can build this file and no second OpenMP is loaded.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Call.h"
#include <atomic>

extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
void omp_set_num_threads(int threads);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
}

namespace hocket::runtime {

void setLibraryThreads(int threads) { omp_set_num_threads(threads); }

namespace {
struct Region {
  void (*body)(void *, int);
  void *context;
  int parts;
  /// libgomp orders memory between the threads already; these operations say
  /// so where the thread sanitizer can see it.
  std::atomic<int> order{0};
};
} // namespace

static void runRegion(void *data) {
  Region &region = *static_cast<Region *>(data);
  region.order.load(std::memory_order_acquire);
  // The pool may give fewer threads than asked for.
  int given = omp_get_num_threads();
  for (int part = omp_get_thread_num(); part < region.parts; part += given)
    region.body(region.context, part);
  region.order.fetch_add(1, std::memory_order_release);
}

void parallelFor(int threads, void (*body)(void *context, int part),
                 void *context) {
  if (threads <= 1)
    return body(context, 0);
  Region region{body, context, threads};
  region.order.store(1, std::memory_order_release);
  GOMP_parallel(runRegion, &region, threads, 0);
  region.order.load(std::memory_order_acquire);
}

} // namespace hocket::runtime
