//===- openmpi.c - collectives of Open MPI, timed -------------------------===//
//
// mpicc -O3 openmpi.c -o bench-openmpi
// mpirun -n RANKS ./bench-openmpi [MIB [RUNS]]
//
// The same collectives and sizes as collectives.cpp, one process a rank. A time
// is that of the slowest rank.
//
//===----------------------------------------------------------------------===//

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static float *in, *out;
static int ranks, share; // elements

static void allGather(void) {
  MPI_Allgather(in, share, MPI_FLOAT, out, share, MPI_FLOAT, MPI_COMM_WORLD);
}

static void reduceScatter(void) {
  MPI_Reduce_scatter_block(in, out, share, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void allReduce(void) {
  MPI_Allreduce(in, out, share * ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void allToAll(void) {
  MPI_Alltoall(in, share, MPI_FLOAT, out, share, MPI_FLOAT, MPI_COMM_WORLD);
}

static int compareTimes(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *name, void (*collective)(void), int runs) {
  double *times = malloc(runs * sizeof(double));
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int run = -2; run < runs; ++run) {
    double start, time, slowest;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    collective();
    time = MPI_Wtime() - start;
    MPI_Reduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (me == 0 && run >= 0)
      times[run] = slowest;
  }
  if (me == 0) {
    qsort(times, runs, sizeof(double), compareTimes);
    printf("{\"program\": \"openmpi\", \"collective\": \"%s\", \"ranks\": %d, "
           "\"mib\": %d, \"runs\": %d, \"median_ms\": %.3f, \"best_ms\": "
           "%.3f}\n",
           name, ranks, (int)((long)share * ranks * 4 >> 20), runs,
           1e3 * times[runs / 2], 1e3 * times[0]);
  }
  free(times);
}

int main(int argc, char **argv) {
  int me, mib = argc > 1 ? atoi(argv[1]) : 16;
  int runs = argc > 2 ? atoi(argv[2]) : 30;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (mib < 1 || runs < 1) {
    fprintf(stderr, "usage: bench-openmpi [MIB [RUNS]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  share = mib * (1 << 18) / ranks;
  in = malloc((size_t)share * ranks * sizeof(float));
  out = malloc((size_t)share * ranks * sizeof(float));
  for (int i = 0; i < share * ranks; ++i)
    in[i] = me + 1, out[i] = 0;
  report("all_gather", allGather, runs);
  report("reduce_scatter", reduceScatter, runs);
  report("all_reduce", allReduce, runs);
  report("all_to_all", allToAll, runs);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
