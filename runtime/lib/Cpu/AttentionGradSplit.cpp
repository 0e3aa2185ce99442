//===- AttentionGradSplit.cpp - its gradients by a matrix unit ------------===//

#include "runtime/lib/Cpu/AttentionGradSplit.h"

namespace hocket::runtime {

SplitGradients::SplitGradients(const AttentionGradArguments &arguments,
                               const BlockPlan &plan, KeyWalk &walk)
    : given(arguments), forward(arguments.forward), plan(plan),
      split(splitFunctionsOf(forward)), walk(walk), depth(forward.q.shape[3]),
      width(forward.v.shape[3]), keys(forward.k, plan, split, HeadPanels::Rows),
      keysT(forward.k, plan, split, HeadPanels::Transposed),
      valuesT(forward.v, plan, split, HeadPanels::Transposed),
      terms(plan.columns / plan.panel + 1), valueTerms(terms.size()) {}

void SplitGradients::setScratch(ScratchPieces &pieces) {
  if (!split)
    return;
  int64_t rows = plan.groupTiles * splitUp(plan.rows);
  query = takeSplit(pieces, rows, depth);
  dout = takeSplit(pieces, rows, width);
  queryT = takeSplit(pieces, depth, rows);
  doutT = takeSplit(pieces, width, rows);
  weightsRight = takeSplit(pieces, plan.rows, plan.columns);
  scoresRight = takeSplit(pieces, plan.rows, plan.columns);
  scoresLeft = takeSplit(pieces, plan.rows, plan.columns);
  turned = pieces.takeFloats(plan.panel * std::max(depth, width));
}

void SplitGradients::setPanels(ScratchPieces &pieces) {
  for (SplitPanels *panels : {&keys, &keysT, &valuesT})
    panels->setScratch(pieces);
}

bool SplitGradients::canSplit(int64_t b, int64_t kvHead) {
  if (!split)
    return false;
  if (b == knownBatch && kvHead == knownHead)
    return known;
  known = isSplittable(*split, forward.k, b, kvHead) &&
          isSplittable(*split, forward.v, b, kvHead);
  for (int64_t h = 0; known && h < forward.q.shape[1]; ++h)
    if (forward.kvHead(h) == kvHead)
      known = isSplittable(*split, forward.q, b, h) &&
              isSplittable(*split, given.dout, b, h);
  knownBatch = b;
  knownHead = kvHead;
  return known;
}

void SplitGradients::setHead(int64_t b, int64_t kvHead) {
  for (SplitPanels *panels : {&keys, &keysT, &valuesT})
    panels->setHead(b, kvHead);
}

void SplitGradients::loadGroup(int64_t rows, const float *queries,
                               const float *douts) {
  split->left({query, depth / splitDepth, queries, depth, rows, depth});
  split->left({dout, width / splitDepth, douts, width, rows, width});
  for (int64_t first = 0; first < rows; first += plan.rows) {
    int64_t count = std::min(plan.rows, rows - first);
    split->leftOfTransposed({turnedRows(queryT, first, depth), queryStep(),
                             queries + first * depth, depth, count, depth});
    split->leftOfTransposed({turnedRows(doutT, first, width), queryStep(),
                             douts + first * width, width, count, width});
  }
}

void SplitGradients::addScores(int64_t rows, int64_t first, float *scores,
                               float *gradients) {
  multiplyPanels(*split, keysT.productOf(query, first, rows, walk, terms), walk,
                 scores);
  multiplyPanels(*split, valuesT.productOf(dout, first, rows, walk, valueTerms),
                 walk, gradients);
}

void SplitGradients::splitScores(int64_t rows, const float *weights,
                                 const float *gradients) {
  split->right(
      {weightsRight, queryStep(), weights, plan.pitch, rows, walk.columns});
  split->right(
      {scoresRight, queryStep(), gradients, plan.pitch, rows, walk.columns});
  split->left(
      {scoresLeft, keyStep(), gradients, plan.pitch, rows, walk.columns});
}

bool SplitGradients::weigh(int64_t rows, int64_t first, const float *lse,
                           const float *means) {
  if (walk.isChanged() || forward.dropout.isLive() ||
      (!forward.isTerm && walk.isWhole()))
    return false;
  split->softmaxGrad({keysT.productOf(query, first, rows, walk, terms),
                      valuesT.productOf(dout, first, rows, walk, valueTerms),
                      float(forward.scale), float(forward.scale), lse, means,
                      weightsRight, scoresRight, queryStep(), scoresLeft,
                      keyStep()});
  return true;
}

void SplitGradients::addQueries(int64_t rows, float *queryGradient) {
  int64_t count = 0;
  for (const KeyPiece &piece : walk.pieces())
    terms[count++] = {keys.at(piece.key), splitUp(piece.count) / splitDepth};
  split->product({scoresLeft, keyStep(), terms.data(), count, keys.step(),
                  queryGradient, depth, rows, depth, true, nullptr,
                  walk.visible()});
}

void SplitGradients::addKeys(int64_t rows, int64_t first, const KeyPiece &piece,
                             float *keySums, float *valueSums, bool isAdded) {
  int64_t at = piece.column / splitSide * queryStep() * splitBlock;
  auto multiply = [&](const Pair *left, const Pair *right, int64_t size,
                      float *to) {
    SplitTerm term{right + at, splitUp(rows) / splitDepth};
    split->product({left, queryStep(), &term, 1, queryStep(), to, plan.panel,
                    size, piece.count, isAdded});
  };
  multiply(turnedRows(queryT, first, depth), scoresRight, depth, keySums);
  multiply(turnedRows(doutT, first, width), weightsRight, width, valueSums);
}

const float *SplitGradients::turn(const float *panel, int64_t size,
                                  int64_t count) {
  vectorFunctions().transpose({turned, size, panel, plan.panel, size, count});
  return turned;
}

} // namespace hocket::runtime
