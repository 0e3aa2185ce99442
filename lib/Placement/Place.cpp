//===- Place.cpp - the placement of a module, and its pass ----------------===//

#include "hocket/Placement/Place.h"
#include "Hooks.h"
#include "Locations.h"
#include "Placer.h"
#include "Remedies.h"
#include "dialects/Nn/Program.h"
#include "hocket/Placement/Expect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// A module without a schedule is placed on one device.
static sched::ScheduleOp scheduleOf(ModuleOp module) {
  auto schedules = module.getOps<sched::ScheduleOp>();
  if (!schedules.empty())
    return *schedules.begin();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  OperationState state(module.getLoc(), sched::ScheduleOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr("one_device"));
  state.addAttribute("mesh", nn::MeshAttr::get(module.getContext(), {}));
  state.addRegion()->emplaceBlock();
  return cast<sched::ScheduleOp>(builder.create(state));
}

static LogicalResult checkShape(ModuleOp module) {
  auto funcs = module.getOps<nn::FuncOp>();
  auto schedules = module.getOps<sched::ScheduleOp>();
  int64_t funcCount = std::distance(funcs.begin(), funcs.end());
  int64_t scheduleCount = std::distance(schedules.begin(), schedules.end());
  if (funcCount != 1)
    return module.emitError("a model stage has one function, found ")
           << funcCount;
  if (scheduleCount > 1)
    return module.emitError("a model stage has at most one schedule, found ")
           << scheduleCount;
  return success();
}

LogicalResult placement::place(ModuleOp module, PlacementReport *report) {
  if (failed(checkShape(module)))
    return failure();
  sched::ScheduleOp schedule = scheduleOf(module);
  Problems unfit;
  applyHooks(*module.getOps<nn::FuncOp>().begin(), schedule, unfit);
  if (!unfit.empty()) {
    unfit.emit();
    return failure();
  }
  OwningOpRef<ModuleOp> before(module.clone());
  Placer placer(module, *module.getOps<nn::FuncOp>().begin(), schedule);
  placer.run();
  if (!placer.problems.empty()) {
    if (report && report->advise)
      report->advise(placer.problems);
    else
      keepLegalWays(placer.problems, *before);
    placer.problems.emit();
    if (report)
      for (const ProblemGroup &group : placer.problems.group())
        if (const Problem &first = *group.members.front(); !first.isMended)
          report->errors.push_back({first.where, first.text,
                                    first.offersProposals()
                                        ? first.proposals
                                        : std::vector<syntax::Proposal>()});
    return failure();
  }
  placer.warnings.emit(DiagnosticSeverity::Warning);
  if (report && report->keepsValues)
    placer.explain(report->values);
  if (report)
    report->inserted = placer.inserted;
  placer.finish();
  return success();
}

static size_t placementHash(nn::FuncOp func) {
  llvm::hash_code hash(0);
  func.walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName().getAsOpaquePointer(),
                              llvm::hash_combine_range(op->result_type_begin(),
                                                       op->result_type_end()));
  });
  return hash;
}

Outcome placement::judge(ModuleOp module) {
  Outcome outcome;
  sched::ScheduleOp schedule = scheduleOf(module);
  nn::FuncOp func = *module.getOps<nn::FuncOp>().begin();
  Problems unfit;
  applyHooks(func, schedule, unfit);
  if (!unfit.empty()) {
    outcome.findings = findingsOf(unfit, PathTree(func));
    return outcome;
  }
  Placer placer(module, func, schedule, /*onlyJudges=*/true);
  placer.run();
  outcome.findings = findingsOf(placer.problems, PathTree(func));
  outcome.cost = placer.costOf();
  outcome.splits = placer.splitsAsked();
  outcome.placement = placementHash(func);
  return outcome;
}

std::set<std::string> Outcome::keys() const {
  std::set<std::string> keys;
  for (const Finding &finding : findings)
    keys.insert(finding.key);
  return keys;
}

void Placer::finish() {
  OpBuilder builder(func);
  SmallVector<Attribute> expectations, moves;
  auto text = [&](StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  for (auto expect : schedule.getBody().getOps<sched::ExpectOp>()) {
    if (expect.getCounts())
      continue;
    expectations.push_back(builder.getDictionaryAttr(
        {text("what", expect.getWhat()),
         text("comparison", expect.getComparison()),
         builder.getNamedAttr("limit", expect.getLimitAttr()),
         builder.getNamedAttr("line",
                              LocationAttr(scheduleLine(expect.getLoc())))}));
  }
  for (const InsertedSync &sync : inserted)
    moves.push_back(builder.getDictionaryAttr(
        {text("path", sync.path), text("line", sync.line),
         builder.getNamedAttr("bytes",
                              builder.getI64IntegerAttr(sync.bytes))}));
  nn::PlacementOp::create(builder, schedule.getLoc(), schedule.getSymName(),
                          schedule.getMesh(),
                          builder.getArrayAttr(expectations),
                          builder.getArrayAttr(backwardExpectations),
                          bucketLimits(), builder.getArrayAttr(moves));
  schedule.erase();
}

namespace {
struct PlacePass : PassWrapper<PlacePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlacePass)
  StringRef getArgument() const override { return "hocket-place"; }
  StringRef getDescription() const override {
    return "apply a schedule: give every value its placement, or say why not";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nn::NnDialect, sched::SchedDialect>();
  }
  void runOnOperation() override {
    if (failed(place(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void placement::registerPlacePass() { PassRegistration<PlacePass>(); }
