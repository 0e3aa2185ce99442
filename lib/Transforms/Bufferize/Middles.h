//===- Middles.h - what is owned of what is held ----------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_MIDDLES_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_MIDDLES_H

#include "dialects/Spmd/Func.h"
#include "dialects/Spmd/Spmd.h"

namespace hocket::bufferization {

/// What each member of a halo's axes owns behind the begin of what it holds; a
/// null attribute if some rank of the class does not hold all that it owns.
template <class OpTy> spmd::TableAttr ownedBehind(OpTy op, spmd::FuncOp func);

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_MIDDLES_H
