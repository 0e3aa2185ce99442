//===- DumpCheck.cpp - what a dump must say besides its operations --------===//
//
// Attributes of the nn and spmd dialects on other operations are not part of
// any operation's definition, so that MLIR does not verify them. Here are their
// kinds, and which of them must be there.
//
//===----------------------------------------------------------------------===//

#include "DumpCheck.h"
#include "dialects/Buffers/Buffers.h"
#include "dialects/Nn/Fields.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Sched/Sched.h"
#include "dialects/Spmd/ClassRanks.h"
#include "hocket/Pipeline/Stages.h"
#include "hocket/Transforms/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

bool isHook(Attribute attribute) {
  return hasFields(attribute,
                   {{"name", isA<StringAttr>}, {"file", isA<StringAttr>}});
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
      {"nn.name", isA<StringAttr>},
      {"nn.unit", isA<StringAttr>},
      {"nn.hook", isHook},
      {"nn.outputs", isListOf<StringAttr>},
      {"nn.buffers", isListOf<StringAttr>},
      {"nn.running", isListOf<StringAttr>},
      {"nn.dim_names", isListOf<StringAttr>},
      {"nn.delayed", isListOf<StringAttr>},
      {"nn.statistics", isListOf<StringAttr>},
      {"nn.halo_strategies", isListOf<StringAttr>},
      {"nn.halo_lines", isListOf<LocationAttr, UnitAttr>},
      {"nn.halo_layers", isA<DenseI64ArrayAttr>},
      {"nn.halo_overlaps", isA<DenseI64ArrayAttr>},
      {"nn.halos", isA<IntegerAttr>},
      {"nn.stage", isA<IntegerAttr>},
      {"nn.micro_batch", isA<IntegerAttr>},
      {"nn.first_drawn", isA<IntegerAttr>},
      {"nn.shard", isA<nn::LayoutAttr>},
      {"nn.backward_syncs",
       [](Attribute value) {
         return isListWith(value, {{"kind", isA<StringAttr>},
                                   {"point", isA<StringAttr>},
                                   {"axes", isListOf<StringAttr>},
                                   {"line", isA<LocationAttr>},
                                   {"dim", isA<IntegerAttr>, true},
                                   {"factor", isA<IntegerAttr>, true}}) &&
                llvm::all_of(cast<ArrayAttr>(value), namesItsFactor);
       }},
      {"spmd.ranks", isA<DenseI64ArrayAttr>},
      {"spmd.cuts", isA<spmd::BoxAttr>},
      {"spmd.replicated_over", isListOf<StringAttr>},
      {"spmd.origins", isListOf<LocationAttr>},
      {"spmd.in_epilogue", isA<IntegerAttr>},
  };
  return table;
}

static LogicalResult checkKinds(Location at, ArrayRef<NamedAttribute> list) {
  for (NamedAttribute attribute : list)
    for (const Known &known : knownAttributes())
      if (attribute.getName() == known.name &&
          !known.isKind(attribute.getValue()))
        return emitError(at)
               << "the attribute '" << known.name
               << "' is not of its kind, found " << attribute.getValue();
  return success();
}

static LogicalResult lacks(Location at, const Twine &what, StringRef name) {
  return emitError(at) << what << " lacks the attribute '" << name << "'";
}

