//===- Variants.cpp - what else a line could say --------------------------===//

#include "Statements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <map>
#include <regex>

using namespace hocket;
using namespace hocket::advice;
using namespace hocket::syntax;

namespace {
/// Makes the variants of one statement.
class Variants {
public:
  Variants(const Reading &reading, const Statement &statement,
           const placement::Involved &involved, const std::string &schedule)
      : sources(reading.sources), reading(reading), statement(statement),
        involved(involved), schedule(schedule) {}

  std::vector<Variant> all();

private:
  void replace(SourceRange range, std::string text) {
    if (range.isValid() && sources.getText(range) != text)
      list.push_back({{textEdit(range, std::move(text))}});
  }
  TextEdit textEdit(SourceRange range, std::string text) const {
    return {sources.getName(range.file), range.begin, range.end,
            std::move(text)};
  }

  void renamed();
  void otherDims(const DimRef &dim,
                 const std::vector<Distribution> &distributions);
  void fewerBranches(const PathPattern &pattern, const DimRef *dim = nullptr);
  void otherAxes(const AxisList &axes);
  std::vector<std::string> meshAxes() const;
  void fewerAxes(const AxisList &axes);
  void withoutClause(const char *expression);
  void withEnd(const std::string &words);
  void withoutDistributions(const std::vector<Distribution> &distributions);
  void splitBranches(const PathPattern &pattern, const DimRef &dim);
  std::string branches(const PatternComponent &component, size_t chosen,
                       bool others) const;
  std::string with(SourceRange first, const std::string &firstText,
                   SourceRange second, const std::string &secondText) const;
  std::string indent() const;
  void ofShard(const ShardStmt &stmt);
  void asSync(const ShardStmt &stmt);
  void asFact(const SyncStmt &stmt);
  void ofSync(const SyncStmt &stmt);
  void ofAttention(const AttentionStmt &stmt);
  SourceRange operationOf(const SyncStmt &stmt) const;
  void swapped(const SyncStmt &stmt);
  void swappedLines();

  const SourceManager &sources;
  const Reading &reading;
  const Statement &statement;
  const placement::Involved &involved;
  const std::string &schedule;
  std::vector<Variant> list;
};
} // namespace

static bool isWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Each word that matches nothing by the one that is near.
void Variants::renamed() {
  std::string_view text = sources.getText(statement.stmt->range);
  for (auto &[written, near] : involved.renames) {
    if (written == "{}") { // what is counted
      if (auto *expect = dynAs<ExpectStmt>(statement.stmt))
        replace(expect->countsRange, near);
      continue;
    }
    if (written.empty()) {
      const PathPattern *pattern = nullptr;
      if (auto *shard = dynAs<ShardStmt>(statement.stmt))
        pattern = &shard->pattern;
      if (auto *sync = dynAs<SyncStmt>(statement.stmt))
        pattern = &sync->pattern;
      if (pattern)
        replace(pattern->range,
                pattern->str() + (pattern->isSelf() ? "" : ".") + near);
      continue;
    }
    for (size_t at = text.find(written); at != std::string_view::npos;
         at = text.find(written, at + 1)) {
      size_t end = at + written.size();
      if ((at > 0 && isWordChar(text[at - 1]) && isWordChar(written[0])) ||
          (end < text.size() && isWordChar(text[end]) &&
           isWordChar(written.back())))
        continue;
      SourceRange range = statement.stmt->range;
      range.end = range.begin + uint32_t(end);
      range.begin += uint32_t(at);
      replace(range, near);
    }
  }
}

void Variants::otherDims(const DimRef &dim,
                         const std::vector<Distribution> &distributions) {
  for (const std::string &name : involved.dims) {
    if (name == dim.text)
      continue;
    replace(dim.range, name);
    if (distributions.empty() || list.empty())
      continue;
    // Sizes are those of another dim.
    Edits edits = list.back().edits;
    for (const Distribution &distribution : distributions)
      edits.push_back(textEdit(distribution.range, ""));
    list.push_back({edits});
  }
}

/// `{weight,bias}` as `weight` and as `bias`, also by another dim.
void Variants::fewerBranches(const PathPattern &pattern, const DimRef *dim) {
  for (const PatternComponent &component : pattern.components) {
    if (component.branches.size() < 2 || component.branches.size() > 4)
      continue;
    for (size_t left = 0; left < component.branches.size(); ++left) {
      std::string text;
      for (auto [i, branch] : llvm::enumerate(component.branches))
        if (i != left)
          text += (text.empty() ? "" : ",") +
                  std::string(sources.getText(branch.range));
      if (component.branches.size() > 2)
        text = "{" + text + "}";
      SourceRange range = component.range;
      std::string_view old = sources.getText(range);
      size_t brace = old.find('{');
      if (brace == std::string_view::npos)
        continue;
      range.begin += uint32_t(brace);
      replace(range, text);
      for (const std::string &name : involved.dims)
        if (dim && name != dim->text)
          list.push_back({{textEdit(range, text), textEdit(dim->range, name)}});
    }
  }
}

