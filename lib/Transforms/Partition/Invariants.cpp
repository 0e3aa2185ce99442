//===- Invariants.cpp - what has to agree between rank classes ------------===//
//
// A collective that two classes understand differently hangs or corrupts, and
// no single function shows it. So the classes are compared after partitioning,
// always. Groups are worked out once for each distinct list of axes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Program.h"
#include "dialects/Spmd/Func.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Transforms/Partition.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;
using namespace hocket;

namespace {

/// The classes that are in groups of some axes together, and as which members.
struct Groups {
  std::set<std::pair<size_t, size_t>> pairs; // of classes
  std::vector<llvm::BitVector> members;      // by class
};

class ClassChecker {
public:
  ClassChecker(ModuleOp module, nn::MeshAttr mesh)
      : module(module), mesh(mesh) {}
  LogicalResult check();

private:
  LogicalResult collect();
  const Groups &groupsOf(ArrayAttr axes);
  LogicalResult compare(size_t index);
  LogicalResult checkOwnShare(size_t number, spmd::CollectiveOp op);

  ModuleOp module;
  nn::MeshAttr mesh;
  std::vector<spmd::FuncOp> classes;
  std::vector<size_t> classOf;                              // by rank
  std::vector<std::vector<spmd::CollectiveOp>> collectives; // by class
  llvm::DenseMap<Attribute, Groups> groupsByAxes;
};

} // namespace

/// What is started is the next collective, and nothing else is.
static LogicalResult checkStarts(spmd::FuncOp func) {
  spmd::StartOp open;
  auto visit = [&](Operation *op) -> WalkResult {
    if (auto start = dyn_cast<spmd::StartOp>(op)) {
      if (open)
        return start.emitError() << "starts a collective before number "
                                 << open.getId() << " has ended";
      open = start;
    }
    auto collective = dyn_cast<spmd::CollectiveOp>(op);
    // Between views, what starts one gives the value that is waited for.
    if (!collective || !isa<spmd::FuncOp>(op->getParentOp()))
      return WalkResult::advance();
    bool isStarted = op->hasAttr("isStarted");
    if (isStarted != bool(open) ||
        (open && (open.getId() != uint64_t(collective.getId()) ||
                  open.getAxes() != collective.getAxes())))
      return op->emitError()
             << (open ? "comes where collective " +
                            std::to_string(open.getId()) + " should end"
                      : std::string("was not started"));
    open = {};
    return WalkResult::advance();
  };
  if (func.walk(visit).wasInterrupted())
    return failure();
  if (open)
    return open.emitError() << "starts a collective that does not end";
  return success();
}

LogicalResult ClassChecker::collect() {
  constexpr size_t none = -1;
  classOf.assign(mesh.getRankCount(), none);
  for (auto func : module.getOps<spmd::FuncOp>()) {
    for (int64_t rank : func.getRanks()) {
      if (rank >= mesh.getRankCount())
        return func.emitError() << "rank " << rank << " is not one of the "
                                << mesh.getRankCount() << " of the mesh";
      if (classOf[rank] != none)
        return func.emitError() << "rank " << rank << " is in two classes";
      classOf[rank] = classes.size();
    }
    classes.push_back(func);
    std::vector<spmd::CollectiveOp> &found = collectives.emplace_back();
    func.walk([&](spmd::CollectiveOp op) { found.push_back(op); });
    if (failed(checkStarts(func)))
      return failure();
  }
  if (llvm::is_contained(classOf, none))
    return module.emitError()
           << "rank " << llvm::find(classOf, none) - classOf.begin()
           << " is in no class";
  return success();
}

/// In ranks, of a step along the axis, and how many steps there are.
static std::pair<int64_t, int64_t> strideAndSize(nn::MeshAttr mesh,
                                                 StringRef axis) {
  int64_t stride = 1;
  for (nn::MeshAxisAttr inner :
       mesh.getAxes().drop_front(mesh.getIndex(axis) + 1))
    stride *= inner.getSize();
  return {stride, mesh.getSize(axis)};
}

