//===- Placer.h - one run of placement over a module -----------*- C++ -*-===//
//
// The state of a run and its steps, by files as in docs/placement.md.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_PLACER_H
#define HOCKET_LIB_PLACEMENT_PLACER_H

#include "Cuts.h"
#include "Diagnosis.h"
#include "Lines.h"
#include "Origins.h"
#include "WaysOut.h"
#include "dialects/Nn/Shape.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Placement/PathTree.h"
#include "hocket/Placement/Place.h"
#include "hocket/Placement/Problems.h"
#include <map>
#include <set>

namespace hocket::placement {

class Placer {
public:
  /// `onlyJudges`: counts for costOf, and warns of nothing.
  Placer(mlir::ModuleOp module, nn::FuncOp func, sched::ScheduleOp schedule,
         bool onlyJudges = false);

  /// Places every value; problems say what is wrong.
  void run();
  /// After a run without problems: replaces the schedule by attributes.
  void finish();
  void explain(std::vector<ExplainedValue> &values);

  // Cost.cpp
  std::optional<Cost> costOf();
  std::map<std::string, double> splitsAsked() const;
  std::set<std::string> syncSplits() const;

  Problems problems;
  Problems warnings; // of what is placed
  std::vector<InsertedSync> inserted;

private:
  // Directives.cpp
  void readDirectives();
  std::vector<PathNode *> resolve(mlir::Operation *directive,
                                  llvm::StringRef pattern);
  void reportFailure(mlir::Operation *directive, const MatchFailure &failure);
  void readAt(sched::AtOp at);
  void readStatistics(sched::StatisticsOp statistics);
  /// Axes of more than one rank, in the order written; nothing after an error.
  std::optional<llvm::SmallVector<unsigned, 2>> readAxes(mlir::Operation *op,
                                                         mlir::ArrayAttr over);
  /// Empty after a reported error. `extra` names further dims (in, out).
  std::optional<FactorRef>
  readFactor(mlir::Operation *directive, llvm::StringRef name,
             nn::LayoutAttr layout, llvm::StringRef path,
             llvm::ArrayRef<std::pair<std::string, unsigned>> extra = {});

  // Buckets.cpp
  void readBucket(sched::BucketOp bucket);
  /// Those of parameters; gradients are there later.
  void checkBuckets();
  /// What Combine reads of them; null without any.
  mlir::ArrayAttr bucketLimits();

  // Facts.cpp
  void readFact(mlir::Operation *directive, llvm::StringRef pattern,
                mlir::ArrayAttr over, llvm::StringRef axis,
                mlir::ArrayAttr cuts, bool isOverride);
  void addFact(PathNode &node, mlir::Value value, Fact fact, bool isOverride);
  void applyFacts();

  // Fsdp.cpp
  void readFsdp(sched::FsdpOp fsdp);
  void applyFsdp();
  std::optional<FactorRef> factorForFsdp(nn::LayoutAttr layout,
                                         llvm::ArrayRef<unsigned> axes) const;
  void gatherOnUse(nn::ParameterOp parameter, nn::LayoutAttr whole,
                   const FsdpRequest &request);

  // Recompute.cpp
  void readRecompute(sched::RecomputeOp recompute);
  void readSave(sched::SaveOp save);
  /// Marks the operations that the backward runs again, and the gathers whose
  /// result it keeps.
  void markKept();
  void markRecomputed();

  // Syncs.cpp
  void readSync(sched::SyncOp sync);
  void readDefer(sched::DeferOp defer);
  void noteOtherTargets(Problem &problem, const PathNode &node,
                        llvm::StringRef pattern, const SyncSite &site) const;
  void addSite(mlir::Operation *directive, llvm::StringRef pattern,
               const SyncSite &site, bool isOverride);
  std::vector<mlir::Value> sitesOf(const PathNode &node, llvm::StringRef moment,
                                   std::string &why) const;
  /// Applies the syncs of `value` in order; later uses see the result.
  void applySyncs(mlir::Value value);
  mlir::Value applySync(mlir::Value value, const SyncSite &site);
  mlir::Value redistribute(mlir::Value value, RedistributeKind kind,
                           llvm::ArrayRef<unsigned> axes, nn::LayoutAttr target,
                           mlir::Location loc, std::optional<int64_t> root = {},
                           mlir::DictionaryAttr hook = {});

  // FuseLines.cpp
  void readFuse(sched::FuseOp fuse);
  void pinKernels();

