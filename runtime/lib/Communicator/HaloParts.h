//===- HaloParts.h - a halo as runs of rows that are moved alike -*- C++ -*-==//

#ifndef HOCKET_LIB_COMMUNICATOR_HALOPARTS_H
#define HOCKET_LIB_COMMUNICATOR_HALOPARTS_H

#include "hocket/Plan/Halo.h"

namespace hocket::runtime {

/// Rows of one member's memory: first, first + step, ...
struct HaloRows {
  int64_t member, first, step;
};

/// Rows [at, at + count) of a result, each the sum of a row of each term, in
/// this order: what the member owns in an exchange (one term or, for zeros,
/// none), what it and others hold in a reduction.
struct HaloPart {
  int64_t at, count;
  std::vector<HaloRows> terms;
};

/// What member `me` does to hold what it is to, and in the transpose of that.
std::vector<HaloPart> partsOfExchange(const plan::Halo &halo, int64_t me);
std::vector<HaloPart> partsOfReduce(const plan::Halo &halo, int64_t me);

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_HALOPARTS_H
