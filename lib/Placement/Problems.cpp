//===- Problems.cpp - collecting, grouping and printing errors ------------===//

#include "hocket/Placement/Problems.h"
#include "Cuts.h"
#include "Locations.h"
#include "hocket/Placement/Meet.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

std::string WayOut::line() const {
  switch (kind) {
  case Kind::Statistics:
    return "statistics " + path + " over " + overText(over);
  case Kind::Halo:
    return "halo " + path + " axis " + axis + " over " + overText(over);
  case Kind::Defer:
    return "defer " + path + " until " + until + " axis " + axis + " over " +
           overText(over, cuts);
  case Kind::Replicate:
    return "replicate " + path + " over " + overText(over) + " override";
  case Kind::Shard:
    return "shard " + path + " axis " + axis + " over " + overText(over, cuts) +
           (isNew ? "" : " override");
  case Kind::Attention:
    return "attention " + path + " using " + op + " over " + overText(over) +
           (until.empty() ? "" : " from " + until);
  case Kind::Sync:
    break;
  }
  std::string text = "sync " + path + " " + moment + " " + op;
  if (!axis.empty())
    text += " axis " + axis;
  if (!to.empty())
    text += " to " + to;
  return text + " over " + overText(over, cuts);
}

void WayOut::append(sched::ScheduleOp schedule) const {
  OpBuilder builder = OpBuilder::atBlockEnd(&schedule.getBody().front());
  Location loc = builder.getUnknownLoc();
  SmallVector<StringRef> names(over.begin(), over.end());
  auto text = [&](StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  SmallVector<NamedAttribute> attributes{
      text("pattern", path),
      builder.getNamedAttr("over", builder.getStrArrayAttr(names))};
  StringRef name = sched::StatisticsOp::getOperationName();
  if (kind == Kind::Defer) {
    name = sched::DeferOp::getOperationName();
    attributes.push_back(text("until", until));
  } else if (kind == Kind::Halo) {
    name = sched::HaloOp::getOperationName();
  } else if (kind == Kind::Attention) {
    name = sched::AttentionOp::getOperationName();
    attributes.push_back(text("strategy", op));
    if (!until.empty())
      attributes.push_back(text("from", until));
  } else if (kind == Kind::Replicate || kind == Kind::Shard) {
    name = kind == Kind::Shard ? sched::ShardOp::getOperationName()
                               : sched::ReplicateOp::getOperationName();
    if (!isNew)
      attributes.push_back(
          builder.getNamedAttr("isOverride", builder.getUnitAttr()));
  } else if (kind == Kind::Sync) {
    name = sched::SyncOp::getOperationName();
    attributes.push_back(text("moment", moment));
    attributes.push_back(builder.getNamedAttr(
        "kind", nn::RedistributeKindAttr::get(
                    builder.getContext(), *nn::symbolizeRedistributeKind(op))));
  }
  if (!axis.empty())
    attributes.push_back(text("axis", axis));
  if (!to.empty())
    attributes.push_back(text("to", to));
  if (cuts)
    attributes.push_back(builder.getNamedAttr("cuts", cuts));
  OperationState state(loc, name);
  state.addAttributes(attributes);
  builder.create(state);
  for (const WayOut &other : others)
    other.append(schedule);
}

int64_t WayOut::getBytes() const {
  int64_t sum = bytes;
  for (const WayOut &other : others)
    sum += other.bytes;
  return sum;
}

Problem &Problem::note(Location at, std::string text) {
  notes.push_back({at, std::move(text)});
  return *this;
}

Problem &Problem::advise(std::string text) {
  note(std::move(text));
  notes.back().isAdvice = true;
  return *this;
}

Problem &Problem::note(std::string text) {
  return note(UnknownLoc::get(where.getContext()), std::move(text));
}

Problem &Problems::add(Location where, std::string text, std::string path) {
  list.push_back(std::make_unique<Problem>(Problem{where,
                                                   std::move(text),
                                                   std::move(path),
                                                   {},
                                                   "",
                                                   {},
                                                   {},
                                                   false,
                                                   {},
                                                   false}));
  return *list.back();
}

Problem &Problems::addAt(Operation *directive, std::string text,
                         std::string path) {
  Location line = scheduleLine(directive->getLoc());
  Location inner = definitionLine(directive->getLoc());
  Problem &problem = add(line, std::move(text), std::move(path));
  if (inner != line)
    problem.note(inner, "by this line of what is used there");
  problem.lines.push_back({inner, {}, "", {}, {}, {}});
  problem.isOfLine = true;
  return problem;
}

std::string placement::maskIndices(StringRef text) {
  std::string masked;
  bool inQuotes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'')
      inQuotes = !inQuotes;
    bool begins = inQuotes && llvm::isDigit(text[i]) && i > 0 &&
                  (text[i - 1] == '.' || text[i - 1] == '\'');
    size_t end = i;
    while (begins && end < text.size() && llvm::isDigit(text[end]))
      ++end;
    if (begins && end < text.size() &&
        (text[end] == '.' || text[end] == '\'')) {
      masked += '#';
      i = end - 1;
      continue;
    }
    masked += text[i];
  }
  return masked;
}

