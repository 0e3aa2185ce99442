//===- Functions.h - what the runtime calls of an MPI library --*- C++ -*-===//
//
// MPI fixes no binary interface: Open MPI and MPICH have other types and
// constants. So these functions are compiled once against each of them, and the
// program loads the ones of the library that it was started by.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_MPI_SHIM_FUNCTIONS_H
#define HOCKET_LIB_MPI_SHIM_FUNCTIONS_H

#include <cstdint>

namespace hocket::runtime {

/// A library's own handles, widened.
using MpiComm = int64_t;
using MpiRequest = int64_t;

/// What threads may do, as the standard orders it.
enum class MpiThreads { Single, Funneled, Serialized, Multiple };

/// Functions that return int return 0, or a code for `describe`. None of them
/// waits for another process, except `start`, `copy`, `drop` and `finish`.
struct MpiFunctions {
  int (*start)(MpiThreads wanted, MpiThreads *given);
  int (*finish)();
  /// Ends all processes of the run.
  void (*abort)(int status);
  void (*describe)(int code, char *text, int size);
  /// The library's name and version.
  void (*version)(char *text, int size);
  MpiComm (*everybody)();
  int (*rank)(MpiComm comm, int *rank);
  int (*size)(MpiComm comm, int *size);
  int (*largestTag)(int *tag);
  /// One in which messages are apart from all others.
  int (*copy)(MpiComm comm, MpiComm *made);
  int (*drop)(MpiComm *comm);

  /// Messages that are sent and received again and again. More than `most`
  /// bytes go as elements of that many.
  int (*prepareSend)(const void *data, int64_t bytes, int64_t most, int to,
                     int tag, MpiComm comm, MpiRequest *request);
  int (*prepareReceive)(void *data, int64_t bytes, int64_t most, int from,
                        int tag, MpiComm comm, MpiRequest *request);
  int (*begin)(MpiRequest *request);
  /// Once: both are freed when they end.
  int (*send)(const void *data, int64_t bytes, int64_t most, int to, int tag,
              MpiComm comm, MpiRequest *request);
  int (*receive)(void *data, int64_t bytes, int64_t most, int from, int tag,
                 MpiComm comm, MpiRequest *request);
  /// `bytes` are those that came, of a receive.
  int (*test)(MpiRequest *request, int *isDone, int64_t *bytes);
  int (*release)(MpiRequest *request);
  /// Whether a message of `tag` is there, from whom and how long.
  int (*probe)(int tag, MpiComm comm, int *isThere, int *from, int64_t *bytes);
};

} // namespace hocket::runtime

/// The one symbol of a shim.
extern "C" const hocket::runtime::MpiFunctions *hocketMpiFunctions();

#endif // HOCKET_LIB_MPI_SHIM_FUNCTIONS_H
