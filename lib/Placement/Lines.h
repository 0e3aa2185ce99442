//===- Lines.h - what lines of a schedule say, resolved --------*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_LINES_H
#define HOCKET_LIB_PLACEMENT_LINES_H

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "dialects/Sched/Sched.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <set>
#include <string>
#include <vector>

namespace hocket::placement {

struct PathNode;
struct Problem;

/// The named place of a dim or factor in a layout.
struct FactorRef {
  unsigned dim = 0, factor = 0;
  bool operator==(const FactorRef &other) const {
    return dim == other.dim && factor == other.factor;
  }
};

/// "tp"
std::string axisText(unsigned axis, nn::MeshAttr mesh);
/// "tp", or "(dp, tp)".
std::string axesText(llvm::ArrayRef<unsigned> axes, nn::MeshAttr mesh);

/// "seq", or "dim 1" for a factor without a name.
std::string factorName(nn::LayoutAttr layout, FactorRef ref);
/// "a sum", "a maximum", "a minimum": what a partial value is of.
std::string reductionName(nn::PartialAttr partial);
/// The name by which an `axis` clause can say it; empty if none does.
std::string axisName(nn::LayoutAttr layout, FactorRef ref);

/// One shard or replicate line about one tensor.
struct Fact {
  mlir::Operation *directive;
  bool isReplicate;
  llvm::SmallVector<unsigned, 2> axes; ///< major first
  FactorRef ref;                       ///< of a shard
  mlir::ArrayAttr cuts;                ///< of a shard that says; or null
};

/// One sync to apply at one value.
struct SyncSite {
  mlir::Operation *directive;
  nn::RedistributeKind kind;
  std::string path, moment;
  llvm::SmallVector<unsigned, 2> axes;
  std::string axis, to;
  std::optional<int64_t> root;
  std::string reduction;     ///< of the partial value, if it says; or empty
  mlir::ArrayAttr cuts;      ///< how it cuts, if it says; or null
  mlir::DictionaryAttr hook; ///< the user's own function that does it, or null
};

/// A parameter that an fsdp line splits again.
struct FsdpRequest {
  sched::FsdpOp directive;
  nn::ParameterOp parameter;
  llvm::SmallVector<unsigned, 2> axes;
  std::string unit; ///< the innermost match that the parameter is in
};

/// A line that allows something inside of the operations at some paths.
struct Licence {
  mlir::Operation *directive;
  std::vector<std::string> paths;
  llvm::SmallVector<unsigned, 2> axes;
  std::set<unsigned> used;
  std::string dim = {}; ///< of a halo; empty: any

  bool covers(llvm::StringRef path) const;
  /// Whether it is about this dim, by name or number, of such an operation: a
  /// line about attention is about no other windows.
  bool isOf(mlir::Operation *op, llvm::StringRef name, int64_t number) const;
  std::string pattern() const; ///< as the line has it: "'h.*'"
};

/// What lines say of a dim whose windows reach what other ranks own.
struct AskedHalo {
  mlir::LocationAttr line = {}; ///< that asks for it; null if none does
  llvm::StringRef strategy = "neighbors"; ///< or "all_to_all", "all_gather"
  bool overlaps = false; ///< its margins travel while the operation computes
};

/// The same by operation, of all dims of what its windows slide over.
using AskedHalos =
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<AskedHalo, 4>>;

class HeldDemand;
class Problems;
/// Has keys and values made in margins of what `from` of an attention line
/// names; exchanged is that, not they. AttentionFrom.cpp
void exchangeFrom(nn::FuncOp func, llvm::ArrayRef<Licence> halos,
                  const AskedHalos &asked, nn::MeshAttr mesh,
                  HeldDemand &demand, Problems &problems);

/// Puts an exchange before each operation whose windows reach what others own
/// and no exchange before has in margins, or behind it. Exchanges.cpp
void exchangeBefore(nn::FuncOp func, const AskedHalos &asked,
                    nn::MeshAttr mesh);

/// The furthest that any part of these positions reads to each side of what
/// others have, where a part has so many windows.
nn::Reach furthest(const nn::Window &window, llvm::ArrayRef<int64_t> positions,
                   llvm::ArrayRef<int64_t> windows);

/// The same with the border that they read, as the windows themselves reach.
nn::Reach furthestWithBorder(const nn::Window &window,
                             llvm::ArrayRef<int64_t> positions,
                             llvm::ArrayRef<int64_t> windows);

/// The furthest that members hold beyond what they own: of what others own, or
/// of the border as well.
nn::Reach furthestOf(const plan::Halo &halo, bool countsBorder);

/// What a line says after `axis` for a dim of that name: a dim of several
/// factors, or of no name, goes by its number.
std::string axisWord(llvm::StringRef name, int64_t number);

/// A dim of an operation at a path, or of several in a row, that needs margins.
struct HaloDim {
  std::string path, name, axis; ///< `axis` as a line has it
  std::string windows;          ///< "windows of 3", "edges", "2 layers"
  nn::Reach needed, withBorder;
};

/// The same of layers that share one exchange, dim `number` of each.
HaloDim dimOfLayers(llvm::ArrayRef<mlir::Operation *> layers, size_t number,
                    nn::MeshAttr mesh);

/// Over a sequence, or a neighborhood. AttentionLines.cpp
bool isAttention(mlir::Operation *op);

/// An attention that a strategy moves over axes that cut its queries one inside
/// of the other.
struct AttentionMove {
  Licence *strategy;
  llvm::SmallVector<unsigned, 2> axes;        ///< major first
  llvm::SmallVector<nn::SplitAttr, 2> before; ///< what these cut of the queries

  bool isByHeads() const;
  bool isRing() const;
};

/// A line about the size of collectives that join others.
struct Bucket {
  sched::BucketOp directive;
  llvm::SmallVector<unsigned, 2> axes; ///< in the mesh's order
};

/// A sync at bwd_pre or bwd_post.
struct BackwardSite {
  sched::SyncOp directive;
  std::string path;
  mlir::Value value;
  llvm::SmallVector<unsigned, 2> axes;
};

/// What a fuse line names.
struct PinnedKernel {
  sched::FuseOp directive;
  std::vector<PathNode *> nodes;
};

/// A sync over axes of size 1 only: nothing moves, but it was written.
struct VacuousSync {
  std::string collective; ///< that it would be; empty of a slice
  std::string path;
};

/// A `use` whose lines match nothing: of the first it is told.
struct FailedUse {
  Problem *problem;
  unsigned more = 0; ///< such lines
};

/// The matches of a repartition that have the parts already, with what is said
/// of them if no other one changes.
struct Repartition {
  bool changesAny = false;
  std::vector<std::pair<std::string, std::string>> idle; ///< path, text
};

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_LINES_H
