//===- Postmortem.cpp - how a run ended that could not say it -------------===//

#include "hocket/Runtime/RunRecord.h"
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace hocket::runtime {

/// How a process's end was seen by those that watched it.
struct SeenEnd {
  int64_t unseen = 0; // by so many
  int64_t at = INT64_MAX;
  bool isSeen = false;

  bool operator<(const SeenEnd &other) const {
    return std::tie(unseen, at) < std::tie(other.unseen, other.at);
  }
};

static bool has(const std::vector<int64_t> &processes, int64_t process) {
  return std::count(processes.begin(), processes.end(), process) != 0;
}

static SeenEnd seenEnd(const std::vector<ReadRecord> &records,
                       const ReadRecord &record) {
  SeenEnd seen;
  for (const ReadRecord &other : records) {
    if (!has(other.watched, record.process))
      continue;
    if (!has(other.ended, record.process)) {
      ++seen.unseen;
      continue;
    }
    seen.isSeen = true;
    if (other.sawAt)
      seen.at = std::min(seen.at, other.sawAt);
  }
  return seen;
}

/// Whether it saw one end that has left a record, and so not ended in order.
static bool outlived(const std::vector<ReadRecord> &records,
                     const ReadRecord &record) {
  return std::any_of(records.begin(), records.end(), [&](const auto &other) {
    return has(record.ended, other.process);
  });
}

/// Whom others saw end, while it saw nobody end: on its machine it was the
/// first. Of several machines the one that most saw, or saw earliest.
static std::vector<bool> findSeen(const std::vector<ReadRecord> &records,
                                  const std::vector<bool> &mayBe) {
  std::vector<bool> found(records.size());
  std::optional<SeenEnd> first;
  for (size_t i = 0; i < records.size(); ++i) {
    SeenEnd seen = seenEnd(records, records[i]);
    if (!mayBe[i] || !seen.isSeen || outlived(records, records[i]))
      continue;
    if (!first || seen < *first) {
      first = seen;
      found.assign(records.size(), false);
    }
    found[i] = !(*first < seen);
  }
  return found;
}

/// Those that went on less long than others did.
static std::vector<bool> findOldBeats(const std::vector<ReadRecord> &records) {
  constexpr int64_t beats = 6000000; // three of them
  int64_t last = 0;
  bool all = true;
  for (const ReadRecord &record : records) {
    last = std::max(last, record.lastBeat);
    all &= record.lastBeat != 0;
  }
  std::vector<bool> found;
  for (const ReadRecord &record : records)
    found.push_back(all && record.lastBeat < last - beats);
  return found;
}

/// Those that ended first: another one saw it, or the launcher asked the others
/// to end, or they went on longer.
static std::vector<bool> findFailed(const std::vector<ReadRecord> &records) {
  std::vector<bool> notAsked;
  for (const ReadRecord &record : records)
    notAsked.push_back(record.signal == 0);
  bool allAlike = std::count(notAsked.begin(), notAsked.end(), true) ==
                  int64_t(records.size());
  std::vector<bool> seen = findSeen(records, notAsked);
  if (std::count(seen.begin(), seen.end(), true))
    return seen;
  return allAlike ? findOldBeats(records) : notAsked;
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
