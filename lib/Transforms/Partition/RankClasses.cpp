//===- RankClasses.cpp - which ranks have the same local shapes -----------===//
//
// Work is per distinct split and coordinate: each split that is uneven numbers
// its coordinates by size, and a rank's class is the vector of those numbers.
//
//===----------------------------------------------------------------------===//

#include "RankClasses.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

namespace {

/// Size tables of the uneven splits of a function.
class UnevenSplits {
public:
  explicit UnevenSplits(Shares &shares) : shares(shares) {}

  LogicalResult add(Value value);
  ArrayRef<spmd::TableAttr> getSizes() const { return sizes.getArrayRef(); }

private:
  LogicalResult addFactor(Value value, int64_t dim, int64_t factor);

  Shares &shares;
  llvm::DenseSet<Type> seen;
  llvm::SetVector<spmd::TableAttr> sizes;
};

} // namespace

LogicalResult UnevenSplits::addFactor(Value value, int64_t dim,
                                      int64_t factor) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  AxisList axes = shares.axesOf(layout, dim, factor);
  nn::FactorAttr cut = layout.getDims()[dim].getFactors()[factor];
  spmd::TableAttr table = shares.of(cut.getSize(), axes).size;
  if (llvm::is_contained(table.getValues(), 0)) {
    InFlightDiagnostic diag = emitError(value.getLoc());
    diag << "a factor";
    if (!cut.getName().getValue().empty())
      diag << " '" << cut.getName().getValue() << "'";
    diag << " of " << cut.getSize() << " is split over "
         << table.getValues().size() << " ranks of ";
    llvm::interleave(
        axes, [&](StringAttr axis) { diag << axis.getValue(); },
        [&] { diag << ", "; });
    return diag << ", so some would hold nothing; split it over at most "
                << cut.getSize() << (cut.getSize() == 1 ? " rank" : " ranks");
  }
  if (!table.isConstant())
    sizes.insert(table);
  return success();
}

LogicalResult UnevenSplits::add(Value value) {
  if (!seen.insert(value.getType()).second)
    return success();
  nn::LayoutAttr layout = nn::layoutOf(value);
  if (!layout)
    return emitError(value.getLoc())
           << "expected a tensor with a layout, found " << value.getType();
  llvm::SmallSetVector<std::pair<int64_t, int64_t>, 4> places;
  for (nn::SplitAttr split : layout.getSplits())
    places.insert({split.getDim(), split.getFactor()});
  for (auto [dim, factor] : places)
    if (failed(addFactor(value, dim, factor)))
      return failure();
  return success();
}

FailureOr<std::vector<RankClass>>
partitioning::findRankClasses(func::FuncOp func, Shares &shares) {
  UnevenSplits splits(shares);
  for (BlockArgument argument : func.getArguments())
    if (failed(splits.add(argument)))
      return failure();
  for (Operation &op : func.getBody().front())
    for (Value result : op.getResults())
      if (failed(splits.add(result)))
        return failure();

  nn::MeshAttr mesh = shares.getMesh();
  std::map<SmallVector<int64_t>, size_t> numbers;
  std::vector<RankClass> classes;
  for (int64_t rank = 0, e = mesh.getRankCount(); rank < e; ++rank) {
    SmallVector<int64_t> coordinates = spmd::coordinatesOf(mesh, rank);
    SmallVector<int64_t> key;
    for (spmd::TableAttr sizes : splits.getSizes())
      key.push_back(sizes.at(mesh, coordinates));
    auto [it, isNew] = numbers.try_emplace(std::move(key), classes.size());
    if (isNew)
      classes.push_back({{}, coordinates});
    classes[it->second].ranks.push_back(rank);
  }
  return classes;
}
