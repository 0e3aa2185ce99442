//===- CommunicatorFailures.cpp - what a rank says that waits in vain -----===//

#include "runtime/lib/Mpi/MpiCommunicator.h"
#include <set>

namespace hocket::runtime {

/// "rank 2", "ranks 2, 3": whose messages are missing.
std::string MpiCommunicator::lateRanks(const Prepared &collective,
                                       const std::vector<Line> &lines,
                                       int64_t &first) const {
  std::set<int64_t> late; // by member, as a communicator of threads says it
  for (const Line &line : lines)
    if (line.isOpen)
      late.insert(line.message.member);
  std::string text;
  for (int64_t member : late)
    text += (text.empty() ? "" : ", ") +
            std::to_string(collective.spec.members[member]);
  first = late.empty() ? self : collective.spec.members[*late.begin()];
  return (late.size() > 1 ? "ranks " : "rank ") + text;
}

Status MpiCommunicator::timeOut(const Prepared &collective,
                                const std::vector<Line> &lines) {
  int64_t first;
  std::string late = lateRanks(collective, lines, first);
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g s", world.options.deadlineSeconds);
  Status status = Status::runtimeError(
      late + " did not reach " + collective.spec.describe() + " within " +
      seconds + " of rank " + std::to_string(self));
  world.abort(first, status);
  // Another may have given up in the same moment, because of this one.
  int64_t culprit;
  (void)world.run.failure(culprit);
  return culprit == self ? toldOf(collective, lines) : status;
}

/// Another rank has failed. If it has waited for this one, which waits itself,
/// it is to be known for whom.
Status MpiCommunicator::toldOf(const Prepared &collective,
                               const std::vector<Line> &lines) {
  int64_t culprit, first;
  Status reason = world.run.failure(culprit);
  if (culprit != self)
    return interrupted(collective);
  std::string late = lateRanks(collective, lines, first);
  Status status = Status::runtimeError("rank " + std::to_string(self) +
                                       " itself waited for " + late + " in " +
                                       collective.spec.describe());
  // What another process has said need not be said again.
  if (!world.run.wasTold())
    status.message = reason.message + "; " + status.message;
  world.run.answer(status);
  return status;
}

Status MpiCommunicator::interrupted(const Prepared &collective) const {
  int64_t culprit;
  Status reason = world.run.failure(culprit);
  return Status::runtimeError("rank " + std::to_string(self) + " stopped at " +
                              collective.spec.describe() + " because of rank " +
                              std::to_string(culprit) + ": " + reason.message);
}

Status MpiCommunicator::failed(const Prepared &collective, const char *what,
                               int code) {
  Status status = world.run.library.failure(what, code);
  status.message = collective.spec.describe() + ": " + status.message;
  world.abort(self, status);
  return status;
}

} // namespace hocket::runtime
