//===- HaloLayers.h - one exchange for several windowed layers -*- C++ -*-===//

#ifndef HOCKET_NN_HALOLAYERS_H
#define HOCKET_NN_HALOLAYERS_H

#include "dialects/Nn/Window.h"

namespace hocket::nn {

/// On a placed operation with windows that is one of several layers with one
/// exchange: pairs of a dim and the operation's number among them, from 0. All
/// but the first slide over what the rank has computed itself, margins
/// included; their gradients are terms of sums there.
inline constexpr llvm::StringLiteral kHaloLayers = "nn.halo_layers";

/// The least interval of the data, which a layer before has to make, that a
/// window shows at these positions, with the end at which a border mirrors it.
/// None has no place but their own.
inline Interval dataOf(const Window &window, Interval positions) {
  int64_t begin = std::clamp<int64_t>(positions.offset, 0, window.extent);
  int64_t end = begin, last = positions.offset + positions.size;
  auto add = [&](int64_t place) {
    begin = begin == end ? place : std::min(begin, place);
    end = std::max(end, place + 1);
  };
  for (int64_t e = positions.offset; e < last; ++e)
    if (int64_t place = window.dataAt(e); place >= 0) { // or a border's
      add(place);
      if (window.border == Border::Reflect && place != e)
        add(e < 0 ? 0 : window.extent - 1);
    }
  return {begin, end - begin};
}

} // namespace hocket::nn

#endif // HOCKET_NN_HALOLAYERS_H
