//===- ModelPath.h - the path of an operation ------------------*- C++ -*-===//

#ifndef HOCKET_PLACEMENT_MODELPATH_H
#define HOCKET_PLACEMENT_MODELPATH_H

#include "mlir/IR/Operation.h"
#include <string>

namespace hocket::placement {

/// The path of the module or member that the op belongs to; where the location
/// has none, that of the nn.value next to it.
std::string modelPath(mlir::Operation *op);

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_MODELPATH_H
