//===- AttentionModel.h - random models of attention ------------*- C++ -*-===//
//
// One to three attentions, one after another, each with a mask of its own: of
// what a model reads, of projections as in transformers, of another sequence,
// or over neighborhoods of a grid.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_ATTENTIONMODEL_H
#define HOCKET_TEST_RANDOM_ATTENTIONMODEL_H

#include "ModelText.h"

namespace hocket::random {

ModelText makeAttentionModel(Rng &rng);

/// A mask of `queries` and `keys` in a row, which may read `keep`; empty if
/// none.
std::string drawMask(Rng &rng, int64_t queries, int64_t keys);

/// `block_layout(...)` of a sequence of that length, and at times its product
/// with other masks.
std::string drawLayout(Rng &rng, int64_t length);

/// `neighborhood(...)` in dims of these extents; empty where they have no room.
std::string drawNeighborhood(Rng &rng, const std::vector<int64_t> &extents);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_ATTENTIONMODEL_H
