//===- Directives.cpp - patterns and axis names of directives -------------===//

#include "HeldDemand.h"
#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Products.h"
#include "hocket/Frontend/Diagnostic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static nn::MeshAttr withoutUnits(nn::MeshAttr mesh) {
  SmallVector<nn::MeshAxisAttr> axes;
  for (nn::MeshAxisAttr axis : mesh.getAxes())
    if (axis.getSize() > 1)
      axes.push_back(axis);
  return nn::MeshAttr::get(mesh.getContext(), axes);
}

Placer::Placer(ModuleOp module, nn::FuncOp func, sched::ScheduleOp schedule,
               bool onlyJudges)
    : onlyJudges(onlyJudges), module(module), func(func), schedule(schedule),
      mesh(withoutUnits(schedule.getMesh())), tree(func),
      lineCuts(schedule.getMesh(), mesh, problems,
               onlyJudges ? nullptr : &warnings),
      diagnosis(mesh, origins),
      waysOut(func, schedule, mesh, origins, freeValues, lineCuts) {}

void Placer::run() {
  readDirectives();
  // What follows from a schedule with lines left out is of no use to anyone.
  if (!problems.empty())
    return;
  applyFacts();
  applyFsdp();
  checkBuckets();
  if (!problems.empty())
    return;
  inferOps();
  checkRepartitions();
  isInferred = true;
  if (!problems.empty())
    return;
  checkLicences();
  checkHalos();
  checkStrategies();
  markKept();
  HeldDemand demand(mesh);
  joinLayers(demand);
  exchangeFrom(func, halos, askedHalos, mesh, demand, problems);
  if (problems.empty()) {
    demand.answer(func);
    exchangeBefore(func, askedHalos, mesh);
  }
  markBackwardSyncs();
  pinKernels();
  if (!problems.empty())
    return;
  checkExpectations();
}

void Placer::readDirectives() {
  for (Operation &op : schedule.getBody().front())
    TypeSwitch<Operation *>(&op)
        .Case([&](sched::AtOp at) { readAt(at); })
        .Case([&](sched::ShardOp shard) {
          readFact(shard, shard.getPattern(), shard.getOver(), shard.getAxis(),
                   shard.getCutsAttr(), shard.getIsOverride());
        })
        .Case([&](sched::ReplicateOp replicate) {
          readFact(replicate, replicate.getPattern(), replicate.getOver(), "",
                   {}, replicate.getIsOverride());
        })
        .Case([&](sched::SyncOp sync) { readSync(sync); })
        .Case([&](sched::DeferOp defer) { readDefer(defer); })
        .Case(
            [&](sched::StatisticsOp statistics) { readStatistics(statistics); })
        .Case([&](sched::HaloOp halo) { readHalo(halo); })
        .Case([&](sched::AttentionOp attention) { readAttention(attention); })
        .Case([&](sched::BucketOp bucket) { readBucket(bucket); })
        .Case([&](sched::FuseOp fuse) { readFuse(fuse); })
        .Case([&](sched::FsdpOp fsdp) { readFsdp(fsdp); })
        .Case([&](sched::RecomputeOp recompute) { readRecompute(recompute); })
        .Case([&](sched::SaveOp save) { readSave(save); })
        .Case([&](sched::AutoReshardOp) { autoReshard = true; });
  for (auto &[use, failed] : failedUses)
    if (failed.more > 0)
      failed.problem->note("the same of " + std::to_string(failed.more) +
                           " more " + (failed.more == 1 ? "line" : "lines") +
                           " of what is used there");
}

/// True for a pattern inside a block whose own pattern has failed already.
static bool isInside(StringRef pattern, ArrayRef<std::string> blocks) {
  return llvm::any_of(blocks, [&](StringRef block) {
    return pattern == block ||
           (pattern.starts_with(block) &&
            (pattern[block.size()] == '.' || pattern[block.size()] == '['));
  });
}

std::vector<PathNode *> Placer::resolve(Operation *directive,
                                        StringRef pattern) {
  if (isInside(pattern, failedBlocks))
    return {};
  auto parsed = PathQuery::parse(pattern);
  if (!parsed) {
    problems.addAt(directive,
                   ("'" + pattern + "' is not a path pattern").str());
    return {};
  }
  Match match = parsed->match(tree);
  bool isOptional = directive->hasAttr("isOptional");
  if (match.failure && !isOptional) {
    reportFailure(directive, *match.failure);
    return {};
  }
  return match.nodes;
}

