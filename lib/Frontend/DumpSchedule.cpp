//===- DumpSchedule.cpp - schedule statements as nested lists -------------===//

#include "DumpText.h"
#include "hocket/Frontend/Print.h"

#include <cstdio>

using namespace hocket::syntax;

static std::string dumpAxes(const AxisList &axes) {
  return " over " + toString(axes);
}

static std::string dumpDim(const DimRef &dim, const char *word = "axis") {
  return std::string(" ") + word + " " + dim.text +
         (dim.position ? "(position)" : "");
}

static std::string dumpDistribution(const Distribution &distribution) {
  std::string text = getSpelling(distribution.kind);
  for (const ExprPtr &value : distribution.values)
    text += " " + dumpExpr(value);
  return " (" + text + ")";
}

static std::string
dumpDistributions(const std::vector<Distribution> &distributions) {
  std::string text;
  for (const Distribution &distribution : distributions)
    text += dumpDistribution(distribution);
  return text;
}

static std::string dumpHalo(const HaloOptions &options) {
  std::string text;
  if (options.reach) {
    text += " (reach";
    for (const ExprPtr &value : options.reach->values)
      text += " " + dumpExpr(value);
    text += ")";
  }
  if (options.strategy)
    text += std::string(" (using ") + getSpelling(*options.strategy) + ")";
  if (options.overlap)
    text += " overlap";
  return options.layers ? text + " layers " + dumpExpr(options.layers) : text;
}

static std::string dumpScope(const ScopePattern &scope) {
  std::string text = " " + scope.pattern.str();
  if (scope.count)
    text += " (count " + dumpExpr(scope.count) + ")";
  return scope.optional ? text + " optional" : text;
}

static std::string dumpOverride(const OverrideMark &mark) {
  return mark.isValid() ? " override" : "";
}

static std::string dumpSize(const ByteSize &size) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), " %.17g", size.getBytes());
  return buffer;
}

static std::string dumpSync(const SyncStmt &stmt) {
  std::string text = " " + stmt.pattern.str() + " " + getSpelling(stmt.point) +
                     " " + getSpelling(stmt.op);
  if (stmt.hook)
    text += " " + stmt.hook->text;
  if (stmt.dim)
    text += dumpDim(*stmt.dim);
  if (stmt.toDim)
    text += dumpDim(*stmt.toDim, "to");
  text += dumpAxes(stmt.axes) + dumpDistributions(stmt.distributions);
  if (stmt.reduceOp)
    text += std::string(" op ") + getSpelling(*stmt.reduceOp);
  if (stmt.root)
    text += " root " + dumpExpr(stmt.root);
  return text + dumpOverride(stmt.overrideMark);
}

static std::string dumpExpect(const ExpectStmt &stmt) {
  static const char *const words[] = {" forward", " backward", " memory",
                                      " bytes"};
  std::string text = words[static_cast<size_t>(stmt.what)];
  if (stmt.at)
    text += " at " + stmt.at->str();
  text += std::string(" ") + getSpelling(stmt.comparison);
  for (const ExpectStmt::Count &count : stmt.counts)
    text += " " + count.collective.text + ":" + dumpExpr(count.count);
  return stmt.size ? text + dumpSize(*stmt.size) : text;
}

static std::string dumpAttention(const AttentionStmt &stmt) {
  std::string text = " " + stmt.pattern.str();
  for (const AttentionStmt::Part &part : stmt.parts) {
    text += std::string(" ") + getSpelling(part.strategy) + dumpAxes(part.axes);
    if (part.from)
      text += " from " + part.from->str();
  }
  return text;
}

/// Statements that place and move values.
static std::string dumpPlacement(const ScheduleStmt *stmt) {
  if (auto *node = dynAs<ShardStmt>(stmt))
    return " " + node->pattern.str() + dumpDim(node->dim) +
           dumpAxes(node->axes) + dumpDistributions(node->distributions) +
           dumpOverride(node->overrideMark);
  if (auto *node = dynAs<ReplicateStmt>(stmt))
    return " " + node->pattern.str() + dumpAxes(node->axes) +
           dumpOverride(node->overrideMark);
  if (auto *node = dynAs<SyncStmt>(stmt))
    return dumpSync(*node);
  if (auto *node = dynAs<DeferStmt>(stmt))
    return " " + node->from.str() + " until " + node->until.str() +
           dumpDim(node->dim) + dumpAxes(node->axes) +
           dumpDistributions(node->distributions) +
           dumpOverride(node->overrideMark);
  if (auto *node = dynAs<HaloStmt>(stmt))
    return " " + node->pattern.str() + dumpDim(node->dim) +
           dumpAxes(node->axes) + dumpHalo(node->options);
  if (auto *node = dynAs<AttentionStmt>(stmt))
    return dumpAttention(*node);
  if (auto *node = dynAs<StatisticsStmt>(stmt))
    return " " + node->pattern.str() + dumpAxes(node->axes);
  return "";
}

/// Statements that change memory and time only.
static std::string dumpCost(const ScheduleStmt *stmt) {
  if (auto *node = dynAs<RecomputeStmt>(stmt))
    return " " + node->pattern.str();
  if (auto *node = dynAs<SaveStmt>(stmt))
    return " " + node->pattern.str() +
           (node->gathered ? " gathered" : " sharded");
  if (auto *node = dynAs<FsdpStmt>(stmt))
    return " " + node->pattern.str() + dumpAxes(node->axes) +
           (node->stage ? " stage " + dumpExpr(node->stage) : "");
  if (auto *node = dynAs<FuseStmt>(stmt)) {
    std::string text;
    for (const PathPattern &pattern : node->patterns)
      text += " " + pattern.str();
    return text;
  }
  if (auto *node = dynAs<HookStmt>(stmt))
    return " " + node->pattern.str() + " with " + node->hook.text;
  if (auto *node = dynAs<BucketStmt>(stmt))
    return " " + node->what.text + dumpSize(node->size) + dumpAxes(node->axes);
  return "";
}

void hocket::syntax::dumpScheduleBlock(const ScheduleBlock &block,
                                       const std::string &indent,
                                       std::string &out) {
  std::string inner = indent + "  ";
  for (const ScheduleStmtPtr &stmt : block.stmts) {
    out += inner + getSpelling(stmt->kind);
    const ScheduleBlock *body = nullptr;
    if (auto *node = dynAs<LetScheduleStmt>(stmt)) {
      out += " " + node->name.text + " " + dumpExpr(node->value);
    } else if (auto *node = dynAs<MeshStmt>(stmt)) {
      out += dumpArguments(node->axes);
    } else if (auto *node = dynAs<AtStmt>(stmt)) {
      out += dumpScope(node->scope);
      body = &node->body;
    } else if (auto *node = dynAs<UseStmt>(stmt)) {
      out += " " + node->callee.text + dumpArguments(node->args);
      if (node->scope)
        out += " at" + dumpScope(*node->scope);
    } else if (auto *node = dynAs<DefStmt>(stmt)) {
      out += " " + node->name.text + " " + dumpParameters(node->params);
      body = &node->body;
    } else if (auto *node = dynAs<ExpectStmt>(stmt)) {
      out += dumpExpect(*node);
    } else {
      out += dumpPlacement(stmt.get()) + dumpCost(stmt.get());
    }
    out += "\n";
    if (body)
      dumpScheduleBlock(*body, inner, out);
  }
}
