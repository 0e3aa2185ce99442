//===- CollectiveReport.cpp - what a partitioned program communicates -----===//

#include "hocket/Transforms/CollectiveReport.h"
#include "dialects/Nn/Program.h"
#include "dialects/Spmd/Func.h"
#include "dialects/Spmd/Spmd.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;

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
  CollectiveFact fact{int64_t(op.getId()),
                      op.getKind().str(),
                      nn::originOf(op->getLoc()),
                      {},
                      {}};
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
  nn::MeshAttr mesh = nn::meshOf(module);
  if (!mesh)
    return report;
  for (auto func : module.getOps<spmd::FuncOp>()) {
    size_t next = 0;
    func.walk([&](spmd::CollectiveOp op) {
      if (next == report.collectives.size())
        report.collectives.push_back(describe(op, mesh.getRankCount()));
      CollectiveFact &fact = report.collectives[next++];
      int64_t members = spmd::memberCount(mesh, op.getAxes());
      int64_t bytes = elementBytes(op.getSource());
      for (int64_t rank : func.getRanks()) {
        int64_t me = spmd::memberIndex(mesh, op.getAxes(),
                                       spmd::coordinatesOf(mesh, rank));
        fact.receivedBytes[rank] = bytes * op.getReceivedElements(me, members);
      }
    });
  }
  return report;
}
