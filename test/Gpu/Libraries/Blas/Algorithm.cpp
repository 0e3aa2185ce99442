//===- Algorithm.cpp - the algorithms of the look-alike -------------------===//

#include "test/Gpu/Libraries/Blas/Algorithm.h"
#include "test/Gpu/Libraries/Device.h"
#include <algorithm>
#include <vector>

using namespace hocket::lookalike;

namespace hocket::lookalike {

static constexpr uint64_t mark = 0x6c6f6f6b616c696b;

static uint64_t sumOf(const BlasAlgorithm &packed) {
  uint64_t sum = mark;
  for (int i = 0; i < 7; ++i)
    sum = sum * 31 + packed.data[i];
  return sum;
}

BlasAlgorithm Algorithm::pack() const {
  BlasAlgorithm packed = {{mark, uint64_t(order), digest, workspace,
                           uint64_t(alignment[0]) << 32 | alignment[1],
                           uint64_t(alignment[2]) << 32 | alignment[3],
                           alignment[4], 0}};
  packed.data[7] = sumOf(packed);
  return packed;
}

bool Algorithm::unpack(const BlasAlgorithm &packed) {
  if (packed.data[0] != mark || packed.data[7] != sumOf(packed))
    return false;
  order = Order(packed.data[1]);
  digest = packed.data[2];
  workspace = packed.data[3];
  for (int i = 0; i < 5; ++i)
    alignment[i] = static_cast<uint32_t>(packed.data[4 + i / 2] >>
                                         (i % 2 || i == 4 ? 0 : 32));
  return true;
}

uint64_t partialBytes(const Problem &problem) {
  return 2 * problem.m * problem.n * problem.batches() *
         (problem.isDouble() ? 8 : 4);
}

uint32_t alignmentOf(const void *address) {
  uint64_t bits = reinterpret_cast<uintptr_t>(address) | 256;
  return static_cast<uint32_t>(bits & -bits);
}

std::string whyNotFor(const Algorithm &algorithm, const Problem &problem) {
  if (algorithm.digest != problem.digest())
    return "the algorithm was chosen for another product";
  const void *bias = problem.description.bias;
  if (problem.hasBias() && alignmentOf(bias) < algorithm.alignment[4])
    return "the bias is not aligned to " +
           std::to_string(algorithm.alignment[4]) +
           " bytes, as it was when the algorithm was chosen";
  return "";
}

/// The algorithms for a problem, the best first. What is best differs from
/// device to device, so that ranks which do not share their choice show other
/// bits.
static std::vector<Algorithm> offers(const Problem &problem, int device,
                                     const BlasPreferenceStruct &preference) {
  std::vector<Order> orders = {Order::Strided, Order::Chunks};
  bool hasRoom = partialBytes(problem) <= preference.workspace;
  if (preference.reduction & BlasReductionComputeType && hasRoom)
    orders.insert(orders.begin(), Order::Halves);
  std::rotate(orders.begin(), orders.begin() + tasteOf(device) % orders.size(),
              orders.end());
  if (preference.reduction & ~uint32_t(BlasReductionComputeType) && hasRoom)
    orders.insert(orders.begin(), Order::Rounded);
  std::vector<Algorithm> all;
  for (Order order : orders) {
    Algorithm algorithm;
    algorithm.order = order;
    algorithm.digest = problem.digest();
    bool hasParts = order == Order::Halves || order == Order::Rounded;
    algorithm.workspace = hasParts ? partialBytes(problem) : 0;
    std::copy_n(preference.alignment, 4, algorithm.alignment);
    algorithm.alignment[4] = alignmentOf(problem.description.bias);
    all.push_back(algorithm);
  }
  return all;
}

static std::string checkPreference(const BlasPreferenceStruct &preference,
                                   const Problem &problem) {
  if (preference.reduction > 7)
    return "there is no reduction scheme " +
           std::to_string(preference.reduction);
  const char *names[] = {"A", "B", "C", "D"};
  const BlasLayoutStruct *layouts[] = {&problem.a, &problem.b, &problem.c,
                                       &problem.d};
  for (int i = 0; i < 4; ++i) {
    uint32_t bytes = preference.alignment[i];
    if (bytes & (bytes - 1) || bytes < bytesOf(layouts[i]->type))
      return std::string("the alignment of ") + names[i] + " is " +
             std::to_string(bytes) + " bytes";
  }
  return "";
}

} // namespace hocket::lookalike

using Lock = std::lock_guard<std::mutex>;

extern "C" {

BlasStatus cublasLtMatmulAlgoGetHeuristic(BlasHandle handle,
                                          BlasDescription description,
                                          BlasLayout a, BlasLayout b,
                                          BlasLayout c, BlasLayout d,
                                          BlasPreference preference, int most,
                                          BlasResult results[], int *count) {
  const char *function = "cublasLtMatmulAlgoGetHeuristic";
  Lock lock(blas().mutex);
  *count = 0;
  if (int code = countCall(function))
    return code;
  Problem problem;
  std::string wrong = makeProblem(handle, description, a, b, c, d, problem);
  if (wrong.empty() && !blas().preferences.has(preference))
    wrong = "there are no such preferences";
  if (wrong.empty() && most < 1)
    wrong = "no algorithm is asked for";
  if (wrong.empty())
    wrong = checkPreference(*preference, problem);
  if (!wrong.empty())
    return blas().find(function, wrong);
  for (const Algorithm &offer : offers(problem, handle->device, *preference)) {
    if (*count == most)
      break;
    results[(*count)++] = {offer.pack(), offer.workspace, BlasSuccess, 1, {}};
  }
  return BlasSuccess;
}

BlasStatus cublasLtMatmulAlgoCheck(BlasHandle handle,
                                   BlasDescription description, BlasLayout a,
                                   BlasLayout b, BlasLayout c, BlasLayout d,
                                   const BlasAlgorithm *packed,
                                   BlasResult *result) {
  const char *function = "cublasLtMatmulAlgoCheck";
  Lock lock(blas().mutex);
  if (int code = countCall(function))
    return code;
  Problem problem;
  Algorithm algorithm;
  std::string wrong = makeProblem(handle, description, a, b, c, d, problem);
  if (wrong.empty() && !algorithm.unpack(*packed))
    wrong = "the algorithm is not one that was returned";
  if (wrong.empty())
    wrong = whyNotFor(algorithm, problem);
  if (!wrong.empty())
    return blas().find(function, wrong);
  result->workspaceBytes = algorithm.workspace;
  result->state = BlasSuccess;
  result->waves = 1;
  return BlasSuccess;
}
}
