//===- AttentionGradSplit.h - its gradients by a matrix unit ----*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONGRADSPLIT_H
#define HOCKET_LIB_CPU_ATTENTIONGRADSPLIT_H

#include "runtime/lib/Cpu/AttentionSplit.h"

namespace hocket::runtime {

/// The products of AttentionGradWorker by the matrix unit; one thread's. The
/// right side of a product whose rows are keys would be transposed weights, and
/// that of its transpose is not: gradients of keys and values are added up
/// transposed.
class SplitGradients {
public:
  SplitGradients(const AttentionGradArguments &arguments, const BlockPlan &plan,
                 KeyWalk &walk);

  const SplitFunctions *functions() const { return split; }
  /// Rows of a tile of scores that products write.
  int64_t rowsOf(int64_t rows) const { return split ? splitUp(rows) : rows; }
  void setScratch(ScratchPieces &pieces);
  void setPanels(ScratchPieces &pieces);

  /// Whether all that products of a kv head read can be split.
  bool canSplit(int64_t b, int64_t kvHead);
  void setHead(int64_t b, int64_t kvHead);
  /// Dense rows of a group.
  void loadGroup(int64_t rows, const float *query, const float *dout);
  /// The rows from `first` on of the group: scores = Q K^T, gradients of the
  /// weights = dO V^T.
  void addScores(int64_t rows, int64_t first, float *scores, float *gradients);
  /// Splits weights and gradients of scores.
  void splitScores(int64_t rows, const float *weights, const float *gradients);
  /// All of this at once, if nothing but a range hides scores and the tile is
  /// not whole; else false.
  bool weigh(int64_t rows, int64_t first, const float *lse, const float *means);
  /// dQ += dS K.
  void addQueries(int64_t rows, float *queryGradient);
  /// Of panel `piece`, transposed: dK^T (+)= Q^T dS, dV^T (+)= dO^T P.
  void addKeys(int64_t rows, int64_t first, const KeyPiece &piece, float *keys,
               float *values, bool isAdded);
  /// `size` rows of a panel's keys become `count` keys.
  const float *turn(const float *panel, int64_t size, int64_t count);

private:
  Pair *turnedRows(Pair *group, int64_t first, int64_t size) const {
    return group + first / splitUp(plan.rows) * splitPairs(size, plan.rows);
  }
  int64_t queryStep() const { return splitUp(plan.rows) / splitDepth; }
  int64_t keyStep() const { return splitUp(plan.columns) / splitDepth; }

  const AttentionGradArguments &given;
  const AttentionArguments &forward;
  const BlockPlan &plan;
  const SplitFunctions *split; // null: there is no unit
  KeyWalk &walk;
  const int64_t depth, width;
  SplitPanels keys, keysT, valuesT;
  std::vector<SplitTerm> terms, valueTerms;
  int64_t knownBatch = -1, knownHead = -1;
  bool known = false;
  Pair *query = nullptr, *dout = nullptr; // of the group
  Pair *queryT = nullptr, *doutT = nullptr;
  /// Of a tile: right sides of products over queries, and over keys the left.
  Pair *weightsRight = nullptr, *scoresRight = nullptr, *scoresLeft = nullptr;
  float *turned = nullptr;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONGRADSPLIT_H
