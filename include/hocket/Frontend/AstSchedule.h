//===- AstSchedule.h - the statements of a schedule -----------------------===//
//
// One struct a primitive, holding what was written and where. Nothing is
// looked up or evaluated here: axis names, dims and paths are text.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ASTSCHEDULE_H
#define HOCKET_FRONTEND_ASTSCHEDULE_H

#include "hocket/Frontend/AstHalo.h"
#include "hocket/Frontend/AstModel.h"

namespace hocket::syntax {

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

/// `axis DIM`: a dim or factor name, or a position counted from 0.
struct DimRef {
  std::string text;
  std::optional<int64_t> position;
  SourceRange range;
};

/// How a split is cut or ordered: `zigzag`, `striped`, `aligned 2`,
/// `sizes (3, 5)`, `weights (1, 2)`.
struct Distribution {
  enum class Kind { Zigzag, Striped, Aligned, Sizes, Weights };
  Kind kind = Kind::Zigzag;
  /// Aligned: one value. Sizes, weights: one a rank.
  std::vector<ExprPtr> values;
  SourceRange range;

  /// Whether it says where parts begin; else it says their order.
  bool cuts() const { return kind >= Kind::Aligned; }
};

const char *getSpelling(Distribution::Kind kind);

/// One axis of `over`: a mesh axis name (or a mesh_axis parameter), in what
/// splits optionally with its own distribution: `over (r zigzag, u)`.
struct AxisUse {
  Name name;
  std::optional<Distribution> distribution;
};

/// `over tp` or `over (dp, tp)`: ordered, major first; never empty.
struct AxisList {
  std::vector<AxisUse> axes;
  SourceRange range;
};

/// `25 MiB`. Bytes = number * unit; the unit is one of B, kB, MB, GB, TB
/// (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024). A bare number is
/// bytes.
struct ByteSize {
  ExprPtr number; ///< IntExpr or FloatExpr
  double unitBytes = 1;
  SourceRange range;
  double getBytes() const;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct ScheduleStmt {
  enum class Kind {
    Let,
    Mesh,
    At,
    Use,
    Def,
    Shard,
    Replicate,
    Sync,
    Defer,
    Halo,
    Attention,
    Statistics,
    Recompute,
    Save,
    Fsdp,
    Fuse,
    Bucket,
    Expect,
    AutoReshard,
    Hook,
  };
  const Kind kind;
  /// The whole statement, its block included.
  SourceRange range;
  /// The keyword alone: where a caret for the whole statement goes.
  SourceRange keyword;
  virtual ~ScheduleStmt() = default;

protected:
  explicit ScheduleStmt(Kind kind) : kind(kind) {}
};
using ScheduleStmtPtr = std::unique_ptr<ScheduleStmt>;

/// The statement's first word: `sync`, `at`, `auto reshard`.
const char *getSpelling(ScheduleStmt::Kind kind);

struct ScheduleBlock {
  std::vector<ScheduleStmtPtr> stmts;
  SourceRange range;
};

/// `override` at the end of a statement; invalid when absent.
using OverrideMark = SourceRange;

struct LetScheduleStmt : ScheduleStmt {
  HOCKET_AST_NODE(LetScheduleStmt, ScheduleStmt, Let)
  Name name;
  ExprPtr value;
};

/// `mesh (dp = 2, tp = tp)`: major axis first; every item has a name.
struct MeshStmt : ScheduleStmt {
  HOCKET_AST_NODE(MeshStmt, ScheduleStmt, Mesh)
  std::vector<Argument> axes;
};

/// A pattern that opens scopes: `h.*`, `h.* (count 12)`, `h.* (optional)`,
/// `h.* (count 12, optional)`.
struct ScopePattern {
  PathPattern pattern;
  ExprPtr count; ///< null when not stated
  bool optional = false;
};

/// `at SCOPE { ... }`: once for each match, with paths relative to it.
struct AtStmt : ScheduleStmt {
  HOCKET_AST_NODE(AtStmt, ScheduleStmt, At)
  ScopePattern scope;
  ScheduleBlock body;
};

/// `use name(args)` or `use name(args) at SCOPE`.
struct UseStmt : ScheduleStmt {
  HOCKET_AST_NODE(UseStmt, ScheduleStmt, Use)
  Name callee;
  std::vector<Argument> args;
  std::optional<ScopePattern> scope;
};

/// `def name(params) { ... }`, also at the top of a file.
struct DefStmt : ScheduleStmt {
  HOCKET_AST_NODE(DefStmt, ScheduleStmt, Def)
  Name name;
  std::vector<Parameter> params;
  ScheduleBlock body;
};

/// `shard PATTERN axis DIM over AXES [DISTRIBUTION...] [override]`.
struct ShardStmt : ScheduleStmt {
  HOCKET_AST_NODE(ShardStmt, ScheduleStmt, Shard)
  PathPattern pattern;
  DimRef dim;
  AxisList axes;
  /// Written after the axes; at most one of each kind.
  std::vector<Distribution> distributions;
  OverrideMark overrideMark;
};

/// `replicate PATTERN over AXES [override]`.
struct ReplicateStmt : ScheduleStmt {
  HOCKET_AST_NODE(ReplicateStmt, ScheduleStmt, Replicate)
  PathPattern pattern;
  AxisList axes;
  OverrideMark overrideMark;
};

enum class SyncPoint { FwdPre, FwdPost, BwdPre, BwdPost };
enum class SyncOp {
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  Repartition,
  Slice,
  Broadcast,
  Hook,
};
enum class ReduceOp { Sum, Max, Min };

/// `fwd_pre`; `all_reduce`; `sum`.
const char *getSpelling(SyncPoint point);
const char *getSpelling(SyncOp op);
const char *getSpelling(ReduceOp op);

/// `sync PATTERN POINT OP [axis DIM [to DIM]] over AXES [DISTRIBUTION]
///  [op sum|max|min] [root N] [override]`.
/// The parser has checked which clauses OP takes: axis is required for
/// reduce_scatter, all_gather, all_to_all (with `to`), repartition and slice,
/// and refused for all_reduce and broadcast; `op` belongs to all_reduce and
/// reduce_scatter, `root` to broadcast; a hook takes any.
/// What splits in the forward may say how it cuts.
struct SyncStmt : ScheduleStmt {
  HOCKET_AST_NODE(SyncStmt, ScheduleStmt, Sync)
  PathPattern pattern;
  SyncPoint point = SyncPoint::FwdPost;
  SourceRange pointRange;
  SyncOp op = SyncOp::AllReduce;
  SourceRange opRange;
  std::optional<Name> hook; ///< of `hook NAME`
  std::optional<DimRef> dim;
  std::optional<DimRef> toDim;
  AxisList axes;
  std::vector<Distribution> distributions; ///< as of a shard
  std::optional<ReduceOp> reduceOp;        ///< absent: sum
  ExprPtr root;                            ///< null when not stated
  OverrideMark overrideMark;
};

/// `defer PATTERN until PATTERN axis DIM over AXES [DISTRIBUTION] [override]`:
/// reduce_scatter after the first, all_gather after the second.
struct DeferStmt : ScheduleStmt {
  HOCKET_AST_NODE(DeferStmt, ScheduleStmt, Defer)
  PathPattern from;
  PathPattern until;
  DimRef dim;
  AxisList axes;
  std::vector<Distribution> distributions; ///< as of a shard
  OverrideMark overrideMark;
};

/// `halo PATTERN axis DIM over AXES [halo options]`.
struct HaloStmt : ScheduleStmt {
  HOCKET_AST_NODE(HaloStmt, ScheduleStmt, Halo)
  PathPattern pattern;
  DimRef dim;
  AxisList axes;
  HaloOptions options;
};

enum class AttentionStrategy { Heads, Sequence, Ring, AllGather };
const char *getSpelling(AttentionStrategy strategy);

/// `attention PATTERN using heads over u, ring over r`,
/// `attention PATTERN using sequence over s from PATH`.
struct AttentionStmt : ScheduleStmt {
  HOCKET_AST_NODE(AttentionStmt, ScheduleStmt, Attention)
  struct Part {
    AttentionStrategy strategy = AttentionStrategy::Heads;
    AxisList axes;
    std::optional<PathPattern> from; ///< what is exchanged; plain
    SourceRange range;
  };
  PathPattern pattern;
  std::vector<Part> parts;
};

/// `statistics PATTERN over AXES`.
struct StatisticsStmt : ScheduleStmt {
  HOCKET_AST_NODE(StatisticsStmt, ScheduleStmt, Statistics)
  PathPattern pattern;
  AxisList axes;
};

/// `recompute PATTERN`.
struct RecomputeStmt : ScheduleStmt {
  HOCKET_AST_NODE(RecomputeStmt, ScheduleStmt, Recompute)
  PathPattern pattern;
};

/// `save PATTERN sharded|gathered`.
struct SaveStmt : ScheduleStmt {
  HOCKET_AST_NODE(SaveStmt, ScheduleStmt, Save)
  PathPattern pattern;
  bool gathered = false;
};

/// `fsdp PATTERN over AXES [stage 1|2|3]`.
struct FsdpStmt : ScheduleStmt {
  HOCKET_AST_NODE(FsdpStmt, ScheduleStmt, Fsdp)
  PathPattern pattern;
  AxisList axes;
  ExprPtr stage; ///< null when not stated
};

/// `fuse PATTERN, ...`.
struct FuseStmt : ScheduleStmt {
  HOCKET_AST_NODE(FuseStmt, ScheduleStmt, Fuse)
  std::vector<PathPattern> patterns;
};

/// `bucket gradients 25 MiB over AXES`.
struct BucketStmt : ScheduleStmt {
  HOCKET_AST_NODE(BucketStmt, ScheduleStmt, Bucket)
  Name what; ///< `gradients` or `parameters`
  ByteSize size;
  AxisList axes;
};

/// `expect forward [at SCOPE] == { all_gather: 2, ... }`, the same for
/// `backward`; `expect memory < 4 GiB`, `expect bytes <= 37.7 MB`.
struct ExpectStmt : ScheduleStmt {
  HOCKET_AST_NODE(ExpectStmt, ScheduleStmt, Expect)
  enum class What { Forward, Backward, Memory, Bytes };
  struct Count {
    Name collective;
    ExprPtr count;
  };
  What what = What::Forward;
  std::optional<PathPattern> at; ///< of forward and backward
  /// Equal for forward and backward; a comparison for memory and bytes.
  BinaryOp comparison = BinaryOp::Equal;
  std::vector<Count> counts; ///< forward, backward: names are unique
  SourceRange countsRange;
  std::optional<ByteSize> size; ///< memory, bytes
};

/// `hook PATTERN with NAME`.
struct HookStmt : ScheduleStmt {
  HOCKET_AST_NODE(HookStmt, ScheduleStmt, Hook)
  PathPattern pattern;
  Name hook;
};

/// `auto reshard`.
struct AutoReshardStmt : ScheduleStmt {
  HOCKET_AST_NODE(AutoReshardStmt, ScheduleStmt, AutoReshard)
};

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_ASTSCHEDULE_H
