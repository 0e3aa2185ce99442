//===- AttentionSplit.h - attention by a matrix unit ------------*- C++ -*-===//
//
// Where there is a matrix unit, products of float32 attention without a layout
// are those of SplitFunctions.h. Keys and values are split once for a head, and
// weights when they are made.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_ATTENTIONSPLIT_H
#define HOCKET_LIB_CPU_ATTENTIONSPLIT_H

#include "hocket/Cpu/SplitFunctions.h"
#include "runtime/lib/Cpu/AttentionWalk.h"
#include <vector>

namespace hocket::runtime {

/// The functions of the matrix unit if this attention is worth them, else null:
/// it is without a layout, whose blocks are small, with heads of whole blocks,
/// and not of few queries or keys, as when tokens are generated.
const SplitFunctions *splitFunctionsOf(const AttentionArguments &arguments);

/// Whether parts of all these numbers, and sums of products of them, are exact
/// enough: all are zero, or the largest magnitude is between 2^-48 and 2^48.
bool isSplittable(const SplitFunctions &functions, const Operand &from,
                  int64_t b, int64_t head);

/// Room for a split matrix.
inline Pair *takeSplit(ScratchPieces &pieces, int64_t rows, int64_t columns) {
  return reinterpret_cast<Pair *>(
      pieces.take(splitPairs(rows, columns) * sizeof(Pair)));
}

/// Two that are not used at the same time share memory: what place(pieces) of
/// each takes.
template <typename First, typename Second>
void shareScratch(ScratchPieces &pieces, First first, Second second) {
  ScratchPieces one(nullptr), other(nullptr);
  first(one);
  second(other);
  char *shared = pieces.take(std::max(one.bytes(), other.bytes()));
  ScratchPieces begin(shared), again(shared);
  first(begin);
  second(again);
}

/// As HeadPanels, of split panels.
class SplitPanels {
public:
  /// The right side of a product: Rows adds over keys, Transposed over elements
  /// of keys. What at() gives stays as in HeadPanels.
  SplitPanels(const Operand &from, const BlockPlan &plan,
              const SplitFunctions *functions, HeadPanels::Order order);

  void setScratch(ScratchPieces &pieces);
  void setHead(int64_t b, int64_t head);
  /// The panel that begins with key `key`.
  const Pair *at(int64_t key);
  /// Rows from `first` on of a left side with all keys, or values, of the tile
  /// where the walk is: their panels, which are Transposed, become `terms`.
  SplitProduct productOf(const Pair *left, int64_t first, int64_t rows,
                         KeyWalk &walk, std::vector<SplitTerm> &terms);
  /// Blocks between columns of a product.
  int64_t step() const {
    return (order == HeadPanels::Rows ? splitUp(plan.panel) : size) /
           splitDepth;
  }

private:
  const Operand &from;
  const BlockPlan &plan;
  const SplitFunctions *functions;
  const HeadPanels::Order order;
  const int64_t size, slots, panelPairs;
  int64_t b = 0, head = 0;
  Pair *panels = nullptr;
  int64_t *held = nullptr; // by slot: number of its panel, or -1
  float *dense = nullptr;  // a panel whose elements do not follow one another
};

/// Makes such a product panel by panel, in a tile of scores.
void multiplyPanels(const SplitFunctions &functions, const SplitProduct &all,
                    KeyWalk &walk, float *scores);

/// A thread's right to call SplitFunctions, if there are any.
class SplitScope {
public:
  explicit SplitScope(const SplitFunctions *functions) : functions(functions) {
    if (functions)
      functions->begin();
  }
  ~SplitScope() {
    if (functions)
      functions->end();
  }
  SplitScope(const SplitScope &) = delete;
  SplitScope &operator=(const SplitScope &) = delete;

private:
  const SplitFunctions *functions;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONSPLIT_H
