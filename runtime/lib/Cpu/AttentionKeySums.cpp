//===- AttentionKeySums.cpp - gradients of keys and values ----------------===//

#include "runtime/lib/Cpu/AttentionKeySums.h"

namespace hocket::runtime {

bool KeySums::isAdded(const KeyPiece &piece) {
  int64_t panel = plan.panelOf(piece.key);
  bool was = isTouched[panel];
  isTouched[panel] = 1;
  auto [begin, end] = plan.keysOf(panel);
  if (was || isSplit || piece.count == end - begin)
    return was;
  std::fill(key(begin), key(end), 0.0f);
  std::fill(value(begin), value(end), 0.0f);
  return true;
}

/// Both have something in the panel.
void KeySums::add(const KeySums &other, int64_t panel) {
  auto [begin, end] = plan.keysOf(panel);
  if (isSplit) // as many as there are in a row
    end = begin + plan.panel;
  for (int64_t i = begin * depth; i < end * depth; ++i)
    keys[i] += other.keys[i];
  for (int64_t i = begin * width; i < end * width; ++i)
    values[i] += other.values[i];
}

} // namespace hocket::runtime