/// The path, from where a pattern came to, to what has its next name further
/// down: "model.layers" for "layers"; empty if there is none, or several.
static std::string findBelow(const MatchFailure &failure) {
  constexpr unsigned kDeepest = 3;
  if (failure.reached.empty())
    return "";
  const PathNode *root = failure.reached.front();
  std::vector<std::pair<const PathNode *, std::string>> nodes{{root, ""}};
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    std::vector<std::pair<const PathNode *, std::string>> next;
    std::vector<std::string> found;
    for (auto &[node, path] : nodes)
      for (const auto &child : node->children) {
        std::string name = path + (path.empty() ? "" : ".") + child->name;
        if (child->name == failure.component)
          found.push_back(name);
        next.push_back({child.get(), std::move(name)});
      }
    if (!found.empty())
      return found.size() == 1 ? found.front() : "";
    nodes = std::move(next);
  }
  return "";
}

/// Whether the component that matches nothing is one too many: "transformer"
/// in "transformer.h.*".
static bool hasBehind(const MatchFailure &failure) {
  StringRef behind = StringRef(failure.written).split(failure.component).second;
  if (failure.reached.empty() || !behind.consume_front("."))
    return false;
  StringRef next =
      behind.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return !next.empty() &&
         llvm::any_of(failure.reached.front()->children,
                      [&](const auto &child) { return child->name == next; });
}

void Placer::reportFailure(Operation *directive, const MatchFailure &failure) {
  Location use = scheduleLine(directive->getLoc());
  bool isUsed = use != definitionLine(directive->getLoc());
  if (isUsed && failedUses.count(use)) {
    ++failedUses.find(use)->second.more;
    return;
  }
  Problem &problem = problems.addAt(directive, "no model value matches '" +
                                                   failure.written + "'");
  if (isUsed)
    failedUses.insert({use, {&problem}});
  if (!failure.component.empty() && failure.component != failure.written)
    problem.note("'" + failure.component + "' matches nothing");
  for (std::string &text : explainFailure(failure))
    problem.note(std::move(text));
  std::vector<std::string> names;
  for (const PathNode *node : failure.reached)
    for (const auto &child : node->children)
      names.push_back(child->name);
  auto near = syntax::nearest(failure.component, names);
  if (near) {
    problem.notes.back().isAdvice = true; // "did you mean"
    problem.lines.back().renames.push_back({failure.component, *near});
  } else if (std::string below = findBelow(failure); !below.empty()) {
    problem.advise("did you mean '" + below + "'?");
    problem.lines.back().renames.push_back({failure.component, below});
  } else if (hasBehind(failure)) {
    problem.advise("leave out '" + failure.component + ".'");
    problem.lines.back().renames.push_back({failure.component + ".", ""});
  }
}

void Placer::readAt(sched::AtOp at) {
  // Blocks that can be empty leave nothing to say about what is inside them.
  std::vector<PathNode *> nodes = resolve(at, at.getPattern());
  if (nodes.empty() && !isInside(at.getPattern(), failedBlocks))
    failedBlocks.push_back(at.getPattern().str());
  if (!at.getCount() || nodes.empty() || nodes.size() == *at.getCount())
    return;
  problems
      .addAt(at, ("'" + at.getPattern() + "' matches " +
                  std::to_string(nodes.size()) + ", expected " +
                  std::to_string(*at.getCount()))
                     .str())
      .note("from '" + nodes.front()->path + "' to '" + nodes.back()->path +
            "'; if that is meant, write (count " +
            std::to_string(nodes.size()) + ")");
}

void Placer::readStatistics(sched::StatisticsOp statistics) {
  auto axes = readAxes(statistics, statistics.getOver());
  std::vector<PathNode *> nodes = resolve(statistics, statistics.getPattern());
  if (!axes || axes->empty() || nodes.empty())
    return;
  Licence licence{statistics, {}, *axes, {}};
  for (PathNode *node : nodes)
    licence.paths.push_back(node->path);
  licences.push_back(std::move(licence));
}

std::optional<SmallVector<unsigned, 2>> Placer::readAxes(Operation *op,
                                                         ArrayAttr over) {
  SmallVector<unsigned, 2> axes;
  nn::MeshAttr whole = schedule.getMesh();
  SmallVector<StringRef> seen;
  for (auto name : over.getAsRange<StringAttr>()) {
    if (whole.getIndex(name.getValue()) < 0) {
      std::vector<std::string> known;
      for (nn::MeshAxisAttr axis : whole.getAxes())
        known.push_back(axis.getName().str());
      Problem &problem = problems.addAt(
          op, ("the mesh has no axis '" + name.getValue() + "'").str());
      problem.note(known.empty()
                       ? "the schedule has no mesh; declare one: mesh (" +
                             name.str() + " = 2)"
                       : "its axes: " + llvm::join(known, ", "));
      if (auto near = syntax::nearest(name.str(), known)) {
        problem.advise("did you mean '" + *near + "'?");
        problem.lines.back().renames.push_back({name.str(), *near});
      }
      return std::nullopt;
    }
    if (llvm::is_contained(seen, name.getValue())) {
      problems.addAt(op,
                     ("axis '" + name.getValue() + "' is listed twice").str());
      return std::nullopt;
    }
    seen.push_back(name.getValue());
    if (whole.getSize(name.getValue()) > 1)
      axes.push_back(mesh.getIndex(name.getValue()));
  }
  return axes;
}