const Groups &ClassChecker::groupsOf(ArrayAttr axes) {
  auto [it, isNew] = groupsByAxes.try_emplace(axes);
  Groups &groups = it->second;
  if (!isNew)
    return groups;
  // A group goes by its rank at coordinate 0 on each of the axes.
  constexpr size_t none = -1;
  std::vector<size_t> first(classOf.size(), none); // class, by that rank
  SmallVector<std::pair<int64_t, int64_t>> along;
  for (StringRef axis : axes.getAsValueRange<StringAttr>())
    along.push_back(strideAndSize(mesh, axis));
  groups.members.resize(classes.size(),
                        llvm::BitVector(spmd::memberCount(mesh, axes)));
  for (size_t rank = 0, e = classOf.size(); rank < e; ++rank) {
    int64_t member = 0, group = rank;
    for (auto [stride, size] : along) {
      int64_t at = int64_t(rank) / stride % size;
      member = member * size + at;
      group -= at * stride;
    }
    groups.members[classOf[rank]].set(member);
    if (first[group] == none)
      first[group] = classOf[rank];
    groups.pairs.insert({first[group], classOf[rank]});
  }
  return groups;
}

/// Everything about a collective but its types, which differ between classes,
/// and where it was written, which decides nothing.
static bool haveSameFacts(spmd::CollectiveOp a, spmd::CollectiveOp b) {
  auto factsOf = [](Operation *op) {
    NamedAttrList facts(op->getAttrDictionary());
    facts.erase(spmd::kOrigins);
    return facts.getDictionary(op->getContext());
  };
  return a->getName() == b->getName() && factsOf(a) == factsOf(b);
}

/// The factors of an operand that a collective cuts or joins.
static SmallVector<std::pair<int64_t, int64_t>> placesOf(spmd::CollectiveOp op,
                                                         size_t operand) {
  SmallVector<std::pair<int64_t, int64_t>> places;
  for (StringRef name : {"cuts", "toCuts"})
    if (auto cuts = op->getAttrOfType<ArrayAttr>(name)) {
      auto cut = cast<spmd::CutAttr>(cuts[operand]);
      places.push_back({cut.getDim(), cut.getFactor()});
    }
  if (auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims"))
    places.push_back({dims[operand], op->getAttrOfType<DenseI64ArrayAttr>(
                                         "factors")[operand]});
  auto add = [&](StringRef dim, StringRef factor) {
    if (auto value = op->getAttrOfType<IntegerAttr>(dim))
      places.push_back(
          {value.getInt(), op->getAttrOfType<IntegerAttr>(factor).getInt()});
  };
  add("dim", "factor");
  add("toDim", "toFactor");
  return places;
}

/// Whether what two members bring has elements of one type, and equal sizes
/// except those of the cut factors.
static bool haveSameShape(Value a, Value b,
                          ArrayRef<std::pair<int64_t, int64_t>> places) {
  if (getElementTypeOrSelf(a) != getElementTypeOrSelf(b))
    return false;
  nn::LayoutAttr x = nn::layoutOf(a);
  nn::LayoutAttr y = nn::layoutOf(b);
  if (x.getDims().size() != y.getDims().size())
    return false;
  for (int64_t d = 0, rank = x.getDims().size(); d < rank; ++d) {
    ArrayRef<nn::FactorAttr> s = x.getDims()[d].getFactors();
    ArrayRef<nn::FactorAttr> t = y.getDims()[d].getFactors();
    if (s.size() != t.size())
      return false;
    for (int64_t f = 0, e = s.size(); f < e; ++f)
      if (s[f].getSize() != t[f].getSize() &&
          !llvm::is_contained(places, std::pair(d, f)))
        return false;
  }
  return true;
}

static bool haveSameShapes(spmd::CollectiveOp a, spmd::CollectiveOp b) {
  if (a->getNumOperands() != b->getNumOperands())
    return false;
  for (size_t i = 0; i < a->getNumOperands(); ++i)
    if (!haveSameShape(a->getOperand(i), b->getOperand(i), placesOf(a, i)))
      return false;
  return true;
}

/// What the class has of a cut factor is what the tables give its members.
LogicalResult ClassChecker::checkOwnShare(size_t number,
                                          spmd::CollectiveOp op) {
  const Groups &groups = groupsOf(op.getAxes());
  auto check = [&](int64_t dim, int64_t factor, spmd::TableAttr sizes,
                   Value part) -> LogicalResult {
    int64_t own =
        nn::layoutOf(part).getDims()[dim].getFactors()[factor].getSize();
    for (unsigned member : groups.members[number].set_bits()) {
      int64_t stated = sizes.getValues()[sizes.isConstant() ? 0 : member];
      if (stated != own)
        return op->emitError() << "member " << member << " has " << own
                               << " of the factor, its table says " << stated;
    }
    return success();
  };
  auto checkAll = [&](ArrayAttr cuts, ValueRange parts) -> LogicalResult {
    for (auto [cut, part] : llvm::zip(cuts.getAsRange<spmd::CutAttr>(), parts))
      if (failed(check(cut.getDim(), cut.getFactor(), cut.getSize(), part)))
        return failure();
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](spmd::ReduceScatterOp op) {
        return check(op.getDim(), op.getFactor(), op.getSizes(),
                     op.getResult());
      })
      .Case([&](spmd::AllGatherOp op) {
        return check(op.getDim(), op.getFactor(), op.getSizes(), op.getX());
      })
      .Case([&](spmd::AllToAllOp op) {
        return failure(failed(check(op.getDim(), op.getFactor(), op.getSizes(),
                                    op.getX())) ||
                       failed(check(op.getToDim(), op.getToFactor(),
                                    op.getToSizes(), op.getResult())));
      })
      .Case<spmd::HaloExchangeOp, spmd::HaloReduceOp>([&](auto op) {
        bool attaches = isa<spmd::HaloExchangeOp>(op.getOperation());
        for (auto [x, result, dim, factor] : llvm::zip(
                 op.getXs(), op.getResults(), op.getDims(), op.getFactors()))
          if (failed(check(dim, factor, op.getSizes(),
                           attaches ? x : Value(result))) ||
              failed(check(dim, factor, op.getHeldSizes(),
                           attaches ? Value(result) : x)))
            return failure();
        return success();
      })
      .Case([&](spmd::ReduceScatterManyOp op) {
        return checkAll(op.getCuts(), op.getResults());
      })
      .Case([&](spmd::AllGatherManyOp op) {
        return checkAll(op.getCuts(), op.getXs());
      })
      .Case([&](spmd::AllToAllManyOp op) {
        return failure(failed(checkAll(op.getCuts(), op.getXs())) ||
                       failed(checkAll(op.getToCuts(), op.getResults())));
      })
      .Default(success());
}

