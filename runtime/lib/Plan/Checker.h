//===- Checker.h - the parts of the check of a plan ------------*- C++ -*-===//
//
// Each part returns false and leaves one sentence in `error`. Parts run in the
// order in which they are declared and each relies on the ones before.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLAN_CHECKER_H
#define HOCKET_LIB_PLAN_CHECKER_H

#include "hocket/Plan/Plan.h"
#include <cstdint>
#include <map>
#include <set>

namespace hocket::plan {

class Checker {
public:
  Checker(const Plan &plan, std::string &error) : plan(plan), error(error) {}
  bool run();
  bool checkClassesAgree(bool comparesMeaning = true);

private:
  // PlanCheck.cpp: what all classes share, and what holds instructions.
  bool checkMesh();
  bool checkTables();
  bool checkTensors(const char *what, const std::vector<GlobalTensor> &tensors);
  bool checkTensor(const GlobalTensor &tensor);
  bool checkFactors(const GlobalTensor &tensor);
  bool checkCut(const GlobalTensor &tensor, const Cut &cut);
  /// Each number of the list has an element of its own in the extent.
  bool checkRuns(const Cut &cut, int64_t extent);
  bool checkWritersCover(const char *what, const GlobalTensor &tensor);
  bool checkRanks();
  bool checkBuffers();
  bool checkBuffer(const Buffer &buffer);
  bool checkOutputs();
  bool checkClass();
  bool checkRecipe();

  // StateCheck.cpp: what lives from step to step.
  bool checkStates();
  bool checkInits(const std::vector<GlobalTensor> &tensors);

  // InstructionCheck.cpp: one instruction of `current`.
  bool checkInstructions(const std::vector<Instruction> &list, bool isLoad);
  bool checkBody(const ReadParameter &read);
  bool checkBody(const Kernel &kernel);
  bool checkBody(const Matmul &matmul);
  bool checkBody(const PackWeight &pack);
  bool checkBody(const Attention &attention);
  bool checkBody(const Embedding &embedding);
  bool checkBody(const AttentionGrad &gradient);
  bool checkBody(const EmbeddingGrad &gradient);
  bool checkBody(const Convolution &convolution);
  bool checkBody(const Pooling &pooling);
  bool checkBody(const NeighborhoodAttention &attention);
  bool checkBody(const NeighborhoodAttentionGrad &gradient);
  bool checkBody(const Copy &copy);
  bool checkBody(const Collective &collective);
  bool checkBody(const Fill &fill);
  bool checkBody(const Iota &iota);
  bool checkBody(const Constant &constant);
  bool checkBody(const Hook &hook);
  bool checkBody(const Wait &) { return true; } // see checkOpen
  std::string whereOf(const std::string &front,
                      const std::vector<Instruction> &list, size_t at) const;
  bool checkWorkspace(const Instruction &instruction); // WorkspaceCheck.cpp
  bool checkScalar(const char *what, const Scalar &scalar);
  bool checkShape(const char *what, const View &view,
                  const std::vector<int64_t> &expected);
  bool checkType(const char *what, const View &view, DType expected);
  bool checkPostOps(const Matmul &matmul);
  /// All except whether `out` and `lse`, which a gradient reads, are written.
  bool checkAttention(const Attention &attention);
  /// Of an Attention or a NeighborhoodAttention.
  template <class T> bool checkHeads(const T &attention);
  bool checkLayout(const Attention &attention);
  bool checkDocuments(const Attention &attention);
  bool checkBias(const Attention &attention);
  bool checkBiasGradient(const AttentionGrad &gradient);
  bool checkDropout(const Attention &attention);
  bool checkEngine(const Attention &attention, bool isGradient);
  bool checkIds(const View &ids);

  // WindowCheck.cpp: convolutions.
  bool checkWindow(const Convolution &convolution);
  bool checkConvolutionTypes(const Convolution &convolution);

  // PoolingCheck.cpp
  bool checkPoolingShapes(const Pooling &pooling);
  bool checkPositions(const Pooling &pooling, size_t dim, int64_t rank);

  // NeighborhoodCheck.cpp
  bool checkNeighborhood(const NeighborhoodAttention &attention);
  bool checkKeysHeld(const NeighborhoodAttention &attention);

  /// What attention writes: its result, and lse if it is there.
  template <class Forward> bool checkResults(const Forward &x) {
    return checkWrite("out", x.out) &&
           (x.lse.buffer < 0 || checkWrite("lse", x.lse));
  }
  /// The shape and type of lse, after those of q.
  template <class Forward> bool checkLse(const Forward &x) {
    if (x.lse.buffer < 0)
      return true;
    std::vector<int64_t> shape(x.q.shape.begin(), x.q.shape.end() - 1);
    DType type = typeOf(x.q) == DType::F64 ? DType::F64 : DType::F32;
    return checkShape("lse", x.lse, shape) && checkType("lse", x.lse, type);
  }
  /// What a gradient reads besides the forward's operands.
  template <class Forward> bool checkKept(const GradientOf<Forward> &x) {
    if (x.forward.lse.buffer < 0)
      return fail("lse is missing");
    return checkRead("out", x.forward.out) && checkRead("lse", x.forward.lse) &&
           checkRead("dout", x.dout);
  }
  /// What the gradients of both have in common.
  template <class Forward> bool checkGradients(const GradientOf<Forward> &x) {
    auto check = [&](const char *what, const View &view, const View &of) {
      return checkWrite(what, view) && checkShape(what, view, of.shape) &&
             checkType(what, view, typeOf(of));
    };
    return checkType("out", x.forward.out, typeOf(x.forward.q)) &&
           checkShape("dout", x.dout, x.forward.out.shape) &&
           checkType("dout", x.dout, typeOf(x.forward.q)) &&
           check("dq", x.dq, x.forward.q) && check("dk", x.dk, x.forward.k) &&
           check("dv", x.dv, x.forward.v);
  }

