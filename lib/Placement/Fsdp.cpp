//===- Fsdp.cpp - parameters that are split again and gathered on use -----===//
//
// ZeRO (arXiv 1910.02054) as placement. At stage 3 a parameter is split by one
// more factor and an all_gather precedes its first use; that its gradient is
// scattered follows from the backward. Stages 1 and 2 store the parameter
// whole: `nn.shard` says how its gradient and the optimizer's state are split.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static void parametersUnder(PathNode &node,
                            SmallVectorImpl<nn::ParameterOp> &parameters) {
  if (node.parameter && !node.parameter->hasAttr(nn::kBuffer))
    parameters.push_back(node.parameter);
  for (auto &child : node.children)
    parametersUnder(*child, parameters);
}

void Placer::readFsdp(sched::FsdpOp fsdp) {
  auto axes = readAxes(fsdp, fsdp.getOver());
  std::vector<PathNode *> nodes = resolve(fsdp, fsdp.getPattern());
  if (!axes || axes->empty() || nodes.empty())
    return;
  SmallVector<std::pair<nn::ParameterOp, StringRef>> parameters;
  for (PathNode *node : nodes) {
    SmallVector<nn::ParameterOp> under;
    parametersUnder(*node, under);
    for (nn::ParameterOp parameter : under)
      parameters.push_back({parameter, node->path});
  }
  if (parameters.empty()) {
    problems
        .addAt(fsdp, ("'" + fsdp.getPattern() + "' has no parameters").str())
        .note("fsdp splits parameters; name them or a module that has some");
    return;
  }
  for (auto [parameter, unit] : parameters) {
    bool isNew = true;
    for (FsdpRequest &other : fsdpRequests) {
      if (other.parameter != parameter)
        continue;
      isNew = false;
      if (other.directive == fsdp) {
        if (unit.size() > other.unit.size())
          other.unit = unit.str();
        continue;
      }
      problems
          .addAt(fsdp,
                 "'" + parameter.getPath().str() + "' is in two fsdp lines",
                 parameter.getPath().str())
          .note(scheduleLine(other.directive->getLoc()),
                "the other line is here")
          .note("keep one of them");
      return;
    }
    if (isNew)
      fsdpRequests.push_back({fsdp, parameter, *axes, unit.str()});
  }
}

/// The largest factor that the axes can cut inside of what cuts it already,
/// one without remainder before one with.
std::optional<FactorRef> Placer::factorForFsdp(nn::LayoutAttr layout,
                                               ArrayRef<unsigned> axes) const {
  std::optional<FactorRef> best;
  std::pair<bool, int64_t> bestScore{false, 0};
  for (auto [d, dim] : llvm::enumerate(layout.getDims()))
    for (auto [f, factor] : llvm::enumerate(dim.getFactors())) {
      int64_t parts = 1;
      for (nn::SplitAttr split : layout.splitsOf(d, f))
        parts *= mesh.getSize(split.getAxis());
      for (unsigned axis : axes)
        parts *= mesh.getAxes()[axis].getSize();
      if (parts > factor.getSize())
        continue;
      std::pair<bool, int64_t> score{factor.getSize() % parts == 0,
                                     factor.getSize()};
      if (score > bestScore) {
        bestScore = score;
        best = FactorRef{unsigned(d), unsigned(f)};
      }
    }
  return best;
}

void Placer::gatherOnUse(nn::ParameterOp parameter, nn::LayoutAttr whole,
                         const FsdpRequest &request) {
  if (parameter->use_empty())
    return;
  Operation *first = nullptr;
  for (Operation *user : parameter->getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  sched::FsdpOp directive = request.directive;
  Value gathered =
      redistribute(parameter, RedistributeKind::AllGather, request.axes, whole,
                   madeBy(parameter.getLoc(), directive->getLoc()));
  Operation *gather = gathered.getDefiningOp();
  gather->setAttr(nn::kUnit, parameter->getAttr(nn::kUnit));
  gather->moveBefore(first);
  parameter.getResult().replaceAllUsesExcept(gathered, gather);
  freeValues.insert(gathered);
  for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
    Origin origin;
    bool isMoved = llvm::is_contained(request.axes, axis);
    origin.kind = isMoved ? Origin::Kind::Sync : Origin::Kind::Through;
    origin.directive = isMoved ? directive.getOperation() : nullptr;
    origin.op = gather;
    origin.from = parameter;
    origins.set(gathered, axis, origin);
  }
}

