//===- DumpCheck.cpp - what a dump must say besides its operations --------===//
//
// Attributes of the nn and spmd dialects on other operations are not part of
// any operation's definition, so that MLIR does not verify them. Here are their
// kinds.
//
//===----------------------------------------------------------------------===//

#include "DumpCheck.h"
#include "dialects/Buffers/Buffers.h"
#include "dialects/Nn/Fields.h"
#include "dialects/Nn/Program.h"
#include "dialects/Sched/Sched.h"
#include "dialects/Spmd/Spmd.h"
#include <functional>

using namespace mlir;
using namespace hocket;
using nn::hasFields;
using nn::isA;
using nn::isListOf;
using nn::isListWith;

namespace {

/// What scatters says along which factor.
bool namesItsFactor(Attribute attribute) {
  auto sync = cast<DictionaryAttr>(attribute);
  bool scatters = sync.getAs<StringAttr>("kind") == "reduce_scatter";
  return bool(sync.get("dim")) == bool(sync.get("factor")) &&
         (!scatters || sync.get("dim"));
}

/// What sums gradients.
bool isReduction(Attribute attribute) {
  auto kind = dyn_cast<StringAttr>(attribute);
  return kind && (kind == "all_reduce" || kind == "reduce_scatter");
}

bool isHook(Attribute attribute) {
  return hasFields(attribute, {{"name", isA<StringAttr>},
                               {"file", isA<StringAttr>, true},
                               {"cuda", isA<StringAttr>, true}});
}

bool isCuts(Attribute attribute) {
  return isListWith(attribute, {{"over", isListOf<StringAttr>},
                                {"kind", isA<StringAttr>},
                                {"values", isA<DenseI64ArrayAttr>}});
}

struct Known {
  StringRef name;
  std::function<bool(Attribute)> isKind;
};

} // namespace

/// The kinds of all attributes that stand on operations of other dialects.
static ArrayRef<Known> knownAttributes() {
  static const Known table[] = {
      {"nn.unit", isA<StringAttr>},
      {"nn.running", isListOf<StringAttr>},
      {"nn.dim_names", isListOf<StringAttr>},
      {"nn.delayed", isListOf<StringAttr>},
      {"nn.statistics", isListOf<StringAttr>},
      {"nn.stage", isA<IntegerAttr>},
      {"nn.micro_batch", isA<IntegerAttr>},
      {"nn.first_drawn", isA<IntegerAttr>},
      {"nn.shard", isA<nn::LayoutAttr>},
      {"nn.backward_syncs",
       [](Attribute value) {
         return isListWith(value, {{"kind", isReduction},
                                   {"point", isA<StringAttr>},
                                   {"axes", isListOf<StringAttr>},
                                   {"line", isA<LocationAttr>},
                                   {"dim", isA<IntegerAttr>, true},
                                   {"factor", isA<IntegerAttr>, true}}) &&
                llvm::all_of(cast<ArrayAttr>(value), namesItsFactor);
       }},
      {"nn.backward", isA<UnitAttr>},
      {"nn.buffer", isA<UnitAttr>},
      {"nn.gathered", isA<UnitAttr>},
      {"nn.pinned", isA<ArrayAttr>},
      {"nn.recompute", isA<IntegerAttr>},
      {"nn.recomputed", isA<ArrayAttr>},
      {"spmd.origins", isListOf<LocationAttr>},
  };
  return table;
}

/// What is no part of an operation's definition has to be known, and of its
/// kind: what nothing reads would be forgotten in silence.
static LogicalResult checkKinds(Operation *op) {
  bool isOurs =
      isa_and_present<nn::NnDialect, spmd::SpmdDialect, buffers::BuffersDialect,
                      sched::SchedDialect>(op->getDialect());
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    auto known = llvm::find_if(knownAttributes(), [&](const Known &each) {
      return attribute.getName() == each.name;
    });
    if (known == knownAttributes().end() && isOurs)
      return op->emitOpError() << "has no attribute " << attribute.getName();
    if (known != knownAttributes().end() &&
        !known->isKind(attribute.getValue()))
      return emitError(op->getLoc())
             << "the attribute '" << known->name
             << "' is not of its kind, found " << attribute.getValue();
  }
  return success();
}

static LogicalResult lacks(Location at, const Twine &what, StringRef name) {
  return emitError(at) << what << " lacks the attribute '" << name << "'";
}

static bool needsAxis(nn::RedistributeKind kind) {
  switch (kind) {
  case nn::RedistributeKind::ReduceScatter:
  case nn::RedistributeKind::AllGather:
  case nn::RedistributeKind::AllToAll:
  case nn::RedistributeKind::Repartition:
  case nn::RedistributeKind::Slice:
    return true;
  case nn::RedistributeKind::AllReduce:
  case nn::RedistributeKind::Broadcast:
  case nn::RedistributeKind::Mask:
    return false;
  }
  llvm_unreachable("an enumerator");
}

/// A line of a schedule.
static LogicalResult checkLine(Operation *op) {
  if (Attribute cuts = op->getAttr("cuts"); cuts && !isCuts(cuts))
    return op->emitError("the attribute 'cuts' is not of its kind, found ")
           << cuts;
  if (Attribute hook = op->getAttr("hook");
      hook &&
      (!isHook(hook) || (isa<sched::HookOp>(op) &&
                         !isListWith(cast<DictionaryAttr>(hook).get("inputs"),
                                     {{"name", isA<StringAttr>}}))))
    return op->emitError("the attribute 'hook' is not of its kind, found ")
           << hook;
  if (auto schedule = dyn_cast<sched::ScheduleOp>(op))
    return nn::verifyMesh(op, schedule.getMesh());
  if (auto expect = dyn_cast<sched::ExpectOp>(op))
    if (!expect.getCounts() && !expect.getLimit())
      return op->emitError("expects neither counts nor a limit");
  auto sync = dyn_cast<sched::SyncOp>(op);
  if (!sync)
    return success();
  if (needsAxis(sync.getKind()) && sync.getAxis().value_or("").empty())
    return lacks(op->getLoc(),
                 "a sync with " + stringifyRedistributeKind(sync.getKind()),
                 "axis");
  if (sync.getKind() == nn::RedistributeKind::AllToAll &&
      sync.getTo().value_or("").empty())
    return lacks(op->getLoc(), "a sync with all_to_all", "to");
  return success();
}

LogicalResult hocket::checkDump(ModuleOp module, StringRef stage) {
  WalkResult walked = module.walk([&](Operation *op) {
    LogicalResult result = checkKinds(op);
    if (succeeded(result) &&
        isa_and_present<sched::SchedDialect>(op->getDialect()))
      result = checkLine(op);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted() ? failure() : checkReferences(module, stage);
}

LogicalResult hocket::checkKernelText(ModuleOp module) {
  if (!nn::placementOf(module))
    return module.emitError("the module has no nn.placement");
  return checkDump(module, "kernels");
}
