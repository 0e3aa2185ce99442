//===- CollectiveCase.h - collectives that are timed -----------*- C++ -*-===//

#ifndef HOCKET_TEST_BENCH_COLLECTIVECASE_H
#define HOCKET_TEST_BENCH_COLLECTIVECASE_H

#include "hocket/Runtime/Communicator.h"
#include <algorithm>
#include <chrono>

namespace hocket::bench {

/// Even shares of a dim.
inline runtime::Share shareOf(int dim, int64_t ranks, int64_t each) {
  runtime::Share share{dim};
  for (int64_t rank = 0; rank < ranks; ++rank) {
    share.offset.push_back(rank * each);
    share.size.push_back(each);
  }
  return share;
}

/// Of member `me` of `ranks`, with `share` floats for each of them in the
/// larger of `in` and `out`.
inline runtime::CollectiveSpec specFor(plan::CollectiveKind kind, int64_t ranks,
                                       int64_t me, int64_t share, float *in,
                                       float *out) {
  using plan::CollectiveKind;
  runtime::CollectiveSpec spec;
  spec.me = me;
  spec.source.path = "bench";
  for (int64_t rank = 0; rank < ranks; ++rank)
    spec.members.push_back(rank);
  std::vector<int64_t> whole = {ranks * share}, part = {share};
  runtime::Window src{in, whole, {1}};
  runtime::Window dst{out, whole, {1}};
  runtime::Share rows = shareOf(0, ranks, share);
  if (kind == CollectiveKind::AllGather)
    src.shape = part, spec.kind = runtime::AllGather{{rows}};
  if (kind == CollectiveKind::ReduceScatter)
    dst.shape = part, spec.kind = runtime::ReduceScatter{{rows}};
  if (kind == CollectiveKind::AllToAll) {
    // From split by rows to split by columns.
    spec.kind =
        runtime::AllToAll{{shareOf(0, ranks, 1)}, {shareOf(1, ranks, share)}};
    src.shape = {1, ranks * share}, src.strides = {ranks * share, 1};
    dst.shape = {ranks, share}, dst.strides = {share, 1};
  }
  if (kind == CollectiveKind::Broadcast)
    spec.kind = runtime::Broadcast();
  spec.pairs = {{src, dst}};
  return spec;
}

/// Milliseconds.
inline double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

} // namespace hocket::bench

#endif // HOCKET_TEST_BENCH_COLLECTIVECASE_H
