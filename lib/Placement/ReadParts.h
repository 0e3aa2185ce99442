//===- ReadParts.h - what windows of each rank read ------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_READPARTS_H
#define HOCKET_LIB_PLACEMENT_READPARTS_H

#include "dialects/Nn/Nn.h"

namespace hocket::placement {

/// The windows of dim `number` of which each member of the axes that cut its
/// positions owns what is made of them, or what makes them.
llvm::SmallVector<nn::Interval> windowsOwned(nn::WindowedOp op, size_t number,
                                             nn::MeshAttr mesh);

/// What each member of the axes that cut the positions of dim `number` reads of
/// them, by operation, where each slides over what comes of the one before it,
/// and the last one makes what its rank owns. Of those behind the first what is
/// data, which the one before makes.
llvm::SmallVector<llvm::SmallVector<nn::Interval>>
readParts(llvm::ArrayRef<mlir::Operation *> layers, size_t number,
          nn::MeshAttr mesh);

/// What ranks are to hold of dim `number`: what their windows read. An
/// all_gather of what edges name gives all between, too.
nn::HeldAttr heldFor(nn::WindowedOp op, int64_t number,
                     llvm::StringRef strategy, nn::MeshAttr mesh);

/// What ranks own of dim `number`, a split one whose windows read nothing else,
/// from the first position to the last that these read, or that a border shows
/// them; null if that is all, or if a border shows the other end.
nn::HeldAttr croppedFor(nn::WindowedOp op, int64_t number, nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_READPARTS_H
