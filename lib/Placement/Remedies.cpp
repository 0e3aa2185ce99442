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

static std::set<std::string> kindsOf(Problems &problems) {
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
  if (!way.until.empty() && way.kind != WayOut::Kind::Attention)
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

/// What two ways out share that differ only in indices, or only in paths.
static std::string shapeOf(const WayOut &way, bool withPath) {
  WayOut masked = way;
  masked.path = withPath ? maskIndices("'" + way.path + "'") : "";
  masked.until = withPath ? maskIndices("'" + way.until + "'") : "";
  std::string text = masked.line();
  for (const WayOut &other : way.others)
    text += "; " + shapeOf(other, withPath);
  return text;
}

/// Of a licence that several groups ask for: one line for all of them.
static void widenLicences(std::vector<Finding> &findings) {
  std::map<std::string, std::set<std::string>> asked;
  auto isLicence = [](const WayOut &way) {
    return way.kind == WayOut::Kind::Statistics ||
           way.kind == WayOut::Kind::Halo;
  };
  for (const Finding &finding : findings)
    for (const WayOut &way : finding.ways)
      if (isLicence(way))
        asked[shapeOf(way, false)].insert(way.path);
  for (Finding &finding : findings) {
    std::vector<WayOut> wide;
    for (const WayOut &way : finding.ways)
      if (isLicence(way) && asked[shapeOf(way, false)].size() > 1) {
        WayOut named = way, all = way;
        named.path = "**." + StringRef(way.path).rsplit('.').second.str();
        all.path = "**";
        if (way.kind == WayOut::Kind::Statistics)
          wide.push_back(named);
        wide.push_back(all);
      }
    finding.ways.insert(finding.ways.begin(), wide.begin(), wide.end());
  }
}

/// The same in all layers, where what it says of one holds for others as soon
/// as that one is right.
static std::optional<WayOut> inAllLayers(const WayOut &way,
                                         const PathTree &tree) {
  if (way.kind != WayOut::Kind::Sync || !way.others.empty())
    return std::nullopt;
  SmallVector<StringRef> parts;
  StringRef(way.path).split(parts, '.');
  for (size_t i = 1; i < parts.size(); ++i) {
    const PathNode *parent =
        isIndex(parts[i])
            ? tree.find(llvm::join(ArrayRef(parts).take_front(i), "."))
            : nullptr;
    if (!parent || parent->children.size() < 2)
      continue;
    parts[i] = "*";
    WayOut all = way;
    all.path = llvm::join(parts, ".");
    return all;
  }
  return std::nullopt;
}

std::vector<std::string> placement::keysOf(Problems &problems) {
  std::vector<std::string> keys;
  for (const ProblemGroup &group : problems.group())
    keys.push_back(group.members.front()->kind());
  std::map<std::string, unsigned> alikes;
  for (std::string &key : llvm::reverse(keys))
    if (unsigned number = alikes[key]++)
      key += " #" + std::to_string(number);
  return keys;
}

std::vector<Finding> placement::findingsOf(Problems &problems,
                                           const PathTree &tree) {
  std::vector<Finding> findings;
  std::vector<ProblemGroup> groups = problems.group();
  std::map<std::string, SmallVector<const WayOut *>> alike;
  for (const ProblemGroup &group : groups)
    for (Problem *member : group.members)
      for (const WayOut &way : member->ways)
        alike[shapeOf(way, true)].push_back(&way);
  std::vector<std::string> keys = keysOf(problems);
  for (auto [group, key] : llvm::zip_equal(groups, keys)) {
    const Problem &first = *group.members.front();
    Finding finding{key, {}, first.lines, first.isOfLine};
    std::set<std::string> known;
    auto add = [&](WayOut way) {
      if (known.insert(way.line()).second)
        finding.ways.push_back(std::move(way));
    };
    for (size_t i = 0; i < first.ways.size(); ++i) {
      add(combine(alike[shapeOf(first.ways[i], true)], tree));
      WayOut way = combine(group, i, tree);
      add(way);
      if (std::optional<WayOut> all = inAllLayers(way, tree))
        add(*all);
    }
    findings.push_back(std::move(finding));
  }
  widenLicences(findings);
  return findings;
}

/// The errors that are left with the way out; nothing if the problem is among
/// them or one that was not there before.
static std::optional<std::set<std::string>>
tryOut(const WayOut &way, const std::string &key,
       const std::set<std::string> &before, ModuleOp model) {
  OwningOpRef<ModuleOp> copy(model.clone());
  auto func = *copy->getOps<nn::FuncOp>().begin();
  auto schedule = *copy->getOps<sched::ScheduleOp>().begin();
  way.append(schedule);
  Placer placer(*copy, func, schedule);
  placer.run();
  std::set<std::string> after = kindsOf(placer.problems);
  bool works =
      !after.count(key) && llvm::all_of(after, [&](const std::string &other) {
        return before.count(other) > 0;
      });
  return works ? std::optional(after) : std::nullopt;
}

void placement::keepLegalWays(Problems &problems, ModuleOp model) {
  std::vector<ProblemGroup> groups = problems.group();
  std::set<std::string> before = kindsOf(problems);
  PathTree tree(*model.getOps<nn::FuncOp>().begin());
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
