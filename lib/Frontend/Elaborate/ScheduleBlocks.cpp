//===- ScheduleBlocks.cpp - mesh, at, use, patterns, axis lists -----------===//

#include "ScheduleEmitter.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static constexpr unsigned kMaxUseDepth = 32;
static constexpr unsigned kMaxLines = 20000; // each as often as it is used

bool ScheduleEmitter::emit(mlir::ModuleOp module, const ScheduleDecl &decl,
                           Scope &scope) {
  if (!emitMesh(decl.body, scope, mesh))
    return false;
  builder.setInsertionPointToEnd(module.getBody());
  mlir::OperationState state(elaborator.locationOf(decl.name.range, ""),
                             sched::ScheduleOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(decl.name.text));
  state.addAttribute("mesh", mesh);
  mlir::Region *region = state.addRegion();
  region->emplaceBlock();
  mlir::Operation *op = builder.create(state);
  builder.setInsertionPointToStart(&op->getRegion(0).front());
  for (const ScheduleStmtPtr &stmt : decl.body.stmts)
    if (auto *def = dynAs<DefStmt>(stmt))
      defs.push_back(def);
  Place place{"", &scope, {}};
  bool ok = emitBlock(decl.body, place);
  reportMissingAxes();
  reportUnknownAxes();
  return ok;
}

/// Without a mesh that is one error for all uses.
void ScheduleEmitter::reportMissingAxes() {
  if (missingAxes.empty())
    return;
  elaborator
      .error(firstMissing, "the mesh has no axis '" + missingAxes[0] + "'")
      .note("the schedule has no mesh; declare one: mesh (" +
            llvm::join(missingAxes, " = 2, ") + " = 2)");
}

/// "line 7", "lines 7, 8 and library.hkt:3".
static std::string linesText(llvm::ArrayRef<mlir::FileLineColLoc> lines,
                             llvm::StringRef ownFile) {
  std::string text = lines.size() == 1 ? "line " : "lines ";
  for (auto [i, line] : llvm::enumerate(lines)) {
    if (i > 0)
      text += i + 1 == lines.size() ? " and " : ", ";
    if (line.getFilename() != ownFile)
      text += line.getFilename().str() + ":";
    text += std::to_string(line.getLine());
  }
  return text;
}

/// One error a name, at the first line that has it.
void ScheduleEmitter::reportUnknownAxes() {
  std::vector<std::string> known;
  for (nn::MeshAxisAttr axis : mesh.getAxes())
    known.push_back(axis.getName().str());
  for (auto &[name, ranges] : unknownAxes) {
    Diagnostic &diagnostic =
        elaborator.error(ranges.front(), "the mesh has no axis '" + name + "'");
    diagnostic.note("its axes: " + llvm::join(known, ", "))
        .suggest(name, known);
    auto lines = llvm::map_to_vector(ranges, [&](SourceRange range) {
      return mlir::cast<mlir::FileLineColLoc>(
          location(range, Place{"", nullptr, {}}));
    });
    if (lines.size() > 1)
      diagnostic.note("the same in " +
                      linesText(llvm::ArrayRef(lines).drop_front(),
                                lines.front().getFilename().getValue()));
  }
}

bool ScheduleEmitter::emitMesh(const ScheduleBlock &block, Scope &scope,
                               nn::MeshAttr &mesh) {
  const MeshStmt *found = nullptr;
  llvm::SmallVector<nn::MeshAxisAttr> meshAxes;
  bool ok = true;
  for (const ScheduleStmtPtr &stmt : block.stmts) {
    if (auto *let = dynAs<LetScheduleStmt>(stmt)) {
      auto datum = elaborator.evaluate(*let->value, scope);
      if (datum)
        scope.names[let->name.text] = *datum;
      else
        scope.failed.insert(let->name.text);
      ok &= datum.has_value();
    }
    auto *declared = dynAs<MeshStmt>(stmt);
    if (!declared)
      continue;
    if (found) {
      elaborator.error(declared->keyword, "a schedule has one mesh")
          .note(found->keyword, "the first is here");
      return false;
    }
    found = declared;
    int64_t ranks = 1;
    for (const Argument &axis : declared->axes) {
      auto size = elaborator.evaluateInt(*axis.value, scope);
      if (!size)
        return false;
      if (*size < 1 || ranks * *size > (1 << 20)) {
        elaborator.error(axis.range,
                         *size < 1 ? "mesh axis '" + axis.name->text +
                                         "' has size " + std::to_string(*size) +
                                         "; expected at least 1"
                                   : "the mesh has more than 1048576 ranks");
        return false;
      }
      ranks *= *size;
      meshAxes.push_back(nn::MeshAxisAttr::get(
          context, builder.getStringAttr(axis.name->text), *size));
    }
  }
  mesh = nn::MeshAttr::get(context, meshAxes);
  return ok;
}