  // BackwardSyncs.cpp
  void readBackwardSync(sched::SyncOp sync);
  void markBackwardSyncs();
  void delayInside(llvm::StringRef path, mlir::ArrayAttr axes);

  // SyncErrors.cpp
  bool checkOrder(const SyncSite &site, llvm::ArrayRef<nn::SplitAttr> minor);
  bool cutsAnew(const SyncSite &site, nn::LayoutAttr layout, FactorRef ref);
  void checkRepartitions();
  bool checkSync(mlir::Value value, const SyncSite &site,
                 std::optional<FactorRef> from, std::optional<FactorRef> to);
  void reportSync(mlir::Value value, const SyncSite &site, unsigned axis,
                  std::optional<FactorRef> ref, std::string text);

  // Infer.cpp
  void inferOps();
  void inferOp(mlir::Operation *op);
  void leaveUnsettled(mlir::Operation *op);
  void checkOutputs(mlir::Operation *terminator);
  MeetResult meetOperands(mlir::Operation *op, const nn::PlacementRule &rule);
  void applyMeet(mlir::Operation *op, const nn::PlacementRule &rule,
                 const MeetResult &met);
  mlir::Value placeFor(mlir::Operation *op, mlir::Value value,
                       nn::LayoutAttr target, RedistributeKind kind);
  // CutAtSource.cpp
  /// What is free and large, computed in parts; else as placeFor.
  mlir::Value cutAtSource(mlir::Operation *user, mlir::Value value,
                          nn::LayoutAttr target);
  mlir::Operation *computeInParts(mlir::Operation *op, nn::LayoutAttr target);
  bool isFree(mlir::Value value) const { return freeValues.contains(value); }
  /// `takes`: the op uses its licences, which then are not without effect.
  bool isLicensed(mlir::Operation *op, unsigned axis, bool takes = false);
  void checkLicences();

  // Halo.cpp
  void readHalo(sched::HaloOp halo);
  /// Whether a line lets the windows of `op` over `dim` reach over the axis.
  bool mayReach(mlir::Operation *op, unsigned axis,
                const nn::PlacementRule &rule, int factor);
  void dropIdleHalos();
  bool allowHalo(mlir::Operation *op, const nn::PlacementRule &rule,
                 const Mismatch &mismatch);

  // HaloLines.cpp
  /// Marks the lines that a placed operation makes use of, and what they say.
  void takeHalos(nn::WindowedOp op);
  void checkReach(const Licence &licence, const HaloDim &dim);
  llvm::StringRef strategyOf(llvm::ArrayRef<Licence *> lines,
                             const HaloDim &dim);
  void checkLayers(llvm::ArrayRef<Licence *> lines, const HaloDim &dim);
  bool overlaps(mlir::Operation *op, llvm::ArrayRef<Licence *> lines,
                const HaloDim &dim, llvm::StringRef strategy);
  // HaloLayers.cpp: one exchange for several operations.
  nn::WindowedOp nextLayer(mlir::Value value, size_t number,
                           const Licence &licence, mlir::Operation *&blocked);
  llvm::SmallVector<mlir::Operation *> layersFrom(nn::WindowedOp first,
                                                  size_t number,
                                                  const Licence &licence,
                                                  int64_t count);
  bool refuseRecomputed(llvm::ArrayRef<mlir::Operation *> layers,
                        const Licence &licence);
  void joinLayers(llvm::ArrayRef<mlir::Operation *> layers, size_t number,
                  HeldDemand &demand);
  void joinLayersOf(const Licence &licence, int64_t count, HeldDemand &demand);
  void joinLayers(HeldDemand &demand);
  void countVacuousHalos();
  void checkHalos();

  // AttentionLines.cpp
  void readAttention(sched::AttentionOp attention);
  mlir::Value moveAttended(mlir::Value value, const Licence &strategy,
                           llvm::ArrayRef<unsigned> axes, RedistributeKind kind,
                           nn::LayoutAttr target);
  llvm::SmallVector<AttentionMove> movesOf(mlir::Operation *op);
  bool mayLeave(mlir::Operation *op, mlir::Value value,
                const AttentionMove &move, llvm::ArrayRef<unsigned> axes);
  bool takeRing(mlir::Operation *op, llvm::ArrayRef<AttentionMove> moves);
  /// Moves operands before, the result after an attention is placed.
  llvm::SmallVector<AttentionMove> prepareAttention(mlir::Operation *op);
  void recordGathered(mlir::Operation *op, const AttentionMove &move);
  void finishAttention(mlir::Operation *op,
                       llvm::ArrayRef<AttentionMove> moves);
  void checkStrategies();

