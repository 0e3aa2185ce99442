//===- ScheduleLines.cpp - lines that fit, one after another --------------===//

#include "ScheduleText.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/Expect.h"
#include <algorithm>
#include <map>

using namespace hocket;
using namespace hocket::random;

std::vector<ScheduleMaker::Factor>
ScheduleMaker::factorsOf(mlir::Value value, mlir::ArrayAttr roles) {
  std::vector<Factor> factors;
  nn::LayoutAttr layout = nn::layoutOf(value);
  std::map<std::string, int> named;
  for (nn::DimAttr dim : layout.getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      ++named[factor.getName().str()];
  for (auto [index, dim] : llvm::enumerate(layout.getDims())) {
    for (auto [number, factor] : llvm::enumerate(dim.getFactors())) {
      std::string name = factor.getName().str();
      bool isUnique = !name.empty() && named[name] == 1;
      if (isUnique)
        factors.push_back({name, factor.getSize()});
      else if (number == 0)
        factors.push_back({std::to_string(index), factor.getSize()});
      if (number == 0 && roles && index < roles.size())
        factors.push_back(
            {mlir::cast<mlir::StringAttr>(roles[index]).getValue().str(),
             factor.getSize()});
    }
  }
  return factors;
}

void ScheduleMaker::readPlaces() {
  Attempt loaded = attempt(model, /*place=*/false, /*cache=*/nullptr, trains);
  auto func = *loaded.compiler->module().getOps<nn::FuncOp>().begin();
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    places.push_back(
        {func.getArgAttrOfType<mlir::StringAttr>(i, "nn.name").str(),
         factorsOf(func.getArgument(i), {})});
  func.walk([&](nn::ParameterOp op) {
    places.push_back(
        {op.getPath().str(),
         factorsOf(op.getResult(),
                   op->getAttrOfType<mlir::ArrayAttr>("nn.dim_names"))});
  });
}

std::string ScheduleMaker::anyAxis() {
  return schedule.mesh[rng.below(schedule.mesh.size())].first;
}

int64_t ScheduleMaker::sizeOf(const std::string &axis) const {
  for (auto &[name, size] : schedule.mesh)
    if (name == axis)
      return size;
  return 1;
}

/// One of the factors, mostly with enough elements for every rank.
const ScheduleMaker::Factor &
ScheduleMaker::fitting(const std::vector<Factor> &factors) {
  const Factor *factor = &rng.oneOf(factors);
  for (int i = 0; i < 3 && factor->size < 4; ++i)
    factor = &rng.oneOf(factors);
  return *factor;
}

/// The line that a wish is for, where the place is there and large enough.
bool ScheduleMaker::shardAsked(const Wish &wish, const std::string &over,
                               int64_t ranks, bool mayCut) {
  auto asked = [&](const Place &place) { return place.path == wish.path; };
  auto place = std::find_if(places.begin(), places.end(), asked);
  if (place == places.end())
    return false;
  for (const Factor &factor : place->factors)
    if (factor.axis == wish.axis && factor.size >= ranks) {
      schedule.lines.push_back("shard " + wish.path + " axis " + wish.axis +
                               " over " + over +
                               (mayCut ? cutOf(factor.size, {over}) : ""));
      places.erase(place);
      return true;
    }
  return false;
}

void ScheduleMaker::grantNested(const Wish &wish) {
  if (schedule.mesh.size() < 2 || rng.chance(0.3))
    return;
  auto [outer, outerSize] = schedule.mesh[0];
  auto [inner, innerSize] = schedule.mesh[1];
  if (!shardAsked(wish, "(" + outer + ", " + inner + ")",
                  outerSize * innerSize))
    return;
  for (const Wish &minor : wish.minor)
    shardAsked(minor, inner, innerSize);
}

/// Each wish on an axis of its own, as far as there are axes.
void ScheduleMaker::grantWishes() {
  std::map<std::string, std::vector<std::string>> taken; // by paths of domains
  for (const Wish &wish : wishes)
    if (wish.isDomain)
      taken[wish.path] = splitDomain(wish);
  rng.shuffle(wishes);
  for (const Wish &wish : wishes) {
    if (!wish.minor.empty()) {
      grantNested(wish);
      continue;
    }
    auto asked = [&](const Place &place) { return place.path == wish.path; };
    if (std::none_of(places.begin(), places.end(), asked) || rng.chance(0.3))
      continue;
    const std::string axis = anyAxis();
    auto known = taken.find(wish.path);
    if (known == taken.end() || !llvm::is_contained(known->second, axis))
      shardAsked(wish, axis, sizeOf(axis), /*mayCut=*/true);
  }
  for (auto &[path, axes] : taken)
    if (!axes.empty())
      places.erase(std::remove_if(places.begin(), places.end(),
                                  [path = path](const Place &place) {
                                    return place.path == path;
                                  }),
                   places.end());
}

void ScheduleMaker::shardPlaces() {
  double share = rng.oneOf<double>({0.4, 0.6, 0.9});
  for (const Place &place : places) {
    if (place.factors.empty() || !rng.chance(share))
      continue;
    std::vector<std::string> free;
    for (auto &[axis, size] : schedule.mesh)
      if (rng.chance(0.7))
        free.push_back(axis);
    rng.shuffle(free);
    std::string line = "shard " + place.path + " axis ";
    const Factor &factor = fitting(place.factors);
    auto fits = [&](int64_t ranks) {
      return factor.size >= ranks || rng.chance(0.2);
    };
    if (free.size() >= 2 && rng.chance(0.3) &&
        fits(sizeOf(free[0]) * sizeOf(free[1]))) {
      schedule.lines.push_back(line + factor.axis + " over (" + free[0] + ", " +
                               free[1] + ")" +
                               cutOf(factor.size, {free[0], free[1]}));
    } else if (!free.empty() && fits(sizeOf(free[0]))) {
      schedule.lines.push_back(line + factor.axis + " over " + free[0] +
                               cutOf(factor.size, {free[0]}));
      const Factor &other = fitting(place.factors);
      if (free.size() >= 2 && other.axis != factor.axis &&
          other.size != factor.size && other.size >= sizeOf(free[1]))
        schedule.lines.push_back(line + other.axis + " over " + free[1] +
                                 cutOf(other.size, {free[1]}));
    }
  }
}

void ScheduleMaker::shardSome() {
  std::vector<Place> all = places;
  grantWishes();
  shardPlaces();
  places = std::move(all);
  takeLines();
}

/// Places what is drawn, without the lines that do not fit.
void ScheduleMaker::takeLines() {
  placed = place(model + schedule.text());
  if (placed.isPlaced)
    return;
  // A line of these is wrong by itself (two names of one factor): one by one.
  std::vector<std::string> wanted;
  std::swap(wanted, schedule.lines);
  placed = place(model + schedule.text());
  for (const std::string &line : wanted)
    tryLine(line);
  if (!placed.isPlaced)
    placed = place(model + schedule.text());
}

static nn::FuncOp functionOf(Attempt &placed) {
  return *placed.compiler->module().getOps<nn::FuncOp>().begin();
}

int64_t ScheduleMaker::collectives() {
  int64_t count = 0;
  for (auto &[kind, times] :
       placement::countCollectives(functionOf(placed), ""))
    count += times;
  return count;
}

/// What `schedule`, which is placed, costs. Axes of size 1 count syncs too that
/// do nothing.
void ScheduleMaker::expectSome() {
  for (auto &[axis, size] : schedule.mesh)
    if (size == 1)
      return;
  std::string counts;
  for (auto &[kind, times] :
       placement::countCollectives(functionOf(placed), ""))
    if (times)
      counts +=
          (counts.empty() ? " " : ", ") + kind + ": " + std::to_string(times);
  schedule.lines.push_back("expect forward == {" + counts + " }");
  if (rng.chance(0.5))
    schedule.lines.push_back("expect memory < 1 GiB");
  // A forward that moves nothing may have a backward that does.
  if (rng.chance(0.5) && !(counts.empty() && trains))
    schedule.lines.push_back(counts.empty() ? "expect bytes == 0 B"
                                            : "expect bytes > 0 B");
}

/// A sync that fits what some value holds.
std::string ScheduleMaker::syncLine() {
  std::vector<nn::ValueOp> values;
  nn::FuncOp func = functionOf(placed);
  bool wantsMoved = rng.chance(0.7);
  func.walk([&](nn::ValueOp op) {
    nn::LayoutAttr layout = nn::layoutOf(op.getResult());
    if (layout.getDims().size() && (!wantsMoved || layout.getSplits().size() ||
                                    layout.getPartials().size()))
      values.push_back(op);
  });
  if (values.empty())
    return "";
  nn::ValueOp op = values[rng.below(values.size())];
  nn::LayoutAttr layout = nn::layoutOf(op.getResult());
  std::vector<Factor> factors = factorsOf(op.getResult(), {});
  std::string axis = anyAxis();
  bool isArgument = op.getRole() == nn::ValueRole::Argument;
  std::string line =
      "sync " + op.getPath().str() + (isArgument ? " fwd_pre " : " fwd_post ");
  const Factor &target = fitting(factors);
  std::string to = target.axis, cut = cutOf(target.size, {axis});
  std::string over = " over " + axis;
  if (nn::PartialAttr partial = layout.partialOver(axis)) {
    std::string reduction =
        nn::stringifyReduction(partial.getReduction()).str();
    std::string said = rng.chance(0.3) ? " op " + reduction : "";
    return rng.chance(0.5)
               ? line + "all_reduce" + over + said
               : line + "reduce_scatter axis " + to + over + cut + said;
  }
  if (nn::SplitAttr split = layout.splitOver(axis)) {
    nn::FactorAttr factor =
        layout.getDims()[split.getDim()].getFactors()[split.getFactor()];
    std::string from = factor.getName().empty() ? std::to_string(split.getDim())
                                                : factor.getName().str();
    auto nested = layout.splitsOf(split.getDim(), split.getFactor());
    if (nested.size() > 1 && rng.chance(0.5)) {
      over = " over (";
      for (nn::SplitAttr each : nested)
        over += (each == nested.front() ? "" : ", ") + each.getAxis().str();
      over += ")";
    }
    if (nested.size() == 1 && rng.chance(0.25))
      return line + "repartition axis " + from + over +
             cutOf(factor.getSize(), {axis});
    if (rng.chance(0.5))
      return line + "all_gather axis " + from + over;
    return line + "all_to_all axis " + from + " to " + to + over +
           (nested.size() > 1 ? "" : cut);
  }
  return rng.chance(0.8) ? line + "slice axis " + to + over + cut
                         : line + "broadcast" + over;
}

void ScheduleMaker::syncSome() {
  int64_t wanted = rng.between(0, 5);
  bool wantsSeveral = rng.chance(0.75);
  for (int64_t i = 0; i < wanted || (wantsSeveral && i < 12); ++i) {
    if (i >= wanted && collectives() >= 2)
      break;
    std::string line = syncLine();
    if (!line.empty())
      tryLine(line);
  }
  if (rng.chance(0.15) && places.size())
    tryLine("replicate " + rng.oneOf(places).path + " over " + anyAxis());
  if (rng.chance(0.15)) {
    std::vector<std::string> paths;
    placed.compiler->module().walk([&](nn::ValueOp op) {
      if (op.getRole() != nn::ValueRole::Argument)
        paths.push_back(op.getPath().str());
    });
    for (int i = 0; i < 3 && paths.size() > 1; ++i) {
      size_t from = rng.below(paths.size() - 1);
      if (tryLine("defer " + paths[from] + " until " + paths[from + 1] +
                  " axis " + std::to_string(rng.below(3)) + " over " +
                  anyAxis()))
        break;
    }
  }
}
