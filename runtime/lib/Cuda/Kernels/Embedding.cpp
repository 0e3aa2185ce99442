//===- Embedding.cpp - launches of lookups --------------------------------===//

#include "runtime/lib/Cuda/Kernels/Embedding.h"
#include "runtime/lib/Cuda/Kernels/EmbeddingIds.h"
#include "runtime/lib/Cuda/Kernels/EmbeddingParameters.h"
#include "runtime/lib/Cuda/Kernels/LoopNest.h"

namespace hocket::runtime::cuda {

Status checkIds(const Operand &ids) {
  int64_t last = 0;
  for (size_t dim = 0; dim < ids.shape.size(); ++dim)
    last += (ids.shape[dim] - 1) * ids.strides[dim];
  if (last + 1 < int64_t(1) << 32)
    return Status::success();
  return Status::runtimeError("ids that reach over " +
                              std::to_string(last + 1) +
                              " elements are more than the 2^32 - 1 that CUDA "
                              "kernels count");
}

const char *idSuffix(const Operand &ids) {
  return ids.type == plan::DType::I64 ? "I64" : "I32";
}

Status statusOf(const LookupError &error, const std::string &name,
                int64_t vocab) {
  if (!error.isSet())
    return Status::success();
  return Status::userError(name + " holds " + std::to_string(error.id()) +
                           ", which is outside [0, " + std::to_string(vocab) +
                           ")");
}

Status addEmbedding(const EmbeddingArguments &given, uint64_t error,
                    KernelLaunches &launches) {
  const Operand &table = given.table, &ids = given.ids, &out = given.out;
  int64_t bytes = plan::byteSize(out.type), idBytes = plan::byteSize(ids.type);
  std::vector<int64_t> rowStrides(table.strides);
  rowStrides.erase(rowStrides.begin());
  rowStrides.insert(rowStrides.begin(), ids.shape.size(), 0);
  std::vector<int64_t> idStrides(ids.strides);
  idStrides.resize(out.shape.size(), 0);
  LoopNest nest(out.shape, {out.strides, rowStrides, idStrides},
                {bytes, bytes, idBytes});
  if (nest.isEmpty())
    return Status::success();
  EmbeddingParameters p = {};
  p.idsBegin = addressOf(ids);
  p.rowStep = table.strides[0] * bytes;
  p.vocabulary = {given.vocab, given.vocabOffset, table.shape[0], error};
  int64_t unit = nest.widen(
      bytes, {0, 1},
      {addressOf(out), addressOf(table), static_cast<uint64_t>(p.rowStep)});
  std::vector<LoopNest::Part> parts;
  Status status = checkIds(ids);
  if (status.ok())
    status = nest.parts(parts);
  for (const LoopNest::Part &part : parts) {
    p.out = addressOf(out) + part.begin[0];
    p.table = addressOf(table) + part.begin[1];
    p.ids = addressOf(ids) + part.begin[2];
    p.loops = part.loops;
    constexpr unsigned threads = 256, units = threads * 4;
    launches.add("Embedding", "embed" + std::to_string(unit) + idSuffix(ids),
                 (uint64_t(p.loops.total) + units - 1) / units, threads, p);
  }
  return status;
}

} // namespace hocket::runtime::cuda