/// The axes of the schedule's mesh.
std::vector<std::string> Variants::meshAxes() const {
  std::vector<std::string> axes;
  if (const ScheduleDecl *compiled = scheduleOf(reading, schedule))
    for (const ScheduleStmtPtr &stmt : compiled->body.stmts)
      if (auto *mesh = dynAs<MeshStmt>(stmt))
        for (const Argument &axis : mesh->axes)
          if (axis.name)
            axes.push_back(axis.name->text);
  return axes;
}

/// What `over` could list instead, or the same axes with another major one.
void Variants::otherAxes(const AxisList &axes) {
  for (const std::string &other : involved.over) {
    Edits edits{textEdit(axes.range, other)};
    for (mlir::Location line : involved.without)
      if (auto found = findStatement(reading, line, schedule))
        edits.push_back(removalOf(reading, *found->stmt).front());
    llvm::sort(edits, [](const TextEdit &a, const TextEdit &b) {
      return a.begin < b.begin;
    });
    list.push_back({edits});
  }
  fewerAxes(axes);
  std::vector<std::string> names;
  for (const AxisUse &use : axes.axes)
    names.push_back(use.name.text);
  if (names.size() == 1)
    for (const std::string &axis : meshAxes())
      if (axis != names.front())
        replace(axes.range, axis);
  for (size_t first = 1; first < names.size(); ++first) {
    std::rotate(names.begin(), names.begin() + 1, names.end());
    replace(axes.range, "(" + llvm::join(names, ", ") + ")");
  }
}

/// A clause of the statement left out; `expression` matches it with the blank
/// before it.
void Variants::withoutClause(const char *expression) {
  std::string text(sources.getText(statement.stmt->range));
  std::smatch match;
  if (std::regex_search(text, match, std::regex(expression)))
    replace(statement.stmt->range, match.prefix().str() + match.suffix().str());
}

void Variants::withoutDistributions(
    const std::vector<Distribution> &distributions) {
  Edits edits;
  for (const Distribution &distribution : distributions) {
    SourceRange range = distribution.range;
    --range.begin; // with the blank before it
    edits.push_back(textEdit(range, ""));
  }
  if (!edits.empty())
    list.push_back({edits});
}

void Variants::withEnd(const std::string &words) {
  std::string text(sources.getText(statement.stmt->range));
  if (!llvm::StringRef(text).ends_with(words))
    replace(statement.stmt->range, text + " " + words);
}

void Variants::fewerAxes(const AxisList &axes) {
  if (axes.axes.size() < 2)
    return;
  for (size_t left = 0; left < axes.axes.size(); ++left) {
    std::vector<std::string> names;
    for (auto [i, use] : llvm::enumerate(axes.axes))
      if (i != left)
        names.push_back(use.name.text);
    replace(axes.range, names.size() == 1
                            ? names.front()
                            : "(" + llvm::join(names, ", ") + ")");
  }
}

void Variants::ofShard(const ShardStmt &stmt) {
  otherDims(stmt.dim, stmt.distributions);
  fewerBranches(stmt.pattern, &stmt.dim);
  if (involved.found.empty())
    splitBranches(stmt.pattern, stmt.dim);
  otherAxes(stmt.axes);
  if (involved.found.empty()) { // not yet understood
    withoutDistributions(stmt.distributions);
    asSync(stmt);
    withEnd("override");
    return;
  }
  replace(stmt.range,
          "fsdp " + std::string(sources.getText(stmt.pattern.range)) +
              " over " + std::string(sources.getText(stmt.axes.range)));
}

/// Of a computed value.
void Variants::asSync(const ShardStmt &stmt) {
  for (const char *moment : {" fwd_post", " fwd_pre"})
    replace(stmt.range, "sync " +
                            std::string(sources.getText(stmt.pattern.range)) +
                            moment + " slice axis " + stmt.dim.text + " over " +
                            std::string(sources.getText(stmt.axes.range)));
}

/// Of a parameter.
void Variants::asFact(const SyncStmt &stmt) {
  std::string pattern(sources.getText(stmt.pattern.range));
  std::string axes = " over " + std::string(sources.getText(stmt.axes.range));
  if (stmt.dim)
    replace(stmt.range, "shard " + pattern + " axis " + stmt.dim->text + axes);
  else
    replace(stmt.range, "replicate " + pattern + axes);
}

