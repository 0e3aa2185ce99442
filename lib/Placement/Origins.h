//===- Origins.h - why a value is placed as it is --------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_ORIGINS_H
#define HOCKET_LIB_PLACEMENT_ORIGINS_H

#include "dialects/Nn/Nn.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace hocket::placement {

/// Why a value holds what it holds on one mesh axis.
struct Origin {
  enum class Kind {
    None,       // nothing placed it: whole
    Fact,       // `directive` (shard, replicate) says so
    Sync,       // `directive` moved it here
    Through,    // as `from`, by the rule of the op
    Contracted, // `from` is split by a factor that the op sums over
    Repaired,   // as it would be had an error been mended, or auto reshard
  };
  Kind kind = Kind::None;
  mlir::Operation *directive = nullptr;
  mlir::Operation *op = nullptr; ///< Through, Contracted, Sync: made here
  mlir::Value from;
  std::string factor; ///< Contracted: its name
};

class Origins {
public:
  void set(mlir::Value value, unsigned axis, Origin origin);
  const Origin &of(mlir::Value value, unsigned axis) const;
  /// Back through Through to where it began.
  const Origin &rootOf(mlir::Value value, unsigned axis) const;
  /// The values from where it began to `value`, both included.
  llvm::SmallVector<mlir::Value> chainOf(mlir::Value value,
                                         unsigned axis) const;
  /// The directive that caused it, also behind Contracted; null if none did.
  mlir::Operation *directiveOf(mlir::Value value, unsigned axis) const;

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Origin, 2>> origins;
};

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_ORIGINS_H