  // ViewCheck.cpp: whether a view stays inside its buffer on every rank.
  bool checkRead(const char *what, const View &view);
  bool checkWrite(const char *what, const View &view);
  bool checkView(const char *what, const View &view);
  /// What a scalar is on a rank.
  __int128 valueOn(int64_t rank, const Scalar &scalar) const;
  bool checkViewOnRank(const char *what, const View &view, int64_t rank);

  // CollectiveCheck.cpp: one collective.
  bool checkAxes(const std::vector<int> &axes);
  bool checkParts(const Collective &collective, int offset, int size,
                  const char *what, int64_t extent);
  bool checkShards(const Collective &collective, int offset, int size,
                   const char *what, int64_t extent);
  bool checkShareTables(const Collective &collective, int offset, int size,
                        const char *what);
  bool checkKind(const Collective &collective, const AllReduce &kind);
  bool checkKind(const Collective &collective, const ReduceScatter &kind);
  bool checkKind(const Collective &collective, const AllGather &kind);
  bool checkKind(const Collective &collective, const AllToAll &kind);
  bool checkKind(const Collective &collective, const Broadcast &kind);
  bool checkKind(const Collective &collective, const HaloShares &kind);
  bool checkOneEach(const Collective &collective, const char *what,
                    size_t count);
  bool checkHeld(const Collective &collective, const HaloShares &shares);
  bool checkPair(const Collective &collective, size_t tensor);
  bool checkTensor(const Collective &, const AllReduce &, size_t tensor);
  bool checkTensor(const Collective &, const ReduceScatter &, size_t tensor);
  bool checkTensor(const Collective &, const AllGather &, size_t tensor);
  bool checkTensor(const Collective &, const AllToAll &, size_t tensor);
  bool checkTensor(const Collective &, const Broadcast &, size_t tensor);
  bool checkTensor(const Collective &, const HaloExchange &, size_t tensor);
  bool checkTensor(const Collective &, const HaloReduce &, size_t tensor);
  bool checkSummed(Reduction reduction, const View &src);
  bool checkDim(int dim, const View &view);
  bool checkRest(const Collective::Pair &pair, std::initializer_list<int> dims);
  bool checkLocal(const Collective &collective, const char *what,
                  const View &view, int dim, int table);

  // OpenCheck.cpp: collectives that are started and waited for.
  struct Reserved;
  bool checkOpen(const std::vector<Instruction> &list,
                 const std::string &front);
  bool checkBeside(const Collective &open, const Instruction &one);
  Reserved reservedBy(const Collective &open, int64_t rank);
  int64_t offsetOn(int64_t rank, const View &view) const;
  using Differences = std::set<std::pair<int, int>>; // of two tables, or one
  const std::vector<int64_t> &ranksThatDiffer(const Differences &differences);

  // OrderCheck.cpp: programs of all classes together.
  bool checkPrograms(std::vector<Instruction> RankClass::*list,
                     const char *stage, bool comparesMeaning);
  bool checkMembers(int64_t id, const std::vector<const Collective *> &byClass,
                    const char *stage);
  bool
  checkOrder(const std::vector<std::vector<int64_t>> &programs,
             const std::map<int64_t, std::vector<const Collective *>> &byId,
             const char *stage, const char *verb);
  std::vector<int> axesBeside(const std::vector<int> &axes) const;
  const std::vector<int> &classesTogether(const std::vector<int> &axes);

  // ClassesCheck.cpp: one collective in all classes.
  bool checkSame(const std::vector<const Collective *> &byClass);

  /// Ranks of the current class, one for each coordinate along `axes`: what
  /// depends on nothing else need not be looked at on every rank.
  const std::vector<int64_t> &ranksAlong(std::vector<int> axes);
  /// The axes of all cuts of a tensor.
  std::vector<int> axesOf(const GlobalTensor &tensor) const;

  bool fail(const std::string &message);
  DType typeOf(const View &view) const {
    return current->buffers[view.buffer].type;
  }

  const Plan &plan;
  std::string &error;
  const RankClass *current = nullptr; // the class under check
  std::string where;                  // "class 0, step 3 (matmul, a.b)"
  bool inLoad = false;
  /// The packs that load has made so far, or null.
  std::vector<const PackWeight *> packed;
  std::map<std::pair<const RankClass *, std::vector<int>>, std::vector<int64_t>>
      representatives;
  std::map<std::pair<const RankClass *, Differences>, std::vector<int64_t>>
      byValue;
  std::map<std::vector<int>, std::vector<int>> together; // by axes, class
  std::set<std::vector<int64_t>> rightHalos; // by what checkHeld looks at
};

/// Product of `shape`, or -1 if it is negative somewhere or above 2^40.
int64_t elementCount(const std::vector<int64_t> &shape);

/// Numbers of a plan beyond this are refused, so that sums and products of
/// them cannot overflow 128 bits.
constexpr int64_t largestNumber = int64_t(1) << 40;

std::string shapeToString(const std::vector<int64_t> &shape);

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_CHECKER_H
