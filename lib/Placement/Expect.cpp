//===- Expect.cpp - counts of collectives that a schedule states ----------===//

#include "hocket/Placement/Expect.h"
#include "HaloReach.h"
#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Ring.h"
#include "dialects/Nn/Values.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

StringRef placement::collectiveOf(RedistributeKind kind) {
  switch (kind) {
  case RedistributeKind::AllReduce:
  case RedistributeKind::ReduceScatter:
  case RedistributeKind::AllGather:
  case RedistributeKind::AllToAll:
  case RedistributeKind::Broadcast:
    return stringifyRedistributeKind(kind);
  case RedistributeKind::Repartition:
    return "halo";
  case RedistributeKind::Slice:
  case RedistributeKind::Mask:
    return "";
  }
  llvm_unreachable("an enumerator");
}

/// Borders that are elsewhere, of the same parts, move nothing.
static bool isCommunication(nn::RedistributeOp moved) {
  return !collectiveOf(moved.getKind()).empty() &&
         !(moved.getKind() == RedistributeKind::Repartition &&
           haveSameParts(nn::layoutOf(moved.getX()),
                         nn::layoutOf(moved.getResult())));
}

int64_t placement::countStatistics(Operation *op) {
  auto axes = op->getAttrOfType<ArrayAttr>("nn.statistics");
  if (!axes || axes.empty())
    return 0;
  // Norms: mean, then variance; softmax, log_sum_exp: maximum, then sum.
  return isa<nn::LayerNormOp, nn::NormalizeOp, nn::SoftmaxOp, nn::LogSumExpOp>(
             op)
             ? 2
             : 1;
}

/// That of what is placed, and while it is the schedule's.
static nn::MeshAttr meshOf(Operation *op) {
  if (nn::MeshAttr mesh = nn::meshOf(op))
    return mesh;
  auto schedules = op->getParentOfType<ModuleOp>().getOps<sched::ScheduleOp>();
  return (*schedules.begin()).getMesh();
}

int64_t placement::countHalos(Operation *op) {
  auto windowed = dyn_cast<nn::WindowedOp>(op);
  if (!windowed)
    return 0;
  nn::MeshAttr mesh = meshOf(op);
  return llvm::count_if(
      llvm::seq(windowed.getWindows().size()), [&](size_t number) {
        std::optional<SlidDim> slid = slidDim(windowed, number, mesh);
        return slid && slid->readsOthers();
      });
}

std::string placement::haloWord(StringRef strategy, bool isBack) {
  if (strategy == "all_gather" && isBack)
    return "reduce_scatter";
  return strategy == "neighbors" ? "halo" : strategy.str();
}

using Counts = std::map<std::string, int64_t>;

/// Masks go beside what they hide.
static bool isOfMask(nn::ExchangeOp op) {
  return !isa<FloatType>(getElementTypeOrSelf(op.getXs().front())) &&
         llvm::any_of(op.getMade().front().getUsers(), [](Operation *user) {
           return isa<nn::AttentionOp>(user);
         });
}

/// Whether each member finds what it is to hold in what it owns.
static bool isLocal(nn::ExchangeOp op) {
  int64_t dim = op.getDim();
  nn::LayoutAttr layout =
      nn::layoutOf(op.getBack() ? op.getXs().front() : op.getMade().front());
  nn::HeldAttr held = layout.heldOf(dim, /*factor=*/0);
  if (!held || held.getRows())
    return !held;
  auto own = nn::heldParts(layout.owning(dim, 0), dim, /*factor=*/0,
                           meshOf(op.getOperation()));
  return llvm::all_of(
      llvm::zip_equal(own, held.getBegins(), held.getEnds()), [](auto member) {
        auto [part, begin, end] = member;
        return begin == end ||
               (part.offset <= begin && end <= part.offset + part.size);
      });
}

/// What moves what windows need of others, by the word for it.
static Counts countExchanges(Operation *op) {
  if (auto exchange = dyn_cast<nn::ExchangeOp>(op)) {
    if (isOfMask(exchange) || isLocal(exchange))
      return {};
    return {{haloWord(exchange.getStrategy(), exchange.getBack()), 1}};
  }
  // Keys and values go round, and of a gradient the terms of theirs back.
  if (int64_t hops = nn::ringTraffic(op, meshOf(op)).hops)
    return {{"halo", isa<nn::AttentionGradOp>(op) ? 2 * hops : hops}};
  return {};
}

/// The line of the schedule that a collective comes from, or that of the model.
static Location lineOf(Operation *op) {
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  if (fused && fused.getLocations().size() > 1)
    return scheduleLine(fused.getLocations()[1]);
  return modelLine(op->getLoc());
}

static bool isBackward(Operation *op) { return op->hasAttr(nn::kBackward); }

/// What an output or an assignment needs: the rest is never computed, and its
/// collectives are none of the program's.
static DenseSet<Operation *> neededOps(nn::FuncOp func) {
  DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(func.front())) {
    bool hasEffect =
        op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op);
    if (hasEffect || llvm::any_of(op.getUsers(), [&](Operation *user) {
          return needed.contains(user);
        }))
      needed.insert(&op);
  }
  return needed;
}

