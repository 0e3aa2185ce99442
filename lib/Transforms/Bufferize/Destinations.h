//===- Destinations.h - where users want values -----------------*- C++ -*-===//
//
// One walk from the last operation to the first gives each value the place that
// what reads it wants: then nothing is moved later. All of it follows from the
// program and from what the target can write to, not from memory orders.
//
//   y = conv(x); c = concat([y, z])           y: part 0 of c
//   k = kernel(x); h = halo_exchange(k)       k: the middle of h
//   k = kernel(x); p = place(k)               k: among the zeros of p
//   r = halo_reduce(x)                        r: the middle of x
//   w = linear(x); assign "w"(w)              w: what is stored as "w"
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_DESTINATIONS_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_DESTINATIONS_H

#include "Target.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Spmd/Func.h"
#include "hocket/Transforms/Epilogues.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace hocket::bufferization {

struct Destination {
  enum class Kind {
    Own,    // memory of its own
    Part,   // of the concatenation that has `use`, through `view` if not null
    Middle, // of what the exchange that has `use` makes
    Zeros,  // among those of the spmd.place that has `use`
    Within, // in the middle of `stored`, which its operation reduces
    Stored, // in memory of `stored`, the parameter or state it is assigned to
  };
  Kind kind = Kind::Own;
  mlir::OpOperand *use = nullptr;
  nn::RearrangeOp view = {};
  mlir::Value stored = {};
  /// Of Stored: whether the operation that computes it reads `stored` itself,
  /// so that it has to be able to work in place.
  bool isRead = false;
  /// Of Middle and Within: what each rank owns behind the begin of what it
  /// holds.
  spmd::TableAttr before = {};
};

class Destinations {
public:
  Destinations(spmd::FuncOp func, const Target &target,
               const llvm::DenseSet<mlir::Value> &loadTime,
               const Epilogues &epilogues);

  const Destination &of(mlir::Value value) const;

private:
  Destination choose(mlir::OpResult value) const;
  std::optional<Destination> part(mlir::OpResult value) const;
  std::optional<Destination> middle(mlir::OpResult value) const;
  std::optional<Destination> within(mlir::OpResult value) const;
  std::optional<Destination> stored(mlir::OpResult value) const;
  /// Whether nothing reads `value` once `producer` has run. `producer` itself
  /// may read it: `reads` then says so.
  bool isLastReader(mlir::Value value, mlir::Operation *producer, bool isView,
                    bool &reads) const;
  void findStored();
  void findDecided();

  spmd::FuncOp func;
  const Target &target;
  const llvm::DenseSet<mlir::Value> &loadTime;
  const Epilogues &epilogues;
  llvm::StringMap<mlir::Value> holders; // of stored tensors, by name
  /// The last operation that computes the loss or the norm of gradients, of a
  /// step that changes something: nothing stored changes before, so that a run
  /// can leave out a step in which they are not finite.
  mlir::Operation *decided = nullptr;
  llvm::DenseMap<mlir::Value, Destination> destinations;
};

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_DESTINATIONS_H