/// What a product goes on with takes the product's result, or that of another
/// such operation, which nothing else reads.
static LogicalResult checkEpilogue(Operation *op) {
  auto chained = op->getAttrOfType<IntegerAttr>(kInEpilogue);
  if (!chained)
    return success();
  int64_t number = chained.getInt();
  bool isOperand = number >= 0 && number < int64_t(op->getNumOperands());
  Value value = isOperand ? op->getOperand(number) : Value();
  Operation *before = value ? value.getDefiningOp() : nullptr;
  if (before && value.hasOneUse() &&
      (isa<nn::LinearOp, nn::MatMulOp>(before) || before->hasAttr(kInEpilogue)))
    return success();
  return op->emitError("the attribute '")
         << kInEpilogue << "' is " << number
         << ", which is no operand that a product makes for this alone";
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
  StringRef kind = sync.getKind();
  bool needsAxis = kind == "reduce_scatter" || kind == "slice" ||
                   kind == "all_gather" || kind == "all_to_all" ||
                   kind == "repartition";
  if (needsAxis && sync.getAxis().value_or("").empty())
    return lacks(op->getLoc(), "a sync with " + kind, "axis");
  if (kind == "all_to_all" && sync.getTo().value_or("").empty())
    return lacks(op->getLoc(), "a sync with all_to_all", "to");
  return success();
}

/// An input or output is what every rank of the class has of its box; a buffer
/// says only how much that is.
static LogicalResult checkBox(func::FuncOp func, Type type,
                              const NamedAttrList &list) {
  auto box = dyn_cast_or_null<spmd::BoxAttr>(list.get(spmd::kCuts));
  if (!box || failed(spmd::verifyFilled(func, box)))
    return failure();
  if (auto buffer = dyn_cast<buffers::BufferType>(type))
    return spmd::verifyElements(func, buffer.getElements(), box);
  if (auto view = dyn_cast<buffers::ViewType>(type)) {
    int64_t elements = 1;
    for (int64_t size : view.getSizes())
      elements *= size;
    return spmd::verifyElements(func, elements, box);
  }
  return spmd::verifyHolds(func, type, box);
}

static LogicalResult checkInterface(func::FuncOp func, bool ofClass) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    NamedAttrList list(func.getArgAttrDict(i));
    if (failed(checkKinds(func.getLoc(), list)))
      return failure();
    if (!list.get("nn.name"))
      return lacks(func.getLoc(), "argument " + Twine(i), "nn.name");
    if (ofClass && failed(checkBox(func, func.getArgumentTypes()[i], list)))
      return failure();
  }
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    NamedAttrList list(func.getResultAttrDict(i));
    if (failed(checkKinds(func.getLoc(), list)))
      return failure();
    if (ofClass && !list.get("nn.name"))
      return lacks(func.getLoc(), "result " + Twine(i), "nn.name");
    if (ofClass && !list.get(spmd::kReplicatedOver))
      return lacks(func.getLoc(), "result " + Twine(i), spmd::kReplicatedOver);
    if (ofClass && failed(checkBox(func, func.getResultTypes()[i], list)))
      return failure();
  }
  auto outputs = func->getAttrOfType<ArrayAttr>("nn.outputs");
  if (!ofClass && (!outputs || outputs.size() != func.getNumResults()))
    return func.emitError("the attribute 'nn.outputs' does not name the ")
           << func.getNumResults() << " results";
  return success();
}

static LogicalResult checkAll(ModuleOp module, StringRef stage,
                              bool hasInterface) {
  bool ofClass = isOfClasses(stage);
  WalkResult walked = module.walk([&](Operation *op) {
    LogicalResult result = checkKinds(op->getLoc(), op->getAttrs());
    if (succeeded(result) && stage == "kernels")
      result = checkEpilogue(op);
    if (succeeded(result) &&
        isa_and_present<sched::SchedDialect>(op->getDialect()))
      result = checkLine(op);
    auto func = dyn_cast<func::FuncOp>(op);
    if (func && hasInterface && succeeded(result))
      result = checkInterface(func, ofClass);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted() ? failure() : checkReferences(module, stage);
}

LogicalResult hocket::checkDump(ModuleOp module, StringRef stage) {
  return checkAll(module, stage, /*hasInterface=*/true);
}

LogicalResult hocket::checkKernelText(ModuleOp module) {
  if (!nn::placementOf(module))
    return module.emitError("the module has no nn.placement");
  return checkAll(module, "kernels", /*hasInterface=*/false);
}