std::map<std::string, int64_t>
placement::countCollectives(nn::FuncOp func, StringRef root, bool backward) {
  std::map<std::string, int64_t> counts;
  DenseSet<Operation *> needed = neededOps(func);
  func.walk([&](Operation *op) {
    std::string path = modelPath(op);
    if (!needed.contains(op))
      return;
    Counts exchanges = countExchanges(op);
    if (!isAtOrUnder(path, root) || isBackward(op) != backward)
      return;
    if (auto moved = dyn_cast<nn::RedistributeOp>(op)) {
      if (isCommunication(moved))
        ++counts[collectiveOf(moved.getKind()).str()];
    } else if (int64_t count = countStatistics(op)) {
      counts["all_reduce"] += count;
    } else {
      for (auto &[kind, number] : exchanges)
        counts[kind] += number;
    }
  });
  return counts;
}

static std::string countsText(const std::map<std::string, int64_t> &counts) {
  std::vector<std::string> parts;
  for (auto &[kind, count] : counts)
    if (count)
      parts.push_back(kind + ": " + std::to_string(count));
  return parts.empty() ? "{ }" : "{ " + llvm::join(parts, ", ") + " }";
}

/// Names what was counted: the first place of each line of the schedule.
static void noteCollectives(Problem &problem, nn::FuncOp func, StringRef root,
                            bool backward) {
  struct Made {
    Location line;
    std::string text;
    int64_t count;
  };
  std::vector<Made> list;
  DenseSet<Operation *> needed = neededOps(func);
  func.walk([&](Operation *op) {
    std::string path = modelPath(op);
    auto moved = dyn_cast<nn::RedistributeOp>(op);
    if (!needed.contains(op))
      return;
    Counts exchanges = countExchanges(op);
    bool counts = moved ? isCommunication(moved)
                        : countStatistics(op) > 0 || !exchanges.empty();
    if (!counts || !isAtOrUnder(path, root) || isBackward(op) != backward)
      return;
    Location line = lineOf(op);
    for (Made &made : list)
      if (made.line == line) {
        ++made.count;
        return;
      }
    std::string kind = moved ? stringifyRedistributeKind(moved.getKind()).str()
                       : exchanges.empty() ? "all_reduce"
                                           : exchanges.begin()->first;
    list.push_back({line, kind + " at '" + path + "'", 1});
  });
  constexpr size_t kMostNotes = 6;
  for (Made &made : ArrayRef(list).take_front(kMostNotes).vec())
    problem.note(made.line,
                 made.text +
                     (made.count > 1
                          ? " and " + std::to_string(made.count - 1) + " more"
                          : ""));
}

static std::map<std::string, int64_t> readCounts(DictionaryAttr counts) {
  std::map<std::string, int64_t> wanted;
  for (NamedAttribute entry : counts)
    if (auto count = cast<IntegerAttr>(entry.getValue()).getInt())
      wanted[entry.getName().str()] = count;
  return wanted;
}

static std::string failedText(StringRef what, StringRef root,
                              const std::map<std::string, int64_t> &found,
                              const std::map<std::string, int64_t> &wanted) {
  std::string at = root.empty() ? "" : " at '" + root.str() + "'";
  return "expectation failed: " + what.str() + at + " has " +
         countsText(found) + ", expected " + countsText(wanted);
}

/// Until there is a backward.
void Placer::keepBackwardExpectation(sched::ExpectOp expect, StringRef root) {
  Builder builder(module.getContext());
  backwardExpectations.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("root", builder.getStringAttr(root)),
       builder.getNamedAttr("counts", expect.getCountsAttr()),
       builder.getNamedAttr("line",
                            LocationAttr(scheduleLine(expect.getLoc())))}));
}

LogicalResult placement::checkBackward(ModuleOp module) {
  ArrayAttr expectations = nn::placementOf(module).getBackwardExpectations();
  nn::FuncOp func = *module.getOps<nn::FuncOp>().begin();
  Problems problems;
  for (auto expect : expectations.getAsRange<DictionaryAttr>()) {
    StringRef root = expect.getAs<StringAttr>("root").getValue();
    auto wanted = readCounts(expect.getAs<DictionaryAttr>("counts"));
    auto found = countCollectives(func, root, /*backward=*/true);
    if (found == wanted)
      continue;
    Problem &problem =
        problems.add(Location(cast<LocationAttr>(expect.get("line"))),
                     failedText("backward", root, found, wanted), root.str());
    noteCollectives(problem, func, root, /*backward=*/true);
  }
  problems.emit();
  return success(problems.empty());
}

void Placer::checkExpectations() {
  for (auto expect : schedule.getBody().getOps<sched::ExpectOp>()) {
    if (!expect.getCounts())
      continue;
    std::map<std::string, int64_t> wanted = readCounts(expect.getCountsAttr());
    std::vector<std::string> roots{""};
    if (expect.getPattern() && *expect.getPattern() != ".") {
      roots.clear();
      for (PathNode *node : resolve(expect, *expect.getPattern()))
        roots.push_back(node->path);
    }
    for (const std::string &root : roots) {
      if (expect.getWhat() == "backward") {
        keepBackwardExpectation(expect, root);
        continue;
      }
      std::map<std::string, int64_t> found =
          countCollectives(func, root, /*backward=*/false);
      for (const VacuousSync &sync : vacuous)
        if (isAtOrUnder(sync.path, root) && !sync.collective.empty())
          ++found[sync.collective];
      if (found == wanted)
        continue;
      Problem &problem = problems.addAt(
          expect, failedText("forward", root, found, wanted), root);
      problem.lines.back().renames.push_back({"{}", countsText(found)});
      noteCollectives(problem, func, root, /*backward=*/false);
    }
  }
}
