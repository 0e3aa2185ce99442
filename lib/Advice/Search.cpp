//===- Search.cpp - from a text that is wrong to texts that check ---------===//
//
// A beam search. Each step takes the first error of a text and tries what could
// mend it: lines to add, other words in the lines that have a part in it. What
// the error was is gone then, others may have come. Texts are compared by what
// they cost if what is left is mended in the simplest way, but first by what
// they still split: to compute everything everywhere moves nothing.
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "Statements.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

using namespace hocket;
using namespace hocket::advice;
using namespace hocket::placement;
using namespace hocket::syntax;

using StepPtr = std::shared_ptr<Step>;

static constexpr size_t kBeam = 5;
static constexpr unsigned kDeepest = 7;
/// Products that a device computes, and elements that it makes, while it
/// receives a byte.
static constexpr double kWorkPerByte = 100, kElementsPerByte = 16;
/// What an edit, and an error that is left, count: a share of the cost.
static constexpr double kPerEdit = 0.03, kPerFinding = 0.04;
/// What a line that is not wrong by itself counts if it is changed, or left
/// out.
static constexpr double kAgainst = 1.25, kAgainstOther = 1.5;
/// A reduce_scatter where the line said all_reduce: half is moved, and the
/// result is in parts.
static constexpr double kScattered = 2.2;
static constexpr double kWithoutFact = 1.8, kWithout = 1.3;
/// A line left out that could not be read, and said that something is split.
static constexpr int kLostSplit = 3;
/// A line left out that moves a value, and is not what is wrong.
static constexpr int kLostSync = 1;
/// Costs that differ by less, a share of what is moved, are alike.
static constexpr double kAlike = 0.02;

bool Rank::operator<(const Rank &other) const {
  return std::tie(lost, cost, findings, edits) <
         std::tie(other.lost, other.cost, other.findings, other.edits);
}

