//===- copies.cpp - collectives as the plain copies they come down to -----===//
//
// bench-copies [RANKS [MIB [RUNS]]]
//
// What shared memory allows at best: each thread does the reads and writes of
// its rank with memcpy and a loop of sums, all threads meet in a barrier before
// and after. `MIB` is the larger buffer of a rank: the result of an all_gather,
// the operand of the others. Prints a line of JSON for each collective.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <vector>

namespace {

/// One rank's buffers; `result` of every collective fits in `out`.
struct Rank {
  std::vector<float> in, out;
};

struct Team {
  explicit Team(int size, size_t elements)
      : ranks(size), elements(elements), share(elements / size) {
    pthread_barrier_init(&barrier, nullptr, size);
  }
  ~Team() { pthread_barrier_destroy(&barrier); }

  int size() const { return int(ranks.size()); }
  void meet() { pthread_barrier_wait(&barrier); }

  std::vector<Rank> ranks;
  size_t elements, share;
  pthread_barrier_t barrier;
};

/// Rank `me` gets in its `out` every rank's first share.
void allGather(Team &team, int me) {
  for (int peer = 0; peer < team.size(); ++peer)
    std::memcpy(team.ranks[me].out.data() + peer * team.share,
                team.ranks[peer].in.data(), team.share * sizeof(float));
}

/// Rank `me` sums everyone's share number `me` into its `out` at `place`.
void reduceShare(Team &team, int me, size_t place) {
  float *sum = team.ranks[me].out.data() + place;
  const float *first = team.ranks[0].in.data() + me * team.share;
  std::memcpy(sum, first, team.share * sizeof(float));
  for (int peer = 1; peer < team.size(); ++peer) {
    const float *term = team.ranks[peer].in.data() + me * team.share;
    for (size_t i = 0; i < team.share; ++i)
      sum[i] += term[i];
  }
}

void reduceScatter(Team &team, int me) { reduceShare(team, me, 0); }

void allReduce(Team &team, int me) {
  reduceShare(team, me, me * team.share);
  team.meet();
  for (int peer = 0; peer < team.size(); ++peer)
    if (peer != me)
      std::memcpy(team.ranks[me].out.data() + peer * team.share,
                  team.ranks[peer].out.data() + peer * team.share,
                  team.share * sizeof(float));
}

void allToAll(Team &team, int me) {
  for (int peer = 0; peer < team.size(); ++peer)
    std::memcpy(team.ranks[me].out.data() + peer * team.share,
                team.ranks[peer].in.data() + me * team.share,
                team.share * sizeof(float));
}

void pin(int me) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(me % std::max(1u, std::thread::hardware_concurrency()), &cores);
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
}

/// The times of `runs` calls, in seconds: from the first rank's start to the
/// meeting of all. With more ranks than cores some start late.
std::vector<double> measure(Team &team, void (*collective)(Team &, int),
                            int runs) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  std::vector<Clock::time_point> starts(team.size());
  auto body = [&](int me) {
    pin(me);
    team.ranks[me].in.assign(team.elements, float(me + 1));
    team.ranks[me].out.assign(team.elements, 0.0f);
    for (int run = -2; run < runs; ++run) {
      team.meet();
      starts[me] = Clock::now();
      collective(team, me);
      team.meet();
      std::chrono::duration<double> time =
          Clock::now() - *std::min_element(starts.begin(), starts.end());
      if (me == 0 && run >= 0)
        times.push_back(time.count());
      team.meet(); // nobody starts again while `starts` is read
    }
  };
  std::vector<std::thread> threads;
  for (int me = 0; me < team.size(); ++me)
    threads.emplace_back(body, me);
  for (std::thread &thread : threads)
    thread.join();
  return times;
}

void report(const char *name, Team &team, void (*collective)(Team &, int),
            int runs) {
  std::vector<double> times = measure(team, collective, runs);
  std::sort(times.begin(), times.end());
  std::printf("{\"program\": \"copies\", \"collective\": \"%s\", \"ranks\": "
              "%d, \"mib\": %zu, \"runs\": %d, \"median_ms\": %.3f, "
              "\"best_ms\": %.3f}\n",
              name, team.size(), team.elements * sizeof(float) >> 20, runs,
              1e3 * times[times.size() / 2], 1e3 * times[0]);
}

} // namespace

int main(int argc, char **argv) {
  int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  int mib = argc > 2 ? std::atoi(argv[2]) : 16;
  int runs = argc > 3 ? std::atoi(argv[3]) : 30;
  if (ranks < 1 || mib < 1 || runs < 1) {
    std::fprintf(stderr, "usage: bench-copies [RANKS [MIB [RUNS]]]\n");
    return 2;
  }
  size_t elements = (size_t(mib) << 20) / sizeof(float) / ranks * ranks;
  Team team(ranks, elements);
  report("all_gather", team, allGather, runs);
  report("reduce_scatter", team, reduceScatter, runs);
  report("all_reduce", team, allReduce, runs);
  report("all_to_all", team, allToAll, runs);
  return 0;
}
