//===- PlanText.cpp - what `hocket plan` prints ---------------------------===//

#include "PlanText.h"
#include "AttentionText.h"
#include "EqualLayers.h"
#include "Imbalance.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Plan/Workspace.h"
#include <algorithm>
#include <iostream>
#include <map>
#include <set>

using namespace hocket;
using namespace hocket::tool;
using placement::bytesText;
using Json = nlohmann::ordered_json;

int64_t tool::most(const Json &list) {
  int64_t result = 0;
  for (const auto &value : list)
    result = std::max(result, value.get<int64_t>());
  return result;
}

std::string tool::flopsText(int64_t flops) {
  static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
  double value = flops;
  int unit = 0;
  for (; value >= 1000 && unit < 6; ++unit)
    value /= 1000;
  char text[64];
  std::snprintf(text, sizeof text, "%s%.1f %sFLOP",
                flops == INT64_MAX ? "more than " : "", value, units[unit]);
  return text;
}

int64_t tool::packedBytes(const plan::Plan &plan) {
  int64_t packed = 0;
  for (const plan::RankClass &rankClass : plan.classes)
    packed = std::max(packed, plan::packedBytesAtLeast(rankClass));
  return packed;
}

namespace {

bool hasBackward(const plan::Plan &plan) {
  return !plan.states.empty() ||
         std::any_of(plan.outputs.begin(), plan.outputs.end(),
                     [](const plan::GlobalTensor &output) {
                       const std::string &name = output.name;
                       return name.size() > 5 &&
                              name.substr(name.size() - 5) == ".grad";
                     });
}

/// The collectives of both lists of a program and what ranks receive in them.
struct Collectives {
  explicit Collectives(const plan::Plan &plan)
      : load(plan, &plan::RankClass::load), step(plan, &plan::RankClass::step),
        all(plan::collectivesOf(plan, load, true)) {
    for (plan::CollectiveSummary &one : plan::collectivesOf(plan, step, false))
      all.push_back(std::move(one));
  }
  const plan::Traffic &of(const plan::CollectiveSummary &one) const {
    return one.isOfLoad ? load : step;
  }

  plan::Traffic load, step;
  std::vector<plan::CollectiveSummary> all;
};

std::string wordOf(const plan::CollectiveSummary &one) {
  return plan::toString(one.entry->collective->namedKind());
}

/// The lines of a program's collectives.
class CollectiveLines {
public:
  CollectiveLines(const plan::Plan &plan, const Collectives &collectives)
      : plan(plan), collectives(collectives), showsPairs(hasBackward(plan)) {
    showsAxes = std::count_if(plan.mesh.begin(), plan.mesh.end(),
                              [](const plan::MeshAxis &axis) {
                                return axis.size > 1;
                              }) > 1;
    for (const plan::CollectiveSummary &one : collectives.all) {
      const std::string &path = one.source.path;
      bool again = path.size() > 6 && path.substr(path.size() - 6) == ".again";
      kinds[{one.isOfLoad, one.entry->collective->id}] =
          wordOf(one) + (again ? " again" : "");
    }
    for (const plan::CollectiveSummary &one : collectives.all)
      add(one);
  }

  void print(bool everyLayer) const;

private:
  /// What stands before the path and behind it; of one that is started
  /// before other work a line of its own says so.
  struct Line {
    std::string path, before, after;
    bool isStarted;
  };

  void add(const plan::CollectiveSummary &one);
  std::string pairText(const plan::CollectiveSummary &one) const;
  std::string axesText(const plan::Collective &collective) const;
  void printLine(const Line &line, const std::string &path,
                 const std::string &indent) const;
  size_t printBlock(const std::vector<PathGroup> &groups, size_t first) const;
  int64_t received(const std::vector<PathGroup> &groups, size_t first,
                   size_t end) const;

