//===- Plan.h - the flat program that a compiled schedule is ---*- C++ -*-===//
//
// A plan is what the compiler hands to the runtime: for each rank class two
// lists of instructions, `load` (run once: read weights, compute constants,
// pack) and `step` (run for each input), over buffers whose addresses are
// known. It names no LLVM and no MLIR type. Extents are in elements, offsets
// and sizes in bytes only where the name says so.
//
// Ranks number the mesh row-major: with mesh (dp = 2, tp = 4) rank = dp*4 + tp.
// The coordinate of a rank along a list of axes is row-major over that list.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_PLAN_H
#define HOCKET_PLAN_PLAN_H

#include "hocket/Plan/Attention.h"
#include "hocket/Plan/Collective.h"
#include "hocket/Plan/KernelSource.h"
#include "hocket/Plan/Recipe.h"
#include "hocket/Plan/Windows.h"
#include <variant>
#include <vector>

namespace hocket::plan {

/// Tables of Runs, over the axes of the cut.
struct RunTables {
  int begin, first, length, every;
};

/// How one factor of a global tensor is cut: which axes, and where each
/// coordinate begins and how much it has; with `runs`, of their list.
struct Cut {
  int dim;    // index into GlobalTensor::shape (shape is by factor)
  int offset; // table
  int size;   // table
  std::optional<RunTables> runs = {};
};

/// An input, output, parameter or state as the user sees it, and the box of it
/// that a rank holds. `shape` lists factors (a dim (heads, head_dim) is two
/// entries), so that a cut is of one entry; `dims` is the shape in the file.
struct GlobalTensor {
  std::string name;
  DType type;
  std::vector<int64_t> dims;
  std::vector<int64_t> shape;
  std::vector<Cut> cuts;
  /// For outputs and states: ranks whose coordinate on every one of these axes
  /// is 0 write (the others hold the same bytes).
  std::vector<int> replicatedOver;
  Init init = {}; // of a parameter
};

/// Where an instruction comes from, for errors, traces and reports.
struct Source {
  std::string path;     // model path, "encoder.layer.0.attention.self"
  std::string model;    // "bert.hkt:34:20", may be empty
  std::string schedule; // "bert_schedules.hkt:21:5", may be empty
};

// ---- instructions ---------------------------------------------------------

/// load only. Reads the rank's box of parameter `tensor` (index into
/// Plan::parameters) and writes it dense to `dst`, converted to its type. If
/// `onlyFirstOf` is not empty, a rank whose coordinate on any of these mesh
/// axes is not 0 gets zeros instead (a bias added to a partial sum).
struct ReadParameter {
  int tensor;
  View dst;
  std::vector<int> onlyFirstOf;
};

/// A generated kernel; shapes and strides are compiled in. args[i] is the
/// address of element 0 of the i-th view (terms added), inputs first.
///
/// On a CPU: void symbol(void *const *args, const int64_t *scalars, int64_t
/// begin, int64_t end). The outermost parallel loop has `extent` iterations,
/// which may be cut over threads.
///
/// On a GPU: a launch of the entry `symbol`, with args and then the scalars as
/// parameters of 64 bits, in `extent` blocks of `threads` threads; without any
/// block nothing is done.
///
/// `flops` counts a scalar operation for each element that it computes.
struct Kernel {
  std::string symbol;
  std::vector<View> inputs;
  std::vector<View> outputs; // args = inputs then outputs
  std::vector<Scalar> scalars;
  int64_t extent;
  int64_t threads = 0; // of a block; 0 on a CPU
  int64_t flops = 0;   // of one run
};

enum class PostOp { Add, Relu, GeluErf, GeluTanh, Silu, Tanh, Mul };
struct FusedPostOp {
  PostOp op;
  View operand; // Add, Mul: same shape as c (broadcast strides 0 allowed)
};

/// c[..., m, n] = post(sum_k a[..., m, k] * b[..., k, n] + bias[n]).
/// Views have rank >= 2, equal rank; leading (batch) dims may have stride 0 in
/// a or b. `packed` says that b is a weight that load has packed: b then views
/// the plain weight and `packedWeight` numbers the pack.
struct Matmul {
  View a, b, c;
  bool hasBias = false;
  View bias; // shape [n]
  std::vector<FusedPostOp> post;
  int packedWeight = -1; // index into the class's packs, or -1
};

/// load only. Packs weight `b` [k, n] (strided view) for a library's own
/// layout under number `packedWeight`. `m` is the number of rows it will meet.
struct PackWeight {
  int packedWeight;
  View b;
  int64_t m;
};

/// out[i..., w...] = table[ids[i...] - vocabOffset, w...], zeros where that is
/// outside [0, rows of table); rows may have several dims. An id outside [0,
/// vocab) is a run-time error.
struct Embedding {
  View table, ids, out;
  Scalar vocabOffset;
  int64_t vocab;
};

/// out[r, w...] = sum of dy[i..., w...] over ids[i...] - vocabOffset = r: what
/// Embedding does to its table, backwards. An id outside [0, vocab) is a
/// run-time error.
struct EmbeddingGrad {
  View ids, dy, out;
  Scalar vocabOffset;
  int64_t vocab;
};

/// dst = src, element for element (views of equal shape, same dtype).
struct Copy {
  View src, dst;
};

/// Fills dst with a constant (load time, or padding).
struct Fill {
  View dst;
  double value;
};

/// dst[i, ...] = first + i along `dim` (load time).
struct Iota {
  View dst;
  int dim;
  Scalar first;
};

/// dst[i] = values[i] (load time): the ends of a rank's edges.
struct Constant {
  View dst;
  std::vector<int64_t> values;
};

/// A user's own function, int name(const hocket_call *): see hocket/Hook.h. The
/// views have one extent a dim.
struct Hook {
  std::string name;
  std::vector<View> inputs, outputs;
};

struct Instruction {
  int source = -1; // index into Plan::sources
  std::variant<ReadParameter, Kernel, Matmul, PackWeight, Attention, Embedding,
               Copy, Collective, Fill, Iota, AttentionGrad, EmbeddingGrad, Hook,
               Convolution, Pooling, NeighborhoodAttention,
               NeighborhoodAttentionGrad, Constant, Wait>
      body;
  /// On a GPU, of those kinds that takesWorkspace: bytes of the arena (Bool,
  /// one dim) that are its own while it runs, for a library or for what its
  /// kernels leave to each other. Else buffer -1.
  View workspace = {};
};

/// What one class's ranks hold; the runtime's counters must agree.
struct Budget {
  int64_t arenaBytes = 0;
  int64_t weightBytes = 0;
  int64_t stateBytes = 0;
};

/// Ranks that share instructions and local shapes.
struct RankClass {
  std::vector<int64_t> ranks;
  std::vector<Buffer> buffers;
  std::vector<Instruction> load, step;
  int64_t packs = 0; // number of packed weights
  /// For each of Plan::states the buffer that holds the rank's box, dense.
  std::vector<int> states;
  Budget budget;
};

/// What runs a plan.
enum class Target { Cpu, Cuda };

struct Plan {
  static constexpr int version = 5;
  Target target = Target::Cpu;
  std::string model, schedule;
  std::vector<MeshAxis> mesh;
  std::vector<Table> tables;
  /// For halos whose members hold listed positions: by member, rising.
  std::vector<std::vector<std::vector<int64_t>>> rowLists;
  std::vector<Source> sources;
  std::vector<GlobalTensor> inputs, outputs, parameters;
  /// What steps change: some parameters, under their names, and what an
  /// optimizer keeps. Load gives each its first value.
  std::vector<GlobalTensor> states;
  std::vector<std::string> ignored; // path patterns of unread file tensors
  /// What names in a file of weights may begin with: "transformer.".
  std::vector<std::string> prefixes;
  std::vector<RankClass> classes;
  Recipe recipe;
  /// None or one: computes the loss of a batch from the parameters as they are,
  /// dropout off, on the same mesh.
  std::vector<Plan> validation;
  /// Of a plan that is printed, so that it can be compiled; an executable has
  /// the code instead. Those of `validation` are among them.
  std::vector<KernelSource> kernels;
  std::vector<HookSource> hooks;

