//===- Advice.cpp - what to change in a schedule that is wrong ------------===//

#include "hocket/Advice/Advice.h"
#include "Search.h"
#include "Wording.h"
#include "hocket/Frontend/Diagnostic.h"
#include "hocket/Placement/Meet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace hocket;
using namespace hocket::advice;
using namespace hocket::placement;

static constexpr size_t kMostProposals = 3;
static constexpr double kAsGood = 1.1, kLess = 0.98;
/// What splits somewhat less is told of, too, where it moves so much less.
static constexpr double kMuchLess = 0.7;
static constexpr int kLittleLost = 6;
static constexpr double kHardlyMoreWork = 1.5;

namespace {
/// A part of the way to a text that checks, behind which no error is left that
/// was not there at first.
struct Segment {
  const Step *begin, *end;
};
} // namespace

/// Whether lines change from `before` to `after` that are not the user's own.
static bool changesAdded(const syntax::Texts &own, const syntax::Texts &before,
                         const syntax::Texts &after) {
  for (auto &[file, text] : after) {
    std::vector<std::string> lines = syntax::linesOf(before.at(file));
    for (const syntax::Hunk &change :
         syntax::differences(lines, syntax::linesOf(text)))
      for (const syntax::Hunk &added :
           syntax::differences(syntax::linesOf(own.at(file)), lines))
        if (change.begin < added.newEnd && added.newBegin < change.end)
          return true;
  }
  return false;
}

static std::vector<Segment> segmentsOf(const Step &last,
                                       const std::set<std::string> &known) {
  std::vector<Segment> segments;
  std::vector<const Step *> path = last.path();
  const Step *begin = path.front();
  for (size_t i = 1; i < path.size(); ++i) {
    std::set<std::string> left = path[i]->trial->outcome.keys();
    bool isClean =
        std::includes(known.begin(), known.end(), left.begin(), left.end());
    if (!isClean)
      continue;
    if (changesAdded(path.front()->trial->texts, begin->trial->texts,
                     path[i]->trial->texts)) {
      segments.clear();
      begin = path.front();
    }
    segments.push_back({begin, path[i]});
    begin = path[i];
  }
  return segments;
}

static std::string remarkOf(const Step &step, const Step &best,
                            const Outcome &inAll) {
  std::string text;
  if (inAll.cost)
    text = bytesText(inAll.cost->bytes) + " received by each rank";
  size_t left = inAll.findings.size();
  if (left)
    text += (text.empty() ? "" : ", and ") + std::to_string(left) +
            (left == 1 ? " error stays" : " errors stay");
  if (step.rank.lost > best.rank.lost)
    text += ", and splits less";
  return text;
}

namespace {
/// Hands proposals to the problems that they are about.
class Adviser {
public:
  Adviser(Problems &problems, const Source &source, mlir::MLIRContext *context)
      : groups(problems.group()), own(source.texts), keys(keysOf(problems)),
        known(keys.begin(), keys.end()), all(source, context, kTryInAll) {}

  /// False if what was found does not hold with all layers.
  bool hand(const std::vector<std::shared_ptr<Step>> &found);

private:
  Problem *problemOf(const std::string &key) {
    for (size_t i = 0; i < groups.size(); ++i)
      if (keys[i] == key)
        return groups[i].members.front();
    return nullptr;
  }
  void add(const Segment &segment, const Step &result, const Step &best);
  void offerOther(const Step &other, const Step &best);
  void offerInstead(const std::vector<std::shared_ptr<Step>> &found);

  std::shared_ptr<Trial> tryInAll(const Step &step);

  std::vector<ProblemGroup> groups;
  const syntax::Texts &own;
  std::vector<std::string> keys; ///< of the groups, in order
  std::set<std::string> known;
  std::vector<const Step *> offered;
  Bench all;
  std::map<const Step *, std::shared_ptr<Trial>> tried;
};
} // namespace

/// Null where it leaves other errors than with few layers, or where there were
/// enough trials.
std::shared_ptr<Trial> Adviser::tryInAll(const Step &step) {
  auto [entry, isNew] = tried.try_emplace(&step);
  if (!isNew || all.isSpent())
    return entry->second;
  std::shared_ptr<Trial> trial = all.run(step.trial->texts);
  if (trial && trial->outcome.keys() == step.trial->outcome.keys())
    entry->second = trial;
  return entry->second;
}

void Adviser::add(const Segment &segment, const Step &result,
                  const Step &best) {
  const Trial &begin = *segment.begin->trial;
  Problem *problem = problemOf(begin.outcome.findings.front().key);
  if (!problem || problem->proposals.size() >= kMostProposals)
    return;
  syntax::Proposal proposal =
      describe(own, begin.texts, segment.end->trial->texts, problem->where);
  if (proposal.edits.empty())
    return;
  bool isOther = &result != &best;
  bool isKnown = llvm::any_of(problem->proposals, [&](auto &known) {
    return known.lines == proposal.lines;
  });
  if (isKnown || (isOther && proposal.isRemoval()))
    return;
  std::shared_ptr<Trial> inAll = tryInAll(result);
  if (!inAll)
    return;
  proposal.remark = remarkOf(result, best, inAll->outcome);
  problem->proposals.push_back(std::move(proposal));
  offered.push_back(&result);
}