  const plan::Plan &plan;
  const Collectives &collectives;
  bool showsPairs, showsAxes;
  std::map<std::pair<bool, int64_t>, std::string> kinds; // of the load, id
  std::vector<Line> lines;
};

std::string column(std::string text) {
  text.resize(std::max<size_t>(text.size() + 1, 15), ' ');
  return text;
}

/// ", 2 peers": of margins, which come from some members only.
std::string peersText(const plan::Collective &collective, int64_t peers) {
  if (!collective.halo() &&
      !std::holds_alternative<plan::AllToAll>(collective.kind))
    return "";
  return ", " + std::to_string(peers) + (peers == 1 ? " peer" : " peers");
}

/// "  backward: reduce_scatter, 2 halo", or what it is for.
std::string
CollectiveLines::pairText(const plan::CollectiveSummary &one) const {
  if (!showsPairs || one.isOfLoad || one.pairing == plan::Pairing::None)
    return "";
  std::vector<std::pair<std::string, int>> counts; // in order
  for (int64_t id : one.paired) {
    const std::string &kind = kinds.at({one.isOfLoad, id});
    if (counts.empty() || counts.back().first != kind)
      counts.push_back({kind, 0});
    ++counts.back().second;
  }
  bool ofForward = one.pairing == plan::Pairing::OfForward;
  std::string text = ofForward ? "  backward: " : "  forward: ", separator;
  for (const auto &[kind, count] : counts) {
    text += separator + (count > 1 ? std::to_string(count) + " " : "") + kind;
    separator = ", ";
  }
  return counts.empty() ? text + "nothing" : text;
}

/// " over dp, tp", where the mesh leaves a choice.
std::string
CollectiveLines::axesText(const plan::Collective &collective) const {
  std::string text;
  for (int axis : collective.axes)
    text += (text.empty() ? " over " : ", ") + plan.mesh[axis].name;
  return showsAxes ? text : "";
}

/// Its path, or where the value has none its line in the model.
std::string nameOf(const plan::Source &source) {
  bool hasNone = source.path.empty() || source.path[0] == '.'; // .grad, .again
  return (hasNone ? source.model : "") + source.path;
}

/// The schedule's lines that it comes from: those of all its tensors.
std::string linesText(const plan::CollectiveSummary &one) {
  std::vector<std::string> lines;
  auto add = [&](const std::string &line) {
    if (!line.empty() &&
        std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(line);
  };
  add(one.source.schedule);
  for (const plan::Source &member : one.members)
    add(member.schedule);
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "  (" : ", ") + line;
  return text.empty() ? text : text + ")";
}

void CollectiveLines::add(const plan::CollectiveSummary &one) {
  const plan::Collective &collective = *one.entry->collective;
  bool isStarted = collective.isStarted;
  plan::Received most = collectives.of(one).most(*one.entry);
  Line line{nameOf(one.source), "", "", isStarted};
  line.before = column(wordOf(one) + (isStarted ? " wait" : "")) +
                bytesText(most.bytes) + peersText(collective, most.peers) +
                "  ";
  if (size_t more = collective.pairs.size() - 1)
    line.after += " and " + std::to_string(more) + " more";
  line.after += axesText(collective);
  line.after += linesText(one);
  if (one.isOfLoad)
    line.after += "  once, when loading";
  line.after += pairText(one);
  lines.push_back(line);
}

void CollectiveLines::printLine(const Line &line, const std::string &path,
                                const std::string &indent) const {
  if (line.isStarted)
    std::cout << indent
              << column(line.before.substr(0, line.before.find(' ')) + " start")
              << path << "\n";
  std::cout << indent << line.before << path << line.after << "\n";
}

/// What the rank with the most receives in these groups.
int64_t CollectiveLines::received(const std::vector<PathGroup> &groups,
                                  size_t first, size_t end) const {
  std::set<const plan::Collective *> chosen;
  for (size_t i = first; i < end; ++i)
    for (size_t entry : groups[i].entries)
      chosen.insert(collectives.all[entry].entry->collective);
  auto isChosen = [&](const plan::Collective &collective) {
    return chosen.count(&collective) > 0;
  };
  auto load = collectives.load.total(isChosen);
  auto step = collectives.step.total(isChosen);
  int64_t most = 0;
  for (size_t rank = 0; rank < load.size(); ++rank)
    most = std::max(most, load[rank].bytes + step[rank].bytes);
  return most;
}

/// Prints the groups of the same layers that follow each other; returns the
/// next one.
size_t CollectiveLines::printBlock(const std::vector<PathGroup> &groups,
                                   size_t first) const {
  size_t end = first, times = groups[first].entries.size();
  while (end < groups.size() && groups[end].layers == groups[first].layers &&
         groups[end].entries.size() == times)
    ++end;
  std::cout << "  " << groups[first].layers << ": " << times << " times "
            << end - first
            << (end - first == 1 ? " collective, " : " collectives, ")
            << bytesText(received(groups, first, end)) << "\n";
  for (size_t i = first; i < end; ++i)
    printLine(lines[groups[i].entries.front()], groups[i].path, "    ");
  return end;
}

void CollectiveLines::print(bool everyLayer) const {
  std::vector<PathEntry> entries;
  for (const Line &line : lines)
    entries.push_back({line.path, line.before + "\n" + line.after});
  std::vector<PathGroup> groups;
  if (!everyLayer)
    groups = groupEqualLayers(entries);
  for (size_t i = 0; everyLayer && i < lines.size(); ++i)
    groups.push_back({lines[i].path, "", {i}});
  for (size_t i = 0; i < groups.size();) {
    if (!groups[i].layers.empty()) {
      i = printBlock(groups, i);
      continue;
    }
    printLine(lines[groups[i].entries.front()], groups[i].path, "  ");
    ++i;
  }
}

void printUnproved(const plan::Plan &plan) {
  for (const auto &entry : plan::unproved(plan))
    std::cout << "  unproved: hook " << entry["hook"].get<std::string>() << " ("
              << entry["does"].get<std::string>() << ") at "
              << entry["path"].get<std::string>() << "  ("
              << entry["schedule"].get<std::string>() << ")\n";
}

void printTotals(const plan::Traffic &step) {
  std::set<std::string> printed; // both kinds of halo are one
  for (int kind = 0; kind <= int(plan::CollectiveKind::HaloReduce); ++kind) {
    plan::KindTotal total =
        plan::totalOf(step, static_cast<plan::CollectiveKind>(kind));
    if (total.calls == 0 || !printed.insert(total.word).second)
      continue;
    auto [least, most] =
        std::minmax_element(total.received.begin(), total.received.end(),
                            [](auto &a, auto &b) { return a.bytes < b.bytes; });
    std::cout << "  total " << total.word << ": " << total.calls << ", "
              << bytesText(most->bytes) << " received by "
              << (least->bytes == most->bytes ? "each rank"
                                              : "the rank with the most")
              << "\n";
  }
}

/// What the totals leave out.
void printHooks(const std::vector<plan::Costs> &costs) {
  int64_t most = plan::mostOf(costs).hookBytes;
  bool isEven = std::all_of(costs.begin(), costs.end(),
                            [&](auto &one) { return one.hookBytes == most; });
  if (most)
    std::cout << "  by hooks: " << bytesText(most) << " received by "
              << (isEven ? "each rank" : "the rank with the most")
              << ", if they move what their collectives do\n";
}

void printMemory(const plan::Plan &plan,
                 const std::vector<plan::Costs> &costs) {
  std::cout << "  memory  weights "
            << bytesText(plan::mostBytes(plan, plan::Region::Weights));
  if (int64_t packed = packedBytes(plan))
    std::cout << ", packed weights at least " << bytesText(packed);
  std::cout << ", activations "
            << bytesText(plan::mostBytes(plan, plan::Region::Arena));
  std::vector<int64_t> workspaces = plan::workspaceByRank(plan);
  if (int64_t most = *std::max_element(workspaces.begin(), workspaces.end()))
    std::cout << " with a workspace of " << bytesText(most);
  if (int64_t state = plan::mostBytes(plan, plan::Region::State))
    std::cout << ", parameters and optimizer state " << bytesText(state);
  int64_t all = plan::mostOf(costs).memoryBytes;
  std::cout << ", in all " << bytesText(all) << "\n";
}

} // namespace