std::string placement::reductionName(nn::PartialAttr partial) {
  switch (partial.getReduction()) {
  case nn::Reduction::Sum:
    return "a sum";
  case nn::Reduction::Max:
    return "a maximum";
  case nn::Reduction::Min:
    return "a minimum";
  }
  return "a reduction";
}

std::string placement::factorName(nn::LayoutAttr layout, FactorRef ref) {
  StringRef name =
      layout.getDims()[ref.dim].getFactors()[ref.factor].getName().getValue();
  return name.empty() ? "dim " + std::to_string(ref.dim) : name.str();
}

std::string placement::axisName(nn::LayoutAttr layout, FactorRef ref) {
  nn::DimAttr dim = layout.getDims()[ref.dim];
  StringRef name = dim.getFactors()[ref.factor].getName().getValue();
  unsigned count = 0;
  for (nn::DimAttr other : layout.getDims())
    for (nn::FactorAttr factor : other.getFactors())
      count += !name.empty() && factor.getName().getValue() == name;
  if (count == 1)
    return name.str();
  return ref.factor == 0 ? std::to_string(ref.dim) : "";
}

/// A product dim by itself is cut on its major factor.
static unsigned majorFactor(nn::DimAttr dim) {
  for (auto [f, factor] : llvm::enumerate(dim.getFactors()))
    if (factor.getSize() > 1)
      return f;
  return 0;
}

using DimNames = ArrayRef<std::pair<std::string, unsigned>>;

static std::string dimsText(nn::LayoutAttr layout, DimNames extra) {
  std::vector<std::string> names;
  for (auto [d, dim] : llvm::enumerate(layout.getDims())) {
    std::vector<std::string> factors;
    for (unsigned f = 0; f < dim.getFactors().size(); ++f) {
      std::string name = factorName(layout, {unsigned(d), f});
      for (auto &[dimName, dim] : extra)
        if (dim == d && f == majorFactor(layout.getDims()[d]))
          name += " or " + dimName;
      factors.push_back(name + " (" +
                        std::to_string(dim.getFactors()[f].getSize()) + ")");
    }
    names.push_back(llvm::join(factors, ", "));
  }
  return names.empty() ? "it has none" : "it has " + llvm::join(names, ", ");
}

std::optional<FactorRef>
Placer::readFactor(Operation *directive, StringRef name, nn::LayoutAttr layout,
                   StringRef path,
                   ArrayRef<std::pair<std::string, unsigned>> extra) {
  SmallVector<FactorRef> found;
  for (auto [d, dim] : llvm::enumerate(layout.getDims()))
    for (auto [f, factor] : llvm::enumerate(dim.getFactors()))
      if (factor.getName().getValue() == name)
        found.push_back({unsigned(d), unsigned(f)});
  if (found.empty())
    for (auto &[dimName, dim] : extra)
      if (name == dimName)
        found.push_back({dim, majorFactor(layout.getDims()[dim])});
  int64_t position;
  bool isNumber = !name.getAsInteger(10, position);
  int64_t rank = layout.getDims().size();
  if (isNumber && position >= 0 && position < rank)
    found.push_back(
        {unsigned(position), majorFactor(layout.getDims()[position])});
  if (found.size() == 1)
    return found.front();
  std::string quoted = "'" + path.str() + "'";
  if (found.size() > 1) {
    std::string first = std::to_string(found[0].dim),
                second = std::to_string(found[1].dim);
    problems
        .addAt(directive,
               "axis " + name.str() + " of " + quoted + " is ambiguous: " +
                   std::to_string(found.size()) + " dims have that name",
               path.str())
        .note("name it by its position: axis " + first + " or axis " + second)
        .lines.front()
        .dims = {first, second};
    return std::nullopt;
  }
  Problem &problem = problems.addAt(
      directive,
      isNumber ? quoted + " has no axis " + name.str() + ": it has " +
                     std::to_string(rank) + " dims, counted from 0"
               : quoted + " has no axis '" + name.str() + "'",
      path.str());
  problem.note(dimsText(layout, extra));
  std::vector<std::string> known;
  for (nn::DimAttr dim : layout.getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      if (!factor.getName().empty())
        known.push_back(factor.getName().str());
  for (auto &[dimName, dim] : extra)
    known.push_back(dimName);
  if (auto near = syntax::nearest(name.str(), known)) {
    problem.advise("did you mean '" + *near + "'?");
    problem.lines.back().renames.push_back({name.str(), *near});
  }
  problem.lines.back().dims = known;
  return std::nullopt;
}