std::vector<const Step *> Step::path() const {
  std::vector<const Step *> steps;
  for (const Step *step = this; step; step = step->from.get())
    steps.push_back(step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

namespace {
class Searcher {
public:
  Searcher(std::shared_ptr<Trial> start, const Source &source, Bench &bench)
      : start(std::move(start)), source(source), bench(bench) {
    tried.insert(this->start->texts);
  }

  std::vector<StepPtr> run();

private:
  void expand(const StepPtr &step);
  void leaveOutGather(const StepPtr &step, const Finding &finding,
                      const WayOut &way);
  void expandByAdding(const StepPtr &step, const Finding &finding);
  void expandByChanging(const StepPtr &step, const Finding &finding);
  bool consider(const StepPtr &step, const Edits &edits, double against = 1,
                int lost = 0, const std::string &meant = "");
  Rank rankOf(const Trial &trial, unsigned edits, double against) const;
  bool isPromising(const StepPtr &step) const;

  std::shared_ptr<Trial> start;
  const Source &source;
  Bench &bench;
  std::set<Texts> tried;
  std::vector<StepPtr> right, open;
  StepPtr nearest;
};
} // namespace

/// The share of what was split that no longer is.
static int lostOf(const Outcome &before, const Outcome &after) {
  double all = 0, lost = 0;
  for (auto &[split, weight] : before.splits) {
    all += weight;
    if (!after.splits.count(split))
      lost += weight;
  }
  if (all == 0 || lost / all <= 0.04)
    return 0;
  return int(std::ceil(10 * lost / all));
}

Rank Searcher::rankOf(const Trial &trial, unsigned edits,
                      double against) const {
  const Outcome &outcome = trial.outcome;
  Rank rank;
  rank.lost = lostOf(start->outcome, outcome);
  rank.findings = outcome.findings.size();
  rank.edits = edits;
  rank.against = against;
  // Of a schedule whose lines are not understood nothing is known.
  if (!outcome.cost) {
    rank.cost = 1e18 * against;
    return rank;
  }
  rank.moved = double(outcome.cost->bytes) * against *
               (1 + kPerEdit * edits + kPerFinding * double(rank.findings));
  rank.cost = rank.moved + outcome.cost->work / kWorkPerByte +
              outcome.cost->elements / kElementsPerByte;
  return rank;
}

bool Searcher::consider(const StepPtr &step, const Edits &edits, double against,
                        int lost, const std::string &meant) {
  if (edits.empty() || bench.isSpent())
    return false;
  Texts texts = applyEdits(step->trial->texts, edits);
  if (!tried.insert(texts).second)
    return false;
  std::shared_ptr<Trial> trial = bench.run(texts);
  if (!trial)
    return false;
  const std::string &key = step->trial->outcome.findings.front().key;
  std::set<std::string> left = trial->outcome.keys();
  if (left.count(key))
    return false;
  unsigned count = step->rank.edits;
  for (const TextEdit &edit : edits) {
    if (llvm::StringRef(edit.text).starts_with("reduce_scatter"))
      continue; // of an all_reduce: it says the same more closely
    count += edit.file != source.path; // others may use that file
    count += edits.size() == 1 && edit.text.empty();
    for (const std::string &line : linesOf(edit.text)) // two syncs in one
      count += llvm::StringRef(line).trim().starts_with("defer ") ? 2 : 1;
  }
  auto next = std::make_shared<Step>(
      Step{trial, step, rankOf(*trial, count, step->rank.against * against)});
  next->lost = step->lost + lost;
  next->meant = meant.empty() ? step->meant : meant;
  next->rank.lost += next->lost;
  if (next->isRight()) {
    right.push_back(next);
    return true;
  }
  std::set<std::string> known = start->outcome.keys();
  bool isNew = std::any_of(left.begin(), left.end(),
                           [&](auto &other) { return !known.count(other); });
  if (!isNew &&
      (!nearest || std::make_pair(next->rank.findings, next->rank) <
                       std::make_pair(nearest->rank.findings, nearest->rank)))
    nearest = next;
  open.push_back(next);
  return true;
}

static std::vector<std::string> linesOfWay(const WayOut &way) {
  std::vector<std::string> lines{way.line()};
  for (const WayOut &other : way.others)
    lines.push_back(other.line());
  return lines;
}

/// To cut what a line has gathered is to leave the line out.
void Searcher::leaveOutGather(const StepPtr &step, const Finding &finding,
                              const WayOut &way) {
  if (way.op != "slice")
    return;
  const Reading &reading = *step->trial->reading;
  for (const Involved &line : finding.lines) {
    auto statement =
        findStatement(reading, line.line, source.elaborate.schedule);
    auto *sync = statement ? dynAs<SyncStmt>(statement->stmt) : nullptr;
    if (sync && sync->op == SyncOp::AllGather && sync->dim &&
        sync->dim->text == way.axis)
      consider(step, removalOf(reading, *statement->stmt));
  }
}

void Searcher::expandByAdding(const StepPtr &step, const Finding &finding) {
  const Reading &reading = *step->trial->reading;
  const ScheduleDecl *schedule = scheduleOf(reading, source.elaborate.schedule);
  if (!schedule)
    return;
  for (const WayOut &way : finding.ways) {
    // What is gathered for one module may be wanted split behind it.
    if (way.op == "all_gather" && way.over.size() == 1) {
      Edits edits =
          scatteringOf(reading, *schedule, way.over.front(), way.axis);
      for (TextEdit &added : additionOf(reading, *schedule, linesOfWay(way)))
        if (!edits.empty())
          edits.push_back(std::move(added));
      consider(step, edits);
    }
    leaveOutGather(step, finding, way);
    if (consider(step, additionOf(reading, *schedule, linesOfWay(way))))
      continue;
    // A sync of a value that another line syncs, too, may have to come first.
    if (way.kind != WayOut::Kind::Sync)
      continue;
    for (const Involved &line : finding.lines) {
      auto statement =
          findStatement(reading, line.line, source.elaborate.schedule);
      if (statement && statement->top)
        consider(step,
                 additionBefore(reading, *statement->top, linesOfWay(way)));
    }
  }
}

static bool canChange(const ScheduleStmt &stmt) {
  switch (stmt.kind) {
  case ScheduleStmt::Kind::Mesh:
  case ScheduleStmt::Kind::Def:
  case ScheduleStmt::Kind::Let:
    return false;
  default:
    return true;
  }
}

/// Whether something that was whole is in parts behind the line.
static bool splits(const ScheduleStmt &stmt) {
  if (auto *sync = dynAs<SyncStmt>(&stmt))
    return sync->op == SyncOp::Slice || sync->op == SyncOp::ReduceScatter ||
           sync->op == SyncOp::AllToAll;
  return stmt.kind == ScheduleStmt::Kind::Shard ||
         stmt.kind == ScheduleStmt::Kind::Fsdp ||
         stmt.kind == ScheduleStmt::Kind::Defer;
}

void Searcher::expandByChanging(const StepPtr &step, const Finding &finding) {
  const Reading &reading = *step->trial->reading;
  for (const Involved &line : finding.lines) {
    auto statement =
        findStatement(reading, line.line, source.elaborate.schedule);
    if (!statement || !canChange(*statement->stmt))
      continue;
    // The error may be the line's own: then it says nothing that holds.
    bool isFirst = &line == &finding.lines.front();
    bool isOwn = isFirst && finding.isOfLine;
    bool isFact = statement->stmt->kind == ScheduleStmt::Kind::Shard ||
                  statement->stmt->kind == ScheduleStmt::Kind::Fsdp;
    bool isSync = statement->stmt->kind == ScheduleStmt::Kind::Sync ||
                  statement->stmt->kind == ScheduleStmt::Kind::Defer;
    bool wasPutRight =
        !step->meant.empty() &&
        reading.sources.getText(statement->stmt->range) == step->meant;
    double against = isOwn ? 1 : isFirst ? kAgainst : kAgainstOther;
    for (const Variant &variant :
         variantsOf(reading, *statement, line, source.elaborate.schedule))
      consider(step, variant.edits,
               !variant.isRefined ? against
               : isOwn            ? kScattered
                                  : 1,
               wasPutRight ? kLostSplit : 0, variant.meant);
    bool isOther = // others may use that file
        reading.sources.getName(statement->stmt->range.file) != source.path;
    if (isOther || statement->stmt->kind == ScheduleStmt::Kind::Use ||
        statement->stmt->kind == ScheduleStmt::Kind::At ||
        statement->stmt->kind == ScheduleStmt::Kind::Expect)
      continue; // with all that is in it; what is expected is meant
    bool wasRead = step->trial->outcome.cost.has_value();
    consider(step, removalOf(reading, *statement->stmt),
             isOwn    ? 1
             : isFact ? kWithoutFact
                      : kWithout,
             wasPutRight || (splits(*statement->stmt) && !wasRead) ? kLostSplit
             : isSync && !isOwn                                    ? kLostSync
                                                                   : 0);
  }
}

void Searcher::expand(const StepPtr &step) {
  const Finding finding = step->trial->outcome.findings.front();
  expandByAdding(step, finding);
  expandByChanging(step, finding);
}

/// Whether it could still become better than what is right already.
bool Searcher::isPromising(const StepPtr &step) const {
  return std::none_of(right.begin(), right.end(), [&](const StepPtr &other) {
    return other->rank.lost <= step->rank.lost &&
           other->rank.cost <= step->rank.cost + kAlike * step->rank.moved;
  });
}

static bool isBetter(const StepPtr &a, const StepPtr &b) {
  return a->rank < b->rank;
}

std::vector<StepPtr> Searcher::run() {
  std::vector<StepPtr> beam{
      std::make_shared<Step>(Step{start, nullptr, rankOf(*start, 0, 1)})};
  for (unsigned depth = 0; depth < kDeepest && !beam.empty(); ++depth) {
    open.clear();
    for (const StepPtr &step : beam)
      expand(step);
    open.erase(
        std::remove_if(open.begin(), open.end(),
                       [&](const StepPtr &step) { return !isPromising(step); }),
        open.end());
    std::stable_sort(open.begin(), open.end(), isBetter);
    beam.assign(open.begin(),
                open.begin() + std::min<size_t>(open.size(), kBeam));
  }
  std::stable_sort(right.begin(), right.end(), isBetter);
  if (right.empty() && nearest)
    right.push_back(nearest);
  return right;
}

std::vector<StepPtr> advice::search(std::shared_ptr<Trial> start,
                                    const Source &source, Bench &bench) {
  return Searcher(std::move(start), source, bench).run();
}
