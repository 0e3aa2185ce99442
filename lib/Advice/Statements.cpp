//===- Statements.cpp - finding lines, adding and removing them -----------===//

#include "Statements.h"
#include "mlir/IR/Location.h"

using namespace hocket;
using namespace hocket::advice;
using namespace hocket::syntax;

const ScheduleDecl *advice::scheduleOf(const Reading &reading,
                                       const std::string &name) {
  for (const auto &file : reading.program.files)
    for (const DeclPtr &decl : file->ast.decls)
      if (auto *schedule = dynAs<ScheduleDecl>(decl))
        if (schedule->name.text == name)
          return schedule;
  return nullptr;
}

namespace {
/// Looks for the statement whose text holds a place.
struct Finder {
  const SourceManager &sources;
  mlir::FileLineColLoc where;
  std::optional<Statement> found;

  bool holds(SourceRange range) const {
    if (!range.isValid() ||
        sources.getName(range.file) != where.getFilename().getValue())
      return false;
    auto place = std::make_pair(where.getLine(), where.getColumn());
    auto at = [&](uint32_t offset) {
      LineColumn found = sources.getLineColumn(range.file, offset);
      return std::make_pair(found.line, found.column);
    };
    return at(range.begin) <= place && place < at(range.end);
  }

  void search(const ScheduleBlock &block, const ScheduleStmt *top) {
    for (const ScheduleStmtPtr &stmt : block.stmts) {
      if (!holds(stmt->range))
        continue;
      const ScheduleStmt *outer = top ? top : stmt.get();
      found = Statement{stmt.get(), &block, outer};
      if (auto *at = dynAs<AtStmt>(stmt))
        search(at->body, outer);
      if (auto *def = dynAs<DefStmt>(stmt))
        search(def->body, outer);
    }
  }
};
} // namespace

std::optional<Statement> advice::findStatement(const Reading &reading,
                                               mlir::Location where,
                                               const std::string &schedule) {
  auto line = mlir::dyn_cast<mlir::FileLineColLoc>(where);
  if (!line)
    return std::nullopt;
  Finder finder{reading.sources, line, std::nullopt};
  const ScheduleDecl *compiled = scheduleOf(reading, schedule);
  for (const auto &file : reading.program.files)
    for (const DeclPtr &decl : file->ast.decls) {
      if (auto *other = dynAs<ScheduleDecl>(decl))
        if (other == compiled)
          finder.search(other->body, nullptr);
      if (auto *def = dynAs<DefDecl>(decl)) {
        finder.search(def->def->body, def->def.get());
        if (finder.found && finder.found->top == def->def.get())
          finder.found->top = nullptr;
      }
    }
  return finder.found;
}

/// Where a line begins, and behind its end, of the place `at`.
static std::pair<size_t, size_t> lineAround(std::string_view text, size_t begin,
                                            size_t end) {
  size_t before =
      begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  size_t after = text.find('\n', end);
  return {before == std::string_view::npos ? 0 : before + 1,
          after == std::string_view::npos ? text.size() : after + 1};
}

static bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

static TextEdit edit(const Reading &reading, FileId file, size_t begin,
                     size_t end, std::string text) {
  return {reading.sources.getName(file), uint32_t(begin), uint32_t(end),
          std::move(text)};
}

Edits advice::removalOf(const Reading &reading, const ScheduleStmt &stmt) {
  std::string_view text = reading.sources.getText(stmt.range.file);
  auto [begin, end] = lineAround(text, stmt.range.begin, stmt.range.end);
  std::string_view rest = text.substr(stmt.range.end, end - stmt.range.end);
  bool isAlone = isBlank(text.substr(begin, stmt.range.begin - begin)) &&
                 isBlank(rest.substr(0, rest.find('#')));
  if (!isAlone)
    begin = stmt.range.begin, end = stmt.range.end;
  return {edit(reading, stmt.range.file, begin, end, "")};
}

Edits advice::additionOf(const Reading &reading, const ScheduleDecl &schedule,
                         const std::vector<std::string> &lines) {
  SourceRange body = schedule.body.range;
  std::string_view text = reading.sources.getText(body.file);
  size_t brace = body.end - 1;
  size_t begin = lineAround(text, brace, brace).first;
  bool isAlone = isBlank(text.substr(begin, brace - begin));
  std::string added = isAlone ? "" : "\n";
  for (const std::string &line : lines)
    added += "  " + line + "\n";
  size_t at = isAlone ? begin : brace;
  return {edit(reading, body.file, at, at, added)};
}

static void scatter(const Reading &reading, const ScheduleBlock &block,
                    const std::string &axis, const std::string &dim,
                    Edits &edits) {
  for (const ScheduleStmtPtr &stmt : block.stmts) {
    if (auto *at = dynAs<AtStmt>(stmt))
      scatter(reading, at->body, axis, dim, edits);
    auto *sync = dynAs<SyncStmt>(stmt);
    if (sync && sync->op == SyncOp::AllReduce && sync->axes.axes.size() == 1 &&
        sync->axes.axes.front().name.text == axis)
      edits.push_back(edit(reading, sync->opRange.file, sync->opRange.begin,
                           sync->opRange.end, "reduce_scatter axis " + dim));
  }
}

Edits advice::scatteringOf(const Reading &reading, const ScheduleDecl &schedule,
                           const std::string &axis, const std::string &dim) {
  Edits edits;
  scatter(reading, schedule.body, axis, dim, edits);
  return edits;
}

Edits advice::additionBefore(const Reading &reading, const ScheduleStmt &stmt,
                             const std::vector<std::string> &lines) {
  std::string_view text = reading.sources.getText(stmt.range.file);
  size_t begin = lineAround(text, stmt.range.begin, stmt.range.begin).first;
  std::string indent(text.substr(begin, stmt.range.begin - begin));
  if (!isBlank(indent))
    return {};
  std::string added;
  for (const std::string &line : lines)
    added += indent + line + "\n";
  return {edit(reading, stmt.range.file, begin, begin, added)};
}
