//===- Statements.cpp - running the body of a function --------------------===//

#include "Elaborator.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include <set>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// A function being run: which names have a path (bound once, not in a loop).
struct Elaborator::Frame {
  std::string path; // of its module; of a loss, "loss"
  std::set<std::string> named;
  std::optional<std::vector<mlir::Value>> results;
};

static void countTargets(const Block &block, bool inLoop,
                         std::map<std::string, int> &counts) {
  for (const StmtPtr &stmt : block.stmts) {
    if (auto *assign = dynAs<AssignStmt>(stmt)) {
      for (const Name &target : assign->targets)
        counts[target.text] += inLoop ? 2 : 1;
    } else if (auto *loop = dynAs<ForStmt>(stmt)) {
      countTargets(loop->body, true, counts);
    } else if (auto *branch = dynAs<IfStmt>(stmt)) {
      countTargets(branch->thenBlock, inLoop, counts);
      if (branch->elseBlock)
        countTargets(*branch->elseBlock, inLoop, counts);
    }
  }
}

std::optional<std::vector<mlir::Value>>
Elaborator::runFunction(const FunctionItem &function, Instance &instance,
                        Scope &scope, const std::string &path) {
  Frame frame{path, {}, std::nullopt};
  std::map<std::string, int> counts;
  countTargets(function.body, false, counts);
  for (const FunctionArg &argument : function.args)
    counts[argument.name.text] += 1;
  for (auto &[name, count] : counts)
    if (count == 1 && !instance.scope.find(name))
      frame.named.insert(name);
  for (const FunctionArg &argument : function.args)
    frame.named.erase(argument.name.text);
  if (!runBlock(function.body, scope, frame))
    return std::nullopt;
  if (!frame.results)
    error(function.name.range, "'" + function.name.text + "' of '" +
                                   instance.decl->name.text +
                                   "' returns nothing");
  return frame.results;
}

bool Elaborator::runBlock(const Block &block, Scope &scope, Frame &frame) {
  for (const StmtPtr &stmt : block.stmts) {
    if (frame.results) {
      error(stmt->range, "this statement is after the return");
      return false;
    }
    if (!countExpansion(stmt->range))
      return false;
    if (auto *let = dynAs<LetStmt>(stmt)) {
      MaybeDatum datum = evaluate(*let->value, scope);
      if (!datum)
        return false;
      scope.names[let->name.text] = *datum;
    } else if (auto *assign = dynAs<AssignStmt>(stmt)) {
      if (!runAssign(*assign, scope, frame))
        return false;
    } else if (auto *loop = dynAs<ForStmt>(stmt)) {
      if (!runFor(*loop, scope, frame))
        return false;
    } else if (auto *branch = dynAs<IfStmt>(stmt)) {
      auto condition = evaluateBool(*branch->condition, scope);
      if (!condition)
        return false;
      if (*condition && !runBlock(branch->thenBlock, scope, frame))
        return false;
      if (!*condition && branch->elseBlock &&
          !runBlock(*branch->elseBlock, scope, frame))
        return false;
    } else if (auto *end = dynAs<ReturnStmt>(stmt)) {
      std::vector<mlir::Value> results;
      for (const ExprPtr &value : end->values) {
        results.push_back(evaluateTensor(*value, scope));
        if (!results.back())
          return false;
      }
      frame.results = std::move(results);
    }
  }
  return true;
}

bool Elaborator::bindName(const Name &name, Datum datum, Scope &scope,
                          Frame &frame) {
  if (mlir::Value value = datum.tensor())
    if (frame.named.count(name.text)) {
      datum = Datum(bindTensor(value, nullptr, joinPath(frame.path, name.text),
                               nn::ValueRole::Binding, scope, name.range, ""));
    }
  scope.names[name.text] = datum;
  return true;
}

bool Elaborator::runAssign(const AssignStmt &stmt, Scope &scope, Frame &frame) {
  std::vector<Datum> values;
  for (const ExprPtr &value : stmt.values) {
    MaybeDatum datum = evaluate(*value, scope);
    if (!datum)
      return false;
    values.push_back(*datum);
  }
  if (values.size() == 1 && stmt.targets.size() > 1) {
    if (auto *tuple = values[0].as<std::shared_ptr<Tuple>>()) {
      auto parts = *tuple;
      values.assign(parts->begin(), parts->end());
    } else if (mlir::Value whole = values[0].tensor()) {
      // A tensor is taken apart along its first dim, one part each.
      auto shape = nn::layoutOf(whole).getShape();
      size_t count = shape.empty() ? 0 : shape[0];
      values.clear();
      for (size_t i = 0; i < count && count == stmt.targets.size(); ++i) {
        mlir::Value part =
            emit<nn::SliceOp>(stmt.range, whole,
                              {named("dim", builder.getI64IntegerAttr(0)),
                               named("start", builder.getI64IntegerAttr(i)),
                               named("size", builder.getI64IntegerAttr(1)),
                               named("drop", builder.getBoolAttr(true))});
        if (!part)
          return false;
        values.push_back(Datum(part));
      }
      if (count != stmt.targets.size()) {
        error(stmt.range, std::to_string(stmt.targets.size()) +
                              " names take a tensor apart whose first dim is " +
                              std::to_string(count) + ": " +
                              nn::describe(whole.getType()));
        return false;
      }
    }
  }
  if (values.size() != stmt.targets.size()) {
    error(stmt.range,
          std::to_string(stmt.targets.size()) + " names on the left and " +
              std::to_string(values.size()) + " values on the right");
    return false;
  }
  for (size_t i = 0; i < values.size(); ++i)
    if (!bindName(stmt.targets[i], values[i], scope, frame))
      return false;
  return true;
}

bool Elaborator::runFor(const ForStmt &stmt, Scope &scope, Frame &frame) {
  std::vector<Datum> items;
  if (auto *range = dynAs<RangeExpr>(stmt.iterable)) {
    auto lo = evaluateInt(*range->lo, scope),
         hi = evaluateInt(*range->hi, scope);
    if (!lo || !hi)
      return false;
    if (*hi > *lo && uint64_t(*hi) - uint64_t(*lo) > 100000) {
      error(range->range, "a loop of " +
                              std::to_string(uint64_t(*hi) - uint64_t(*lo)) +
                              " rounds; expected at most 100000");
      return false;
    }
    for (int64_t i = *lo; i < *hi; ++i)
      items.push_back(Datum(i));
  } else {
    MaybeDatum datum = evaluate(*stmt.iterable, scope);
    if (!datum)
      return false;
    auto *instance = datum->as<InstancePtr>();
    if (!instance || !(*instance)->isArray) {
      error(stmt.iterable->range,
            std::string("a loop goes over a module array or a range, found ") +
                datum->kindName());
      return false;
    }
    for (const Datum &element : (*instance)->elements)
      if (!element.as<std::monostate>())
        items.push_back(element);
  }
  for (const Datum &item : items) {
    scope.names[stmt.variable.text] = item;
    if (!runBlock(stmt.body, scope, frame))
      return false;
  }
  return true;
}
