//===- KeyHeads.h - the kv heads that ranks read, moved by heads -*- C++ -*-==//

#ifndef HOCKET_LIB_PLACEMENT_KEYHEADS_H
#define HOCKET_LIB_PLACEMENT_KEYHEADS_H

#include "dialects/Nn/Layout.h"

namespace hocket::placement {

/// Where an exchange by heads over the axes takes keys or values to, that are
/// whole over them: each rank to what its query heads read, in the type as what
/// it holds. Of the ranks that hold a kv head the first one owns it.
///
///     8 query heads over 4 ranks    0-1    2-3    4-5    6-7
///     2 kv heads: held              0      0      1      1
///                 owned             0             1
///
///     15 query heads over 3 ranks   0-4    5-9    10-14
///     5 kv heads: held              0-1    1-3    3-4
///                 owned             0-1    2-3    4
///
/// Null if what is read is no interval of the kv heads that the rank has: of
/// queries that other axes than those cut inside of what cuts kv heads, and of
/// kv heads in several factors.
nn::LayoutAttr keyHeads(nn::LayoutAttr queries, nn::LayoutAttr keys,
                        llvm::ArrayRef<mlir::StringAttr> axes,
                        nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_KEYHEADS_H
