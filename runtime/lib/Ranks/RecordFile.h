//===- RecordFile.h - how a record of a run lies in its file ---*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_RECORDFILE_H
#define HOCKET_LIB_RANKS_RECORDFILE_H

#include "hocket/Runtime/RunRecord.h"

namespace hocket::runtime {

inline constexpr const char *recordPrefix = ".running-";
inline constexpr uint64_t recordMagic = 0x32304e5552434f48; // HOCRUN02
inline constexpr int64_t mostRecordedRanks = 1024;          // of a process

/// Behind it the names of instructions, one a line, for all ranks.
struct RunRecord::Content {
  uint64_t magic;
  int64_t process, pid, rankCount, nameBytes;
  std::atomic<int64_t> lastBeat, sawEnd, sawAt;
  std::atomic<int32_t> signal;
  char host[64], error[2048];
  struct Rank {
    int64_t number;
    /// Its lists of instructions, by their first line and their length.
    int64_t load, loadCount, step, stepCount;
    RankPlace place;
  } ranks[];
};

inline size_t bytesBeforeNames(int64_t ranks) {
  return sizeof(RunRecord::Content) +
         size_t(ranks) * sizeof(RunRecord::Content::Rank);
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_RECORDFILE_H
