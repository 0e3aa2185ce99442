//===- RecordFile.h - how a record of a run lies in its file ---*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_RECORDFILE_H
#define HOCKET_LIB_RANKS_RECORDFILE_H

#include "hocket/Runtime/RunRecord.h"
#include <poll.h>

namespace hocket::runtime {

inline constexpr const char *recordPrefix = ".running-";
inline constexpr uint64_t recordMagic = 0x33304e5552434f48; // HOCRUN03
inline constexpr int64_t mostRecorded = 1 << 20;            // ranks, or watched

/// Behind it the other processes that this one watches (a number each), a
/// pollfd for each of them and one more, and the names of instructions, one a
/// line, for all ranks.
struct RunRecord::Content {
  uint64_t magic;
  int64_t process, pid, rankCount, watchedCount, nameBytes;
  std::atomic<int64_t> lastBeat; // 0 where none is needed
  std::atomic<int64_t> sawAt;    // when it had time to note that one has ended
  std::atomic<int32_t> signal;
  char host[64], error[2048];
  struct Rank {
    int64_t number;
    /// Its lists of instructions, by their first line and their length.
    int64_t load, loadCount, step, stepCount;
    RankPlace place;
  } ranks[];
};

/// Where the parts are in a file.
struct RecordLayout {
  RecordLayout(int64_t ranks, int64_t watched)
      : watched(sizeof(RunRecord::Content) +
                size_t(ranks) * sizeof(RunRecord::Content::Rank)),
        polled(this->watched + size_t(watched) * sizeof(int64_t)),
        names(polled + size_t(watched + 1) * sizeof(pollfd)) {}

  size_t watched, polled, names;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_RECORDFILE_H
