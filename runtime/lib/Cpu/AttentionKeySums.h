//===- AttentionKeySums.h - gradients of keys and values --------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONKEYSUMS_H
#define HOCKET_LIB_CPU_ATTENTIONKEYSUMS_H

#include "runtime/lib/Cpu/AttentionWalk.h"
#include <algorithm>
#include <cstring>

namespace hocket::runtime {

/// Gradients of a head's keys and values: dense rows or, if they are split, by
/// panel, a row for each element of a key.
class KeySums {
public:
  KeySums(const AttentionGradArguments &arguments, const BlockPlan &plan)
      : plan(plan), keyCount(arguments.forward.k.shape[2]),
        depth(arguments.forward.k.shape[3]),
        width(arguments.forward.v.shape[3]) {}

  void setScratch(ScratchPieces &pieces) {
    int64_t count = std::max(keyCount, plan.panels * plan.panel);
    keys = pieces.takeFloats(count * depth);
    values = pieces.takeFloats(count * width);
    isTouched = pieces.take(plan.panels);
  }
  void clear(bool split) {
    isSplit = split;
    std::memset(isTouched, 0, plan.panels);
  }
  /// Whether what these keys of a panel get is to be added to what is there:
  /// not if they are the whole panel and the first to get something.
  bool isAdded(const KeyPiece &piece);
  bool isNothing(int64_t panel) const { return !isTouched[panel]; }
  void add(const KeySums &other, int64_t panel);
  float *key(int64_t key) { return keys + key * depth; }
  float *value(int64_t key) { return values + key * width; }
  bool isSplit = false;

private:
  const BlockPlan &plan;
  const int64_t keyCount, depth, width;
  float *keys = nullptr, *values = nullptr;
  char *isTouched = nullptr;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONKEYSUMS_H
