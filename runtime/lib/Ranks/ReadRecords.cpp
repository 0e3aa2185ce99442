//===- ReadRecords.cpp - the records of a run that has ended --------------===//

#include "runtime/lib/Ranks/RecordFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

static std::vector<std::string> recordsIn(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code))
    if (at->path().filename().string().compare(0, std::strlen(recordPrefix),
                                               recordPrefix) == 0)
      paths.push_back(at->path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

static std::string placeText(const RunRecord::Content::Rank &rank,
                             const std::vector<std::string> &names) {
  int64_t step = rank.place.step, instruction = rank.place.instruction;
  bool loads = step == 0;
  int64_t count = loads ? rank.loadCount : rank.stepCount;
  int64_t line = (loads ? rank.load : rank.step) + instruction;
  if (instruction < 0 || instruction >= count || line < 0 ||
      line >= int64_t(names.size()))
    return loads ? "in no instruction, while loading"
                 : "in no instruction, after step " + std::to_string(step);
  return "in " + names[line] +
         (loads ? " while loading" : " of step " + std::to_string(step));
}

static bool readRecord(const std::string &path, ReadRecord &record) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  if (bytes.size() < bytesBeforeNames(0))
    return false;
  auto *content = reinterpret_cast<const RunRecord::Content *>(bytes.data());
  if (content->magic != recordMagic || content->rankCount < 0 ||
      content->rankCount > mostRecordedRanks)
    return false;
  size_t before = bytesBeforeNames(content->rankCount);
  if (content->nameBytes < 0 ||
      bytes.size() < before + size_t(content->nameBytes))
    return false;
  std::vector<std::string> names = linesOf(bytes.substr(before));
  record.host.assign(content->host,
                     strnlen(content->host, sizeof content->host));
  record.error.assign(content->error,
                      strnlen(content->error, sizeof content->error));
  record.process = content->process;
  record.pid = content->pid;
  record.sawEnd = content->sawEnd;
  record.sawAt = content->sawAt;
  record.lastBeat = content->lastBeat;
  record.signal = content->signal;
  for (int64_t i = 0; i < content->rankCount; ++i) {
    const RunRecord::Content::Rank &rank = content->ranks[i];
    record.ranks.push_back({rank.number, rank.place.step,
                            rank.place.instruction, placeText(rank, names)});
  }
  return true;
}

/// A process lives as long as its lock.
static bool isLocked(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  bool locked =
      file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (file >= 0)
    close(file);
  return locked;
}

std::vector<ReadRecord> readRecords(const std::string &folder) {
  std::vector<ReadRecord> records;
  for (const std::string &path : recordsIn(folder)) {
    ReadRecord record;
    if (isLocked(path))
      return {};
    if (readRecord(path, record))
      records.push_back(record);
  }
  return records;
}

void removeRecords(const std::string &folder) {
  for (const std::string &path : recordsIn(folder))
    unlink(path.c_str());
}

} // namespace hocket::runtime
