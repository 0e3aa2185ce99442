//===- RunRecord.cpp - what the ranks of a process are doing --------------===//

#include "hocket/Plan/InstructionWords.h"
#include "hocket/Plan/Summary.h"
#include "runtime/lib/Ranks/RecordFile.h"
#include "runtime/lib/Ranks/WatchedProcess.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

namespace {

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

Status RunRecord::map(size_t size) {
  file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  // On a full disk a page would be missing when it is written.
  int code = file < 0 ? errno : posix_fallocate(file, 0, off_t(size));
  void *mapped =
      code ? MAP_FAILED
           : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (!code && (mapped == MAP_FAILED || flock(file, LOCK_EX | LOCK_NB) != 0))
    code = errno;
  if (code)
    return Status::runtimeError("record '" + path +
                                "' cannot be made: " + std::strerror(code));
  content = new (mapped) Content{};
  return Status::success();
}

Status RunRecord::create(const std::string &folder, const RecordedProcess &own,
                         const plan::Plan &plan) {
  path =
      (fs::path(folder) / (recordPrefix + std::to_string(own.index))).string();
  int64_t ranks = int64_t(own.ranks.size());
  std::vector<Content::Rank> made(own.ranks.size());
  Names names(plan);
  for (size_t i = 0; i < made.size(); ++i) {
    made[i].number = own.ranks[i];
    names.place(made[i]);
  }
  std::vector<WatchedProcess> watched = watchProcesses(own.others);
  watchedCount = int64_t(watched.size());
  beats = watchedCount < own.count - 1;
  RecordLayout layout(ranks, watchedCount);
  if (Status status = map(layout.names + names.text.size()); !status.ok()) {
    for (const WatchedProcess &one : watched)
      close(one.descriptor);
    return status;
  }
  content->process = own.index;
  content->pid = getpid();
  content->rankCount = ranks;
  content->watchedCount = watchedCount;
  content->nameBytes = int64_t(names.text.size());
  std::strncpy(content->host, hostName().c_str(), sizeof content->host - 1);
  for (size_t i = 0; i < made.size(); ++i)
    new (&content->ranks[i])
        Content::Rank{made[i].number, made[i].load,      made[i].loadCount,
                      made[i].step,   made[i].stepCount, {}};
  char *bytes = reinterpret_cast<char *>(content);
  std::memcpy(bytes + layout.names, names.text.data(), names.text.size());
  auto *numbers = reinterpret_cast<int64_t *>(bytes + layout.watched);
  polled = reinterpret_cast<pollfd *>(bytes + layout.polled);
  for (int64_t i = 0; i < watchedCount; ++i) {
    numbers[i] = watched[i].process;
    polled[i] = {watched[i].descriptor, POLLIN, 0};
  }
  // Now it can be read.
  std::atomic_signal_fence(std::memory_order_release);
  content->magic = recordMagic;
  startWatching();
  return Status::success();
}

RankPlace *RunRecord::placeOf(size_t local) {
  return content ? &content->ranks[local].place : nullptr;
}

void RunRecord::fail(const std::string &why) {
  hasFailed = true;
  if (content)
    std::strncpy(content->error, why.c_str(), sizeof content->error - 1);
}

/// What is mapped stays so: a rank that is stuck, and a handler of signals, may
/// still write to it.
RunRecord::~RunRecord() {
  stopWatching();
  if (!content || hasFailed)
    return;
  unlink(path.c_str());
  close(file);
}

} // namespace hocket::runtime
