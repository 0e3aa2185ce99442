//===- Remedies.cpp - ways out that have been tried -----------------------===//

#include "Remedies.h"
#include "Placer.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// Trying costs a run of placement each; beyond this many groups of problems
/// the first ones are enough to go on with.
static constexpr size_t kTriedGroups = 8;

static std::set<std::string> keysOf(Problems &problems) {
  std::set<std::string> keys;
  for (const ProblemGroup &group : problems.group())
    keys.insert(group.key);
  return keys;
}

static bool isIndex(StringRef text) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// One pattern for the same path in several places: "h.*.attn" where all of
/// h's children are meant, else "h[0..3].attn" or the path itself.
static std::string generalise(ArrayRef<std::string> paths,
                              const PathTree &tree) {
  SmallVector<StringRef> first;
  StringRef(paths.front()).split(first, '.');
  std::string text, literal;
  for (size_t i = 0; i < first.size(); ++i) {
    std::set<int64_t> indices;
    std::string prefix = literal;
    for (const std::string &path : paths) {
      SmallVector<StringRef> parts;
      StringRef(path).split(parts, '.');
      int64_t index;
      if (parts.size() != first.size() ||
          (parts[i] != first[i] && (!isIndex(parts[i]) || !isIndex(first[i]))))
        return paths.front();
      if (!parts[i].getAsInteger(10, index))
        indices.insert(index);
    }
    literal += (i ? "." : "") + first[i].str();
    if (indices.size() <= 1) {
      text += (i ? "." : "") + first[i].str();
      continue;
    }
    const PathNode *parent = tree.find(prefix);
    bool isAll = parent && parent->children.size() == indices.size();
    bool isRun =
        *indices.rbegin() - *indices.begin() + 1 == int64_t(indices.size());
    std::vector<std::string> listed;
    for (int64_t index : indices)
      listed.push_back(std::to_string(index));
    text += isAll   ? std::string(i ? ".*" : "*")
            : isRun ? "[" + listed.front() + ".." +
                          std::to_string(*indices.rbegin() + 1) + "]"
                    : "[" + llvm::join(listed, ", ") + "]";
  }
  return text;
}

/// The same way out of every member of a group, as one.
static WayOut combine(ArrayRef<const WayOut *> same, const PathTree &tree) {
  WayOut way = *same.front();
  std::vector<std::string> paths, untils;
  for (const WayOut *member : same) {
    paths.push_back(member->path);
    untils.push_back(member->until);
  }
  way.path = generalise(paths, tree);
  if (!way.until.empty())
    way.until = generalise(untils, tree);
  for (size_t i = 0; i < way.others.size(); ++i) {
    SmallVector<const WayOut *> others;
    for (const WayOut *member : same)
      if (i < member->others.size())
        others.push_back(&member->others[i]);
    way.others[i] = combine(others, tree);
  }
  return way;
}

static WayOut combine(const ProblemGroup &group, size_t index,
                      const PathTree &tree) {
  SmallVector<const WayOut *> same;
  for (Problem *member : group.members)
    if (index < member->ways.size())
      same.push_back(&member->ways[index]);
  return combine(same, tree);
}

/// The errors that are left with the way out; nothing if the problem is among
/// them or one that was not there before.
static std::optional<std::set<std::string>>
tryOut(const WayOut &way, const std::string &key,
       const std::set<std::string> &before, ModuleOp model) {
  OwningOpRef<ModuleOp> copy(model.clone());
  auto func = *copy->getOps<func::FuncOp>().begin();
  auto schedule = *copy->getOps<sched::ScheduleOp>().begin();
  way.append(schedule);
  Placer placer(*copy, func, schedule);
  placer.run();
  std::set<std::string> after = keysOf(placer.problems);
  bool works =
      !after.count(key) && llvm::all_of(after, [&](const std::string &other) {
        return before.count(other) > 0;
      });
  return works ? std::optional(after) : std::nullopt;
}

void placement::keepLegalWays(Problems &problems, ModuleOp model) {
  std::vector<ProblemGroup> groups = problems.group();
  std::set<std::string> before = keysOf(problems);
  PathTree tree(*model.getOps<func::FuncOp>().begin());
  size_t tried = 0;
  for (ProblemGroup &group : groups) {
    Problem &first = *group.members.front();
    std::vector<WayOut> kept;
    bool isTried = !first.ways.empty() && tried++ < kTriedGroups;
    for (size_t i = 0; isTried && i < first.ways.size(); ++i) {
      WayOut way = combine(group, i, tree);
      bool isKnown = llvm::any_of(kept, [&](const WayOut &other) {
        return other.line() == way.line();
      });
      if (isKnown)
        continue;
      auto left = tryOut(way, group.key, before, model);
      if (!left)
        continue;
      // What mends most comes first: the lines that follow count on it.
      way.errorsLeft = left->size();
      auto worse = llvm::find_if(kept, [&](const WayOut &other) {
        return std::make_pair(other.errorsLeft, other.getBytes()) >
               std::make_pair(way.errorsLeft, way.getBytes());
      });
      kept.insert(worse, way);
    }
    first.ways = std::move(kept);
  }
}
