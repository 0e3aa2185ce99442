//===- Orders.h - elements into the order of parts and back -----*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_ORDERS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_ORDERS_H

#include "Emit.h"

namespace hocket::partitioning {

/// A factor that a split cuts in an order (dialects/Nn/Ordered.h), whole on the
/// rank.
struct OrderedFactor {
  int64_t dim, factor;
  nn::SplitAttr split;
};

/// Collectives join and cut intervals. Where parts are in an order, a rank that
/// has all of them lists the elements part by part before they are cut, or puts
/// them back behind where they are joined.
class Orders : public Emitter {
public:
  using Emitter::Emitter;

  /// Part by part; `x` has the factor from end to end.
  mlir::Value listed(mlir::Value x, const OrderedFactor &what);
  /// From end to end; `x` has it part by part.
  mlir::Value putBack(mlir::Value x, const OrderedFactor &what);

private:
  struct Stretch;
  class Dim;
  mlir::Value parted(mlir::Value x, int64_t dim, int64_t first, bool isBack);
  mlir::Value ofMajor(mlir::Value x, const OrderedFactor &what,
                      llvm::function_ref<mlir::Value(Dim)> reorder);
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_ORDERS_H