/// Some of `{q,k,v}` by one dim, the others by another: two lines.
void Variants::splitBranches(const PathPattern &pattern, const DimRef &dim) {
  if (pattern.components.empty())
    return;
  for (const PatternComponent &component : pattern.components) {
    size_t count = component.branches.size();
    if (count < 2 || count > 4)
      continue;
    for (size_t chosen = 0; chosen < 2 * count; ++chosen) {
      if (count == 2 && chosen >= count)
        break;
      std::string mine = branches(component, chosen % count, chosen >= count);
      std::string rest = branches(component, chosen % count, chosen < count);
      for (const std::string &other : involved.dims) {
        if (other == dim.text)
          continue;
        std::string first = with(component.range, rest, dim.range, dim.text);
        std::string second = with(component.range, mine, dim.range, other);
        replace(statement.stmt->range, first + "\n" + indent() + second);
      }
    }
  }
}

/// One branch, or all others.
std::string Variants::branches(const PatternComponent &component, size_t chosen,
                               bool others) const {
  std::vector<std::string> texts;
  for (auto [i, branch] : llvm::enumerate(component.branches))
    if ((i == chosen) != others)
      texts.push_back(std::string(sources.getText(branch.range)));
  return texts.size() == 1 ? texts.front() : "{" + llvm::join(texts, ",") + "}";
}

/// The statement with other words in two places of it.
std::string Variants::with(SourceRange first, const std::string &firstText,
                           SourceRange second,
                           const std::string &secondText) const {
  SourceRange range = statement.stmt->range;
  std::string text(sources.getText(range));
  text.replace(second.begin - range.begin, second.size(), secondText);
  std::string_view old = sources.getText(first);
  size_t brace = old.find('{');
  brace = brace == std::string_view::npos ? 0 : brace;
  return text.replace(first.begin - range.begin + brace, first.size() - brace,
                      firstText);
}

std::string Variants::indent() const {
  SourceRange range = statement.stmt->range;
  unsigned column = sources.getLineColumn(range).column;
  return std::string(column - 1, ' ');
}

/// `all_gather axis seq`, to what a dim is moved included.
SourceRange Variants::operationOf(const SyncStmt &stmt) const {
  SourceRange range = stmt.opRange;
  if (stmt.dim)
    range = range.to(stmt.dim->range);
  if (stmt.toDim)
    range = range.to(stmt.toDim->range);
  return range;
}

void Variants::ofSync(const SyncStmt &stmt) {
  if (stmt.op == SyncOp::Hook)
    return;
  SourceRange range = operationOf(stmt);
  const std::string &found = involved.found;
  if (found == "partial") {
    replace(range, "all_reduce");
    for (const std::string &dim : involved.dims) {
      replace(range, "reduce_scatter axis " + dim);
      list.back().isRefined = stmt.op == SyncOp::AllReduce;
    }
  } else if (found == "whole") {
    bool makesWhole =
        stmt.op == SyncOp::AllGather || stmt.op == SyncOp::AllReduce;
    for (const std::string &dim : involved.dims)
      if (!makesWhole) // that it is whole is what was wanted
        replace(range, "slice axis " + dim);
  } else if (!found.empty()) {
    replace(range, "all_gather axis " + found);
    for (const std::string &dim : involved.dims)
      if (dim != found)
        replace(range, "all_to_all axis " + found + " to " + dim);
  } else {
    const DimRef *dim = stmt.toDim ? &*stmt.toDim
                        : stmt.dim ? &*stmt.dim
                                   : nullptr;
    if (stmt.dim)
      otherDims(*stmt.dim, stmt.distributions);
    if (stmt.toDim)
      otherDims(*stmt.toDim, stmt.distributions);
    if (dim)
      splitBranches(stmt.pattern, *dim);
    withoutDistributions(stmt.distributions);
    withoutClause(" root [^ ]+");
  }
  if (stmt.reduceOp)
    withoutClause(" op [^ ]+");
  static const std::map<SyncPoint, const char *> others = {
      {SyncPoint::FwdPre, "fwd_post"},
      {SyncPoint::FwdPost, "fwd_pre"},
      {SyncPoint::BwdPre, "bwd_post"},
      {SyncPoint::BwdPost, "bwd_pre"}};
  replace(stmt.pointRange, others.at(stmt.point));
  bool isForward =
      stmt.point == SyncPoint::FwdPre || stmt.point == SyncPoint::FwdPost;
  if (found.empty() && isForward)
    asFact(stmt);
  otherAxes(stmt.axes);
  fewerBranches(stmt.pattern);
  swapped(stmt);
}

