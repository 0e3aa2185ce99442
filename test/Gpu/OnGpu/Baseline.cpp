//===- Baseline.cpp - what a GPU and cuBLASLt reach by themselves ---------===//
//
// gpu-baseline copy BYTES RUNS             copies memory of the GPU
// gpu-baseline product M N K IN OUT RUNS   [m, k] times the transposed [n, k]
//
// BYTES are read and as many written. IN and OUT are f32, bf16 or f16; sums are
// in f32, without tf32. Of the algorithms that cuBLASLt offers the fastest
// counts. Prints a line of JSON with the times of the runs by events of the
// GPU, after two that do not count.
//
//===----------------------------------------------------------------------===//

#include "BaselineProduct.h"
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace hocket;
using namespace hocket::baseline;
using runtime::Status;
using Json = nlohmann::ordered_json;

namespace {

const char *const usage = "usage: gpu-baseline copy BYTES RUNS\n"
                          "       gpu-baseline product M N K IN OUT RUNS\n"
                          "IN, OUT: f32, bf16 or f16\n";

/// The number that a word is, or 0.
int64_t numberOf(const std::string &word) {
  char *end = nullptr;
  int64_t number = std::strtoll(word.c_str(), &end, 10);
  return *end || number < 0 ? 0 : number;
}

Status timeCopy(Gpu &gpu, int64_t bytes, int64_t runs, Times &times) {
  runtime::cuda::DeviceAddress from = 0, to = 0;
  Status status = gpu.allocateRandom(bytes, ElementType::F32, from);
  if (status.ok())
    status = gpu.allocateRandom(bytes, ElementType::F32, to);
  auto copy = [&] {
    return gpu.status(gpu->memcpyDtoDAsync(to, from, bytes, gpu.stream()),
                      "cuMemcpyDtoDAsync");
  };
  return status.ok() ? gpu.time(copy, runs, times) : status;
}

int print(const Status &status, Json line, const Times &times) {
  if (!status.ok()) {
    std::fprintf(stderr, "error: %s\n", status.message.c_str());
    return status.exitStatus();
  }
  line["seconds"] = times;
  std::printf("%s\n", line.dump().c_str());
  return 0;
}

int runCopy(const std::vector<std::string> &words) {
  int64_t bytes = numberOf(words[1]), runs = numberOf(words[2]);
  if (bytes == 0 || runs == 0)
    return 2;
  Gpu gpu;
  Times times;
  Status status = gpu.open();
  if (status.ok())
    status = timeCopy(gpu, bytes, runs, times);
  return print(status, {{"bytes", bytes}}, times);
}

int runProduct(const std::vector<std::string> &words) {
  ProductShape shape{numberOf(words[1]), numberOf(words[2]),
                     numberOf(words[3])};
  int64_t runs = numberOf(words[6]);
  if (!typeOf(words[4], shape.in) || !typeOf(words[5], shape.out) ||
      shape.m * shape.n * shape.k * runs == 0)
    return 2;
  Gpu gpu;
  ProductTimes times;
  Status status = gpu.open();
  if (status.ok())
    status = timeProduct(gpu, shape, runs, times);
  return print(status,
               {{"algorithms", times.offered}, {"fastest", times.fastest}},
               times.first);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  int status = 2;
  if (words.size() == 3 && words[0] == "copy")
    status = runCopy(words);
  else if (words.size() == 7 && words[0] == "product")
    status = runProduct(words);
  if (status == 2)
    std::fputs(usage, stderr);
  return status;
}
