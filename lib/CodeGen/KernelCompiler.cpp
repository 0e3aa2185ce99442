//===- KernelCompiler.cpp - kernels compiled in the background ------------===//

#include "hocket/CodeGen/KernelCompiler.h"
#include "PrepareKernel.h"
#include "lib/CodeGen/Cpu/Link.h"
#include "lib/CodeGen/Cpu/MachineCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

using namespace mlir;

namespace hocket::codegen {

struct KernelCache::State {
  std::mutex mutex;
  /// By target and symbol, which is a hash of the content.
  std::unordered_map<std::string, std::string> objects;
};

KernelCache::KernelCache() : state(std::make_unique<State>()) {}
KernelCache::~KernelCache() = default;

namespace {
struct Job {
  std::string symbol;
  Graph graph;
  Schedule schedule;
  std::string object, error;
};
} // namespace

struct KernelCompiler::State {
  State(const CodeGenOptions &options, KernelCache *cache)
      : options(options), cache(cache) {
    if (!this->cache) {
      own = std::make_unique<KernelCache>();
      this->cache = own.get();
    }
    target = resolveCpu(options.cpu, error);
  }
  ~State() { stop(); }

  std::string enqueue(Graph graph, Schedule schedule);
  void work();
  void stop();
  void run(Job &job, ObjectCompiler &compiler);

  CodeGenOptions options;
  KernelCache *cache;
  std::unique_ptr<KernelCache> own;
  std::optional<CpuTarget> target;
  std::string error;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<HookFile> hooks;
  std::deque<Job> jobs; // never moved: threads hold references
  std::unordered_map<std::string, Job *> bySymbol;
  size_t next = 0; // job to take
  bool closed = false;
  std::vector<std::thread> threads;
};

/// The symbol of a kernel: a hash of all that it depends on but the CPU.
static std::string symbolOf(const Graph &graph) {
  auto digest =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(graph.serialize()));
  return "k_" +
         llvm::toHex(llvm::ArrayRef<uint8_t>(digest).take_front(8), true);
}

std::string KernelCompiler::State::enqueue(Graph graph, Schedule schedule) {
  std::string symbol = symbolOf(graph);
  if (!options.machineCode)
    return symbol;
  std::lock_guard<std::mutex> guard(mutex);
  if (bySymbol.count(symbol))
    return symbol;
  jobs.push_back({symbol, std::move(graph), std::move(schedule), {}, {}});
  bySymbol[symbol] = &jobs.back();
  unsigned limit =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  if (target && threads.size() < std::max(limit, 1u) &&
      jobs.size() - next > threads.size())
    threads.emplace_back([this] { work(); });
  changed.notify_one();
  return symbol;
}

void KernelCompiler::State::run(Job &job, ObjectCompiler &compiler) {
  std::string key =
      target->text() + (options.optimize ? " " : " quick ") + job.symbol;
  {
    std::lock_guard<std::mutex> guard(cache->state->mutex);
    auto known = cache->state->objects.find(key);
    if (known != cache->state->objects.end()) {
      job.object = known->second;
      return;
    }
  }
  job.object = compiler.compile(job.symbol, job.graph, job.schedule, job.error);
  if (job.object.empty())
    return;
  std::lock_guard<std::mutex> guard(cache->state->mutex);
  cache->state->objects[key] = job.object;
}

void KernelCompiler::State::work() {
  ObjectCompiler compiler(*target, options.optimize);
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return closed || next < jobs.size(); });
    if (next == jobs.size())
      return;
    Job &job = jobs[next++];
    lock.unlock();
    run(job, compiler);
    lock.lock();
  }
}

void KernelCompiler::State::stop() {
  {
    std::lock_guard<std::mutex> guard(mutex);
    closed = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  threads.clear();
  closed = false;
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

KernelCompiler::KernelCompiler(const CodeGenOptions &options,
                               KernelCache *cache)
    : state(std::make_unique<State>(options, cache)) {}
KernelCompiler::~KernelCompiler() = default;

llvm::FailureOr<KernelInfo> KernelCompiler::add(const KernelRequest &request) {
  Schedule schedule;
  std::unique_ptr<GraphBuilder> prepared = prepareOrReport(request, schedule);
  if (!prepared)
    return failure();
  GraphBuilder &builder = *prepared;
  KernelInfo info;
  info.flops = builder.graph.flops();
  info.extent = schedule.extent;
  info.scalars.assign(builder.scalars.begin(), builder.scalars.end());
  info.inPlace = inPlaceOf(request, builder.graph, schedule);
  for (auto [input, output] : info.inPlace)
    builder.graph.inPlace.push_back({int(input), int(output)});
  info.symbol = state->enqueue(builder.graph, std::move(schedule));
  for (TableGraph &table : builder.tables) {
    Schedule loops;
    if (!makeSchedule(table.graph, loops, builder.reason))
      return request.body->getTerminator()->emitError(builder.reason);
    KernelTable &made = info.tables.emplace_back();
    made.extent = loops.extent;
    made.type = table.type;
    made.shape = table.shape;
    if (table.first)
      made.scalar = KernelScalar{KernelScalar::Kind::Table, table.first};
    made.symbol = state->enqueue(table.graph, std::move(loops));
  }
  return info;
}

void KernelCompiler::addHook(const HookFile &hook) {
  for (const HookFile &known : state->hooks)
    if (known.name == hook.name)
      return;
  state->hooks.push_back(hook);
}

std::optional<std::vector<uint8_t>> KernelCompiler::finish(std::string &error) {
  state->stop();
  if (!state->options.machineCode)
    return std::vector<uint8_t>();
  if (!state->target) {
    error = state->error;
    return std::nullopt;
  }
  std::vector<std::string> objects;
  for (Job &job : state->jobs) {
    if (job.object.empty()) {
      error = "compiling kernel " + job.symbol + " failed: " + job.error;
      return std::nullopt;
    }
    objects.push_back(job.object);
  }
  return linkSharedObject(objects, state->hooks, state->options.cpu, error);
}

} // namespace hocket::codegen
