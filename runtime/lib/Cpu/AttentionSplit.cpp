//===- AttentionSplit.cpp - attention by a matrix unit --------------------===//

#include "runtime/lib/Cpu/AttentionSplit.h"
#include <algorithm>
#include <cstring>

namespace hocket::runtime {

const SplitFunctions *splitFunctionsOf(const AttentionArguments &arguments) {
  constexpr int64_t few = 32;
  bool isWorth = !arguments.visited && arguments.q.shape[3] % splitDepth == 0 &&
                 arguments.v.shape[3] % splitDepth == 0 &&
                 arguments.q.shape[2] >= few && arguments.k.shape[2] >= few;
  return isWorth ? splitFunctions() : nullptr;
}

static uint32_t bitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

bool isSplittable(const SplitFunctions &functions, const Operand &from,
                  int64_t b, int64_t head) {
  uint32_t largest = 0;
  int64_t size = from.shape[3], step = from.strides[3];
  constexpr int64_t ahead = 16, line = 16;
  for (int64_t i = 0; i < from.shape[2]; ++i) {
    const float *row = rowOf(from, b, head, i);
    for (int64_t d = 0; step == 1 && d < size; d += line)
      __builtin_prefetch(row + ahead * from.strides[2] + d);
    if (step == 1)
      largest = std::max(largest, functions.largest(row, size));
    else
      for (int64_t d = 0; d < size; ++d)
        largest = std::max(largest, functions.largest(row + d * step, 1));
  }
  return largest == 0 ||
         (largest >= bitsOf(0x1p-48f) && largest <= bitsOf(0x1p48f));
}

SplitPanels::SplitPanels(const Operand &from, const BlockPlan &plan,
                         const SplitFunctions *functions,
                         HeadPanels::Order order)
    : from(from), plan(plan), functions(functions), order(order),
      size(from.shape[3]),
      slots(!functions                        ? 0
            : order == HeadPanels::Transposed ? plan.kept
                                              : plan.panels),
      panelPairs(splitPairs(plan.panel, size)) {}

void SplitPanels::setScratch(ScratchPieces &pieces) {
  panels =
      reinterpret_cast<Pair *>(pieces.take(slots * panelPairs * sizeof(Pair)));
  held = reinterpret_cast<int64_t *>(pieces.take(slots * sizeof(int64_t)));
  bool isDense = !functions || from.strides[3] == 1;
  dense = pieces.takeFloats(isDense ? 0 : plan.panel * size);
}

void SplitPanels::setHead(int64_t batch, int64_t number) {
  b = batch;
  head = number;
  std::fill_n(held, slots, -1);
}

const Pair *SplitPanels::at(int64_t key) {
  int64_t number = plan.panelOf(key), slot = number % slots;
  Pair *panel = panels + slot * panelPairs;
  if (held[slot] == number)
    return panel;
  auto [begin, end] = plan.keysOf(number);
  Split split{panel,           step(),      rowOf(from, b, head, begin),
              from.strides[2], end - begin, size};
  if (from.strides[3] != 1) {
    loadRows(from, b, head, {begin, end - begin, 0}, dense);
    split.from = dense, split.pitch = size;
  }
  if (order == HeadPanels::Rows)
    functions->right(split);
  else
    functions->rightOfTransposed(split);
  held[slot] = number;
  return panel;
}

SplitProduct SplitPanels::productOf(const Pair *left, int64_t first,
                                    int64_t rows, KeyWalk &walk,
                                    std::vector<SplitTerm> &terms) {
  int64_t depth = step(), count = 0;
  for (const KeyPiece &piece : walk.pieces())
    terms[count++] = {at(piece.key), depth};
  SplitProduct product{left + first / splitSide * depth * splitBlock,
                       depth,
                       terms.data(),
                       count,
                       depth,
                       nullptr,
                       plan.pitch,
                       rows,
                       walk.columns,
                       false,
                       walk.visible()};
  product.termColumns = plan.panel;
  return product;
}

void multiplyPanels(const SplitFunctions &functions, const SplitProduct &all,
                    KeyWalk &walk, float *scores) {
  for (const KeyPiece &piece : walk.pieces()) {
    SplitProduct one = all;
    one.terms += piece.column / all.termColumns, one.count = 1;
    one.c = scores + piece.column, one.columns = piece.count;
    one.wanted = walk.visible(piece);
    functions.product(one);
  }
}

} // namespace hocket::runtime
