//===- ReadRecords.cpp - the records of a run that has ended --------------===//

#include "runtime/lib/Ranks/RecordFile.h"
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

static constexpr const char *isShort =
                                "it is cut short, or was not yet written whole",
                            *isDamaged = "it is damaged, or of another version";

/// The number in ".running-12", or -1: what else is in the folder is not ours.
static int64_t processOf(const std::string &name) {
  size_t before = std::strlen(recordPrefix);
  int64_t process = -1;
  if (name.compare(0, before, recordPrefix) == 0)
    std::from_chars(name.data() + before, name.data() + name.size(), process);
  return name == recordPrefix + std::to_string(process) ? process : -1;
}

/// Their paths, by process.
static std::map<int64_t, std::string> recordsIn(const std::string &folder) {
  std::map<int64_t, std::string> paths;
  std::error_code code, none;
  for (fs::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code))
    if (int64_t process = processOf(at->path().filename().string());
        process >= 0 && at->is_regular_file(none))
      paths[process] = at->path().string();
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
  if (instruction < 0 ||
      instruction >= (loads ? rank.loadCount : rank.stepCount))
    return loads ? "in no instruction, while loading"
                 : "in no instruction, after step " + std::to_string(step);
  return "in " + names[(loads ? rank.load : rank.step) + instruction] +
         (loads ? " while loading" : " of step " + std::to_string(step));
}

/// Whether a rank's lists are lines of the file.
static bool hasLists(const RunRecord::Content::Rank &rank, int64_t lines) {
  auto isIn = [&](int64_t first, int64_t count) {
    return first >= 0 && count >= 0 && first <= lines && count <= lines - first;
  };
  return isIn(rank.load, rank.loadCount) && isIn(rank.step, rank.stepCount);
}

/// What is wrong with a file's bytes; else empty.
static std::string readRecord(const std::string &bytes, ReadRecord &record) {
  if (bytes.size() < RecordLayout(0, 0).names)
    return isShort;
  auto *content = reinterpret_cast<const RunRecord::Content *>(bytes.data());
  if (content->magic == 0)
    return isShort;
  if (content->magic != recordMagic || content->rankCount < 0 ||
      content->rankCount > mostRecorded || content->watchedCount < 0 ||
      content->watchedCount > mostRecorded || content->nameBytes < 0)
    return isDamaged;
  RecordLayout layout(content->rankCount, content->watchedCount);
  if (bytes.size() < layout.names ||
      bytes.size() - layout.names < size_t(content->nameBytes))
    return isShort;
  std::vector<std::string> names = linesOf(bytes.substr(layout.names));
  record.host.assign(content->host,
                     strnlen(content->host, sizeof content->host));
  record.error.assign(content->error,
                      strnlen(content->error, sizeof content->error));
  record.process = content->process;
  record.pid = content->pid;
  record.sawAt = content->sawAt;
  record.lastBeat = content->lastBeat;
  record.signal = content->signal;
  auto *watched =
      reinterpret_cast<const int64_t *>(bytes.data() + layout.watched);
  auto *polled = reinterpret_cast<const pollfd *>(bytes.data() + layout.polled);
  for (int64_t i = 0; i < content->watchedCount; ++i) {
    record.watched.push_back(watched[i]);
    if (polled[i].revents & (POLLIN | POLLHUP))
      record.ended.push_back(watched[i]);
  }
  for (int64_t i = 0; i < content->rankCount; ++i) {
    const RunRecord::Content::Rank &rank = content->ranks[i];
    if (!hasLists(rank, int64_t(names.size())))
      return isDamaged;
    record.ranks.push_back({rank.number, rank.place.step,
                            rank.place.instruction, placeText(rank, names)});
  }
  return "";
}

static std::string readRecordFile(const std::string &path, ReadRecord &record) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  if (stream)
    bytes << stream.rdbuf();
  if (!stream || stream.bad())
    return std::strerror(errno ? errno : EIO);
  return readRecord(bytes.str(), record);
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

ReadRecords readRecords(const std::string &folder) {
  ReadRecords read;
  for (const auto &[process, path] : recordsIn(folder)) {
    if (isLocked(path))
      return {{}, {}, path};
    ReadRecord record;
    std::string fault = readRecordFile(path, record);
    if (fault.empty() && record.process != process)
      fault = isDamaged;
    if (fault.empty())
      read.records.push_back(record);
    else
      read.unreadable.push_back("record '" + path +
                                "' cannot be read: " + fault);
  }
  return read;
}

void removeRecords(const std::string &folder) {
  for (const auto &[process, path] : recordsIn(folder))
    unlink(path.c_str());
}

} // namespace hocket::runtime
