//===- mpi_collectives.cpp - ours over MPI beside the library's own -------===//
//
//   mpirun -n RANKS bench-mpi-openmpi [MIB [RUNS]]
//
// Each collective in turn: as the runtime makes it of messages, and as the
// library that is linked makes it, on the same memory, one process a rank.
// `MIB` is the larger buffer of a rank. A time is that of the slowest rank.
// Prints a line of JSON for each.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCase.h"
#include "hocket/Mpi/MpiProcesses.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include <cstdio>
#include <cstdlib>
#include <mpi.h>

using namespace hocket;
using namespace hocket::bench;
using plan::CollectiveKind;

namespace {

void check(const runtime::Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "error: %s\n", status.message.c_str());
  MPI_Abort(MPI_COMM_WORLD, 3);
}

void runLibrary(CollectiveKind kind, const float *in, float *out, int share,
                int ranks) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    MPI_Allreduce(in, out, share * ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    break;
  case CollectiveKind::ReduceScatter:
    MPI_Reduce_scatter_block(in, out, share, MPI_FLOAT, MPI_SUM,
                             MPI_COMM_WORLD);
    break;
  case CollectiveKind::AllGather:
    MPI_Allgather(in, share, MPI_FLOAT, out, share, MPI_FLOAT, MPI_COMM_WORLD);
    break;
  case CollectiveKind::AllToAll:
    MPI_Alltoall(in, share, MPI_FLOAT, out, share, MPI_FLOAT, MPI_COMM_WORLD);
    break;
  default:
    break;
  }
}

/// By way, ours and the library's: milliseconds of the slowest rank.
struct Times {
  std::vector<double> byWay[2];
};

Times measure(runtime::Communicator &comm, CollectiveKind kind, int ranks,
              int share, int runs) {
  std::vector<float> in(size_t(share) * ranks, float(comm.rank() + 1)),
      out(in.size());
  int64_t handle;
  check(comm.prepare(
      specFor(kind, ranks, comm.rank(), share, in.data(), out.data()), handle));
  Times times;
  for (int run = -2; run < runs; ++run)
    for (int way : {0, 1}) {
      MPI_Barrier(MPI_COMM_WORLD);
      double begin = now();
      if (way == 0)
        check(comm.run(handle));
      else
        runLibrary(kind, in.data(), out.data(), share, ranks);
      double time = now() - begin, slowest;
      MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (run >= 0)
        times.byWay[way].push_back(slowest);
    }
  return times;
}

void print(CollectiveKind kind, int ranks, double mebibytes,
           const Times &times) {
  double ours = median(times.byWay[0]), theirs = median(times.byWay[1]);
  double best = *std::min_element(times.byWay[0].begin(), times.byWay[0].end());
  double theirBest =
      *std::min_element(times.byWay[1].begin(), times.byWay[1].end());
  std::printf("{\"collective\": \"%s\", \"ranks\": %d, \"mib\": %g, "
              "\"runs\": %zu, \"ms\": %.3f, \"best_ms\": %.3f, "
              "\"library_ms\": %.3f, \"library_best_ms\": %.3f, "
              "\"ratio\": %.2f, \"best_ratio\": %.2f}\n",
              runtime::toString(kind), ranks, mebibytes, times.byWay[0].size(),
              ours, best, theirs, theirBest, ours / theirs, best / theirBest);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  double mebibytes = argc > 1 ? std::atof(argv[1]) : 16;
  int runs = argc > 2 ? std::atoi(argv[2]) : 50;
  runtime::MpiPlace place = runtime::placeInMpi(getenv);
  if (mebibytes <= 0 || runs <= 0 || !place.isStarted) {
    std::fprintf(stderr, "usage: mpirun -n RANKS bench-mpi-openmpi [MIB "
                         "[RUNS]]\n");
    return 2;
  }
  std::unique_ptr<runtime::LaunchedProcesses> processes;
  check(runtime::startMpi({}, processes));
  runtime::RankOptions options;
  options.ranks = place.count;
  options.threads = 1;
  std::vector<int64_t> all;
  for (int64_t rank = 0; rank < options.ranks; ++rank)
    all.push_back(rank);
  options.groups = {{all}};
  auto local = processes->makeRanks(options, nullptr);
  auto comm = local->communicator(local->numbers().front(), hostMover());
  check(local->start());
  int ranks = int(options.ranks);
  int share = int(mebibytes * 262144) / ranks;
  check(local->run({"bench",
                    [&](size_t) {
                      for (CollectiveKind kind : {CollectiveKind::AllReduce,
                                                  CollectiveKind::ReduceScatter,
                                                  CollectiveKind::AllGather,
                                                  CollectiveKind::AllToAll}) {
                        Times times = measure(*comm, kind, ranks, share, runs);
                        if (processes->isFirst())
                          print(kind, ranks, mebibytes, times);
                      }
                      return runtime::RankOutcome();
                    },
                    [](size_t) { return std::string("a benchmark"); }}));
  local->stop();
  comm.reset();
  local.reset();
  processes->end(0);
  return 0;
}
