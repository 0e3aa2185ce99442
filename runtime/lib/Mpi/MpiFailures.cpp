//===- MpiFailures.cpp - what processes tell each other when one fails ----===//

#include "runtime/lib/Mpi/MpiRun.h"

namespace hocket::runtime {

std::string MpiRun::spread(const std::string &word) {
  lastWord = word;
  std::deque<MpiTransfer> transfers;
  for (int64_t process = 0; process < count(); ++process)
    if (process != index()) {
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
  return word;
}

void MpiRun::listen() {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock || hasFailed())
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
  takeWord(word);
}

} // namespace hocket::runtime
