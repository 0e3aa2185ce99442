//===- Stored.cpp - what lives from step to step --------------------------===//
//
// A parameter that steps change and a state have a buffer that the step reads
// what they held from, and that holds their next value when it ends. The
// instruction that computes the next value writes it there at once where
// nothing reads the old one afterwards; a kernel may do so even to elements
// that it reads itself. Else the next value is copied at the end. All of this
// is behind what computes the loss and the norm of the gradients, so that a run
// can leave out a step in which they are not finite.
//
//===----------------------------------------------------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Fuse.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// Axes of more than one rank that no cut depends on.
static std::vector<int> replicatedOver(const plan::Plan &plan,
                                       const plan::GlobalTensor &tensor) {
  std::vector<int> axes;
  for (int axis = 0, e = plan.mesh.size(); axis < e; ++axis) {
    bool cuts = llvm::any_of(tensor.cuts, [&](const plan::Cut &cut) {
      return llvm::is_contained(plan.tables[cut.offset].axes, axis);
    });
    if (!cuts && plan.mesh[axis].size > 1)
      axes.push_back(axis);
  }
  return axes;
}

int ClassPlanner::store(Operation &op, StringRef name) {
  Value value = op.getResult(0);
  Strided window;
  window.sizes = factorSizes(nn::layoutOf(value));
  window.strides = rowMajorStrides(window.sizes);
  window.buffer = memory->addState(typeOf(value), window.elements());
  values[value] = window;
  plan::Plan &plan = tables.plan;
  // Every class stores the same tensors in the same order.
  int number = rankClass->states.size();
  if (number == int(plan.states.size())) {
    auto box = op.getAttrOfType<spmd::BoxAttr>(spmd::kCuts);
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    plan.states.push_back(tables.tensor(name, element, box));
    plan.states.back().replicatedOver =
        replicatedOver(plan, plan.states.back());
  }
  rankClass->states.push_back(window.buffer);
  stored[name] = value;
  return number;
}

LogicalResult ClassPlanner::planState(nn::StateOp op) {
  store(*op, op.getName());
  rankClass->load.push_back(
      {tables.source(op.getLoc()),
       plan::Fill{get(op.getResult()).view(), op.getInit().convertToDouble()}});
  return success();
}

/// Whether nothing reads `value` once `producer` has run. `producer` itself may
/// read it: `reads` then says so.
static bool isLastReader(Value value, Operation *producer, bool isView,
                         bool &reads) {
  for (Operation *user : value.getUsers()) {
    if (isViewOp(user)) {
      if (!isLastReader(user->getResult(0), producer, true, reads))
        return false;
    } else if (user == producer && !isView) {
      reads = true;
    } else if (!whereItRuns(user)->isBeforeInBlock(producer)) {
      return false;
    }
  }
  return true;
}

void ClassPlanner::findDecided() {
  if (assigned.empty())
    return;
  auto results = cast<func::ReturnOp>(func.getBody().front().getTerminator());
  for (auto [number, value] : llvm::enumerate(results.getOperands())) {
    auto name = func.getResultAttrOfType<StringAttr>(number, "nn.name");
    if (!name || (name.getValue() != "loss" && name.getValue() != "grad_norm"))
      continue;
    Operation *op = value.getDefiningOp();
    while (op && isViewOp(op))
      op = op->getOperand(0).getDefiningOp();
    if (!op || loadTime.contains(value))
      continue;
    op = whereItRuns(op);
    if (!decided || decided->isBeforeInBlock(op))
      decided = op;
  }
}

Value ClassPlanner::placeOfNext(Value next, Operation *producer, bool &reads) {
  if (decided && !decided->isBeforeInBlock(producer))
    return {};
  for (Operation *user : next.getUsers()) {
    auto assign = dyn_cast<nn::AssignOp>(user);
    if (!assign || written.contains(assign.getName()))
      continue;
    Value held = stored.lookup(assign.getName());
    reads = false;
    if (!loadTime.contains(next) &&
        factorSizes(nn::layoutOf(held)) == factorSizes(nn::layoutOf(next)) &&
        isLastReader(held, producer, /*isView=*/false, reads))
      return held;
  }
  return {};
}

/// The result of `producer`, no kernel, becomes what a stored tensor holds.
void ClassPlanner::placeNext(nn::AssignOp assign) {
  Value next = assign.getX();
  Operation *producer = next.getDefiningOp();
  bool reads = false;
  if (!producer || isViewOp(producer) || isa<spmd::KernelOp>(producer) ||
      written.contains(assign.getName()))
    return;
  producer = whereItRuns(producer);
  Value held = placeOfNext(next, producer, reads);
  if (!held || held != stored.lookup(assign.getName()) || reads)
    return;
  Strided window = get(next);
  plan::Buffer &buffer = rankClass->buffers[window.buffer];
  const plan::Buffer &state = rankClass->buffers[get(held).buffer];
  if (buffer.region != plan::Region::Arena || buffer.bytes != state.bytes ||
      window.offset != 0 || !window.terms.empty() ||
      !window.isDenseRowMajor() || buffer.type != state.type)
    return;
  buffer = state;
  written.insert(assign.getName());
}

LogicalResult ClassPlanner::planAssigns(ArrayRef<nn::AssignOp> assigns) {
  for (nn::AssignOp assign : assigns)
    placeNext(assign);
  // What other stored tensors held is copied before any of them changes.
  llvm::DenseSet<int> held;
  for (auto &entry : stored)
    held.insert(get(entry.second).buffer);
  llvm::DenseMap<Operation *, Strided> sources;
  for (nn::AssignOp assign : assigns) {
    if (written.contains(assign.getName()))
      continue;
    Strided source = get(assign.getX());
    if (held.contains(source.buffer))
      source = copied(*assign, source, typeOf(assign.getX()));
    sources[assign] = source;
  }
  for (nn::AssignOp assign : assigns)
    if (!written.contains(assign.getName()))
      emit(*assign, plan::Copy{sources[assign].view(),
                               get(stored[assign.getName()]).view()});
  return success();
}
