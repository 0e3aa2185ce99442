//===- CollectiveReport.cpp - what a partitioned program communicates -----===//

#include "dialects/Spmd/Spmd.h"
#include "hocket/Plan/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;

//===-- Locations ---------------------------------------------------------===//

static std::string lineOf(FileLineColLoc location) {
  return (location.getFilename().getValue() + ":" + Twine(location.getLine()) +
          ":" + Twine(location.getColumn()))
      .str();
}

/// Outside a name a file position is a schedule line, inside one a model line.
/// What is found first counts.
static void readLocation(Location location, bool isNamed, Origin &origin) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (origin.path.empty())
      origin.path = name.getName().str();
    return readLocation(name.getChildLoc(), /*isNamed=*/true, origin);
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      readLocation(part, isNamed, origin);
    return;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return readLocation(call.getCallee(), isNamed, origin);
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    std::string &line = isNamed ? origin.model : origin.schedule;
    if (line.empty())
      line = lineOf(file);
  }
}

Origin hocket::originOf(Location location) {
  Origin origin;
  readLocation(location, /*isNamed=*/false, origin);
  // A location without any name is a model line.
  if (origin.path.empty() && origin.model.empty())
    std::swap(origin.model, origin.schedule);
  return origin;
}

//===-- The report --------------------------------------------------------===//

std::map<std::string, int64_t>
CollectiveReport::countByKind(StringRef under) const {
  std::map<std::string, int64_t> counts;
  for (const CollectiveFact &fact : collectives) {
    StringRef rest = fact.origin.path;
    bool isUnder = under.empty() || (rest.consume_front(under) &&
                                     (rest.empty() || rest.front() == '.'));
    // One over no axes is work of a rank for itself.
    if (isUnder && !fact.axes.empty())
      ++counts[fact.kind];
  }
  return counts;
}

std::vector<int64_t> CollectiveReport::totalBytes() const {
  std::vector<int64_t> total;
  for (const CollectiveFact &fact : collectives) {
    total.resize(fact.receivedBytes.size());
    for (size_t rank = 0; rank < total.size(); ++rank)
      total[rank] += fact.receivedBytes[rank];
  }
  return total;
}

static CollectiveFact describe(spmd::CollectiveOp op, int64_t ranks) {
  CollectiveFact fact{
      int64_t(op.getId()), op.getKind().str(), originOf(op->getLoc()), {}, {}};
  for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>())
    fact.axes.push_back(axis.str());
  fact.receivedBytes.assign(ranks, 0);
  return fact;
}

/// Bytes of an element as plans store it: a bool takes one.
static int64_t elementBytes(Value value) {
  return (getElementTypeOrSelf(value).getIntOrFloatBitWidth() + 7) / 8;
}

CollectiveReport hocket::reportCollectives(ModuleOp module) {
  CollectiveReport report;
  auto mesh = module->getAttrOfType<nn::MeshAttr>("nn.mesh");
  for (auto func : module.getOps<func::FuncOp>()) {
    auto ranks = func->getAttrOfType<DenseI64ArrayAttr>(spmd::kRanks);
    if (!mesh || !ranks)
      continue;
    size_t next = 0;
    func.walk([&](spmd::CollectiveOp op) {
      if (next == report.collectives.size())
        report.collectives.push_back(describe(op, mesh.getRankCount()));
      CollectiveFact &fact = report.collectives[next++];
      int64_t members = spmd::memberCount(mesh, op.getAxes());
      int64_t bytes = elementBytes(op.getSource());
      for (int64_t rank : ranks.asArrayRef()) {
        int64_t me = spmd::memberIndex(mesh, op.getAxes(),
                                       spmd::coordinatesOf(mesh, rank));
        fact.receivedBytes[rank] = bytes * op.getReceivedElements(me, members);
      }
    });
  }
  return report;
}
