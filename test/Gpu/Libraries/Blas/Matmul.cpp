//===- Matmul.cpp - cublasLtMatmul of the look-alike ----------------------===//

#include "runtime/lib/Plan/ViewOverlap.h"
#include "test/Gpu/Libraries/Blas/Compute.h"
#include <cstring>

using namespace hocket;
using namespace hocket::lookalike;

namespace {

struct Addresses {
  const void *a, *b, *c;
  const void *d;
  const void *workspace;
  size_t workspaceBytes;
};

plan::ByteWindow windowOf(const void *address, const BlasLayoutStruct &layout) {
  int64_t bytes = bytesOf(layout.type);
  return {reinterpret_cast<intptr_t>(address),
          bytes * int64_t(layout.rows),
          {int64_t(layout.columns), layout.batchCount},
          {layout.leading * bytes, layout.batchStride * bytes}};
}

bool areEqual(const BlasLayoutStruct &c, const BlasLayoutStruct &d) {
  return c.leading == d.leading && c.batchStride == d.batchStride;
}

plan::ByteWindow windowOfBias(const Problem &problem) {
  int64_t bytes = bytesOf(problem.d.type);
  return {reinterpret_cast<intptr_t>(problem.description.bias),
          problem.m * bytes,
          {problem.batches()},
          {problem.description.biasStride * bytes}};
}

std::string checkOverlap(const Problem &problem, const Addresses &at,
                         bool readsC) {
  plan::ByteWindow d = windowOf(at.d, problem.d);
  bool isInPlace = at.c == at.d && areEqual(problem.c, problem.d);
  std::vector<std::pair<const char *, plan::ByteWindow>> read = {
      {"A", windowOf(at.a, problem.a)}, {"B", windowOf(at.b, problem.b)}};
  if (readsC && !isInPlace)
    read.emplace_back("C", windowOf(at.c, problem.c));
  if (problem.hasBias())
    read.emplace_back("the bias", windowOfBias(problem));
  for (const auto &[name, window] : read)
    if (plan::overlap(window, d))
      return std::string(name) + " and D overlap";
  read.emplace_back("D", d);
  plan::ByteWindow workspace{reinterpret_cast<intptr_t>(at.workspace),
                             int64_t(at.workspaceBytes),
                             {},
                             {}};
  for (const auto &[name, window] : read)
    if (at.workspaceBytes > 0 && plan::overlap(window, workspace))
      return std::string(name) + " and the workspace overlap";
  return "";
}

std::string checkAddresses(const Problem &problem, const Algorithm &algorithm,
                           const Addresses &at, bool readsC) {
  const char *names[] = {"A", "B", "C", "D"};
  const void *pointers[] = {at.a, at.b, at.c, at.d};
  for (int i = 0; i < 4; ++i) {
    if (i == 2 && !readsC)
      continue;
    if (!pointers[i])
      return std::string(names[i]) + " is null";
    if (alignmentOf(pointers[i]) < algorithm.alignment[i])
      return std::string(names[i]) + " is not aligned to " +
             std::to_string(algorithm.alignment[i]) +
             " bytes, as the preferences said";
  }
  if (at.workspaceBytes < algorithm.workspace)
    return "the algorithm wants a workspace of " +
           std::to_string(algorithm.workspace) + " bytes, not " +
           std::to_string(at.workspaceBytes);
  if (at.workspaceBytes > 0 && alignmentOf(at.workspace) < 256)
    return "the workspace is not aligned to 256 bytes";
  return checkOverlap(problem, at, readsC);
}

/// The columns of a matrix, side by side as one.
void addRanges(uint64_t address, const BlasLayoutStruct &layout,
               std::vector<HocketLookalikeRange> &ranges) {
  uint64_t bytes = bytesOf(layout.type), column = layout.rows * bytes;
  for (int64_t batch = 0; batch < layout.batchCount; ++batch)
    for (int64_t j = 0; j < int64_t(layout.columns); ++j) {
      uint64_t at =
          address + (batch * layout.batchStride + j * layout.leading) * bytes;
      if (!ranges.empty() && ranges.back().address + ranges.back().bytes == at)
        ranges.back().bytes += column;
      else
        ranges.push_back({at, column});
    }
}

Work workOf(const Call &call) {
  const Problem &problem = call.problem;
  Work work;
  work.name = "cublasLtMatmul [" + std::to_string(problem.m) + ", " +
              std::to_string(problem.n) + ", " + std::to_string(problem.k) +
              "]";
  addRanges(call.a, problem.a, work.reads);
  addRanges(call.b, problem.b, work.reads);
  if (call.beta != 0)
    addRanges(call.c, problem.c, work.reads);
  if (problem.hasBias()) {
    BlasLayoutStruct bias = problem.d;
    bias.columns = 1;
    bias.batchStride = problem.description.biasStride;
    addRanges(reinterpret_cast<uint64_t>(problem.description.bias), bias,
              work.reads);
  }
  addRanges(call.d, problem.d, work.writes);
  if (call.algorithm.workspace)
    work.writes.push_back({call.workspace, call.algorithm.workspace});
  work.run = [call](DeviceMemory &memory) { compute(call, memory); };
  return work;
}

double scalarOf(const void *place, bool isDouble) {
  double wide;
  float narrow;
  std::memcpy(isDouble ? static_cast<void *>(&wide) : &narrow, place,
              isDouble ? sizeof wide : sizeof narrow);
  return isDouble ? wide : narrow;
}

} // namespace

extern "C" BlasStatus
cublasLtMatmul(BlasHandle handle, BlasDescription description,
               const void *alpha, const void *aData, BlasLayout a,
               const void *bData, BlasLayout b, const void *beta,
               const void *cData, BlasLayout c, void *dData, BlasLayout d,
               const BlasAlgorithm *packed, void *workspace,
               size_t workspaceBytes, Stream stream) {
  const char *function = "cublasLtMatmul";
  std::lock_guard<std::mutex> lock(blas().mutex);
  if (int code = countCall(function))
    return code;
  Call call;
  std::string wrong =
      makeProblem(handle, description, a, b, c, d, call.problem);
  if (wrong.empty() && (!alpha || !beta))
    wrong = "alpha or beta is null";
  if (wrong.empty() && !packed)
    wrong = "there is no algorithm: the library would look for one each time";
  if (wrong.empty() && !call.algorithm.unpack(*packed))
    wrong = "the algorithm is not one that was returned";
  if (wrong.empty())
    wrong = whyNotFor(call.algorithm, call.problem);
  if (!wrong.empty())
    return blas().find(function, wrong);
  call.alpha = scalarOf(alpha, call.problem.isDouble());
  call.beta = scalarOf(beta, call.problem.isDouble());
  wrong = checkAddresses(
      call.problem, call.algorithm,
      {aData, bData, cData, dData, workspace, workspaceBytes}, call.beta != 0);
  if (!wrong.empty())
    return blas().find(function, wrong);
  auto number = [](const void *p) { return reinterpret_cast<uint64_t>(p); };
  call.a = number(aData);
  call.b = number(bData);
  call.c = number(cData);
  call.d = number(dData);
  call.workspace = number(workspace);
  return submit(function, stream, workOf(call)) ? BlasExecutionFailed
                                                : BlasSuccess;
}