/// What it does by what another sync of the block does, and the other way.
void Variants::swapped(const SyncStmt &stmt) {
  for (const ScheduleStmtPtr &sibling : statement.block->stmts) {
    auto *other = dynAs<SyncStmt>(sibling);
    if (!other || other == &stmt || other->op == SyncOp::Hook)
      continue;
    SourceRange mine = operationOf(stmt), theirs = operationOf(*other);
    std::string first(sources.getText(mine)), second(sources.getText(theirs));
    if (first == second)
      continue;
    Edits edits{textEdit(mine, second), textEdit(theirs, first)};
    llvm::sort(edits, [](const TextEdit &a, const TextEdit &b) {
      return a.begin < b.begin;
    });
    list.push_back({edits});
  }
}

/// The statement after the next one or before the last.
void Variants::swappedLines() {
  const auto &stmts = statement.block->stmts;
  for (size_t i = 0; i + 1 < stmts.size(); ++i) {
    if (stmts[i].get() != statement.stmt &&
        stmts[i + 1].get() != statement.stmt)
      continue;
    auto *first = dynAs<SyncStmt>(stmts[i]);
    auto *second = dynAs<SyncStmt>(stmts[i + 1]);
    if (!first || !second)
      continue;
    list.push_back(
        {{textEdit(first->range, std::string(sources.getText(second->range))),
          textEdit(second->range,
                   std::string(sources.getText(first->range)))}});
  }
}

void Variants::ofAttention(const AttentionStmt &stmt) {
  withoutClause(" from [^ ]+");
  if (stmt.parts.size() == 1)
    otherAxes(stmt.parts.front().axes);
  for (const auto &part : stmt.parts)
    for (auto strategy :
         {AttentionStrategy::Heads, AttentionStrategy::Sequence,
          AttentionStrategy::Ring, AttentionStrategy::AllGather})
      replace(part.range, std::string(getSpelling(strategy)) + " over " +
                              std::string(sources.getText(part.axes.range)));
  if (stmt.parts.size() == 1)
    return;
  std::string gathered; // all of them
  for (const auto &part : stmt.parts)
    gathered += (gathered.empty() ? "all_gather over " : ", all_gather over ") +
                std::string(sources.getText(part.axes.range));
  SourceRange range = stmt.parts.front().range;
  range.end = stmt.parts.back().range.end;
  replace(range, gathered);
}

std::vector<Variant> Variants::all() {
  const ScheduleStmt *stmt = statement.stmt;
  renamed();
  for (Variant &variant : list) {
    const TextEdit &edit = variant.edits.front();
    SourceRange range = stmt->range;
    variant.meant = std::string(sources.getText(range))
                        .replace(edit.begin - range.begin,
                                 edit.end - edit.begin, edit.text);
  }
  if (!list.empty())
    return list;
  if (stmt->kind == ScheduleStmt::Kind::Use)
    return {};
  if (auto *shard = dynAs<ShardStmt>(stmt))
    ofShard(*shard);
  if (auto *sync = dynAs<SyncStmt>(stmt)) {
    ofSync(*sync);
    swappedLines();
  }
  if (auto *defer = dynAs<DeferStmt>(stmt))
    otherDims(defer->dim, defer->distributions);
  if (auto *halo = dynAs<HaloStmt>(stmt)) {
    otherDims(halo->dim, {});
    otherAxes(halo->axes);
    for (const char *clause : {" layers [^ ]+", " reach ([(][^)]*[)]|[^ ]+)",
                               " using [^ ]+", " overlap"})
      withoutClause(clause);
  }
  if (auto *attention = dynAs<AttentionStmt>(stmt))
    ofAttention(*attention);
  if (auto *statistics = dynAs<StatisticsStmt>(stmt)) {
    fewerAxes(statistics->axes);
    fewerBranches(statistics->pattern);
  }
  if (auto *replicate = dynAs<ReplicateStmt>(stmt)) {
    fewerAxes(replicate->axes);
    withEnd("override");
  }
  if (auto *fsdp = dynAs<FsdpStmt>(stmt))
    fewerAxes(fsdp->axes);
  if (auto *bucket = dynAs<BucketStmt>(stmt))
    otherAxes(bucket->axes);
  return list;
}

std::vector<Variant> advice::variantsOf(const Reading &reading,
                                        const Statement &statement,
                                        const placement::Involved &involved,
                                        const std::string &schedule) {
  return Variants(reading, statement, involved, schedule).all();
}
