//===- ScheduleText.cpp - lines that fit, one after another ---------------===//

#include "ScheduleText.h"
#include "dialects/Nn/Nn.h"
#include "hocket/Placement/Expect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

using namespace hocket;
using namespace hocket::random;

std::string Schedule::text() const {
  std::string text = "\nschedule s for Net {\n  mesh (";
  for (auto &[axis, size] : mesh)
    text += (axis == mesh.front().first ? "" : ", ") + axis + " = " +
            std::to_string(size);
  text += ")\n";
  for (const std::string &line : lines)
    text += "  " + line + "\n";
  return text + (isAuto ? "  auto reshard\n}\n" : "}\n");
}

Attempt random::attempt(const std::string &text, bool place,
                        codegen::KernelCache *cache) {
  Attempt made;
  made.stream = std::make_unique<llvm::raw_string_ostream>(*made.printed);
  frontend::ElaborateOptions options;
  if (text.find("schedule s for") != std::string::npos)
    options.schedule = "s";
  made.compiler = std::make_unique<Compiler>(*made.stream, cache);
  made.isLoaded = made.compiler->loadText(kFileName, text, options);
  made.isPlaced = place && made.isLoaded && made.compiler->runTo("placed");
  return made;
}

ScheduleMaker::ScheduleMaker(Rng &rng, std::string model)
    : rng(rng), model(std::move(model)) {}

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
  Attempt loaded = attempt(model, /*place=*/false);
  auto func = *loaded.compiler->module().getOps<mlir::func::FuncOp>().begin();
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

/// Some rank has no element of a split value, which partitioning refuses.
static bool leavesRanksEmpty(mlir::ModuleOp placed) {
  auto mesh = placed->getAttrOfType<nn::MeshAttr>("nn.mesh");
  bool found = false;
  auto check = [&](mlir::Type type) {
    nn::LayoutAttr layout = nn::layoutOf(type);
    if (!layout)
      return;
    for (auto [d, dim] : llvm::enumerate(layout.getDims()))
      for (auto [f, factor] : llvm::enumerate(dim.getFactors())) {
        int64_t parts = 1;
        for (nn::SplitAttr split : layout.splitsOf(d, f))
          parts *= mesh.getAxes()[mesh.getIndex(split.getAxis())].getSize();
        found |= parts > factor.getSize() && parts > 1;
      }
  };
  placed.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      check(type);
  });
  return found;
}

/// Keeps the line if the schedule can be compiled with it.
bool ScheduleMaker::tryLine(const std::string &line) {
  schedule.lines.push_back(line);
  Attempt next = attempt(model + schedule.text(), /*place=*/true);
  if (next.isPlaced &&
      (!leavesRanksEmpty(next.compiler->module()) || rng.chance(0.02))) {
    placed = std::move(next);
    return true;
  }
  schedule.lines.pop_back();
  return false;
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

void ScheduleMaker::shardSome() {
  std::vector<std::string> &lines = schedule.lines;
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
    if (free.size() >= 2 && rng.chance(0.3) &&
        factor.size >= sizeOf(free[0]) * sizeOf(free[1])) {
      lines.push_back(line + factor.axis + " over (" + free[0] + ", " +
                      free[1] + ")");
    } else if (!free.empty() &&
               (factor.size >= sizeOf(free[0]) || rng.chance(0.03))) {
      lines.push_back(line + factor.axis + " over " + free[0]);
      const Factor &other = fitting(place.factors);
      if (free.size() >= 2 && other.axis != factor.axis &&
          other.size != factor.size && other.size >= sizeOf(free[1]))
        lines.push_back(line + other.axis + " over " + free[1]);
    }
  }
  placed = attempt(model + schedule.text(), /*place=*/true);
  if (placed.isPlaced && !leavesRanksEmpty(placed.compiler->module()))
    return;
  // A line of these is wrong by itself (two names of one factor): one by one.
  std::vector<std::string> wanted;
  std::swap(wanted, lines);
  placed = attempt(model + schedule.text(), /*place=*/true);
  for (const std::string &line : wanted)
    tryLine(line);
  if (!placed.isPlaced)
    placed = attempt(model + schedule.text(), /*place=*/true);
}

int64_t ScheduleMaker::collectives() {
  return placement::countCollectives(
      *placed.compiler->module().getOps<mlir::func::FuncOp>().begin(), "")[""];
}

/// A sync that fits what some value holds.
std::string ScheduleMaker::syncLine() {
  std::vector<nn::ValueOp> values;
  auto func = *placed.compiler->module().getOps<mlir::func::FuncOp>().begin();
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
  std::string to = fitting(factors).axis;
  std::string over = " over " + axis;
  if (layout.partialOver(axis))
    return line +
           (rng.chance(0.5) ? "all_reduce" : "reduce_scatter axis " + to) +
           over;
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
    return line +
           (rng.chance(0.5) ? "all_gather axis " + from
                            : "all_to_all axis " + from + " to " + to) +
           over;
  }
  return line + (rng.chance(0.8) ? "slice axis " + to : "broadcast") + over;
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

/// Lets norms and softmaxes reduce over split dims.
void ScheduleMaker::licenseSome() {
  std::vector<std::string> paths;
  placed.compiler->module().walk([&](nn::ValueOp op) {
    mlir::Operation *made = op.getX().getDefiningOp();
    if (mlir::isa_and_nonnull<nn::LayerNormOp, nn::RmsNormOp, nn::SoftmaxOp>(
            made))
      paths.push_back(op.getPath().str());
  });
  for (const std::string &path : paths)
    if (rng.chance(0.8))
      for (auto &[axis, size] : schedule.mesh)
        if (size > 1)
          tryLine("statistics " + path + " over " + axis);
  if (!paths.empty() && rng.chance(0.3))
    tryLine("statistics ** over " + anyAxis());
}

/// Writes what `auto reshard` does out.
void ScheduleMaker::resolve() {
  Schedule explicitly = schedule;
  explicitly.isAuto = false;
  for (const placement::InsertedSync &sync :
       placed.compiler->placement().inserted) {
    isUnnamed |= sync.line.empty();
    explicitly.lines.push_back(sync.line);
  }
  if (isUnnamed)
    return;
  Attempt next = attempt(model + explicitly.text(), /*place=*/true);
  if (!next.isPlaced)
    refusedResolution = model + explicitly.text() + "\n" + next.errors();
  else
    schedule = explicitly;
}

Schedule ScheduleMaker::make(Ending ending) {
  static const char *names[] = {"tp", "dp", "cp"};
  int64_t ranks = 1;
  for (int64_t i = 0, count = rng.between(1, 3); i < count; ++i) {
    int64_t size = rng.chance(0.12) ? 1 : rng.between(2, 4);
    if (ranks * size > 8)
      break;
    ranks *= size;
    schedule.mesh.push_back({names[i], size});
  }
  readPlaces();
  shardSome();
  if (rng.chance(0.6))
    licenseSome();
  syncSome();
  if (rng.chance(0.3))
    licenseSome();
  if (ending == Ending::Explicit)
    resolve();
  else if (ending == Ending::Bare)
    schedule.isAuto = false;
  if (ending == Ending::Bare && rng.chance(0.3) && !schedule.lines.empty())
    schedule.lines.erase(schedule.lines.begin() +
                         rng.below(schedule.lines.size()));
  return schedule;
}
