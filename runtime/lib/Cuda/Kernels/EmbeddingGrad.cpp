//===- EmbeddingGrad.cpp - launches of gradients of lookups ---------------===//
//
// The rows that ids name are keys, sorted with the ids' numbers; then equal
// keys lie together, and out is zeros and the sums over them.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "runtime/lib/Cuda/Kernels/Embedding.h"
#include "runtime/lib/Cuda/Kernels/EmbeddingIds.h"
#include "runtime/lib/Cuda/Kernels/EmbeddingParameters.h"
#include "runtime/lib/Cuda/Kernels/LoopNest.h"

namespace hocket::runtime::cuda {

namespace {

class Gradient {
public:
  Gradient(const EmbeddingGradArguments &given, uint64_t error,
           KernelLaunches &launches)
      : given(given), error(error), launches(launches),
        count(given.ids.elements()), rows(given.out.shape[0]),
        bytes(plan::byteSize(given.out.type)) {}

  Status add();

private:
  Status addKeys();
  void addSort();
  Status addSums();
  Status check() const;

  const EmbeddingGradArguments &given;
  const uint64_t error;
  KernelLaunches &launches;
  const int64_t count, rows, bytes;
  uint64_t keys[2], places[2]; // of scratch
};

} // namespace

static std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  return strides;
}

Status Gradient::check() const {
  constexpr int64_t most = (int64_t(1) << 31) - 1;
  if (given.out.type == plan::DType::Bool)
    return Status::runtimeError(
        "the gradient of a lookup in a table of bool has no CUDA kernel");
  int64_t pieces = (count + sumItems - 1) / sumItems;
  int64_t columns = rows ? given.out.elements() / rows : 0;
  if (count > most || rows > most || pieces * columns > most)
    return Status::runtimeError("the gradient of a lookup of " +
                                std::to_string(count) + " ids in rows of " +
                                std::to_string(columns) +
                                " elements is more than CUDA kernels count");
  return checkIds(given.ids);
}

Status Gradient::add() {
  Status status = check();
  if (status.ok())
    status = addFill(given.out, 0, launches);
  if (!status.ok() || count == 0)
    return status;
  for (int i = 0; i < 2; ++i) {
    keys[i] = launches.takeScratch(count * 4);
    places[i] = launches.takeScratch(count * 4);
  }
  status = addKeys();
  if (!status.ok() || given.out.elements() == 0)
    return status;
  addSort();
  return addSums();
}

Status Gradient::addKeys() {
  KeyParameters p = {};
  p.keys = keys[0];
  p.ids = addressOf(given.ids);
  p.vocabulary = {given.vocab, given.vocabOffset, rows, error};
  LoopNest nest(given.ids.shape,
                {denseStrides(given.ids.shape), given.ids.strides},
                {1, plan::byteSize(given.ids.type)});
  std::vector<LoopNest::Part> parts;
  Status status = nest.parts(parts);
  if (!status.ok())
    return status;
  p.loops = parts[0].loops;
  constexpr unsigned threads = 256;
  launches.add("Embedding", std::string("keys") + idSuffix(given.ids),
               (uint64_t(count) + threads - 1) / threads, threads, p);
  launches.usesScratch(offsetof(KeyParameters, keys));
  return status;
}

void Gradient::addSort() {
  SortParameters p = {};
  p.count = static_cast<uint32_t>(count);
  p.blocks = static_cast<uint32_t>((count + sortItems - 1) / sortItems);
  p.counts = launches.takeScratch(int64_t(p.blocks) * sortDigits * 4);
  p.totals = launches.takeScratch(sortDigits * 4);
  // Keys are at most `rows`.
  for (; p.shift == 0 || rows >> p.shift > 0; p.shift += 8) {
    p.keys = keys[0];
    p.values = p.shift ? places[0] : 0;
    p.keysOut = keys[1];
    p.valuesOut = places[1];
    for (auto [entry, blocks] : {std::pair("countDigits", p.blocks),
                                 {"sumDigits", uint32_t(sortDigits)},
                                 {"moveItems", p.blocks}}) {
      launches.add("Sort", entry, blocks, 256, p);
      for (size_t offset :
           {offsetof(SortParameters, keys), offsetof(SortParameters, keysOut),
            offsetof(SortParameters, valuesOut),
            offsetof(SortParameters, counts), offsetof(SortParameters, totals)})
        launches.usesScratch(offset);
      if (p.shift)
        launches.usesScratch(offsetof(SortParameters, values));
    }
    std::swap(keys[0], keys[1]);
    std::swap(places[0], places[1]);
  }
}