bool ScheduleEmitter::emitBlock(const ScheduleBlock &block, Place &place) {
  bool ok = true;
  for (const ScheduleStmtPtr &stmt : block.stmts) {
    if (expanded > kMaxLines)
      return false; // reported once
    if (++expanded > kMaxLines) {
      elaborator
          .error(stmt->range, "the schedule expands to more than " +
                                  std::to_string(kMaxLines) + " lines")
          .note("functions that use each other twice double at each level; "
                "use fewer levels");
      return false;
    }
    ok &= emitStmt(*stmt, place);
  }
  return ok;
}

mlir::Location ScheduleEmitter::location(SourceRange range,
                                         const Place &place) {
  mlir::Location loc =
      mlir::cast<mlir::NameLoc>(elaborator.locationOf(range, "schedule"))
          .getChildLoc();
  // Innermost call last: the line in the def, called from each use.
  for (auto use = place.uses.rbegin(); use != place.uses.rend(); ++use)
    loc = mlir::CallSiteLoc::get(loc, *use);
  return loc;
}

static std::string joinPattern(const std::string &prefix,
                               const std::string &pattern) {
  if (pattern == ".")
    return prefix.empty() ? "." : prefix;
  if (prefix.empty())
    return pattern;
  return prefix + (pattern[0] == '[' ? "" : ".") + pattern;
}

std::optional<std::string>
ScheduleEmitter::patternText(const PathPattern &pattern, const Scope &scope) {
  if (pattern.isSelf())
    return std::string(".");
  std::string result;
  for (const PatternComponent &component : pattern.components) {
    std::string part;
    switch (component.kind) {
    case PatternComponent::Kind::Any:
      part = "*";
      break;
    case PatternComponent::Kind::AnyDepth:
      part = "**";
      break;
    case PatternComponent::Kind::Name:
    case PatternComponent::Kind::Glob:
      part = component.text;
      break;
    case PatternComponent::Kind::Index:
      part = "[";
      for (const IndexSelector &selector : component.selectors) {
        if (part.size() > 1)
          part += ", ";
        if (selector.kind == IndexSelector::Kind::Even)
          part += "even";
        if (selector.kind == IndexSelector::Kind::Odd)
          part += "odd";
        for (const ExprPtr *bound : {&selector.lo, &selector.hi}) {
          if (bound == &selector.hi &&
              selector.kind == IndexSelector::Kind::Range)
            part += "..";
          if (!*bound)
            continue;
          auto value = elaborator.evaluateInt(**bound, scope);
          if (!value)
            return std::nullopt;
          part += std::to_string(*value);
        }
      }
      part += "]";
      break;
    case PatternComponent::Kind::Alternation:
      part = "{";
      for (const PathPattern &branch : component.branches) {
        auto inner = patternText(branch, scope);
        if (!inner)
          return std::nullopt;
        part += (part.size() > 1 ? "," : "") + *inner;
      }
      part += "}";
      break;
    }
    result = result.empty() ? part : joinPattern(result, part);
  }
  return result;
}

std::optional<std::string> ScheduleEmitter::absolute(const PathPattern &pattern,
                                                     const Place &place) {
  auto relative = patternText(pattern, *place.scope);
  if (!relative)
    return std::nullopt;
  return joinPattern(place.prefix, *relative);
}