LogicalResult ClassChecker::compare(size_t index) {
  // An edited dump may have left some out, so numbers only rise.
  spmd::CollectiveOp first = collectives[0][index];
  if (index > 0 && first.getId() <= collectives[0][index - 1].getId())
    return first->emitError()
           << "has id " << first.getId() << " behind id "
           << collectives[0][index - 1].getId() << ", expected a larger one";
  for (size_t number = 0; number < classes.size(); ++number) {
    spmd::CollectiveOp op = collectives[number][index];
    if (op.getId() != first.getId() || op->getName() != first->getName() ||
        op.getAxes() != first.getAxes())
      return op->emitError()
             << "is collective " << index << " of @"
             << classes[number].getName() << ", expected " << first.getKind()
             << " over " << first.getAxes() << " with id " << first.getId()
             << " as in @" << classes[0].getName();
    if (failed(checkOwnShare(number, op)))
      return failure();
  }
  for (auto [a, b] : groupsOf(first.getAxes()).pairs)
    if (!haveSameFacts(collectives[a][index], collectives[b][index]) ||
        !haveSameShapes(collectives[a][index], collectives[b][index]))
      return collectives[b][index]->emitError()
             << "does not fit collective " << index << " of @"
             << classes[a].getName() << ", which it meets over "
             << first.getAxes();
  return success();
}

LogicalResult ClassChecker::check() {
  if (failed(collect()))
    return failure();
  for (size_t number = 1; number < classes.size(); ++number)
    if (collectives[number].size() != collectives[0].size())
      return classes[number].emitError()
             << "has " << collectives[number].size() << " collectives, @"
             << classes[0].getName() << " has " << collectives[0].size();
  for (size_t index = 0; index < collectives[0].size(); ++index)
    if (failed(compare(index)))
      return failure();
  return success();
}

LogicalResult hocket::checkClasses(ModuleOp module) {
  nn::MeshAttr mesh = nn::meshOf(module);
  if (!mesh)
    return module.emitError() << "a module of placed functions has an "
                                 "nn.placement";
  return ClassChecker(module, mesh).check();
}
