//===- RunRecord.cpp - what the ranks of a process are doing --------------===//

#include "hocket/Plan/InstructionWords.h"
#include "hocket/Plan/Summary.h"
#include "runtime/lib/Ranks/RecordFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <new>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

namespace {

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

/// Of all that a process's ranks may be in; ranks of one class share theirs.
class Names {
public:
  explicit Names(const plan::Plan &plan) : plan(plan) {}
  void place(RunRecord::Content::Rank &rank);

  std::string text;

private:
  int64_t add(const std::vector<plan::Instruction> &list);

  const plan::Plan &plan;
  int64_t lines = 0;
  std::map<const plan::RankClass *, std::pair<int64_t, int64_t>> added;
};

} // namespace

/// "matmul of "h.0.mlp" (gpt2.hkt:3:4)"
static std::string nameOf(const plan::Plan &plan,
                          const plan::Instruction &instruction) {
  plan::Source source;
  if (instruction.source >= 0)
    source = plan.sources[instruction.source];
  auto *collective = std::get_if<plan::Collective>(&instruction.body);
  const char *word = collective
                         ? plan::toString(collective->namedKind())
                         : plan::instructionWords[instruction.body.index()];
  return plan::describe(word, source);
}

int64_t Names::add(const std::vector<plan::Instruction> &list) {
  int64_t first = lines;
  for (const plan::Instruction &instruction : list) {
    std::string name = nameOf(plan, instruction);
    std::replace(name.begin(), name.end(), '\n', ' ');
    text += name + "\n";
    ++lines;
  }
  return first;
}

void Names::place(RunRecord::Content::Rank &rank) {
  for (const plan::RankClass &rankClass : plan.classes) {
    if (!std::count(rankClass.ranks.begin(), rankClass.ranks.end(),
                    rank.number))
      continue;
    auto [found, isNew] = added.try_emplace(&rankClass);
    if (isNew) {
      found->second.first = add(rankClass.load);
      found->second.second = add(rankClass.step);
    }
    rank.load = found->second.first;
    rank.loadCount = int64_t(rankClass.load.size());
    rank.step = found->second.second;
    rank.stepCount = int64_t(rankClass.step.size());
    return;
  }
}

std::atomic<int> &askedToEnd() {
  static std::atomic<int> signal{0};
  return signal;
}

Status RunRecord::create(const std::string &folder, int64_t process,
                         const std::vector<int64_t> &ranks,
                         const plan::Plan &plan) {
  std::vector<Content::Rank> made(ranks.size());
  Names names(plan);
  for (size_t i = 0; i < ranks.size(); ++i) {
    made[i].number = ranks[i];
    names.place(made[i]);
  }
  path = (fs::path(folder) / (recordPrefix + std::to_string(process))).string();
  size_t before = bytesBeforeNames(int64_t(ranks.size()));
  bytes = before + names.text.size();
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
  content->process = process;
  content->pid = getpid();
  content->sawEnd = -1;
  content->rankCount = int64_t(ranks.size());
  content->nameBytes = int64_t(names.text.size());
  content->lastBeat = now();
  std::strncpy(content->host, hostName().c_str(), sizeof content->host - 1);
  for (size_t i = 0; i < ranks.size(); ++i)
    new (&content->ranks[i])
        Content::Rank{made[i].number, made[i].load,      made[i].loadCount,
                      made[i].step,   made[i].stepCount, {}};
  std::memcpy(static_cast<char *>(mapped) + before, names.text.data(),
              names.text.size());
  // Now it can be read.
  std::atomic_signal_fence(std::memory_order_release);
  content->magic = recordMagic;
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
  munmap(content, bytes);
  unlink(path.c_str());
  close(file);
}

} // namespace hocket::runtime
