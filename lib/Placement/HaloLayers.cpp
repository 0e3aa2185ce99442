//===- HaloLayers.cpp - which operations share one exchange ---------------===//
//
// From an operation that needs margins on, `layers n` follows what it makes
// through element-wise operations to n - 1 more with windows. What lies between
// is computed in the margins too, and nothing else may read it.
//
//===----------------------------------------------------------------------===//

#include "HeldDemand.h"
#include "Locations.h"
#include "Placer.h"
#include "ReadParts.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Placement/Meet.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static bool isElementWise(Operation *op) {
  return isa<nn::UnaryOp, nn::BinaryOp, nn::WhereOp, nn::CastOp, nn::ValueOp>(
      op);
}

/// Made for whatever part is asked for.
static bool isFilled(Value value) {
  return isa_and_present<nn::FillOp, nn::BroadcastOp>(value.getDefiningOp());
}

/// Whether a line lets it read margins of the dim, and it does.
static bool hasMargins(const AskedHalos &halos, Operation *op, size_t number) {
  auto asked = halos.find(op);
  return asked != halos.end() && asked->second[number].line;
}

/// "'net.norm' (layer_norm)"
static std::string nameOf(Operation *op) {
  std::string path = modelPath(op);
  std::string kind = op->getName().stripDialect().str();
  return path.empty() ? kind : "'" + path + "' (" + kind + ")";
}

/// Whether windows slide over dim `number` of what it reads.
static bool slidesOver(nn::WindowedOp op, size_t number, Value value) {
  auto windows = op.getWindows();
  return isa<nn::ConvOp, nn::PoolOp>(op.getOperation()) &&
         op->getOperand(0) == value && number < windows.size() &&
         windows[number];
}

/// Whether the value, or what comes of it alone, is read by several.
static bool isReadTwice(Value value) {
  while (value.hasOneUse() && isElementWise(*value.user_begin()))
    value = (*value.user_begin())->getResult(0);
  return !value.use_empty() && !value.hasOneUse();
}

/// Whether an operation with windows that the line covers reads what comes of
/// the value.
static bool leadsToWindows(const AskedHalos &halos, Value value,
                           const Licence &licence) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (Operation *user : next.getUsers()) {
      if (halos.contains(user) && licence.covers(modelPath(user)))
        return true;
      llvm::append_range(open, user->getResults());
    }
  }
  return false;
}

/// The operation that windows slide over what `value` becomes in, if one can be
/// a layer more; `blocked` is what else reads it.
nn::WindowedOp Placer::nextLayer(Value value, size_t number,
                                 const Licence &licence, Operation *&blocked) {
  while (true) {
    SmallVector<Operation *> users(value.getUsers());
    if (users.size() != 1) {
      blocked = users.empty() ? nullptr : users.back();
      while (isa_and_present<nn::ValueOp>(blocked) &&
             blocked->getResult(0).hasOneUse())
        blocked = *blocked->user_begin();
      return {};
    }
    blocked = users.front();
    if (auto windowed = dyn_cast<nn::WindowedOp>(blocked)) {
      bool goesOn =
          slidesOver(windowed, number, value) &&
          licence.covers(modelPath(blocked)) &&
          windowed.getWindows()[number]->border != nn::Border::Circular;
      return goesOn ? windowed : nn::WindowedOp();
    }
    if (!isElementWise(blocked) || blocked->getNumResults() != 1)
      return {};
    // What else it reads has no margins.
    for (Value other : blocked->getOperands())
      if (other != value && !isFilled(other) &&
          llvm::any_of(licence.axes, [&](unsigned axis) {
            return bool(nn::layoutOf(other).splitOver(axisText(axis, mesh)));
          }))
        return {};
    value = blocked->getResult(0);
  }
}

/// The layers of one exchange, from `first` on.
SmallVector<Operation *> Placer::layersFrom(nn::WindowedOp first, size_t number,
                                            const Licence &licence,
                                            int64_t count) {
  SmallVector<Operation *> layers{first};
  int64_t found = 1; // what needs no margins is between them
  Operation *blocked = nullptr;
  while (found < count) {
    nn::WindowedOp next =
        nextLayer(layers.back()->getResult(0), number, licence, blocked);
    if (!next)
      break;
    layers.push_back(next);
    found += hasMargins(askedHalos, next, number);
  }
  if (found == count || !blocked ||
      !leadsToWindows(askedHalos, layers.back()->getResult(0), licence))
    return layers;
  std::string path = modelPath(first);
  bool isShared = isReadTwice(layers.back()->getResult(0));
  std::string last = nameOf(layers.back());
  problems
      .addAt(licence.directive,
             "layers " + std::to_string(count) + " of axis " + licence.dim +
                 ": from '" + path + "' on there is room for " +
                 std::to_string(found) + ", before " + nameOf(blocked),
             path)
      .note(modelLine(blocked->getLoc()),
            "this reads what " + last + " makes" +
                (isShared ? ", as others do; what lies between layers is read "
                            "by one operation"
                          : ", and is not computed in margins"))
      .note(
          "between layers are element-wise operations; layers are "
          "convolutions and poolings, all except the first without a circular "
          "border")
      .advise("write layers " + std::to_string(found) +
              ", or a pattern that has no '" + path + "'");
  return {};
}

