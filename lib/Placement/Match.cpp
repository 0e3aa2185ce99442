//===- Match.cpp - patterns over the path tree ----------------------------===//

#include "hocket/Placement/PathTree.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <functional>

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using namespace hocket::syntax;

using Component = PatternComponent;
using Next = std::function<bool(PathNode *)>;

namespace {

/// One run over the tree. `only` restricts one alternation to one branch, to
/// find out where that branch fails.
class Matcher {
public:
  explicit Matcher(std::pair<const Component *, size_t> only = {nullptr, 0})
      : only(only) {}

  bool run(const PathPattern &pattern, size_t at, PathNode *node,
           const Next &next);

  llvm::SetVector<PathNode *> found;
  llvm::SetVector<std::pair<const Component *, size_t>> used;
  const Component *failed = nullptr;
  llvm::SetVector<const PathNode *> reached;

private:
  bool runAlternation(const PathPattern &pattern, size_t at, PathNode *node,
                      const Next &next);
  bool matches(const Component &component, const PathNode &node) const;
  void fail(const Component &component, const PathNode *node);

  std::pair<const Component *, size_t> only;
};

} // namespace

static bool matchGlob(StringRef glob, StringRef name) {
  if (glob.empty())
    return name.empty();
  if (glob[0] == '*')
    return matchGlob(glob.drop_front(), name) ||
           (!name.empty() && matchGlob(glob, name.drop_front()));
  return !name.empty() && glob[0] == name[0] &&
         matchGlob(glob.drop_front(), name.drop_front());
}

static std::optional<int64_t> indexOf(StringRef name) {
  int64_t index;
  if (name.empty() || name.getAsInteger(10, index))
    return std::nullopt;
  return index;
}

/// A literal index; a negative one counts from the end of `count`.
static std::optional<int64_t> boundOf(const ExprPtr &expr, int64_t count) {
  if (!expr)
    return std::nullopt;
  if (auto *literal = dynAs<IntExpr>(expr))
    return literal->value;
  if (auto *unary = dynAs<UnaryExpr>(expr))
    if (auto *literal = dynAs<IntExpr>(unary->operand))
      return count - literal->value;
  return std::nullopt;
}

static bool selects(const IndexSelector &selector, int64_t index,
                    int64_t count) {
  switch (selector.kind) {
  case IndexSelector::Kind::Single:
    return boundOf(selector.lo, count) == index;
  case IndexSelector::Kind::Range:
    return index >= boundOf(selector.lo, count).value_or(0) &&
           index < boundOf(selector.hi, count).value_or(INT64_MAX);
  case IndexSelector::Kind::Even:
    return index % 2 == 0;
  case IndexSelector::Kind::Odd:
    return index % 2 == 1;
  }
  return false;
}

static int64_t countIndices(const PathNode &parent) {
  int64_t count = 0;
  for (const auto &child : parent.children)
    if (auto index = indexOf(child->name))
      count = std::max(count, *index + 1);
  return count;
}

bool Matcher::matches(const Component &component, const PathNode &node) const {
  switch (component.kind) {
  case Component::Kind::Name:
    return component.text == node.name;
  case Component::Kind::Glob:
    return matchGlob(component.text, node.name);
  case Component::Kind::Any:
    return true;
  case Component::Kind::Index: {
    auto index = indexOf(node.name);
    return index &&
           llvm::any_of(component.selectors, [&](const auto &selector) {
             return selects(selector, *index, countIndices(*node.parent));
           });
  }
  default:
    return false;
  }
}

/// Remembers the deepest place at which a component matched nothing.
void Matcher::fail(const Component &component, const PathNode *node) {
  if (!reached.empty()) {
    unsigned best = reached.front()->depth;
    if (node->depth < best || (node->depth == best && failed != &component))
      return;
    if (node->depth > best)
      reached.clear();
  }
  failed = &component;
  reached.insert(node);
}

bool Matcher::run(const PathPattern &pattern, size_t at, PathNode *node,
                  const Next &next) {
  if (at == pattern.components.size())
    return next(node);
  const Component &head = pattern.components[at];
  if (head.kind == Component::Kind::Alternation)
    return runAlternation(pattern, at, node, next);
  bool any = false;
  if (head.kind == Component::Kind::AnyDepth) {
    any = run(pattern, at + 1, node, next);
    for (auto &child : node->children)
      any |= run(pattern, at, child.get(), next);
    return any;
  }
  bool here = false;
  for (auto &child : node->children)
    if (matches(head, *child)) {
      here = true;
      any |= run(pattern, at + 1, child.get(), next);
    }
  if (!here)
    fail(head, node);
  return any;
}