  // Statistics.cpp
  /// The statistics line for the op on the axis; null if there is none.
  mlir::Operation *licenceOf(mlir::Operation *op, unsigned axis);
  /// All_reduces the result of the op over the axes that it is licensed for.
  void completeReduction(nn::ReduceOp op);

  /// Reports it, with its causes and what might help.
  void reportMismatch(mlir::Operation *op, const nn::PlacementRule &rule,
                      const Mismatch &mismatch);
  void involveStrategies(Problem &problem, mlir::Operation *op,
                         unsigned axis) const;

  // Cost.cpp
  bool isExchangedFrom(mlir::Operation *op, unsigned axis) const;
  void countWork(mlir::Operation *op, const nn::PlacementRule &rule,
                 const MeetResult &met);

  // AutoReshard.cpp
  /// Makes the operands of `op` meet where they did not; returns false if
  /// nothing can be done.
  bool mend(mlir::Operation *op, const nn::PlacementRule &rule,
            const Mismatch &mismatch);
  bool moveOperand(mlir::Operation *op, unsigned operand, RedistributeKind kind,
                   llvm::ArrayRef<unsigned> axes, nn::LayoutAttr target);
  void recordMove(mlir::Operation *op, mlir::Value point, mlir::Value moved,
                  RedistributeKind kind, llvm::ArrayRef<unsigned> axes,
                  bool isNamed);
  bool gatherOperand(mlir::Operation *op, unsigned operand, unsigned axis);
  bool cutOperand(mlir::Operation *op, const nn::PlacementRule &rule,
                  const Mismatch &mismatch, int factor, RedistributeKind kind);
  bool repart(mlir::Operation *op, const nn::PlacementRule &rule, Mismatch m);
  bool reduceOperand(mlir::Operation *op, unsigned operand, unsigned axis);
  mlir::Value movePoint(mlir::Operation *op, mlir::Value value);

  // Expect.cpp
  void checkExpectations();
  void keepBackwardExpectation(sched::ExpectOp expect, llvm::StringRef root);

  const bool onlyJudges;
  mlir::ModuleOp module;
  nn::FuncOp func;
  sched::ScheduleOp schedule;
  nn::MeshAttr mesh; ///< without axes of size 1
  PathTree tree;
  Origins origins;
  bool autoReshard = false;
  Cost cost; ///< without what redistributions move
  bool isInferred = false;
  std::vector<std::string> failedBlocks; ///< `at` patterns without match
  llvm::MapVector<mlir::Location, FailedUse> failedUses;
  llvm::MapVector<mlir::Operation *, Repartition> repartitions;
  std::vector<Licence> licences;   ///< for statistics
  std::vector<Licence> halos;      ///< the same for halos
  AskedHalos askedHalos;           ///< of what is placed
  std::vector<Licence> strategies; ///< of attention, those that move operands
  std::vector<FsdpRequest> fsdpRequests;
  std::vector<std::pair<sched::RecomputeOp, PathNode *>> recomputed;
  std::vector<std::pair<sched::SaveOp, PathNode *>> saved;
  std::vector<VacuousSync> vacuous;
  std::vector<BackwardSite> backwardSites;
  std::vector<PinnedKernel> pinnedKernels;
  llvm::SmallVector<mlir::Attribute> backwardExpectations;
  std::vector<Bucket> buckets;
  std::vector<mlir::Value> factOrder;
  llvm::DenseMap<mlir::Value, std::vector<Fact>> facts;
  llvm::DenseMap<mlir::Value, std::vector<SyncSite>> sites;
  /// The value after the syncs of its path, for explanations.
  llvm::DenseMap<mlir::Value, mlir::Value> synced;
  llvm::DenseSet<mlir::Value> freeValues;
  /// Licences that were missing: reported once, and then taken as given.
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> assumed;
  /// Halos of `inserted`, and where windows do read neighbours, by axis.
  std::map<std::pair<mlir::Operation *, unsigned>, size_t> insertedHalos;
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> reached;
  LineCuts lineCuts;
  Diagnosis diagnosis;
  WaysOut waysOut;
  /// By value, type, kind: free slices and masks, made once.
  std::map<std::tuple<void *, const void *, RedistributeKind>, mlir::Value> cut;
};

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_PLACER_H
