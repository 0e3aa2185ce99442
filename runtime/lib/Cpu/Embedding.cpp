//===- Embedding.cpp - rows of a table, picked by ids ---------------------===//

#include "hocket/Cpu/Simple.h"
#include "hocket/Cpu/StridedCopy.h"
#include <cstring>

namespace hocket::runtime {

namespace {

class EmbeddingCall : public Call {
public:
  EmbeddingCall(const EmbeddingArguments &given) : arguments(given) {
    const Operand &table = given.table, &out = given.out;
    elementBytes = plan::byteSize(table.type);
    std::vector<int64_t> shape(table.shape.begin() + 1, table.shape.end());
    std::vector<int64_t> from(table.strides.begin() + 1, table.strides.end());
    std::vector<int64_t> to(out.strides.end() - shape.size(),
                            out.strides.end());
    row = StridedCopy(shape, from, to, elementBytes);
    zeros.assign(elementBytes, 0);
    zeroRow = StridedCopy(shape, std::vector<int64_t>(shape.size(), 0), to,
                          elementBytes);
    index.resize(given.ids.shape.size());
  }

  Status run() override {
    return arguments.ids.type == plan::DType::I64 ? runTyped<int64_t>()
                                                  : runTyped<int32_t>();
  }

private:
  template <typename Id> Status runTyped() {
    const Operand &ids = arguments.ids, &out = arguments.out;
    if (ids.elements() == 0)
      return Status::success();
    std::fill(index.begin(), index.end(), 0);
    const Id *id = static_cast<const Id *>(ids.data);
    char *to = static_cast<char *>(out.data);
    for (;;) {
      if (*id < 0 || *id >= arguments.vocab)
        return outOfRange(*id);
      pick(*id, to);
      size_t dim = index.size();
      while (dim-- > 0) {
        id += ids.strides[dim];
        to += out.strides[dim] * elementBytes;
        if (++index[dim] < ids.shape[dim])
          break;
        id -= ids.strides[dim] * ids.shape[dim];
        to -= out.strides[dim] * elementBytes * ids.shape[dim];
        index[dim] = 0;
      }
      if (dim == static_cast<size_t>(-1))
        return Status::success();
    }
  }

  void pick(int64_t id, char *to) const {
    const Operand &table = arguments.table;
    int64_t local = id - arguments.vocabOffset;
    if (local >= 0 && local < table.shape[0])
      row.run(to, static_cast<const char *>(table.data) +
                      local * table.strides[0] * elementBytes);
    else
      zeroRow.run(to, zeros.data());
  }

  Status outOfRange(int64_t id) const {
    return Status::userError(arguments.name + " holds " + std::to_string(id) +
                             ", which is outside [0, " +
                             std::to_string(arguments.vocab) + ")");
  }

  EmbeddingArguments arguments;
  StridedCopy row, zeroRow;
  std::vector<char> zeros;
  std::vector<int64_t> index;
  int64_t elementBytes;
};

} // namespace

std::unique_ptr<Call> makeEmbedding(const EmbeddingArguments &arguments) {
  return std::make_unique<EmbeddingCall>(arguments);
}

} // namespace hocket::runtime