bool Matcher::runAlternation(const PathPattern &pattern, size_t at,
                             PathNode *node, const Next &next) {
  const Component &head = pattern.components[at];
  bool any = false;
  for (size_t branch = 0; branch < head.branches.size(); ++branch) {
    if (only.first == &head && only.second != branch)
      continue;
    bool matched = run(head.branches[branch], 0, node, [&](PathNode *end) {
      return run(pattern, at + 1, end, next);
    });
    if (matched)
      used.insert({&head, branch});
    any |= matched;
  }
  return any;
}

static void
collectBranches(const PathPattern &pattern,
                std::vector<std::pair<const Component *, size_t>> &branches) {
  for (const Component &component : pattern.components)
    for (size_t i = 0; i < component.branches.size(); ++i) {
      branches.push_back({&component, i});
      collectBranches(component.branches[i], branches);
    }
}

static MatchFailure describe(const Matcher &matcher, const std::string &text,
                             StringRef written, const PathPattern &pattern) {
  MatchFailure failure;
  failure.written = written.str();
  failure.reached.assign(matcher.reached.begin(), matcher.reached.end());
  if (!matcher.failed)
    return failure;
  SourceRange range = matcher.failed->range;
  failure.component =
      StringRef(text).substr(range.begin, range.size()).trim('.').str();
  bool isOuter = llvm::any_of(pattern.components, [&](const Component &other) {
    return &other == matcher.failed;
  });
  if (isOuter)
    failure.prefix = StringRef(text).take_front(range.begin).rtrim('.').str();
  return failure;
}

std::optional<PathQuery> PathQuery::parse(StringRef text) {
  SourceManager sources;
  FileId file = sources.addFile("pattern", text.str());
  syntax::DiagnosticEngine diagnostics(sources);
  auto ast = parsePattern(sources, file, diagnostics);
  if (!ast || diagnostics.hasErrors())
    return std::nullopt;
  PathQuery pattern;
  pattern.text = text.str();
  pattern.ast = std::move(*ast);
  return pattern;
}

Match PathQuery::match(const PathTree &tree) const {
  auto run = [&](Matcher &matcher) {
    matcher.run(ast, 0, &tree.getRoot(), [&](PathNode *node) {
      matcher.found.insert(node);
      return true;
    });
  };
  Matcher matcher;
  run(matcher);
  Match match;
  match.nodes.assign(matcher.found.begin(), matcher.found.end());
  if (match.nodes.empty()) {
    match.failure = describe(matcher, text, text, ast);
    return match;
  }
  std::vector<std::pair<const Component *, size_t>> branches;
  collectBranches(ast, branches);
  for (auto branch : branches) {
    if (matcher.used.contains(branch))
      continue;
    Matcher alone(branch);
    run(alone);
    SourceRange range = branch.first->branches[branch.second].range;
    match.failure =
        describe(alone, text,
                 StringRef(text).substr(range.begin, range.size()).trim(), ast);
    break;
  }
  return match;
}

std::vector<std::string>
placement::explainFailure(const MatchFailure &failure) {
  std::vector<std::string> notes;
  llvm::SetVector<StringRef> names;
  std::vector<std::string> candidates;
  for (const PathNode *node : failure.reached)
    for (const auto &child : node->children)
      if (names.insert(child->name))
        candidates.push_back(child->name);
  size_t count = failure.reached.size();
  std::string where;
  if (count == 0)
    return notes;
  if (failure.reached.front()->path.empty())
    where = "the model has";
  else if (count == 1)
    where = "'" + failure.reached.front()->path + "' has";
  else if (!failure.prefix.empty())
    where = "'" + failure.prefix + "' matches " + std::to_string(count) +
            " places; they have";
  else
    where = "'" + failure.reached.front()->path + "' and " +
            std::to_string(count - 1) + " more have";
  std::vector<std::string> shown(candidates.begin(),
                                 candidates.begin() +
                                     std::min<size_t>(candidates.size(), 12));
  if (candidates.size() > shown.size())
    shown.push_back("and " + std::to_string(candidates.size() - shown.size()) +
                    " more");
  notes.push_back(where + (shown.empty() ? " nothing inside"
                                         : ": " + llvm::join(shown, ", ")));
  if (auto near = nearest(failure.component, candidates))
    notes.push_back("did you mean '" + *near + "'?");
  return notes;
}
