//===- MpiRun.cpp - this process among those that MPI started -------------===//

#include "runtime/lib/Mpi/MpiRun.h"
#include "runtime/lib/Mpi/MpiWorld.h"
#include <algorithm>
#include <cstdlib>

namespace hocket::runtime {

static MpiThreads threadsFor(MpiCalls calls) {
  switch (calls) {
  case MpiCalls::OfFirstThread:
    return MpiThreads::Funneled;
  case MpiCalls::OneAtATime:
    return MpiThreads::Serialized;
  case MpiCalls::OfAllThreads:
    return MpiThreads::Multiple;
  }
  return MpiThreads::Multiple;
}

static const char *environment(const char *name) { return std::getenv(name); }

Status MpiRun::start(const MpiOptions &given) {
  options = given;
  deadlineSeconds = options.deadlineSeconds;
  library.mostBytes = options.mostBytes;
  Launched launched = launchedBy(environment);
  launcher = launched.name;
  Status status =
      library.load(launched, threadsFor(options.calls), shimOf(launched));
  if (!status.ok())
    return status;
  if (library.threads < MpiThreads::Serialized)
    return Status::userError(
        library.version +
        " cannot be called by other threads than the first, which ranks need; "
        "use one that is built with MPI_THREAD_SERIALIZED at least");
  int rank = 0, size = 1;
  int code = library.call([&](const MpiFunctions &mpi) {
    int code = mpi.rank(mpi.everybody(), &rank);
    if (!code)
      code = mpi.size(mpi.everybody(), &size);
    return code ? code : mpi.largestTag(&largestTag);
  });
  if (code)
    return library.failure("MPI_Comm_rank", code);
  largestTag = std::min(largestTag, options.mostTag);
  ownIndex = rank;
  processes = size;
  for (MpiComm *comm : {&gathers, &words})
    if (status.ok())
      status = copyEverybody(*comm);
  return status.ok() ? cores.gather(*this) : status;
}

Status MpiRun::copyEverybody(MpiComm &made) {
  int code = library.call([&](const MpiFunctions &mpi) {
    return mpi.copy(mpi.everybody(), &made);
  });
  return code ? library.failure("MPI_Comm_dup", code) : Status::success();
}

std::string MpiRun::threadsNote(int64_t ranks) const {
  return cores.note(ranks, ranks / count(), launcher);
}

std::unique_ptr<World> MpiRun::makeWorld(const RankOptions &given, bool spins) {
  return std::make_unique<MpiWorld>(*this, given, spins);
}

} // namespace hocket::runtime