static double bytesOf(const Step &step) {
  const std::optional<Cost> &cost = step.trial->outcome.cost;
  return cost ? double(cost->bytes) : 0;
}

static double workOf(const Step &step) {
  const std::optional<Cost> &cost = step.trial->outcome.cost;
  return cost ? cost->work : 0;
}

/// Others are offered if they split as much and move hardly more, or split
/// somewhat less and move much less.
static bool isAsGood(const Step &step, const Step &best) {
  int lost = step.rank.lost - best.rank.lost;
  if (lost > 0 &&
      (workOf(step) > kHardlyMoreWork * workOf(best) || step.path().size() > 2))
    return false; // it takes more
  double share = lost <= 0 ? kAsGood : kMuchLess;
  return step.isRight() == best.isRight() && lost <= kLittleLost &&
         bytesOf(step) <= share * bytesOf(best);
}

/// Another way out must be better in something than what is offered already,
/// and not the same in other words.
static bool isWorthIt(const Step &step, const Step &offered) {
  bool isSame =
      step.trial->outcome.placement == offered.trial->outcome.placement;
  return !isSame && (bytesOf(step) < kLess * bytesOf(offered) ||
                     workOf(step) < kLess * workOf(offered) ||
                     step.rank.edits < offered.rank.edits);
}

void Adviser::offerOther(const Step &other, const Step &best) {
  for (const Step *known : offered)
    if (!isWorthIt(other, *known))
      return;
  std::vector<Segment> segments = segmentsOf(other, known);
  if (!segments.empty())
    add(segments.front(), other, best);
}

/// Of a sync that could be left out it is said what it could say instead: the
/// nearest to what it says.
void Adviser::offerInstead(const std::vector<std::shared_ptr<Step>> &found) {
  const Step &best = *found.front();
  Problem *problem = problemOf(keys.front());
  if (!problem || problem->proposals.size() != 1 ||
      !problem->proposals.front().isRemoval() ||
      !problem->proposals.front().isOfItsLine)
    return;
  constexpr unsigned kFar = 60;
  const Step *nearest = nullptr;
  unsigned least = kFar;
  for (const std::shared_ptr<Step> &other : found) {
    if (!other->isRight() || other->path().size() != 2)
      continue;
    syntax::Proposal proposal =
        describe(own, own, other->trial->texts, problem->where);
    if (!proposal.isOfItsLine || proposal.isRemoval())
      continue;
    const std::string &text = own.at(proposal.edits.front().file);
    const syntax::TextEdit &edit = proposal.edits.front();
    if (other->trial->outcome.placement == best.trial->outcome.placement ||
        llvm::StringRef(edit.text).trim().take_front(5) != "sync ")
      continue;
    unsigned distance = syntax::editDistance(
        text.substr(edit.begin, edit.end - edit.begin), edit.text, kFar);
    if (distance < least) {
      least = distance;
      nearest = other.get();
    }
  }
  if (nearest)
    add({nearest->path().front(), nearest}, *nearest, best);
}

/// Of a line that could be left out, where it is said what it could say: that
/// is all the news where nothing else is wrong, and else other errors may be
/// mended by it.
static bool saysWhatToWrite(const Problem &problem) {
  return problem.isBareRemoval() &&
         llvm::any_of(problem.notes, [](const Note &note) {
           return note.isAdvice &&
                  llvm::StringRef(note.text).starts_with("write ");
         });
}

bool Adviser::hand(const std::vector<std::shared_ptr<Step>> &found) {
  if (found.empty() || !tryInAll(*found.front()))
    return false;
  const Step &best = *found.front();
  std::set<const Problem *> heads;
  for (const Segment &segment : segmentsOf(best, known)) {
    add(segment, best, best);
    heads.insert(problemOf(segment.begin->trial->outcome.findings.front().key));
  }
  offerInstead(found);
  for (const std::shared_ptr<Step> &other : found)
    if (isAsGood(*other, best))
      offerOther(*other, best);
  std::set<std::string> left = best.trial->outcome.keys();
  for (size_t i = 0; i < groups.size(); ++i)
    for (Problem *member : groups[i].members)
      member->isMended =
          !heads.count(groups[i].members.front()) && !left.count(keys[i]);
  bool isAll = llvm::all_of(groups, [](const ProblemGroup &group) {
    const Problem &first = *group.members.front();
    return first.isMended || saysWhatToWrite(first);
  });
  for (ProblemGroup &group : groups)
    if (!isAll && saysWhatToWrite(*group.members.front()))
      group.members.front()->proposals.clear();
  return true;
}

static std::vector<std::string> keysOf(const Outcome &outcome) {
  std::vector<std::string> keys;
  for (const Finding &finding : outcome.findings)
    keys.push_back(finding.key);
  return keys;
}

void advice::advise(Problems &problems, const Source &source,
                    mlir::MLIRContext *context) {
  for (ProblemGroup &group : problems.group())
    for (Problem *member : group.members)
      member->ways.clear(); // untried
  for (const Effort &effort : {kSearchInFew, kSearchInAll}) {
    Bench bench(source, context, effort);
    std::shared_ptr<Trial> start = bench.run(source.texts);
    if (!start || keysOf(start->outcome) != placement::keysOf(problems))
      continue; // what is wrong is not in each layer
    Adviser adviser(problems, source, context);
    if (adviser.hand(search(start, source, bench)))
      return;
  }
}
