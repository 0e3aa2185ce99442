//===- Coverage.cpp - reading rows off placed programs --------------------===//

#include "Coverage.h"
#include "PlanKinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Placement/Meet.h"
#include "lib/Placement/RuleSpace.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::random;

static const char *nameOf(nn::FactorUse use) {
  switch (use) {
  case nn::FactorUse::Pointwise:
    return "pointwise";
  case nn::FactorUse::Contracted:
    return "contracted";
  case nn::FactorUse::Whole:
    return "whole";
  case nn::FactorUse::Statistics:
    return "statistics";
  }
  return "";
}

static const char *nameOf(nn::PartialUse use) {
  switch (use) {
  case nn::PartialUse::Refused:
    return "refused";
  case nn::PartialUse::Linear:
    return "linear";
  case nn::PartialUse::Addend:
    return "addend";
  case nn::PartialUse::Monotone:
    return "monotone";
  case nn::PartialUse::Maximal:
    return "maximal";
  case nn::PartialUse::Minimal:
    return "minimal";
  case nn::PartialUse::Any:
    return "any";
  }
  return "";
}

/// A split of what windows slide over is a row of its own.
static std::string nameOf(const nn::PlacementRule &rule, int factor) {
  const nn::PlacementRule::Factor &stated =
      rule.factors[rule.positionsOf(factor)];
  return stated.window ? "under windows" : nameOf(stated.use);
}

static StringRef kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](nn::UnaryOp op) { return stringifyUnaryKind(op.getKind()); })
      .Case([](nn::BinaryOp op) { return stringifyBinaryKind(op.getKind()); })
      .Case([](nn::ReduceOp op) { return stringifyReduceKind(op.getKind()); })
      .Case<nn::PoolOp, nn::PoolGradOp>(
          [](auto op) { return stringifyPoolKind(op.getKind()); })
      .Default([](Operation *) { return ""; });
}

/// Operations whose rule depends on a kind are one row set a kind.
static std::string nameOf(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (StringRef kind = kindOf(op); !kind.empty())
    name += " " + kind.str();
  return name;
}

/// The operand before the moves that stand between its maker and this use.
static Value beforeMoves(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto moved = dyn_cast<nn::RedistributeOp>(op))
      value = moved.getX();
    else if (auto named = dyn_cast<nn::ValueOp>(op))
      value = named.getX();
    else
      break;
  }
  return value;
}

/// Bools are no terms of a sum, and parameters are whole or split. So are the
/// weights of convolutions and linear layers: those that are not parameters are
/// an interpolation's, made of positions element by element.
static bool canBePartial(Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  auto type = cast<RankedTensorType>(value.getType());
  bool isWeight = operand == 1 && isa<nn::ConvOp, nn::LinearOp>(op);
  return !isWeight && !type.getElementType().isInteger(1) &&
         !beforeMoves(value).getDefiningOp<nn::ParameterOp>();
}

namespace {
/// One operation under one mesh.
class Reader {
public:
  Reader(Operation *op, nn::MeshAttr mesh,
         std::map<std::string, int64_t> &counts)
      : op(op), rule(cast<nn::PlacedOp>(op).getPlacementRule()), mesh(mesh),
        counts(counts), space(rule, mesh) {}

  void read() {
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      possible(i);
      nn::LayoutAttr layout = nn::layoutOf(op->getOperand(i));
      met(i, layout);
      nn::LayoutAttr before = nn::layoutOf(beforeMoves(op->getOperand(i)));
      if (before != layout && before.getShape() == layout.getShape())
        refused(i,
                layout.withPlacement(before.getSplits(), before.getPartials()));
    }
  }

private:
  std::string row(unsigned i, const std::string &holds) {
    return nameOf(op) + " | " + std::to_string(i) + " | " + holds;
  }
  std::string partialRow(unsigned i, nn::Reduction reduction) {
    nn::PartialUse use = rule.operands[i].partial;
    if (use == nn::PartialUse::Refused)
      return row(i, "P refused");
    std::string kind = reduction == nn::Reduction::Sum ? "sum" : "extremum";
    return row(i, "P(" + kind + ") " + nameOf(use));
  }
  /// What one mesh axis holds of operand i; empty where the rule has no words
  /// for it.
  std::string stateRow(unsigned i, const placement::State &state) {
    using Hold = placement::State::Hold;
    if (state.hold == Hold::Whole)
      return row(i, "R");
    if (state.hold == Hold::Partial)
      return partialRow(i, state.reduction);
    return state.factor < 0 ? "" : row(i, "S " + nameOf(rule, state.factor));
  }
  placement::RuleValue inRule(unsigned i, nn::LayoutAttr layout) {
    SmallVector<placement::Mismatch> ignored;
    return space.toRule(rule.operands[i], layout, ignored);
  }

