//===- MpiProcesses.cpp - processes that MPI has started ------------------===//

#include "hocket/Mpi/MpiProcesses.h"
#include "runtime/lib/Mpi/MpiRun.h"
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace hocket::runtime {

MpiPlace placeInMpi() {
  Launched launched =
      launchedBy([](const char *name) -> const char * { return getenv(name); });
  return {launched.by != Launched::By::Nobody, launched.index, launched.count,
          launched.name};
}

/// "1, 2 or 4"
static std::string divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= number; ++i)
    if (number % i == 0)
      divisors.push_back(i);
  std::string text;
  for (size_t i = 0; i < divisors.size(); ++i)
    text += (i == 0                     ? ""
             : i + 1 == divisors.size() ? " or "
                                        : ", ") +
            std::to_string(divisors[i]);
  return text;
}

std::string rankFault(const MpiPlace &place, int64_t ranks) {
  if (ranks % place.count == 0)
    return "";
  return "the program is compiled for " + std::to_string(ranks) +
         (ranks == 1 ? " rank, " : " ranks, ") + place.launcher + " started " +
         std::to_string(place.count) +
         " processes; processes have equally many ranks: start " +
         divisorsOf(ranks);
}

Status startMpi(const MpiOptions &options,
                std::unique_ptr<Processes> &processes) {
  auto run = std::make_unique<MpiRun>();
  Status status = run->start(options);
  processes = std::move(run);
  return status;
}

std::string threadsNote(const Processes &processes, int64_t ranks) {
  auto *run = dynamic_cast<const MpiRun *>(&processes);
  return run ? run->threadsNote(ranks) : "";
}

bool tellsErrors(const Processes &processes) {
  auto *run = dynamic_cast<const MpiRun *>(&processes);
  if (run && run->hasFailed())
    return !run->wasTold();
  return processes.isFirst();
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

void endMpi(Processes &processes, int status) {
  auto *run = dynamic_cast<MpiRun *>(&processes);
  if (!run)
    return;
  // MPI ends without a deadline: first all have to be here.
  std::vector<std::string> all;
  if (!run->hasFailed() && run->gather("", all).ok()) {
    std::thread(endInTime, run->deadline(), status).detach();
    run->library.call([](const MpiFunctions &mpi) { return mpi.finish(); });
    return;
  }
  std::fflush(nullptr);
  // The launcher ends the others when the first is gone: all have a moment to
  // say what they know.
  usleep(run->wasTold() ? 600000 : 300000);
  _exit(status);
}

} // namespace hocket::runtime
