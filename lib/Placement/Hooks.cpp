//===- Hooks.cpp - modules that a user's own function computes ------------===//

#include "Hooks.h"
#include "Locations.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/PathTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {

class HookApplier {
public:
  HookApplier(nn::FuncOp func, sched::HookOp directive, Problems &problems)
      : func(func), directive(directive), problems(problems),
        hook(directive.getHook()),
        name("hook '" + hook.getAs<StringAttr>("name").str() + "'") {}

  void run();

private:
  void apply(PathNode &node);
  void applyCall(PathNode &node, size_t call, nn::ValueOp result);
  void collectParameters(const PathNode &node, StringRef root);
  bool gather(PathNode &node, size_t call, SmallVectorImpl<Value> &operands);
  void eraseUnused(StringRef path, Value last);

  nn::FuncOp func;
  sched::HookOp directive;
  Problems &problems;
  DictionaryAttr hook;
  std::string name;
  /// By the name that the hook has for them: "proj.weight" is proj_weight.
  llvm::StringMap<Value> parameters;
};

} // namespace

void HookApplier::run() {
  PathTree tree(func);
  std::optional<PathQuery> query = PathQuery::parse(directive.getPattern());
  Match match = query ? query->match(tree) : Match();
  if (match.nodes.empty()) {
    if (directive.getIsOptional())
      return;
    Problem &problem = problems.addAt(
        directive,
        ("no module matches '" + directive.getPattern() + "'").str());
    if (match.failure)
      for (std::string &text : explainFailure(*match.failure))
        problem.note(std::move(text));
    return;
  }
  for (PathNode *node : match.nodes)
    apply(*node);
}

void HookApplier::apply(PathNode &node) {
  SmallVector<nn::ValueOp> results;
  for (nn::ValueOp value : node.values)
    if (value.getRole() == nn::ValueRole::Result)
      results.push_back(value);
  bool hasArgument = llvm::any_of(node.children, [](const auto &child) {
    return child->hasRole(nn::ValueRole::Argument);
  });
  if (results.empty() || !hasArgument) {
    problems
        .addAt(directive,
               "'" + node.path + "' is no module that a hook can compute",
               node.path)
        .note("a hook stands for a module that takes and gives tensors");
    return;
  }
  if (nn::gradientsOf(func) != nn::Gradients::None && !hook.get("derivative")) {
    problems
        .addAt(directive,
               name + " has no derivative, and the backward passes '" +
                   node.path + "'",
               node.path)
        .note("declare a hook that computes the gradients, and name it: "
              "derivative NAME");
    return;
  }
  collectParameters(node, node.path);
  for (auto [call, result] : llvm::enumerate(results))
    applyCall(node, call, result);
  parameters.clear();
}

void HookApplier::collectParameters(const PathNode &node, StringRef root) {
  if (node.parameter) {
    std::string own = StringRef(node.path).drop_front(root.size() + 1).str();
    llvm::replace(own, '.', '_');
    nn::ParameterOp parameter = node.parameter;
    parameters[own] = parameter.getResult();
  }
  for (const auto &child : node.children)
    collectParameters(*child, root);
}

