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

std::string checkOverlap(const Problem &problem, const Addresses &at,
                         bool readsC) {
  plan::ByteWindow d = windowOf(at.d, problem.d);
  if (plan::overlap(windowOf(at.a, problem.a), d))
    return "A and D overlap";
  if (plan::overlap(windowOf(at.b, problem.b), d))
    return "B and D overlap";
  bool isInPlace = at.c == at.d && areEqual(problem.c, problem.d);
  if (readsC && !isInPlace && plan::overlap(windowOf(at.c, problem.c), d))
    return "C and D overlap, and are not the same";
  if (!problem.hasBias())
    return "";
  int64_t bytes = problem.m * bytesOf(problem.d.type);
  plan::ByteWindow bias{
      reinterpret_cast<intptr_t>(problem.description.bias),
      bytes,
      {problem.batches()},
      {problem.description.biasStride * bytesOf(problem.d.type)}};
  return plan::overlap(bias, d) ? "the bias and D overlap" : "";
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
  std::string name = "a product [" + std::to_string(call.problem.m) + ", " +
                     std::to_string(call.problem.n) + ", " +
                     std::to_string(call.problem.k) + "]";
  wrong = submit(stream, name,
                 [call](DeviceMemory &memory) { compute(call, memory); });
  if (!wrong.empty())
    return blas().find(function, wrong, BlasExecutionFailed);
  return BlasSuccess;
}
