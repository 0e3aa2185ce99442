//===- AttentionProblem.cpp - parameters that passes share ----------------===//

#include "runtime/lib/Cuda/Attention/AttentionProblem.h"
#include <algorithm>
#include <cmath>

namespace hocket::runtime::cuda {

HeadTensor headTensor(const Operand &operand) {
  HeadTensor x = {};
  x.data = reinterpret_cast<uint64_t>(operand.data);
  x.extent = operand.shape[3];
  int64_t bytes = plan::byteSize(operand.type), all = x.extent * bytes;
  for (int dim = 0; dim < 4; ++dim) {
    x.strides[dim] = operand.strides[dim];
    if (dim < 3 && operand.shape[dim] > 1)
      all |= operand.strides[dim] * bytes;
  }
  x.hasGroups = (operand.strides[3] == 1 || x.extent == 1) &&
                (x.data | static_cast<uint64_t>(all)) % 16 == 0;
  return x;
}

ScoreTensor scoreTensor(const Operand &operand) {
  ScoreTensor x = {};
  x.data = reinterpret_cast<uint64_t>(operand.data);
  std::copy_n(operand.strides.begin(), 4, x.strides);
  x.isWide = operand.type == plan::DType::F32;
  return x;
}

static Status refuse(const std::string &why) {
  return Status::runtimeError("attention " + why);
}

static Status check(const AttentionArguments &given) {
  using plan::DType;
  DType type = given.q.type;
  bool isFloat = type == DType::F32 || type == DType::F64 ||
                 type == DType::F16 || type == DType::BF16;
  if (!isFloat)
    return refuse(std::string("of ") + plan::toString(type) +
                  " has no CUDA kernel");
  for (const Operand *one : {&given.k, &given.v, &given.out})
    if (one->type != type)
      return refuse(std::string("of ") + plan::toString(type) + " and " +
                    plan::toString(one->type) +
                    " has no CUDA kernel, expected operands of one type");
  int64_t depth = std::max(given.q.shape[3], given.v.shape[3]);
  if (depth > 256)
    return refuse("with heads of " + std::to_string(depth) +
                  " elements has no CUDA kernel, expected 256 at most");
  constexpr int64_t most = (int64_t(1) << 31) - (1 << 16);
  int64_t rows = given.q.shape[0] * given.q.shape[1] * given.q.shape[2];
  if (rows > most || given.k.shape[2] > most)
    return refuse("with " + std::to_string(rows) + " rows of queries and " +
                  std::to_string(given.k.shape[2]) +
                  " keys is more than CUDA kernels count");
  if (given.dropout.isLive() &&
      given.dropout.numbers().sizes.size() > DropoutParameters::mostSizes)
    return refuse("whose dropped weights are counted by " +
                  std::to_string(given.dropout.numbers().sizes.size()) +
                  " factors has no CUDA kernel, expected " +
                  std::to_string(DropoutParameters::mostSizes) + " at most");
  if (given.bias && !(std::abs(given.scale) > 1e-20))
    return refuse("with a bias and a scale of " + std::to_string(given.scale) +
                  " has no CUDA kernel, expected more than 1e-20");
  return Status::success();
}

static void setDropout(const AttentionArguments &given,
                       DropoutParameters &dropout) {
  if (!given.dropout.isLive())
    return;
  AttentionDropout::Numbers numbers = given.dropout.numbers();
  dropout.key = numbers.key;
  dropout.first = numbers.first;
  dropout.step = reinterpret_cast<uint64_t>(numbers.step);
  dropout.scale = numbers.scale;
  dropout.threshold = numbers.threshold;
  dropout.rank = static_cast<int32_t>(numbers.sizes.size());
  std::copy(numbers.sizes.begin(), numbers.sizes.end(), dropout.sizes);
  std::copy(numbers.strides.begin(), numbers.strides.end(), dropout.strides);
}

Status AttentionProblem::make(const AttentionArguments &given,
                              AttentionProblem &problem) {
  Status status = check(given);
  if (!status.ok())
    return status;
  problem.type = given.q.type;
  problem.isBiased = given.bias.has_value();
  problem.isListed = given.visited || given.documents || given.bias;
  int64_t depth = std::max(given.q.shape[3], given.v.shape[3]);
  for (problem.depth = 32; problem.depth < depth;)
    problem.depth *= 2;
  AttentionParameters &p = problem.parameters;
  p.q = headTensor(given.q);
  p.k = headTensor(given.k);
  p.v = headTensor(given.v);
  p.out = headTensor(given.out);
  if (given.lse) {
    p.lse = reinterpret_cast<uint64_t>(given.lse->data);
    std::copy_n(given.lse->strides.begin(), 3, p.lseStrides);
  }
  if (given.keep) {
    p.keep = reinterpret_cast<uint64_t>(given.keep->data);
    std::copy_n(given.keep->strides.begin(), 2, p.keepStrides);
  }
  if (given.bias)
    p.bias = scoreTensor(given.byScores(*given.bias));
  p.batch = given.q.shape[0];
  p.heads = given.q.shape[1];
  p.kvHeads = given.k.shape[1];
  p.group = given.group;
  p.headOffset = given.headOffset;
  p.kvHeadOffset = given.kvHeadOffset;
  p.keyOffset = given.keyOffset;
  p.isLimited = given.isLimited();
  p.hasBegin = given.before >= 0;
  p.isTerm = given.isTerm;
  p.firstLimit = given.firstLimit();
  p.firstBegin = given.firstBegin();
  p.scale = given.scale;
  p.queries = static_cast<int32_t>(given.q.shape[2]);
  p.keys = static_cast<int32_t>(given.k.shape[2]);
  p.rows = static_cast<uint32_t>(given.q.shape[0] * p.heads * p.queries);
  setDropout(given, p.dropout);
  return Status::success();
}

uint32_t AttentionProblem::headsAtOnce(int64_t heads, int64_t columns) const {
  constexpr int64_t cache = 32 << 20;
  const AttentionParameters &p = parameters;
  if (!isListed && !p.isLimited && !p.hasBegin)
    return 1;
  int64_t met = columns * (p.q.extent + p.v.extent) * bytes();
  int64_t fit = cache / std::max<int64_t>(met, 1);
  return static_cast<uint32_t>(std::max<int64_t>(std::min(heads, fit), 1));
}

std::string AttentionProblem::suffix() const {
  std::string name = type == plan::DType::F32   ? "F32"
                     : type == plan::DType::F64 ? "F64"
                     : type == plan::DType::F16 ? "F16"
                                                : "BF16";
  return name + "D" + std::to_string(depth) +
         source(parameters.dropout.step ? "Drop" : "");
}

} // namespace hocket::runtime::cuda