static const char *nameOf(plan::DType type) {
  switch (type) {
  case plan::DType::F64:
    return "F64";
  case plan::DType::F16:
    return "F16";
  case plan::DType::BF16:
    return "BF16";
  case plan::DType::I32:
    return "I32";
  case plan::DType::I64:
    return "I64";
  default:
    return "F32";
  }
}

/// Whether rows of dy and out are whole groups of 16 bytes wherever they begin.
static bool widenRows(const EmbeddingGradArguments &given, LoopNest &columns) {
  int64_t bytes = plan::byteSize(given.out.type);
  std::vector<uint64_t> places = {addressOf(given.out), addressOf(given.dy)};
  places.push_back(given.out.strides[0] * bytes);
  for (size_t dim = 0; dim < given.ids.shape.size(); ++dim)
    if (given.ids.shape[dim] > 1)
      places.push_back(given.dy.strides[dim] * bytes);
  LoopNest wide = columns;
  if (bytes < 16 && wide.widen(bytes, {0, 1}, places) == 16) {
    columns = wide;
    return true;
  }
  return false;
}

Status Gradient::addSums() {
  SumParameters p = {};
  p.out = addressOf(given.out);
  p.dy = addressOf(given.dy);
  p.outStep = given.out.strides[0] * bytes;
  p.count = static_cast<uint32_t>(count);
  p.rows = static_cast<uint32_t>(rows);
  p.pieces = static_cast<uint32_t>((count + sumItems - 1) / sumItems);
  p.keys = keys[0];
  p.places = places[0];
  size_t idRank = given.ids.shape.size();
  auto tail = [](std::vector<int64_t> values, size_t from) {
    values.erase(values.begin(), values.begin() + from);
    return values;
  };
  auto head = given.dy.strides;
  head.resize(idRank);
  LoopNest rowNest(given.ids.shape, {denseStrides(given.ids.shape), head},
                   {1, bytes});
  LoopNest columns(tail(given.out.shape, 1),
                   {tail(given.out.strides, 1), tail(given.dy.strides, idRank)},
                   {bytes, bytes});
  int64_t elements = columns.total();
  std::string name = nameOf(given.out.type);
  if (widenRows(given, columns))
    name += "Groups";
  std::vector<LoopNest::Part> parts;
  Status status = rowNest.parts(parts);
  if (status.ok())
    status = columns.parts(parts);
  if (!status.ok())
    return status;
  p.rowsOfDy = parts[0].loops;
  p.columns = parts[1].loops;
  p.hasUnits = p.columns.total > 1;
  if (p.hasUnits)
    p.units = loopDim(p.columns.total, {});
  int64_t wide = std::max<int64_t>(bytes, 4);
  p.heads = launches.takeScratch(p.pieces * elements * wide);
  p.tails = launches.takeScratch(p.pieces * elements * wide);
  constexpr unsigned threads = 128;
  uint64_t blocks =
      (uint64_t(p.pieces) * p.columns.total + threads - 1) / threads;
  for (const char *entry : {"sum", "add"}) {
    launches.add("EmbeddingGrad", entry + name, blocks, threads, p);
    for (size_t offset :
         {offsetof(SumParameters, keys), offsetof(SumParameters, places),
          offsetof(SumParameters, heads), offsetof(SumParameters, tails)})
      launches.usesScratch(offset);
  }
  return status;
}

Status addEmbeddingGrad(const EmbeddingGradArguments &given, uint64_t error,
                        KernelLaunches &launches) {
  return Gradient(given, error, launches).add();
}

} // namespace hocket::runtime::cuda
