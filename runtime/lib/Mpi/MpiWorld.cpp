//===- MpiWorld.cpp - ranks that send each other messages -----------------===//

#include "runtime/lib/Mpi/MpiWorld.h"
#include "runtime/lib/Mpi/MpiCommunicator.h"

namespace hocket::runtime {

/// A communicator for each set of axes, made once by all processes together.
MpiWorld::MpiWorld(MpiRun &run, const RankOptions &options, bool spins)
    : run(run), options(options), spins(spins),
      ranksEach(options.ranks / run.count()) {
  for (size_t set = 0; made.ok() && set < options.groups.size(); ++set) {
    made = run.copyEverybody(comms.emplace_back());
    Context context{set, comms.back()};
    for (const std::vector<int64_t> &members : options.groups[set])
      contexts.emplace(members, context);
  }
}

/// Worlds end in one order on all processes, except where the run has failed.
MpiWorld::~MpiWorld() {
  for (MpiComm &comm : comms)
    if (!run.hasFailed())
      run.library.call(
          [&](const MpiFunctions &mpi) { return mpi.drop(&comm); });
}

const MpiWorld::Context *
MpiWorld::contextOf(const std::vector<int64_t> &members) const {
  auto found = contexts.find(members);
  return found == contexts.end() ? nullptr : &found->second;
}

int MpiWorld::tagOf(int64_t number, int64_t from, int64_t to) const {
  int64_t tag =
      (number * ranksEach + from % ranksEach) * ranksEach + to % ranksEach;
  return tag <= run.tagLimit() ? int(tag) : -1;
}

LocalMessage &MpiWorld::localMessage(const LocalName &name) {
  std::lock_guard<std::mutex> lock(mutex);
  return locals[name];
}

std::unique_ptr<Communicator> MpiWorld::communicator(int64_t rank, Mover &) {
  return std::make_unique<MpiCommunicator>(*this, rank);
}

} // namespace hocket::runtime