/// The tensors that the hook takes, by their names; all that the module has.
bool HookApplier::gather(PathNode &node, size_t call,
                         SmallVectorImpl<Value> &operands) {
  llvm::StringMap<Value> has;
  for (const auto &entry : parameters)
    has[entry.first()] = entry.second;
  for (const auto &child : node.children)
    if (child->hasRole(nn::ValueRole::Argument) && call < child->values.size())
      has[child->name] = child->values[call].getResult();
  std::vector<std::string> missing, unknown;
  llvm::StringMap<bool> taken;
  for (auto input :
       hook.getAs<ArrayAttr>("inputs").getAsRange<DictionaryAttr>()) {
    StringRef wanted = input.getAs<StringAttr>("name").getValue();
    auto found = has.find(wanted);
    if (found == has.end()) {
      unknown.push_back("'" + wanted.str() + "'");
      continue;
    }
    taken[wanted] = true;
    operands.push_back(found->second);
  }
  for (const auto &entry : has)
    if (!taken.count(entry.first()))
      missing.push_back("'" + entry.first().str() + "'");
  if (unknown.empty() && missing.empty())
    return true;
  llvm::sort(missing);
  std::vector<std::string> all;
  for (const auto &entry : has)
    all.push_back(entry.first().str());
  llvm::sort(all);
  std::string text = name + " does not take what '" + node.path + "' has: ";
  if (!unknown.empty())
    text += "there is no " + llvm::join(unknown, ", ");
  if (!missing.empty())
    text += (unknown.empty() ? "it leaves out " : ", and it leaves out ") +
            llvm::join(missing, ", ");
  problems.addAt(directive, text, node.path)
      .note("arguments and parameters of '" + node.path +
            "': " + llvm::join(all, ", "));
  return false;
}

void HookApplier::applyCall(PathNode &node, size_t call, nn::ValueOp result) {
  SmallVector<Value> operands;
  if (!gather(node, call, operands))
    return;
  OpBuilder builder(result);
  SmallVector<Type> types;
  std::string why;
  {
    ScopedDiagnosticHandler quiet(func.getContext(), [&](Diagnostic &problem) {
      why = problem.str();
      return success();
    });
    nn::HookOp::Properties properties;
    properties.hook = hook;
    if (failed(nn::HookOp::inferReturnTypes(
            func.getContext(), result.getLoc(), operands,
            builder.getDictionaryAttr({}), &properties, {}, types)))
      types.clear();
  }
  auto wanted = cast<RankedTensorType>(result.getX().getType());
  if (why.empty() && types.size() != 1)
    why = name + " gives " + std::to_string(types.size()) + " tensors";
  if (why.empty()) {
    auto given = cast<RankedTensorType>(types.front());
    if (given.getShape() != wanted.getShape() ||
        given.getElementType() != wanted.getElementType())
      why = name + " gives " + nn::describe(given);
  }
  if (!why.empty()) {
    problems.addAt(directive, why, node.path)
        .note("'" + node.path + "' gives " + nn::describe(wanted));
    return;
  }
  Value old = result.getX();
  auto made =
      nn::HookOp::create(builder, madeBy(result.getLoc(), directive->getLoc()),
                         types, operands, hook);
  result.setOperand(made.getResults().front());
  eraseUnused(node.path, old);
}

/// What only served the module's result, and what it bound besides.
void HookApplier::eraseUnused(StringRef path, Value last) {
  auto isInside = [&](Operation *op) {
    auto value = dyn_cast<nn::ValueOp>(op);
    return value && value.getRole() != nn::ValueRole::Argument &&
           value.getPath().starts_with((path + ".").str());
  };
  SmallVector<Operation *> work;
  if (Operation *op = last.getDefiningOp())
    work.push_back(op);
  for (Operation &op : func.getBody().front())
    if (isInside(&op))
      work.push_back(&op);
  llvm::SmallPtrSet<Operation *, 16> erased;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (erased.contains(op) || !op->use_empty() || isa<nn::ParameterOp>(op))
      continue;
    auto named = dyn_cast<nn::ValueOp>(op);
    if (named && named.getRole() == nn::ValueRole::Argument &&
        !StringRef(named.getPath().rsplit('.').first)
             .starts_with((path + ".").str()))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *from = operand.getDefiningOp())
        work.push_back(from);
    erased.insert(op);
    op->erase();
  }
}

void placement::applyHooks(nn::FuncOp func, sched::ScheduleOp schedule,
                           Problems &problems) {
  for (sched::HookOp directive :
       llvm::make_early_inc_range(schedule.getBody().getOps<sched::HookOp>())) {
    HookApplier(func, directive, problems).run();
    directive.erase();
  }
}
