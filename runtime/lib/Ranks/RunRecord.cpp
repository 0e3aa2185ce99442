//===- RunRecord.cpp - what the ranks of a process are doing --------------===//

#include "hocket/Runtime/RunRecord.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <new>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

namespace {

constexpr const char *prefix = ".running-";
constexpr uint64_t magic = 0x31304e5552434f48; // HOCRUN01
constexpr int64_t mostRanks = 1024;            // of a process

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

std::string hostName() {
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

} // namespace

struct RunRecord::Content {
  uint64_t magic;
  int64_t process, pid, rankCount;
  std::atomic<int64_t> lastBeat, sawEnd, sawAt;
  std::atomic<int32_t> signal;
  char host[64], error[2048];
  struct Rank {
    int64_t number;
    RankPlace place;
  } ranks[];
};

static size_t bytesFor(int64_t ranks) {
  return sizeof(RunRecord::Content) +
         size_t(ranks) * sizeof(RunRecord::Content::Rank);
}

std::atomic<int> &askedToEnd() {
  static std::atomic<int> signal{0};
  return signal;
}

Status RunRecord::create(const std::string &folder, int64_t process,
                         const std::vector<int64_t> &ranks) {
  path = (fs::path(folder) / (prefix + std::to_string(process))).string();
  size_t bytes = bytesFor(int64_t(ranks.size()));
  file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  // On a full disk a page would be missing when it is written.
  int code = file < 0 ? errno : posix_fallocate(file, 0, off_t(bytes));
  void *mapped =
      code ? MAP_FAILED
           : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (!code && (mapped == MAP_FAILED || flock(file, LOCK_EX | LOCK_NB) != 0))
    code = errno;
  if (code)
    return Status::runtimeError("record '" + path +
                                "' cannot be made: " + std::strerror(code));
  content = new (mapped) Content{};
  content->magic = magic;
  content->process = process;
  content->pid = getpid();
  content->sawEnd = -1;
  content->rankCount = int64_t(ranks.size());
  content->lastBeat = now();
  std::strncpy(content->host, hostName().c_str(), sizeof content->host - 1);
  for (size_t i = 0; i < ranks.size(); ++i)
    new (&content->ranks[i]) Content::Rank{ranks[i], {}};
  return Status::success();
}

void RunRecord::watch(
    const std::vector<std::pair<int64_t, int64_t>> &pidByProcess) {
  for (auto [process, pid] : pidByProcess) {
    // An older kernel has none; then the times of beats have to tell.
    int descriptor = int(syscall(SYS_pidfd_open, pid_t(pid), 0));
    if (descriptor >= 0)
      watched.push_back({process, descriptor});
  }
  beating = std::thread([this] { beat(); });
}

/// The one that died first has the oldest time.
void RunRecord::beat() {
  constexpr int pause = 2; // milliseconds
  std::vector<pollfd> polled;
  for (const auto &one : watched)
    polled.push_back({one.second, POLLIN, 0});
  while (!ends.load()) {
    content->lastBeat.store(now(), std::memory_order_relaxed);
    content->signal.store(askedToEnd().load(), std::memory_order_relaxed);
    if (poll(polled.data(), polled.size(), pause) <= 0)
      continue;
    for (size_t i = 0; i < polled.size(); ++i)
      if (polled[i].revents) {
        noteEnd(i);
        break;
      }
    polled.clear();
  }
}

void RunRecord::noteEnd(size_t number) {
  content->sawAt = now();
  content->sawEnd = watched[number].first;
}

RankPlace *RunRecord::placeOf(size_t local) {
  return content ? &content->ranks[local].place : nullptr;
}

void RunRecord::fail(const std::string &why) {
  hasFailed = true;
  if (content)
    std::strncpy(content->error, why.c_str(), sizeof content->error - 1);
}

RunRecord::~RunRecord() {
  ends.store(true);
  if (beating.joinable())
    beating.join();
  for (const auto &one : watched)
    close(one.second);
  if (!content)
    return;
  // Where a rank is stuck it may still write to it.
  if (hasFailed)
    return;
  munmap(content, bytesFor(content->rankCount));
  unlink(path.c_str());
  close(file);
}

// ---- afterwards -----------------------------------------------------------

static std::vector<std::string> recordsIn(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code))
    if (at->path().filename().string().compare(0, std::strlen(prefix),
                                               prefix) == 0)
      paths.push_back(at->path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static bool readRecord(const std::string &path, ReadRecord &record) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  if (bytes.size() < bytesFor(0))
    return false;
  auto *content = reinterpret_cast<const RunRecord::Content *>(bytes.data());
  if (content->magic != magic || content->rankCount < 0 ||
      content->rankCount > mostRanks ||
      bytes.size() < bytesFor(content->rankCount))
    return false;
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
    record.ranks.push_back(
        {rank.number, rank.place.step, rank.place.instruction});
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
