//===- MpiFailures.cpp - what processes tell each other when one fails ----===//

#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Mpi/MpiRun.h"

namespace hocket::runtime {

void MpiRun::fail(int64_t rank, const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.load())
    return;
  culprit = rank;
  reason = why;
  BytePacker packer;
  packer.add(rank);
  packer.add(why.kind);
  packer.add(why.message);
  lastWord = packer.bytes;
  std::deque<MpiTransfer> transfers;
  for (int64_t process = 0; process < processes; ++process)
    if (process != ownIndex) {
      MpiTransfer &transfer = transfers.emplace_back();
      library.call([&](const MpiFunctions &mpi) {
        return mpi.send(lastWord.data(), int64_t(lastWord.size()),
                        library.mostBytes, int(process), Word, words,
                        &transfer.request);
      });
    }
  // A process that is stuck takes no message.
  for (auto until = after(0.2); Clock::now() < until;) {
    int64_t bytes = 0;
    int isDone = 0;
    bool all = true;
    for (MpiTransfer &transfer : transfers) {
      if (!transfer.isDone)
        library.call([&](const MpiFunctions &mpi) {
          return mpi.test(&transfer.request, &isDone, &bytes);
        });
      transfer.isDone |= isDone != 0;
      all &= transfer.isDone;
    }
    if (all)
      break;
  }
  failed.store(true);
}

void MpiRun::answer(const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  reason = why;
  told.store(false);
}

void MpiRun::listen() {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock || failed.load())
    return;
  int isThere = 0, from = 0;
  int64_t bytes = 0;
  int code = library.call([&](const MpiFunctions &mpi) {
    return mpi.probe(Word, words, &isThere, &from, &bytes);
  });
  if (code || !isThere)
    return;
  std::string word(size_t(bytes), 0);
  MpiTransfer transfer;
  library.call([&](const MpiFunctions &mpi) {
    return mpi.receive(word.data(), bytes, library.mostBytes, from, Word, words,
                       &transfer.request);
  });
  for (int isDone = 0; !isDone;)
    if (library.call([&](const MpiFunctions &mpi) {
          return mpi.test(&transfer.request, &isDone, &bytes);
        }))
      return;
  ByteUnpacker unpacker(word);
  unpacker.take(culprit);
  unpacker.take(reason.kind);
  unpacker.take(reason.message);
  told.store(true);
  failed.store(true);
}

Status MpiRun::failure(int64_t &rank) const {
  std::lock_guard<std::mutex> lock(mutex);
  rank = culprit;
  return reason;
}

Status MpiRun::interrupted() const {
  int64_t rank;
  return failure(rank);
}

std::string MpiRun::nameOf(int64_t process) const {
  int64_t first = process * ranksEach, last = first + ranksEach - 1;
  return first == last
             ? "rank " + std::to_string(first)
             : "ranks " + std::to_string(first) + " to " + std::to_string(last);
}

} // namespace hocket::runtime
