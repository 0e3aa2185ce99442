//===- EmbeddingGrad.cpp - rows of a gradient, added by ids ---------------===//
//
// Threads share the columns, not the ids: each adds in the order of the ids,
// and a word that is everywhere is no thread's burden alone.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Simple.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>

namespace hocket::runtime {

namespace {

class EmbeddingGradCall : public Call {
public:
  EmbeddingGradCall(const EmbeddingGradArguments &given, int threads)
      : given(given) {
    // A part is a few cache lines at least.
    constexpr int64_t leastColumns = 64;
    int64_t most = std::max<int64_t>(given.out.shape.back() / leastColumns, 1);
    parts = static_cast<int>(std::min<int64_t>(threads, most));
    rows.resize(given.ids.elements());
    places.resize(rows.size());
    // All dims of a row but the last, one after another.
    for (size_t dim = 1; dim + 1 < given.out.shape.size(); ++dim) {
      size_t step = given.dy.shape.size() - given.out.shape.size() + dim;
      std::vector<Block> inner;
      for (const Block &block : blocks)
        for (int64_t i = 0; i < given.out.shape[dim]; ++i)
          inner.push_back({block.out + i * given.out.strides[dim],
                           block.dy + i * given.dy.strides[step]});
      blocks = std::move(inner);
    }
  }

  Status run() override {
    Status status = given.ids.type == plan::DType::I64 ? findRows<int64_t>()
                                                       : findRows<int32_t>();
    if (!status.ok())
      return status;
    parallelFor(parts, [this](int part) { runPart(part); });
    return status;
  }

private:
  /// The row of `out` for each id, -1 if this rank has it not, and where the
  /// row of dy begins.
  template <typename Id> Status findRows() {
    const Operand &ids = given.ids;
    for (size_t flat = 0; flat < rows.size(); ++flat) {
      int64_t rest = flat, from = 0, place = 0;
      for (size_t dim = ids.shape.size(); dim-- > 0; rest /= ids.shape[dim]) {
        from += rest % ids.shape[dim] * ids.strides[dim];
        place += rest % ids.shape[dim] * given.dy.strides[dim];
      }
      int64_t id = static_cast<const Id *>(ids.data)[from];
      if (id < 0 || id >= given.vocab)
        return Status::userError(given.name + " holds " + std::to_string(id) +
                                 ", which is outside [0, " +
                                 std::to_string(given.vocab) + ")");
      int64_t row = id - given.vocabOffset;
      rows[flat] = row < given.out.shape[0] ? std::max<int64_t>(row, -1) : -1;
      places[flat] = place;
    }
    return Status::success();
  }

  void runPart(int part) {
    int64_t columns = given.out.shape.back();
    int64_t begin = columns * part / parts, end = columns * (part + 1) / parts;
    visitType(given.out.type, [&](auto zero) {
      for (const Block &block : blocks)
        addColumns<decltype(zero)>(block, begin, end);
    });
  }

  /// Where a run of columns begins in a row.
  struct Block {
    int64_t out = 0, dy = 0;
  };

  template <typename T>
  void addColumns(const Block &block, int64_t begin, int64_t end) {
    const Operand &out = given.out, &dy = given.dy;
    int64_t step = out.strides.back(), fromStep = dy.strides.back();
    T *base = static_cast<T *>(out.data) + block.out;
    for (int64_t row = 0; row < out.shape[0]; ++row)
      for (int64_t c = begin; c < end; ++c)
        base[row * out.strides[0] + c * step] = T(0);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0)
        continue;
      T *to = base + rows[i] * out.strides[0];
      const T *from = static_cast<const T *>(dy.data) + block.dy + places[i];
      if (step == 1 && fromStep == 1)
        for (int64_t c = begin; c < end; ++c)
          to[c] = T(to[c] + from[c]);
      else
        for (int64_t c = begin; c < end; ++c)
          to[c * step] = T(to[c * step] + from[c * fromStep]);
    }
  }

  const EmbeddingGradArguments given;
  int parts;
  std::vector<int64_t> rows, places; // by id
  std::vector<Block> blocks = {{}};
};

} // namespace

std::unique_ptr<Call> makeEmbeddingGrad(const EmbeddingGradArguments &arguments,
                                        int threads) {
  return std::make_unique<EmbeddingGradCall>(arguments, threads);
}

} // namespace hocket::runtime