/// What is computed again in the backward has no margins there.
bool Placer::refuseRecomputed(ArrayRef<Operation *> layers,
                              const Licence &licence) {
  for (Operation *op = layers.front(); op != layers.back();
       op = *op->getResult(0).user_begin())
    if (op->hasAttr(nn::kRecompute)) {
      problems
          .addAt(licence.directive,
                 "not supported yet: layers of axis " + licence.dim +
                     " from '" + modelPath(layers.front()) + "' on, of which " +
                     nameOf(op) + " is recomputed",
                 modelPath(layers.front()))
          .note("leave out the recompute line, or write layers 1");
      return true;
    }
  return false;
}

HaloDim placement::dimOfLayers(ArrayRef<Operation *> layers, size_t number,
                               nn::MeshAttr mesh) {
  nn::LayoutAttr read = nn::layoutOf(layers.front()->getOperand(0));
  nn::Window window =
      *cast<nn::WindowedOp>(layers.front()).getWindows()[number];
  plan::Halo halo;
  halo.extent = window.extent;
  halo.border = window.border;
  auto parts = readParts(layers, number, mesh);
  for (auto [own, part] : llvm::zip_equal(
           nn::heldParts(read, number, /*factor=*/0, mesh), parts.front())) {
    nn::Interval held = part.size == 0 ? own : part;
    halo.offset.push_back(own.offset);
    halo.size.push_back(own.size);
    halo.heldOffset.push_back(held.offset);
    halo.heldSize.push_back(held.size);
  }
  std::string windows = layers.size() > 1
                            ? std::to_string(layers.size()) + " layers"
                            : "windows of " + std::to_string(window.span());
  std::string name = read.getDims()[number].getDisplayName();
  return {modelPath(layers.front()), name,
          axisWord(name, number),    windows,
          furthestOf(halo, false),   furthestOf(halo, true)};
}

/// One exchange for all of them: each but the last makes what the next reads.
void Placer::joinLayers(ArrayRef<Operation *> layers, size_t number,
                        HeldDemand &demand) {
  auto parts = readParts(layers, number, mesh);
  for (size_t i = 1; i < layers.size(); ++i) {
    auto held =
        nn::heldOf(func.getContext(), {true, int64_t(number), 0}, parts[i]);
    bool isMade = demand.ask(layers[i]->getOperand(0), held,
                             cast<nn::WindowedOp>(layers[i]), layers[i - 1]);
    assert(isMade && "what is element-wise computes each position by itself");
    (void)isMade;
  }
}

/// Of one line: each operation is a layer of one exchange.
void Placer::joinLayersOf(const Licence &licence, int64_t count,
                          HeldDemand &demand) {
  llvm::DenseSet<Operation *> taken;
  bool isMet = false, hasEffect = false;
  func.walk([&](nn::WindowedOp op) {
    nn::LayoutAttr layout = nn::layoutOf(op.getPositions().front());
    for (auto [number, window] : llvm::enumerate(op.getWindows())) {
      if (!hasMargins(askedHalos, op, number) ||
          !licence.covers(modelPath(op)) ||
          !licence.isOf(op, layout.getDims()[number].getDisplayName(), number))
        continue;
      isMet = true;
      if (taken.contains(op) || !slidesOver(op, number, op->getOperand(0)))
        continue;
      auto layers = layersFrom(op, number, licence, count);
      taken.insert(layers.begin(), layers.end());
      if (!layers.empty())
        checkReach(licence, dimOfLayers(layers, number, mesh));
      hasEffect |= layers.size() != 1; // none: an error that was said
      if (layers.size() > 1 && !refuseRecomputed(layers, licence))
        joinLayers(layers, number, demand);
    }
  });
  if (isMet && !hasEffect) // else the line itself has none
    problems
        .addAt(licence.directive,
               "layers " + std::to_string(count) + " of axis " + licence.dim +
                   " has no effect: no convolution or pooling here reads what "
                   "another one makes",
               licence.paths.front())
        .advise("leave out 'layers " + std::to_string(count) + "'");
}

void Placer::joinLayers(HeldDemand &demand) {
  for (const Licence &licence : halos)
    if (auto line = dyn_cast<sched::HaloOp>(licence.directive))
      if (line.getLayers().value_or(1) > 1 && !licence.axes.empty())
        joinLayersOf(licence, *line.getLayers(), demand);
}
