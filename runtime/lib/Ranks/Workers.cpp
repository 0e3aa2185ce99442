//===- Workers.cpp - one thread for each rank -----------------------------===//

#include "runtime/lib/Ranks/Workers.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <system_error>

namespace hocket::runtime {

/// Outlives the Workers object if a thread is stuck in its task.
struct Workers::Shared {
  std::mutex mutex;
  std::condition_variable begin, end;
  std::shared_ptr<const Task> task;
  uint64_t generation = 0;
  bool quit = false, failed = false;
  std::vector<bool> finished;
  size_t finishedCount = 0;

  void serve(int64_t rank);
};

void Workers::Shared::serve(int64_t rank) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    begin.wait(lock, [&] { return quit || generation != seen; });
    if (quit)
      return;
    seen = generation;
    std::shared_ptr<const Task> mine = task;
    lock.unlock();
    bool good = (*mine)(rank);
    mine.reset();
    lock.lock();
    failed |= !good;
    finished[rank] = true;
    ++finishedCount;
    end.notify_one();
  }
}

static void keepTo(const std::vector<int> &cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores)
    CPU_SET(core, &set);
  // Only a matter of speed: where it is not allowed, run unpinned.
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static Status refused(const std::string &which, const std::system_error &why,
                      const char *instead) {
  return Status::runtimeError("the system refuses " + which + ": " +
                              why.code().message() +
                              "; raise its limit (ulimit -u, ulimit -v, or the "
                              "container's), or " +
                              instead);
}

Workers::Workers() : shared(std::make_shared<Shared>()) {}

void Workers::makeThread(int64_t rank, const std::vector<int> &cores) {
  threads.emplace_back([state = shared, rank, cores] {
    if (!cores.empty())
      keepTo(cores);
    state->serve(rank);
  });
}

Status Workers::start(const std::vector<int64_t> &ranks, int64_t count,
                      const std::vector<std::vector<int>> &cores) {
  shared->finished.assign(ranks.size(), true);
  for (size_t i = 0; i < ranks.size(); ++i)
    try {
      makeThread(int64_t(i), cores.empty() ? std::vector<int>() : cores[i]);
    } catch (const std::system_error &why) {
      return refused("a thread for rank " + std::to_string(ranks[i]) + " of " +
                         std::to_string(count),
                     why, "compile for fewer ranks");
    }
  return Status::success();
}

Status checkMoreThreads(int64_t count) {
  std::mutex all; // each thread lives until the last one is there
  std::unique_lock<std::mutex> lock(all);
  std::vector<std::thread> threads;
  Status status;
  for (int64_t i = 0; status.ok() && i < count; ++i)
    try {
      threads.emplace_back([&] { std::lock_guard<std::mutex> wait(all); });
    } catch (const std::system_error &why) {
      status =
          refused(std::to_string(count) + " threads for products and kernels",
                  why, "give fewer --threads");
    }
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
  return status;
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  std::vector<bool> finished;
  {
    std::lock_guard<std::mutex> lock(shared->mutex);
    shared->quit = true;
    finished = shared->finished;
  }
  shared->begin.notify_all();
  for (size_t rank = 0; rank < threads.size(); ++rank) {
    if (finished[rank])
      threads[rank].join();
    else
      threads[rank].detach();
  }
  threads.clear();
}

std::vector<bool> Workers::run(Task task, double patience, double grace) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  size_t count = threads.size();
  shared->task = std::make_shared<const Task>(std::move(task));
  shared->finished.assign(count, false);
  shared->finishedCount = 0;
  shared->failed = false;
  ++shared->generation;
  shared->begin.notify_all();
  shared->end.wait(lock, [&] { return shared->finishedCount > 0; });
  auto isDone = [&] { return shared->finishedCount == count; };
  auto wait = [&](double seconds, auto condition) {
    auto span = std::chrono::duration<double>(seconds);
    shared->end.wait_for(lock, span, condition);
  };
  wait(patience, [&] { return isDone() || shared->failed; });
  if (!isDone() && shared->failed)
    wait(std::min(patience, grace), isDone);
  shared->task.reset();
  return shared->finished;
}

} // namespace hocket::runtime
