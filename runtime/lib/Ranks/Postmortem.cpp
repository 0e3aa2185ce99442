//===- Postmortem.cpp - how a run ended that could not say it -------------===//

#include "hocket/Runtime/RunRecord.h"
#include <algorithm>
#include <map>

namespace hocket::runtime {

/// Those that ended first: another one saw it, or the launcher asked the others
/// to end, or they went on longer.
static std::vector<bool> findFailed(const std::vector<ReadRecord> &records) {
  const ReadRecord *seer = nullptr;
  for (const ReadRecord &record : records)
    if (record.sawEnd >= 0 && (!seer || record.sawAt < seer->sawAt))
      seer = &record;
  std::vector<bool> seen;
  for (const ReadRecord &record : records)
    seen.push_back(seer && record.process == seer->sawEnd);
  if (seer)
    return seen;
  constexpr int64_t beats = 6000000; // three of them
  bool anyAsked = false;
  int64_t last = 0;
  for (const ReadRecord &record : records) {
    anyAsked |= record.signal != 0;
    last = std::max(last, record.lastBeat);
  }
  std::vector<bool> failed;
  for (const ReadRecord &record : records)
    failed.push_back(anyAsked ? record.signal == 0
                              : record.lastBeat < last - beats);
  return failed;
}

/// "; rank 0 had come least far", where not all have come equally far: it may
/// be one that the others waited for.
static std::string leastFar(const std::vector<ReadRecord> &records) {
  using Progress = std::pair<int64_t, int64_t>;
  std::map<Progress, std::vector<int64_t>> ranks;
  for (const ReadRecord &record : records)
    for (const ReadRecord::Rank &rank : record.ranks)
      ranks[{rank.step, rank.instruction < 0 ? INT64_MAX : rank.instruction}]
          .push_back(rank.number);
  if (ranks.size() < 2)
    return ":";
  std::string text;
  for (int64_t rank : ranks.begin()->second)
    text += (text.empty() ? "" : " and rank ") + std::to_string(rank);
  return "; rank " + text + " had come least far:";
}

static std::string textOf(const std::vector<ReadRecord> &records) {
  std::vector<bool> failed = findFailed(records);
  // Only a launcher that asks the others to end leaves no doubt: one that kills
  // them at once may have killed this one too.
  bool isSure = std::any_of(records.begin(), records.end(),
                            [](const ReadRecord &x) { return x.signal != 0; });
  std::string end = isSure ? "was killed" : "was seen to end first,";
  std::string error, first, others;
  for (size_t i = 0; i < records.size(); ++i) {
    if (error.empty())
      error = records[i].error;
    for (const ReadRecord::Rank &rank : records[i].ranks) {
      std::string name = "rank " + std::to_string(rank.number);
      if (failed[i])
        first += (first.empty() ? "" : "; ") + name + " (process " +
                 std::to_string(records[i].pid) + " on " + records[i].host +
                 ") " + end + " " + rank.place;
      else
        others += "\n  " + name + " was " + rank.place;
    }
  }
  if (!error.empty())
    return "the last run failed: " + error + others;
  if (first.empty())
    return "the last run was killed, all of its ranks at once" +
           leastFar(records) + others;
  return "the last run failed: " + first + others;
}

Postmortem postmortem(const std::string &folder) {
  ReadRecords read = readRecords(folder);
  if (!read.locked.empty())
    return {"a run still goes on there: its process has a lock on '" +
                read.locked + "'",
            {}};
  return {read.records.empty() ? "" : textOf(read.records), read.unreadable};
}

} // namespace hocket::runtime
