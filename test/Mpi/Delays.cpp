//===- Delays.cpp - random delays between MPI and what calls it -----------===//
//
// A library to preload, one for each MPI. Each call that begins a message, and
// each look at one, sleeps first, every other time and up to 300 microseconds,
// so that messages come in other orders than they would. HOCKET_DELAY_SEED says
// what is drawn. When MPI ends, the first process says how many slept.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <unistd.h>

namespace {

std::atomic<long> begun{0}, delayed{0};

/// Each thread draws its own numbers.
void delay(unsigned share) {
  static std::atomic<unsigned long> threads{1};
  static const char *seed = std::getenv("HOCKET_DELAY_SEED");
  thread_local unsigned long random =
      threads++ * 0x9e3779b97f4a7c15u + (seed ? std::atol(seed) : 0) +
      (unsigned long)(getpid()) * 0xbf58476d1ce4e5b9u;
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  if ((random >> 4) % share != 0)
    return;
  ++delayed;
  usleep((random >> 16) % 300);
}

} // namespace

// The signatures are MPI's.
extern "C" {

int MPI_Start(MPI_Request *request) {
  ++begun;
  delay(2);
  return PMPI_Start(request);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request) {
  ++begun;
  delay(2);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag,
              MPI_Comm comm, MPI_Request *request) {
  ++begun;
  delay(2);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *isDone, MPI_Status *status) {
  delay(8);
  return PMPI_Test(request, isDone, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *isThere,
               MPI_Status *status) {
  delay(8);
  return PMPI_Iprobe(from, tag, comm, isThere, status);
}

int MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::fprintf(stderr, "delays: %ld messages begun, %ld calls delayed\n",
                 begun.load(), delayed.load());
  return PMPI_Finalize();
}
}
