//===- kernels.cpp - fused kernels beside a copy of the same bytes --------===//
//
// Prints for each kernel on [4096, 1024] f32 its best time, that of a copy with
// as many reads and writes (the floor), and their ratio; then the time to
// compile distinct kernels. One thread.
//
//===----------------------------------------------------------------------===//

#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <unistd.h>

using namespace mlir;
using namespace hocket::codegen;

namespace {
using Entry = void (*)(void *const *, const int64_t *, int64_t, int64_t);

struct Case {
  const char *name;
  int reads; // of whole tensors; one is written
  std::string text;
};
} // namespace

static double bestMs(const std::function<void()> &run) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int i = 0; i < 40; ++i) {
    auto start = Clock::now();
    run();
    std::chrono::duration<double, std::milli> time = Clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   const std::string &body, int columns) {
  std::string n = std::to_string(columns);
  std::string text = "!t = tensor<4096x" + n + "xf32, #nn.layout<[4096] [" + n +
                     "]>>\n!w = tensor<" + n + "xf32, #nn.layout<[" + n +
                     "]>>\nfunc.func @f" + body;
  return parseSourceString<ModuleOp>(text, &context);
}

static Block &bodyOf(ModuleOp module) {
  return (*module.getOps<func::FuncOp>().begin()).getBody().front();
}

static void *load(const std::vector<uint8_t> &bytes) {
  char path[] = "/tmp/hocket-bench-XXXXXX";
  close(mkstemp(path));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  void *handle = dlopen(path, RTLD_NOW);
  unlink(path);
  return handle;
}

static const std::vector<Case> &cases() {
  static const std::vector<Case> list = {
      {"bias+gelu", 1, R"((%x: !t, %b: !w) -> !t {
        %s = nn.binary add %x, %b : (!t, !w) -> !t
        %y = nn.unary gelu %s : (!t) -> !t
        return %y : !t })"},
      {"bias+gelu_tanh", 1, R"((%x: !t, %b: !w) -> !t {
        %s = nn.binary add %x, %b : (!t, !w) -> !t
        %y = nn.unary gelu_tanh %s : (!t) -> !t
        return %y : !t })"},
      {"silu*mul", 2, R"((%x: !t, %g: !t) -> !t {
        %s = nn.unary silu %g : (!t) -> !t
        %y = nn.binary mul %x, %s : (!t, !t) -> !t
        return %y : !t })"},
      {"softmax", 1, R"((%x: !t) -> !t {
        %y = nn.softmax %x {dim = 1 : i64} : (!t) -> !t
        return %y : !t })"},
      {"layer_norm", 1, R"((%x: !t, %w: !w, %b: !w) -> !t {
        %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : (!t, !w, !w) -> !t
        return %y : !t })"},
      {"add+layer_norm", 2, R"((%x: !t, %r: !t, %w: !w, %b: !w) -> !t {
        %h = nn.binary add %x, %r : (!t, !t) -> !t
        %y = nn.layer_norm %h, %w, %b {eps = 1.0e-5 : f64} : (!t, !w, !w) -> !t
        return %y : !t })"},
      {"rms_norm", 1, R"((%x: !t, %w: !w) -> !t {
        %y = nn.rms_norm %x, %w {eps = 1.0e-5 : f64} : (!t, !w) -> !t
        return %y : !t })"},
      {"column sum", 1, R"((%x: !t) -> !w {
        %y = nn.reduce sum %x {dims = array<i64: 0>} : (!t) -> !w
        return %y : !w })"},
      {"column sum of mul", 2, R"((%x: !t, %dy: !t) -> !w {
        %p = nn.binary mul %x, %dy : (!t, !t) -> !t
        %y = nn.reduce sum %p {dims = array<i64: 0>} : (!t) -> !w
        return %y : !w })"}};
  return list;
}

static void timeKernels(MLIRContext &context) {
  constexpr int64_t size = 4096 * 1024;
  std::vector<std::vector<float>> buffers(6, std::vector<float>(size, 0.5f));
  for (int64_t i = 0; i < size; ++i)
    for (int b = 0; b < 5; ++b)
      buffers[b][i] = float((i * 7 + b * 13) % 1001) / 250.0f - 2.0f;
  auto copy = [&](int reads) {
    return bestMs([&] {
      float *to = buffers[5].data();
      const float *a = buffers[0].data(), *b = buffers[1].data();
      if (reads == 1)
        std::memcpy(to, a, size * sizeof(float));
      else
        for (int64_t i = 0; i < size; ++i)
          to[i] = a[i] + b[i];
    });
  };
  double floors[] = {0, copy(1), copy(2)};
  std::printf("%-18s %8s %8s %6s\n", "4096x1024 f32", "ms", "floor", "ratio");
  for (const Case &one : cases()) {
    OwningOpRef<ModuleOp> module = parse(context, one.text, 1024);
    KernelCompiler compiler({});
    KernelRequest request;
    request.body = &bodyOf(*module);
    auto info = compiler.add(request);
    std::string error;
    auto bytes = compiler.finish(error);
    if (failed(info) || !bytes) {
      std::printf("%s: %s\n", one.name, error.c_str());
      continue;
    }
    auto entry =
        reinterpret_cast<Entry>(dlsym(load(*bytes), info->symbol.c_str()));
    std::vector<void *> arguments;
    for (unsigned i = 0; i < request.body->getNumArguments(); ++i)
      arguments.push_back(buffers[i].data());
    arguments.push_back(buffers[5].data());
    double ms =
        bestMs([&] { entry(arguments.data(), nullptr, 0, info->extent); });
    std::printf("%-18s %8.3f %8.3f %6.2f\n", one.name, ms, floors[one.reads],
                ms / floors[one.reads]);
  }
}

/// Kernels of distinct shapes, the first time in the process and again.
static void timeCompilation(MLIRContext &context) {
  for (int base : {100, 200}) {
    std::vector<OwningOpRef<ModuleOp>> modules;
    for (int i = 0; i < 20; ++i)
      modules.push_back(
          parse(context, cases()[i % cases().size()].text, base + i));
    auto start = std::chrono::steady_clock::now();
    std::clock_t cpu = std::clock();
    KernelCompiler compiler({});
    for (auto &module : modules) {
      KernelRequest request;
      request.body = &bodyOf(*module);
      (void)compiler.add(request);
    }
    std::string error;
    bool good = bool(compiler.finish(error));
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    std::printf("20 distinct kernels compiled and linked: %.3f s, of all cores "
                "%.3f s%s\n",
                time.count(), double(std::clock() - cpu) / CLOCKS_PER_SEC,
                good ? "" : " (failed)");
  }
}

int main() {
  MLIRContext context;
  context.loadDialect<hocket::nn::NnDialect, hocket::spmd::SpmdDialect,
                      func::FuncDialect>();
  timeKernels(context);
  timeCompilation(context);
}