  void possible(unsigned i) {
    counts[row(i, "R")];
    for (auto &dim : rule.operands[i].dims)
      for (int factor : dim)
        if (factor >= 0 && rule.factors[factor].size > 1)
          counts[row(i, "S " + nameOf(rule, factor))];
    // Of what a result is only cut like no sum is asked.
    if (canBePartial(op, i) && !rule.operands[i].isLike)
      for (nn::Reduction reduction : {nn::Reduction::Sum, nn::Reduction::Max})
        counts[partialRow(i, reduction)];
  }

  void met(unsigned i, nn::LayoutAttr layout) {
    placement::RuleValue held = inRule(i, layout);
    for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis)
      count(mesh.getAxes()[axis].getSize() == 1 ? ""
                                                : stateRow(i, held.axes[axis]));
  }
  void count(const std::string &row) {
    if (!row.empty())
      ++counts[row];
  }

  /// A split that the rule has no words for is one of a dim that it wants
  /// whole.
  std::string refusedRow(unsigned i, const placement::Mismatch &mismatch,
                         const placement::RuleValue &held) {
    if (mismatch.kind != placement::Mismatch::Kind::NotInRule)
      return stateRow(i, held.axes[mismatch.axis]);
    for (int factor : rule.operands[i].dims[mismatch.typeDim])
      if (factor >= 0 && rule.factors[factor].use == nn::FactorUse::Whole)
        return row(i, "S whole");
    return "";
  }

  /// Counts a placement that the operand had before it was moved, if the rule
  /// refuses it.
  void refused(unsigned i, nn::LayoutAttr before) {
    SmallVector<nn::LayoutAttr> operands, results;
    for (Value operand : op->getOperands())
      operands.push_back(nn::layoutOf(operand));
    for (Value result : op->getResults())
      results.push_back(nn::layoutOf(result).withoutPlacement());
    operands[i] = before;
    placement::MeetResult met = placement::meet(
        {rule, mesh, operands, results, llvm::BitVector(operands.size()),
         [](unsigned) { return false; }, [](unsigned, int) { return false; }});
    placement::RuleValue held = inRule(i, before);
    for (const placement::Mismatch &mismatch : met.mismatches)
      if (!mismatch.isResult && mismatch.operand == i)
        count(refusedRow(i, mismatch, held));
  }

  Operation *op;
  nn::PlacementRule rule;
  nn::MeshAttr mesh;
  std::map<std::string, int64_t> &counts;
  placement::RuleSpace space;
};
} // namespace

void Coverage::add(ModuleOp placed) {
  nn::MeshAttr mesh = nn::meshOf(placed);
  placed.walk([&](Operation *op) {
    // Schedules move values by exchanges; no model has one.
    if (!isa<nn::PlacedOp>(op) || isa<nn::ExchangeOp>(op))
      return;
    operations.insert(op->getName().getStringRef().str());
    Reader(op, mesh, counts).read();
  });
}

void Coverage::add(const plan::Plan &plan) {
  for (const std::string &kind : kindsOf(plan))
    ++instructions[kind];
}

void Coverage::merge(const Coverage &other) {
  for (auto &[row, count] : other.counts)
    counts[row] += count;
  for (auto &[kind, count] : other.instructions)
    instructions[kind] += count;
  operations.insert(other.operations.begin(), other.operations.end());
}

void Coverage::mergeRows(const Coverage &other) {
  for (auto &[row, count] : other.counts)
    counts[row];
  operations.insert(other.operations.begin(), other.operations.end());
}

nlohmann::ordered_json Coverage::json() const {
  auto unmet = nlohmann::ordered_json::array();
  auto met = nlohmann::ordered_json::object();
  for (auto &[row, count] : counts)
    if (count)
      met[row] = count;
    else
      unmet.push_back(row);
  return {{"operations", operations},
          {"met", met},
          {"unmet", unmet},
          {"instructions", instructions}};
}

Coverage Coverage::fromJson(const nlohmann::ordered_json &json) {
  Coverage read;
  json.at("operations").get_to(read.operations);
  json.at("met").get_to(read.counts);
  for (const auto &row : json.at("unmet"))
    read.counts[row];
  json.at("instructions").get_to(read.instructions);
  return read;
}

int64_t Coverage::met() const {
  return llvm::count_if(counts, [](auto &row) { return row.second > 0; });
}

std::set<std::string> Coverage::unseen(MLIRContext *context) const {
  std::set<std::string> names;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<nn::PlacedOp>() &&
        !operations.count(name.getStringRef().str()))
      names.insert(name.getStringRef().str());
  return names;
}