std::optional<mlir::ArrayAttr> ScheduleEmitter::axes(const AxisList &list,
                                                     const Place &place) {
  llvm::SmallVector<llvm::StringRef> names;
  std::vector<std::string> known;
  for (nn::MeshAxisAttr axis : mesh.getAxes())
    known.push_back(axis.getName().str());
  for (const AxisUse &use : list.axes) {
    std::string name = use.name.text;
    SourceRange range = use.name.range;
    if (const Datum *datum = place.scope->find(name))
      if (auto *axis = datum->as<AxisName>()) {
        name = axis->name;
        range = axis->range;
      }
    auto found = std::find(known.begin(), known.end(), name);
    if (known.empty()) {
      if (missingAxes.empty())
        firstMissing = range;
      if (!llvm::is_contained(missingAxes, name))
        missingAxes.push_back(name);
      return std::nullopt;
    }
    if (found == known.end()) {
      if (auto &ranges = unknownAxes[name]; !llvm::is_contained(ranges, range))
        ranges.push_back(range);
      return std::nullopt;
    }
    llvm::StringRef stored = mesh.getAxes()[found - known.begin()].getName();
    if (llvm::is_contained(names, stored)) {
      elaborator.error(use.name.range, "axis '" + name + "' is listed twice");
      return std::nullopt;
    }
    names.push_back(stored);
  }
  return builder.getStrArrayAttr(names);
}

bool ScheduleEmitter::emitScope(const ScopePattern &scope, Place &place,
                                std::string &prefix) {
  auto pattern = absolute(scope.pattern, place);
  if (!pattern)
    return false;
  std::vector<mlir::NamedAttribute> attributes{text("pattern", *pattern)};
  if (scope.count) {
    auto count = elaborator.evaluateInt(*scope.count, *place.scope);
    if (!count)
      return false;
    attributes.push_back(
        builder.getNamedAttr("count", builder.getI64IntegerAttr(*count)));
  }
  flag(attributes, "isOptional", scope.optional || place.isOptional);
  if (*pattern != ".")
    write<sched::AtOp>(location(scope.pattern.range, place), attributes);
  prefix = *pattern == "." ? "" : *pattern;
  return true;
}

bool ScheduleEmitter::emitAt(const AtStmt &stmt, Place &place) {
  Place inner = place;
  if (!emitScope(stmt.scope, place, inner.prefix))
    return false;
  Scope scope(place.scope);
  inner.scope = &scope;
  inner.isOptional |= stmt.scope.optional;
  return emitBlock(stmt.body, inner);
}

bool ScheduleEmitter::emitUse(const UseStmt &stmt, Place &place) {
  std::vector<std::string> names;
  for (auto def = defs.rbegin(); def != defs.rend(); ++def) {
    names.push_back((*def)->name.text);
    if ((*def)->name.text != stmt.callee.text)
      continue;
    if (place.depth >= kMaxUseDepth) {
      elaborator.error(stmt.callee.range,
                       "'use' is nested deeper than " +
                           std::to_string(kMaxUseDepth) + " levels; does '" +
                           stmt.callee.text + "' use itself?");
      return false;
    }
    // The def sees its own parameters and the schedule's names, not the
    // caller's block.
    Place inner = place;
    Scope scope(place.scope);
    if (!elaborator.bindParameters((*def)->params, stmt.args, stmt.range,
                                   *place.scope, scope, stmt.callee.text,
                                   (*def)->name.range) ||
        (stmt.scope && !emitScope(*stmt.scope, place, inner.prefix)))
      return false;
    inner.isOptional |= stmt.scope && stmt.scope->optional;
    inner.scope = &scope;
    inner.uses.push_back(location(stmt.keyword, Place{"", nullptr, {}}));
    ++inner.depth;
    return emitBlock((*def)->body, inner);
  }
  elaborator
      .error(stmt.callee.range,
             "no schedule function '" + stmt.callee.text + "'")
      .suggest(stmt.callee.text, names);
  return false;
}
