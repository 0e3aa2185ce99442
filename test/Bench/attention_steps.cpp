//===- attention_steps.cpp - causal attention, a step for each line read --===//
//
//   bench-attention-steps DIR TOKENS HEADS THREADS
//
// attention_pytorch.py runs this beside PyTorch, on the q, k, v and gradient of
// the result (float32, [tokens, heads, 64]) in DIR. For each line of standard
// input it runs the forward and the gradient once and prints four times in
// milliseconds: of each, what passed and what the process took of processors.
// At the end it writes out, dq, dk and dv into DIR.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Attention.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

using namespace hocket;
using runtime::Operand;

namespace {

constexpr int64_t size = 64; // of a head

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "bench-attention-steps: %s\n", what.c_str());
  std::exit(1);
}

/// The begin of a cache line.
void *aligned(void *data) {
  uintptr_t address = reinterpret_cast<uintptr_t>(data);
  return reinterpret_cast<void *>((address + 63) / 64 * 64);
}

/// Tensors [1, heads, tokens, size] as a projection leaves them.
class Tensors {
public:
  Tensors(std::string folder, int64_t tokens, int64_t heads)
      : folder(std::move(folder)), tokens(tokens), heads(heads) {}

  Operand empty() {
    buffers.emplace_back(tokens * heads * size + 16);
    return {aligned(buffers.back().data()), // as the runtime's are
            plan::DType::F32,
            {1, heads, tokens, size},
            {tokens * heads * size, size, heads * size, 1}};
  }
  Operand read(const char *name) {
    Operand tensor = empty();
    visitFile(name, "rb", tensor, [](void *data, size_t count, FILE *file) {
      return std::fread(data, sizeof(float), count, file);
    });
    return tensor;
  }
  void write(const char *name, const Operand &tensor) const {
    visitFile(name, "wb", tensor, [](void *data, size_t count, FILE *file) {
      return std::fwrite(data, sizeof(float), count, file);
    });
  }

private:
  template <typename Move>
  void visitFile(const char *name, const char *mode, const Operand &tensor,
                 Move move) const {
    std::string path = folder + "/" + name;
    FILE *file = std::fopen(path.c_str(), mode);
    size_t count = size_t(tokens * heads * size);
    if (!file || move(tensor.data, count, file) != count ||
        std::fclose(file) != 0)
      fail("no " + std::to_string(count) + " floats in " + path);
  }

  const std::string folder;
  const int64_t tokens, heads;
  std::vector<std::vector<float>> buffers;
};

double milliseconds(clockid_t clock) {
  timespec at;
  clock_gettime(clock, &at);
  return double(at.tv_sec) * 1e3 + double(at.tv_nsec) * 1e-6;
}

void runTimed(runtime::Call &call) {
  double wall = milliseconds(CLOCK_MONOTONIC);
  double processor = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
  if (!call.run().ok())
    fail("a call failed");
  std::printf("%.3f %.3f ", milliseconds(CLOCK_MONOTONIC) - wall,
              milliseconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5)
    fail("arguments: DIR TOKENS HEADS THREADS");
  int64_t tokens = std::atoll(argv[2]), heads = std::atoll(argv[3]);
  int threads = std::atoi(argv[4]);
  Tensors tensors(argv[1], tokens, heads);
  std::vector<float> lse(heads * tokens);
  runtime::AttentionGradArguments given;
  runtime::AttentionArguments &forward = given.forward;
  forward.q = tensors.read("q"), forward.k = tensors.read("k");
  forward.v = tensors.read("v"), given.dout = tensors.read("dout");
  forward.out = tensors.empty(), given.dq = tensors.empty();
  given.dk = tensors.empty(), given.dv = tensors.empty();
  forward.lse = Operand{lse.data(),
                        plan::DType::F32,
                        {1, heads, tokens},
                        {heads * tokens, tokens, 1}};
  forward.scale = 1 / std::sqrt(double(size));
  forward.causal = true;
  std::unique_ptr<runtime::Call> call, gradient;
  if (!makeAttention(forward, threads, call).ok() ||
      !makeAttentionGrad(given, threads, gradient).ok())
    fail("there is no such call");
  std::vector<char> scratch(
      std::max(call->scratchBytes(), gradient->scratchBytes()) + 64);
  void *memory = aligned(scratch.data());
  for (std::string line; std::getline(std::cin, line);) {
    call->setScratch(memory);
    runTimed(*call);
    gradient->setScratch(memory);
    runTimed(*gradient);
    std::printf("\n");
    std::fflush(stdout);
  }
  tensors.write("out", forward.out);
  tensors.write("dq", given.dq), tensors.write("dk", given.dk);
  tensors.write("dv", given.dv);
}
