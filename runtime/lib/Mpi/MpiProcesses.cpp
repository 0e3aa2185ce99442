//===- MpiProcesses.cpp - processes that MPI has started ------------------===//

#include "hocket/Mpi/MpiProcesses.h"
#include "runtime/lib/Mpi/MpiRun.h"
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace hocket::runtime {

MpiPlace
placeInMpi(const std::function<const char *(const char *name)> &variables) {
  using By = Launched::By;
  Launched launched = launchedBy(variables);
  return {launched.by != By::Nobody,
          launched.by == By::OpenMpi || launched.by == By::Mpich,
          launched.index, launched.count, launched.name};
}

Status startMpi(const MpiOptions &options,
                std::unique_ptr<LaunchedProcesses> &processes) {
  auto run = std::make_unique<MpiRun>();
  Status status = run->start(options);
  processes = std::move(run);
  return status;
}

/// A process that is stuck now keeps the others from ending, but nothing else.
static void endInTime(double seconds, int status) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  std::fprintf(stderr,
               "note: all is written, but not all processes ended MPI within "
               "%g s\n",
               seconds);
  std::fflush(nullptr);
  _exit(status);
}

void MpiRun::end(int status) {
  // MPI ends without a deadline: first all have to be here.
  std::vector<std::string> all;
  if (!hasFailed() && gather("", all).ok()) {
    std::thread(endInTime, deadline(), status).detach();
    library.call([](const MpiFunctions &mpi) { return mpi.finish(); });
    return;
  }
  std::fflush(nullptr);
  // The launcher ends the others when the first is gone: all have a moment to
  // say what they know.
  usleep(wasTold() ? 600000 : 300000);
  _exit(status);
}

} // namespace hocket::runtime
