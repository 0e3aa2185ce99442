//===- Shim.cpp - the functions of one MPI library ------------------------===//

#include "runtime/lib/Mpi/Shim/Functions.h"
#include <cstring>
#include <mpi.h>

namespace hocket::runtime {

namespace {

template <typename Handle> int64_t widen(Handle handle) {
  static_assert(sizeof handle <= sizeof(int64_t));
  int64_t wide = 0;
  std::memcpy(&wide, &handle, sizeof handle);
  return wide;
}

template <typename Handle> Handle narrow(int64_t wide) {
  Handle handle;
  std::memcpy(&handle, &wide, sizeof handle);
  return handle;
}

MPI_Comm commOf(MpiComm comm) { return narrow<MPI_Comm>(comm); }

int start(MpiThreads wanted, MpiThreads *given) {
  static constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED,
                                   MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int provided = 0;
  int code = MPI_Init_thread(nullptr, nullptr, levels[int(wanted)], &provided);
  for (int level = 0; level < 4; ++level)
    if (provided == levels[level])
      *given = MpiThreads(level);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return code;
}

int finish() { return MPI_Finalize(); }

void abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void copyText(const char *from, char *text, int size) {
  std::strncpy(text, from, size);
  text[size - 1] = 0;
}

void describe(int code, char *text, int size) {
  char full[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, full, &length);
  copyText(full, text, size);
}

void version(char *text, int size) {
  char full[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(full, &length);
  full[std::strcspn(full, "\n,")] = 0;
  copyText(full, text, size);
}

MpiComm everybody() { return widen(MPI_COMM_WORLD); }

int rank(MpiComm comm, int *rank) { return MPI_Comm_rank(commOf(comm), rank); }

int size(MpiComm comm, int *size) { return MPI_Comm_size(commOf(comm), size); }

int largestTag(int *tag) {
  int *value = nullptr, isThere = 0;
  int code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &isThere);
  *tag = code == MPI_SUCCESS && isThere ? *value : 32767;
  return code;
}

int copy(MpiComm comm, MpiComm *made) {
  MPI_Comm copied = MPI_COMM_NULL;
  int code = MPI_Comm_dup(commOf(comm), &copied);
  *made = widen(copied);
  return code;
}

int drop(MpiComm *comm) {
  MPI_Comm own = commOf(*comm);
  int code = MPI_Comm_free(&own);
  *comm = widen(own);
  return code;
}

/// A type and a count for `bytes`, whatever an int holds.
class Elements {
public:
  Elements(int64_t bytes, int64_t most) {
    if (bytes <= most) {
      count = int(bytes);
      return;
    }
    MPI_Datatype chunk = MPI_BYTE;
    code = MPI_Type_contiguous(int(most), MPI_BYTE, &chunk);
    int lengths[] = {int(bytes / most), int(bytes % most)};
    MPI_Aint places[] = {0, MPI_Aint(bytes / most * most)};
    MPI_Datatype types[] = {chunk, MPI_BYTE};
    if (code == MPI_SUCCESS)
      code = MPI_Type_create_struct(2, lengths, places, types, &type);
    if (code == MPI_SUCCESS)
      code = MPI_Type_commit(&type);
    MPI_Type_free(&chunk);
    count = 1;
  }
  /// What was begun with it goes on.
  ~Elements() {
    if (type != MPI_BYTE)
      MPI_Type_free(&type);
  }
  Elements(const Elements &) = delete;
  Elements &operator=(const Elements &) = delete;

  MPI_Datatype type = MPI_BYTE;
  int count = 0, code = MPI_SUCCESS;
};

template <typename Begin>
int withElements(int64_t bytes, int64_t most, MpiRequest *request,
                 const Begin &begin) {
  Elements elements(bytes, most);
  MPI_Request made = MPI_REQUEST_NULL;
  int code = elements.code;
  if (code == MPI_SUCCESS)
    code = begin(elements, &made);
  *request = widen(made);
  return code;
}

int prepareSend(const void *data, int64_t bytes, int64_t most, int to, int tag,
                MpiComm comm, MpiRequest *request) {
  return withElements(bytes, most, request, [&](auto &x, MPI_Request *made) {
    return MPI_Send_init(data, x.count, x.type, to, tag, commOf(comm), made);
  });
}

int prepareReceive(void *data, int64_t bytes, int64_t most, int from, int tag,
                   MpiComm comm, MpiRequest *request) {
  return withElements(bytes, most, request, [&](auto &x, MPI_Request *made) {
    return MPI_Recv_init(data, x.count, x.type, from, tag, commOf(comm), made);
  });
}

int begin(MpiRequest *request) {
  MPI_Request own = narrow<MPI_Request>(*request);
  int code = MPI_Start(&own);
  *request = widen(own);
  return code;
}

int send(const void *data, int64_t bytes, int64_t most, int to, int tag,
         MpiComm comm, MpiRequest *request) {
  return withElements(bytes, most, request, [&](auto &x, MPI_Request *made) {
    return MPI_Isend(data, x.count, x.type, to, tag, commOf(comm), made);
  });
}

int receive(void *data, int64_t bytes, int64_t most, int from, int tag,
            MpiComm comm, MpiRequest *request) {
  return withElements(bytes, most, request, [&](auto &x, MPI_Request *made) {
    return MPI_Irecv(data, x.count, x.type, from, tag, commOf(comm), made);
  });
}

/// In bytes.
int64_t lengthOf(MPI_Status &status) {
  MPI_Count count = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &count);
  return count == MPI_UNDEFINED ? -1 : int64_t(count);
}

int test(MpiRequest *request, int *isDone, int64_t *bytes) {
  MPI_Request own = narrow<MPI_Request>(*request);
  MPI_Status status;
  int code = MPI_Test(&own, isDone, &status);
  *request = widen(own);
  if (code == MPI_SUCCESS && *isDone)
    *bytes = lengthOf(status);
  return code;
}

int release(MpiRequest *request) {
  MPI_Request own = narrow<MPI_Request>(*request);
  int code = own == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Request_free(&own);
  *request = widen(own);
  return code;
}

int probe(int tag, MpiComm comm, int *isThere, int *from, int64_t *bytes) {
  MPI_Status status;
  int code = MPI_Iprobe(MPI_ANY_SOURCE, tag, commOf(comm), isThere, &status);
  if (code == MPI_SUCCESS && *isThere) {
    *from = status.MPI_SOURCE;
    *bytes = lengthOf(status);
  }
  return code;
}

} // namespace

} // namespace hocket::runtime

using namespace hocket::runtime;

extern "C" const MpiFunctions *hocketMpiFunctions() {
  static const MpiFunctions functions = {
      start, finish,     abort, describe, version,     everybody,      rank,
      size,  largestTag, copy,  drop,     prepareSend, prepareReceive, begin,
      send,  receive,    test,  release,  probe};
  return &functions;
}