  int64_t rankCount() const;
  /// Row-major coordinate of `rank` along `axes`.
  int64_t coordinate(int64_t rank, const std::vector<int> &axes) const;
  /// How many coordinates there are along `axes`.
  int64_t memberCount(const std::vector<int> &axes) const;
  /// The ranks that differ from `rank` only on `axes`, by coordinate.
  std::vector<int64_t> members(int64_t rank,
                               const std::vector<int> &axes) const;
};

/// `halo of "conv" (schedules.hkt:4:3)`: a thing that comes from `source`.
std::string describe(const std::string &thing, const Source &source);

/// What the members of a halo exchange or reduction own and hold, as numbers.
Halo haloOf(const Plan &plan, const HaloShares &shares);

/// Bytes a rank receives in `collective` from each member of its group, itself
/// left out. Reports show them, and what a run counts has to agree.
std::vector<int64_t> receivedFrom(const Plan &plan, const RankClass &rankClass,
                                  const Collective &collective, int64_t rank);

/// Their sum (= bytes it sends when shards are even).
int64_t receivedBytes(const Plan &plan, const RankClass &rankClass,
                      const Collective &collective, int64_t rank);

/// The least that the packed weights of a rank take: their elements. A
/// library's own layout may pad them; what it took is counted when loading.
int64_t packedBytesAtLeast(const RankClass &rankClass);

/// JSON text (for people) and CBOR (inside the executable). `fromX` checks
/// everything it reads and returns false with a sentence in `error`.
std::string toJson(const Plan &plan, int indent = 1);
std::vector<uint8_t> toCbor(const Plan &plan);
bool fromJson(const std::string &text, Plan &plan, std::string &error);
bool fromCbor(const uint8_t *data, size_t size, Plan &plan, std::string &error);

} // namespace hocket::plan

#endif // HOCKET_PLAN_PLAN_H
