//===- RearrangePattern.h - einops patterns of rearrange --------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_REARRANGEPATTERN_H
#define HOCKET_FRONTEND_ELABORATE_REARRANGEPATTERN_H

#include "dialects/Nn/Layout.h"
#include <functional>
#include <optional>

namespace hocket::frontend {

/// "b (h d) -> b h d": axes b, h, d; left [[0], [1, 2]]; right [[0], [1], [2]].
/// A `1` is an empty group.
struct RearrangePattern {
  struct Axis {
    std::string name;
    int64_t size = 0;
    nn::DimAttr product; // set when the axis is a dim of several factors
  };
  std::vector<Axis> axes;
  std::vector<std::vector<size_t>> left, right;
};

/// False with a sentence in `problem`.
bool parseRearrange(const std::string &text, RearrangePattern &pattern,
                    std::string &problem);

/// Fills in the sizes: from the factors of the tensor's dims where a group
/// names as many, from `sizeOf` (names in scope), and one left over by
/// division.
bool sizeRearrange(
    RearrangePattern &pattern, nn::LayoutAttr layout,
    const std::function<std::optional<int64_t>(const std::string &)> &sizeOf,
    std::string &problem);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_REARRANGEPATTERN_H