void tool::printPlan(const plan::Plan &plan, bool everyLayer) {
  Collectives collectives(plan);
  std::cout << plan.model;
  if (!plan.schedule.empty())
    std::cout << ", " << plan.schedule;
  std::cout << ": mesh (";
  for (size_t i = 0; i < plan.mesh.size(); ++i)
    std::cout << (i ? ", " : "") << plan.mesh[i].name << " = "
              << plan.mesh[i].size;
  int64_t ranks = plan.rankCount();
  std::cout << "), " << ranks << (ranks == 1 ? " rank in " : " ranks in ")
            << plan.classes.size()
            << (plan.classes.size() == 1 ? " class\n" : " classes\n");
  CollectiveLines(plan, collectives).print(everyLayer);
  printUnproved(plan);
  std::vector<plan::Costs> costs = plan::costsByRank(plan, collectives.step);
  printTotals(collectives.step);
  printHooks(costs);
  printMemory(plan, costs);
  bool isEven = std::all_of(costs.begin(), costs.end(), [&](auto &one) {
    return one.flops == costs[0].flops;
  });
  std::cout << "  compute " << flopsText(plan::mostOf(costs).flops) << " by "
            << (isEven ? "each rank" : "the rank with the most") << "\n";
  printImbalance(costs);
  printAttentions(plan);
}
