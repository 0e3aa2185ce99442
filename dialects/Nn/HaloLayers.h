//===- HaloLayers.h - one exchange for several windowed layers -*- C++ -*-===//

#ifndef HOCKET_NN_HALOLAYERS_H
#define HOCKET_NN_HALOLAYERS_H

#include "llvm/ADT/StringRef.h"

namespace hocket::nn {

/// On a placed operation with windows that is one of several layers with one
/// exchange: pairs of a dim and the operation's number among them, from 0. All
/// but the first slide over what the rank has computed itself, margins
/// included; their gradients are terms of sums there.
inline constexpr llvm::StringLiteral kHaloLayers = "nn.halo_layers";

} // namespace hocket::nn

#endif // HOCKET_NN_HALOLAYERS_H
