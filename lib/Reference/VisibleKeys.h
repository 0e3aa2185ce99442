//===- VisibleKeys.h - the keys that a query sees ------------*- C++ -*-===//

#ifndef HOCKET_LIB_REFERENCE_VISIBLEKEYS_H
#define HOCKET_LIB_REFERENCE_VISIBLEKEYS_H

#include "Operations.h"
#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/MaskOperands.h"

namespace hocket::reference {

/// The masks of an attention or its gradient that are data.
class MaskTensors {
public:
  template <class OpTy> MaskTensors(OpTy op, const Call &call) {
    nn::MaskOperands numbers = nn::MaskOperands::of(op);
    auto read = [&](std::optional<unsigned> number) {
      return number ? call.operands[*number] : nullptr;
    };
    keep = read(numbers.keep);
    queries = read(numbers.queryDocuments);
    keys = read(numbers.keyDocuments);
  }
  /// Whether they show key j of batch entry b to query i.
  bool show(int64_t b, int64_t i, int64_t j) const {
    return (!keep || at(*keep, b, j) != 0) &&
           (!keys || at(*queries, b, i) == at(*keys, b, j));
  }

private:
  static double at(const Tensor &tensor, int64_t b, int64_t i) {
    return tensor.values[b * tensor.shape[1] + i];
  }
  const Tensor *keep, *queries, *keys; // or null
};

/// What an attention or its gradient adds to scores.
class BiasTensor {
public:
  template <class OpTy> BiasTensor(OpTy op, const Call &call) {
    if (auto number = nn::MaskOperands::biasOf(op))
      tensor = call.operands[*number];
  }
  /// Where it has what is of a score: a dim of 1 is for all.
  int64_t placeOf(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const auto &shape = tensor->shape;
    auto at = [&](int dim, int64_t n) { return shape[dim] == 1 ? 0 : n; };
    return ((at(0, b) * shape[1] + at(1, h)) * shape[2] + at(2, i)) * shape[3] +
           j;
  }
  double at(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return tensor ? tensor->values[placeOf(b, h, i, j)] : 0;
  }

private:
  const Tensor *tensor = nullptr; // [b, h, s, t]
};

/// Keys that an attention's other masks show to query i of a head.
class VisibleKeys {
public:
  /// `layout` is the operation's.
  template <class OpTy>
  VisibleKeys(OpTy op, const std::optional<plan::BlockLayout> &layout,
              int64_t head, int64_t i, int64_t queries, int64_t keys)
      : range(visibleKeys(op, i, queries, keys)) {
    if (!layout)
      return;
    block = layout->block;
    sees.resize(keys / block);
    for (plan::BlockRun run :
         visitedBlocks(*layout, keys / block, head, i / block))
      for (int64_t b = run.begin; b < run.end; ++b)
        sees[b] = true;
  }
  bool has(int64_t key) const {
    return range.has(key) && (block == 0 || sees[key / block]);
  }

private:
  KeyRange range;
  int64_t block = 0; // none
  std::vector<bool> sees;
};

} // namespace hocket::reference

#endif // HOCKET_LIB_REFERENCE_VISIBLEKEYS_H