/// The most elements that a rank has along a factor of any of a line's
/// parameters, and whose they are.
static std::pair<int64_t, StringRef>
largestFactor(ArrayRef<FsdpRequest> requests, sched::FsdpOp directive,
              nn::MeshAttr mesh) {
  std::pair<int64_t, StringRef> largest{0, ""};
  for (const FsdpRequest &request : requests) {
    if (request.directive != directive)
      continue;
    nn::ParameterOp parameter = request.parameter;
    nn::LayoutAttr layout = nn::layoutOf(parameter);
    for (auto [d, dim] : llvm::enumerate(layout.getDims()))
      for (auto [f, factor] : llvm::enumerate(dim.getFactors())) {
        int64_t size =
            nn::partsOf(factor.getSize(), layout.splitsOf(d, f), mesh)
                .largest();
        if (size > largest.first)
          largest = {size, parameter.getPath()};
      }
  }
  return largest;
}

/// A line none of whose parameters can be cut.
static void refuseIdle(Problems &problems, ArrayRef<FsdpRequest> requests,
                       const FsdpRequest &idle, nn::MeshAttr mesh) {
  sched::FsdpOp directive = idle.directive;
  auto [size, path] = largestFactor(requests, directive, mesh);
  int64_t parts = 1;
  for (unsigned axis : idle.axes)
    parts *= mesh.getAxes()[axis].getSize();
  problems
      .addAt(directive,
             ("fsdp of '" + directive.getPattern() + "' over " +
              axesText(idle.axes, mesh) + " has no effect: ")
                     .str() +
                 "no dim of a parameter can be cut in " +
                 std::to_string(parts) + "; the longest, of '" + path.str() +
                 "', has " + std::to_string(size) + " elements",
             path.str())
      .note("leave this line out, or name axes of fewer ranks");
}

void Placer::applyFsdp() {
  llvm::SmallPtrSet<Operation *, 4> used;
  for (const FsdpRequest &request : fsdpRequests) {
    nn::ParameterOp parameter = request.parameter;
    sched::FsdpOp directive = request.directive;
    nn::LayoutAttr whole = nn::layoutOf(parameter);
    for (unsigned axis : request.axes)
      if (whole.splitOver(axisText(axis, mesh))) {
        problems
            .addAt(directive,
                   "'" + parameter.getPath().str() + "' is split over " +
                       axisText(axis, mesh) + " already",
                   parameter.getPath().str())
            .note("fsdp splits what other axes have left; name an axis that "
                  "holds it whole");
        return;
      }
    // What is too small stays whole, and its gradient is reduced.
    auto ref = factorForFsdp(whole, request.axes);
    if (!ref)
      continue;
    used.insert(directive);
    nn::LayoutAttr split =
        cutOver(whole, namesOf(request.axes, mesh), ref->dim, ref->factor);
    parameter->setAttr(nn::kUnit,
                       StringAttr::get(module.getContext(), request.unit));
    if (directive.getStage() < 3) {
      parameter->setAttr(nn::kShard, split);
      parameter->setAttr(nn::kStage, directive.getStageAttr());
      continue;
    }
    parameter.getResult().setType(nn::withLayout(parameter.getType(), split));
    for (unsigned axis : request.axes) {
      Origin origin;
      origin.kind = Origin::Kind::Fact;
      origin.directive = directive;
      origins.set(parameter, axis, origin);
    }
    gatherOnUse(parameter, whole, request);
  }
  for (const FsdpRequest &request : fsdpRequests)
    if (used.insert(request.directive).second)
      refuseIdle(problems, fsdpRequests, request, mesh);
}
