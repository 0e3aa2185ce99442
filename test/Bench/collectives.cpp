//===- collectives.cpp - collectives beside the copies they come down to --===//
//
// bench-collectives [MIB [RUNS]]
//
// Among 2 and 4 ranks that are threads: each collective in turn with the same
// reads and writes on the same memory as plain copies and sums between two
// barriers. `MIB` is the larger buffer of a rank. Prints a line of JSON for
// each; `ratio` is between the medians, `best_ratio` between the best runs.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCase.h"
#include "hocket/Runtime/ThreadCommunicator.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

using namespace hocket;
using namespace hocket::bench;
using plan::CollectiveKind;

namespace {

struct Bench {
  Bench(int ranks, size_t elements)
      : ranks(ranks), elements(elements), share(elements / ranks), in(ranks),
        out(ranks), begin(ranks), end(ranks) {
    pthread_barrier_init(&barrier, nullptr, ranks);
  }
  ~Bench() { pthread_barrier_destroy(&barrier); }
  void meet() { pthread_barrier_wait(&barrier); }

  const int ranks;
  const size_t elements, share;
  std::vector<std::vector<float>> in, out;
  std::vector<double> begin, end; // of the current run, milliseconds
  pthread_barrier_t barrier;
};

// ---- plain copies and sums ------------------------------------------------

void sumShare(Bench &bench, int me, float *__restrict sum) {
  auto term = [&](int peer) {
    return bench.in[peer].data() + me * bench.share;
  };
  const float *a = term(0), *b = term(1);
  if (bench.ranks == 2) {
    for (size_t i = 0; i < bench.share; ++i)
      sum[i] = a[i] + b[i];
    return;
  }
  const float *c = term(2), *d = term(3);
  for (size_t i = 0; i < bench.share; ++i)
    sum[i] = a[i] + b[i] + c[i] + d[i];
}

void plain(Bench &bench, CollectiveKind kind, int me) {
  float *out = bench.out[me].data();
  size_t share = bench.share, bytes = share * sizeof(float);
  switch (kind) {
  case CollectiveKind::AllReduce:
    sumShare(bench, me, out + me * share);
    bench.meet();
    for (int peer = 0; peer < bench.ranks; ++peer)
      if (peer != me)
        std::memcpy(out + peer * share, bench.out[peer].data() + peer * share,
                    bytes);
    break;
  case CollectiveKind::ReduceScatter:
    sumShare(bench, me, out);
    break;
  case CollectiveKind::AllGather:
    for (int peer = 0; peer < bench.ranks; ++peer)
      std::memcpy(out + peer * share, bench.in[peer].data(), bytes);
    break;
  case CollectiveKind::AllToAll:
    for (int peer = 0; peer < bench.ranks; ++peer)
      std::memcpy(out + peer * share, bench.in[peer].data() + me * share,
                  bytes);
    break;
  case CollectiveKind::Broadcast:
    std::memcpy(out, bench.in[0].data(), bench.elements * sizeof(float));
    break;
  default: // halos are not timed
    break;
  }
}

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// One rank's part; rank 0 records the times of both ways, in turn.
void runRank(Bench &bench, runtime::Communicator &comm, CollectiveKind kind,
             int runs, std::vector<double> times[2]) {
  int me = static_cast<int>(comm.rank());
  if (bench.ranks <= static_cast<int>(std::thread::hardware_concurrency()))
    pin(me);
  bench.in[me].assign(bench.elements, static_cast<float>(me + 1));
  bench.out[me].assign(bench.elements, 0);
  bench.meet();
  int64_t handle;
  runtime::Status status =
      comm.prepare(specFor(kind, bench.ranks, me, bench.share,
                           bench.in[me].data(), bench.out[me].data()),
                   handle);
  if (!status.ok()) {
    std::fprintf(stderr, "error: %s\n", status.message.c_str());
    std::exit(3);
  }
  for (int run = -2; run < runs; ++run)
    for (int way : {0, 1}) {
      bench.meet();
      bench.begin[me] = now();
      if (way == 0) {
        plain(bench, kind, me);
        bench.meet();
      } else if (!comm.run(handle).ok()) {
        std::exit(3);
      }
      bench.end[me] = now();
      bench.meet();
      // Where ranks outnumber cores some begin when others have ended.
      if (me == 0 && run >= 0)
        times[way].push_back(
            *std::max_element(bench.end.begin(), bench.end.end()) -
            *std::min_element(bench.begin.begin(), bench.begin.end()));
    }
}

void measure(CollectiveKind kind, int ranks, double mebibytes, int runs) {
  Bench bench(ranks, static_cast<size_t>(mebibytes * 262144) / ranks * ranks);
  bool spin = ranks <= static_cast<int>(std::thread::hardware_concurrency());
  runtime::ThreadWorld world(ranks, {60, spin, 0});
  std::vector<double> times[2];
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      runRank(bench, *world.communicator(rank, hostMover()), kind, runs, times);
    });
  for (std::thread &thread : threads)
    thread.join();
  double copies = median(times[0]), collective = median(times[1]);
  double bestCopies = *std::min_element(times[0].begin(), times[0].end());
  double best = *std::min_element(times[1].begin(), times[1].end());
  std::printf("{\"collective\": \"%s\", \"ranks\": %d, \"mib\": %g, "
              "\"ms\": %.3f, \"best_ms\": %.3f, \"copies_ms\": %.3f, "
              "\"copies_best_ms\": %.3f, \"ratio\": %.2f, "
              "\"best_ratio\": %.2f}\n",
              runtime::toString(kind), ranks, mebibytes, collective, best,
              copies, bestCopies, collective / copies, best / bestCopies);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  double mebibytes = argc > 1 ? std::atof(argv[1]) : 16;
  int runs = argc > 2 ? std::atoi(argv[2]) : 31;
  if (mebibytes <= 0 || runs <= 0) {
    std::fprintf(stderr, "usage: bench-collectives [MIB [RUNS]]\n");
    return 2;
  }
  for (int ranks : {2, 4})
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
          CollectiveKind::AllGather, CollectiveKind::AllToAll})
      measure(kind, ranks, mebibytes, runs);
  return 0;
}
