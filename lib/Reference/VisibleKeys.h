//===- VisibleKeys.h - the keys that a query sees ------------*- C++ -*-===//

#ifndef HOCKET_LIB_REFERENCE_VISIBLEKEYS_H
#define HOCKET_LIB_REFERENCE_VISIBLEKEYS_H

#include "Operations.h"
#include "dialects/Nn/BlockLayouts.h"

namespace hocket::reference {

/// Keys that an attention's masks, but for padding, show to query i of a head.
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
