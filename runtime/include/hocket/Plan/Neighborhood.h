//===- Neighborhood.h - the keys of neighborhood attention -----*- C++ -*-===//
//
// One dim of the windows of neighborhood attention, as NATTEN defines them
// (Hassani et al., arXiv 2504.16922). Used by the compiler, the check of plans
// and the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_NEIGHBORHOOD_H
#define HOCKET_PLAN_NEIGHBORHOOD_H

#include <algorithm>
#include <cstdint>

namespace hocket::plan {

/// Positions with equal remainders by `dilation` are a dim of their own, of
/// which a query sees `kernel` keys in a row: those around it, or, near an end,
/// the last ones there are. `stride` queries in a row share the window of the
/// one in their middle. If causal, a query sees none after itself, and the
/// window is that of the last of the queries that share it.
struct Neighborhood {
  int64_t extent = 0;
  int64_t kernel = 1, stride = 1, dilation = 1;
  bool causal = false;

  /// Keys `first`, `first` + dilation, ...
  struct Keys {
    int64_t first, count;
  };

  bool isValid() const {
    return extent >= 0 && kernel >= 1 && stride >= 1 && stride <= kernel &&
           dilation >= 1 && kernel <= extent / dilation;
  }

  Keys keysOf(int64_t query) const {
    int64_t rest = query % dilation, i = query / dilation;
    int64_t length = (extent - rest + dilation - 1) / dilation;
    int64_t leader = i / stride * stride + (causal ? stride - 1 : stride / 2);
    leader = std::min(leader, length - 1);
    int64_t begin = leader - (causal ? kernel - 1 : kernel / 2);
    begin = std::max<int64_t>(std::min(begin, length - kernel), 0);
    int64_t count = causal ? i + 1 - begin : kernel;
    return {begin * dilation + rest, count};
  }

  /// The least [begin, end) that has the keys of `count` queries from `first`
  /// on. Windows of one remainder rise with their queries, so that the first
  /// `dilation` queries tell the begin and the last ones the end; of these,
  /// those of the least (most) remainder of each quotient and of each length.
  struct Range {
    int64_t begin, end;
  };
  Range reads(int64_t first, int64_t count) const {
    if (count == 0)
      return {first, first};
    int64_t last = first + count - 1;
    Range range{extent, 0};
    for (int64_t rest : {first % dilation, int64_t(0), extent % dilation}) {
      int64_t query = first + (rest - first % dilation + dilation) % dilation;
      if (query <= last)
        range.begin = std::min(range.begin, keysOf(query).first);
    }
    for (int64_t rest : {last % dilation, dilation - 1,
                         (extent % dilation + dilation - 1) % dilation}) {
      int64_t query = last - (last % dilation - rest + dilation) % dilation;
      if (query < first)
        continue;
      Keys keys = keysOf(query);
      range.end =
          std::max(range.end, keys.first + (keys.count - 1) * dilation + 1);
    }
    return range;
  }

  bool operator==(const Neighborhood &other) const {
    return extent == other.extent && kernel == other.kernel &&
           stride == other.stride && dilation == other.dilation &&
           causal == other.causal;
  }
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_NEIGHBORHOOD_H