std::string Problem::kind() const {
  // Where it happens is part of it, but not in which of several layers.
  return maskIndices(text) + " " + maskIndices("'" + path + "'") + site;
}

static std::string keyOf(const Problem &problem) {
  std::string key = problem.kind();
  llvm::raw_string_ostream stream(key);
  stream << " @ " << problem.where;
  return key;
}

std::vector<ProblemGroup> Problems::group() {
  std::vector<ProblemGroup> groups;
  std::map<std::string, size_t> known;
  for (auto &problem : list) {
    std::string key = keyOf(*problem);
    auto [it, isNew] = known.insert({key, groups.size()});
    if (isNew)
      groups.push_back({key, {}});
    groups[it->second].members.push_back(problem.get());
  }
  return groups;
}

/// "h.0.ln" and "h.11.ln" differ first at component 1: "h.11".
static std::string placeOf(StringRef first, StringRef path) {
  SmallVector<StringRef> ours, theirs;
  first.split(ours, '.');
  path.split(theirs, '.');
  std::string place;
  for (size_t i = 0; i < theirs.size(); ++i) {
    place += (i ? "." : "") + theirs[i].str();
    if (i >= ours.size() || ours[i] != theirs[i])
      break;
  }
  return place;
}

static std::string othersOf(const ProblemGroup &group) {
  std::vector<std::string> places;
  for (Problem *member : ArrayRef(group.members).drop_front()) {
    std::string place = placeOf(group.members.front()->path, member->path);
    if (!llvm::is_contained(places, place))
      places.push_back(place);
  }
  if (places.size() <= 2)
    return llvm::join(places, " and ");
  return places.front() + " to " + places.back();
}

static std::string waysText(const std::vector<WayOut> &ways) {
  std::vector<std::pair<std::string, std::string>> lines;
  bool differ = ways.front().errorsLeft != ways.back().errorsLeft;
  for (const WayOut &way : ways) {
    std::string remark = "# " + bytesText(way.bytes) + " received by each rank";
    if (!way.remark.empty())
      remark += ", " + way.remark;
    if (differ && way.errorsLeft == 0)
      remark += ", and no error stays";
    else if (differ)
      remark += ", and " + std::to_string(way.errorsLeft) +
                (way.errorsLeft == 1 ? " error stays" : " errors stay");
    lines.push_back({way.line(), remark});
    for (const WayOut &other : way.others)
      lines.push_back({other.line(), "# and " + bytesText(other.bytes)});
  }
  size_t width = 0;
  for (auto &[line, remark] : lines)
    width = std::max(width, line.size());
  std::string text = differ
                         ? "what would make it meet, fewest errors left first:"
                         : "what would make it meet, cheapest first:";
  for (auto &[line, remark] : lines)
    text += "\n  " + line + std::string(width - line.size() + 2, ' ') + remark;
  return text;
}

/// To leave the line out is no news where the notes say what it could mean,
/// except for advice in words, which proposals take the place of.
bool Problem::isWorthSaying() const {
  return !proposals.empty() &&
         (!isBareRemoval() || llvm::none_of(notes, [](const Note &note) {
           bool isLine = StringRef(note.text).starts_with("write instead: ");
           return isa<UnknownLoc>(note.where) && (!note.isAdvice || isLine);
         }));
}

bool Problem::isBareRemoval() const {
  return proposals.size() == 1 && proposals.front().isOfItsLine &&
         proposals.front().isRemoval();
}

bool Problem::offersProposals() const {
  return isWorthSaying() ||
         (isBareRemoval() && llvm::any_of(notes, [](const Note &note) {
            return StringRef(note.text).contains("leave") ||
                   StringRef(note.text).contains("keep one");
          }));
}

void Problems::emit(DiagnosticSeverity as) {
  llvm::DenseSet<Location> warned; // of a line once
  for (const ProblemGroup &group : group()) {
    const Problem &problem = *group.members.front();
    if (problem.isMended)
      continue;
    if (as == DiagnosticSeverity::Warning &&
        !warned.insert(problem.where).second)
      continue;
    DiagnosticEngine &engine = problem.where.getContext()->getDiagEngine();
    InFlightDiagnostic error = engine.emit(problem.where, as);
    error << problem.text;
    bool isSaid = problem.isWorthSaying();
    for (const Note &note : problem.notes)
      if (!note.isAdvice || !isSaid)
        error.attachNote(note.where) << note.text;
    Location nowhere = UnknownLoc::get(problem.where.getContext());
    if (isSaid)
      error.attachNote(nowhere) << syntax::textOf(problem.proposals);
    if (!problem.ways.empty() && problem.proposals.empty())
      error.attachNote(nowhere) << waysText(problem.ways);
    if (group.members.size() > 1)
      error.attachNote(nowhere) << "the same at " << othersOf(group);
  }
}
