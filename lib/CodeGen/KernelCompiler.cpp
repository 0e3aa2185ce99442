//===- KernelCompiler.cpp - kernels compiled in the background ------------===//

#include "hocket/CodeGen/KernelCompiler.h"
#include "Backend.h"
#include "PrepareKernel.h"
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
  ScheduledKernel kernel;
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
    backend = makeBackend(options, error);
  }
  ~State() { stop(); }

  std::string enqueue(const ScheduledKernel &kernel);
  void work();
  void stop();
  void run(Job &job, KernelBackend::Worker &worker);

  CodeGenOptions options;
  KernelCache *cache;
  std::unique_ptr<KernelCache> own;
  std::unique_ptr<KernelBackend> backend;
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

/// The symbol of a kernel: a hash of all that it depends on but the chip.
static std::string symbolOf(const std::string &content) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(content));
  return "k_" +
         llvm::toHex(llvm::ArrayRef<uint8_t>(digest).take_front(8), true);
}

std::string KernelCompiler::State::enqueue(const ScheduledKernel &kernel) {
  std::string symbol = symbolOf(kernel.content);
  if (!options.machineCode)
    return symbol;
  std::lock_guard<std::mutex> guard(mutex);
  if (bySymbol.count(symbol))
    return symbol;
  jobs.push_back({symbol, kernel, {}, {}});
  bySymbol[symbol] = &jobs.back();
  unsigned limit =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  if (backend && threads.size() < std::max(limit, 1u) &&
      jobs.size() - next > threads.size())
    threads.emplace_back([this] { work(); });
  changed.notify_one();
  return symbol;
}

void KernelCompiler::State::run(Job &job, KernelBackend::Worker &worker) {
  std::string key = backend->key() + " " + job.symbol;
  {
    std::lock_guard<std::mutex> guard(cache->state->mutex);
    auto known = cache->state->objects.find(key);
    if (known != cache->state->objects.end()) {
      job.object = known->second;
      return;
    }
  }
  job.object = worker.compile(job.symbol, job.kernel, job.error);
  if (job.object.empty())
    return;
  std::lock_guard<std::mutex> guard(cache->state->mutex);
  cache->state->objects[key] = job.object;
}

void KernelCompiler::State::work() {
  std::unique_ptr<KernelBackend::Worker> worker = backend->makeWorker();
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return closed || next < jobs.size(); });
    if (next == jobs.size())
      return;
    Job &job = jobs[next++];
    lock.unlock();
    run(job, *worker);
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

/// How a kernel runs, whose entries are called after `symbol`.
static std::vector<KernelLaunch> launchesOf(const ScheduledKernel &kernel,
                                            const std::string &symbol) {
  std::vector<KernelLaunch> launches;
  if (auto *loops = std::get_if<CpuKernel>(&kernel.how)) {
    KernelLaunch &all = launches.emplace_back();
    all.symbol = symbol;
    all.extent = loops->schedule.extent;
    all.threads = 0;
    all.flops = loops->graph.flops();
    int operands = loops->graph.inputTypes.size();
    for (int i = 0; i < operands; ++i)
      all.inputs.push_back(i);
    for (size_t i = 0; i < loops->graph.outputTypes.size(); ++i)
      all.outputs.push_back(operands + int(i));
    return launches;
  }
  const GpuKernel &steps = std::get<GpuKernel>(kernel.how);
  for (auto [i, step] : llvm::enumerate(steps.steps)) {
    KernelLaunch &launch = launches.emplace_back();
    launch.symbol = entryName(symbol, steps, i);
    launch.extent = step.schedule.blocks;
    launch.threads = step.schedule.threads;
    launch.flops = step.graph.flops();
    ArrayRef<int> operands = step.operands;
    size_t inputs = step.graph.inputTypes.size();
    launch.inputs = llvm::to_vector(operands.take_front(inputs));
    launch.outputs = llvm::to_vector(operands.drop_front(inputs));
  }
  return launches;
}

llvm::FailureOr<KernelInfo> KernelCompiler::add(const KernelRequest &request) {
  std::optional<PreparedKernel> prepared =
      prepareFor(state->options.target, request);
  if (!prepared)
    return failure();
  GraphBuilder &builder = *prepared->builder;
  KernelInfo info;
  info.scalars.assign(builder.scalars.begin(), builder.scalars.end());
  for (auto [input, output] : builder.graph.inPlace)
    info.inPlace.push_back({unsigned(input), unsigned(output)});
  if (auto *steps = std::get_if<GpuKernel>(&prepared->kernel.how))
    for (const GpuScratch &scratch : steps->scratch)
      info.scratch.push_back({scratch.type, scratch.elements});
  info.symbol = state->enqueue(prepared->kernel);
  info.launches = launchesOf(prepared->kernel, info.symbol);
  for (const TableGraph &table : builder.tables) {
    std::string why;
    std::optional<ScheduledKernel> loops =
        scheduleTable(state->options.target, table.graph, why);
    if (!loops)
      return request.body->getTerminator()->emitError(why);
    KernelTable &made = info.tables.emplace_back();
    made.type = table.type;
    made.shape = table.shape;
    if (table.first)
      made.scalar = KernelScalar{KernelScalar::Kind::Table, table.first};
    made.symbol = state->enqueue(*loops);
    KernelLaunch launch = launchesOf(*loops, made.symbol).front();
    made.extent = launch.extent;
    made.threads = launch.threads;
    made.flops = launch.flops;
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
  if (!state->backend) {
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
  return state->backend->link(objects, state->hooks, error);
}

} // namespace hocket::codegen
