//===- AttentionFrom.cpp - margins exchanged before keys and values -------===//
//
// `attention PATH using sequence over AXES from X`: windows of keys and values
// reach what other ranks own. Instead of those two, X is exchanged, once and
// before it becomes them, and each rank makes keys and values of its margins
// too: fewer bytes, and a product of a few more rows. A nn.exchange stands at
// X.
//
//===----------------------------------------------------------------------===//

#include "HeldDemand.h"
#include "Lines.h"
#include "Locations.h"
#include "ReadParts.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Placement/Problems.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {
/// One line, at one attention.
class EarlyExchange {
public:
  EarlyExchange(const Licence &licence, nn::AttentionOp attention,
                StringRef strategy, bool isNeeded, HeldDemand &demand,
                nn::MeshAttr mesh, Problems &problems)
      : licence(licence), attention(attention), strategy(strategy),
        isNeeded(isNeeded), demand(demand), mesh(mesh), problems(problems),
        from(cast<sched::AttentionOp>(licence.directive).getFrom()->str()) {}

  void run();

private:
  bool isNamed(Value value, StringRef root);
  SmallVector<Value> sources(Value of, StringRef root);
  nn::WindowedOp op() { return cast<nn::WindowedOp>(attention.getOperation()); }
  nn::ExchangeOp exchange(Value x, bool isMask = false);
  void state(nn::ExchangeOp made, int64_t dim);
  void exchangeHidden(nn::HeldAttr held);
  Problem &refuse(std::string text);
  void refuseWindows(const std::string &wanted);
  void refuseNested(const std::string &wanted);
  std::string written() const { return "'from " + from + "'"; }

  const Licence &licence;
  nn::AttentionOp attention;
  StringRef strategy;
  bool isNeeded; ///< for an output or a state; else it will be erased
  HeldDemand &demand;
  nn::MeshAttr mesh;
  Problems &problems;
  std::string from;
};
} // namespace

/// What a module of that name is given, or a value of that name.
bool EarlyExchange::isNamed(Value value, StringRef root) {
  if (auto input = dyn_cast<BlockArgument>(value)) {
    auto func = cast<nn::FuncOp>(input.getOwner()->getParentOp());
    auto name = nn::argumentName(func, input.getArgNumber());
    return root.empty() && name && name.getValue() == from;
  }
  auto named = value.getDefiningOp<nn::ValueOp>();
  if (!named || named.getRole() == nn::ValueRole::Result)
    return false;
  StringRef path = named.getPath();
  if (!root.empty() && !(path.consume_front(root) && path.consume_front(".")))
    return false;
  if (!path.consume_front(from))
    return false;
  bool isArgument = named.getRole() == nn::ValueRole::Argument;
  return path.empty() ||
         (isArgument && path.consume_front(".") && !path.contains('.'));
}

/// Those of which a value is made, the last ones on each way.
SmallVector<Value> EarlyExchange::sources(Value of, StringRef root) {
  SmallVector<Value> open{of}, found;
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (isNamed(next, root))
      found.push_back(next);
    else if (Operation *op = next.getDefiningOp())
      llvm::append_range(open, op->getOperands());
  }
  return found;
}

/// What a move is called, or an operation.
static std::string nameOf(Operation *op) {
  if (auto move = dyn_cast<nn::RedistributeOp>(op))
    return stringifyRedistributeKind(move.getKind()).str();
  return op->getName().stripDialect().str();
}

/// Of a value that a line moves, what it is then.
static Value afterSyncs(Value x) {
  while (x.hasOneUse())
    if (auto move = dyn_cast<nn::RedistributeOp>(*x.user_begin()))
      x = move.getResult();
    else
      break;
  return x;
}

/// The exchange of a value; of a mask, one for windows like these.
nn::ExchangeOp EarlyExchange::exchange(Value x, bool isMask) {
  nn::Window window = *attention.getWindows()[2]; // or no line asks for margins
  int64_t before = window.low, after = window.high;
  for (Operation *user : x.getUsers())
    if (auto known = dyn_cast<nn::ExchangeOp>(user);
        known && (!isMask || (int64_t(known.getBefore()) == before &&
                              int64_t(known.getAfter()) == after)))
      return known;
  OpBuilder builder(x.getContext());
  builder.setInsertionPointAfterValue(x);
  return nn::ExchangeOp::create(builder, x.getLoc(), TypeRange(x.getType()), x,
                                /*dim=*/0, before, after, "neighbors",
                                nn::BorderAttr::get(x.getContext(), {}),
                                /*overlap=*/false);
}

/// Of this dim, as the line says.
void EarlyExchange::state(nn::ExchangeOp made, int64_t dim) {
  made.setDim(dim);
  made->setLoc(FusedLoc::get(made.getContext(), {made.getXs().front().getLoc(),
                                                 licence.directive->getLoc()}));
  if (strategy != "neighbors")
    made.setStrategy(strategy);
}

/// Which keys are hidden is no key or value: it is exchanged by itself. So are
/// the documents of keys.
void EarlyExchange::exchangeHidden(nn::HeldAttr held) {
  for (MutableOperandRange mask :
       {attention.getKeepMutable(), attention.getKeyDocumentsMutable()}) {
    if (mask.empty())
      continue;
    nn::ExchangeOp made = exchange(mask[0].get(), /*isMask=*/true);
    state(made, /*dim=*/1);
    mask.assign(made.getMade().front());
    demand.ask(made.getMade().front(), nn::heldAt(held, {true, 1, 0}, false),
               op());
  }
}

Problem &EarlyExchange::refuse(std::string text) {
  return problems.addAt(licence.directive, std::move(text),
                        modelPath(attention));
}

void EarlyExchange::refuseWindows(const std::string &wanted) {
  Operation *other = std::exchange(demand.other, nullptr);
  refuse("not supported yet: " + wanted + ", which has other windows than '" +
         modelPath(other) + "' has of the same")
      .note(modelLine(other->getLoc()), "read by other windows here")
      .note("write one of the two without " + written());
}

void EarlyExchange::refuseNested(const std::string &wanted) {
  refuse("not supported yet: " + wanted +
         ", where another line exchanges what lies between, or what that is "
         "made of")
      .note("name the same value in both, or leave out " + written());
}

void EarlyExchange::run() {
  std::string path = modelPath(attention);
  std::string wanted = written() + " of the attention";
  if (!path.empty())
    wanted += " in '" + path + "'";
  if (attention.getQ() == attention.getK() ||
      attention.getQ() == attention.getV()) {
    refuse("not supported yet: " + wanted +
           ", whose queries are its keys or values themselves")
        .advise("leave out " + written());
    return;
  }
  // Of the model itself, where a line can only name the result.
  bool isOwn = pathOf(attention->getLoc()).empty();
  SmallVector<StringRef> roots; // the nearest first
  for (const std::string &root : licence.paths)
    if (isAtOrUnder(path, root))
      roots.push_back(root);
  llvm::stable_sort(
      roots, [](StringRef a, StringRef b) { return a.size() > b.size(); });
  llvm::SmallSetVector<Value, 2> found;
  std::string lacking;
  for (auto [made, name] : {std::pair(attention.getK(), "keys"),
                            std::pair(attention.getV(), "values")}) {
    size_t before = found.size();
    SmallVector<Value> list;
    for (StringRef root : roots)
      if (list.empty())
        list = sources(made, isOwn ? StringRef() : root);
    found.insert_range(list);
    if (list.empty() && found.size() == before)
      lacking += (lacking.empty() ? "" : " and ") + std::string(name);
  }
  if (!lacking.empty() || found.size() != 1) {
    refuse(wanted + " names " +
           (!lacking.empty()
                ? "nothing that " + lacking + " are made of"
                : std::to_string(found.size()) +
                      " values that keys and values are made of, expected one"))
        .note("name a module that is given, or a value that is, what both are "
              "made of; or leave out " +
              written() + ", which exchanges both");
    return;
  }
  if (!isNeeded) // what it reads and an output is comes without margins then
    return;
  Value x = afterSyncs(found.front());
  if (demand.find(x)) {
    refuseNested(wanted);
    return;
  }
  nn::ExchangeOp made = exchange(x);
  Value exchanged = made.getMade().front();
  x.replaceAllUsesExcept(exchanged, made);
  nn::HeldAttr held =
      nn::heldOf(made.getContext(), {true, 2, 0},
                 readParts({attention}, /*number=*/2, mesh).front());
  for (Value value : {attention.getK(), attention.getV()})
    if (!demand.ask(value, held, op())) {
      if (demand.other) {
        refuseWindows(wanted);
        return;
      }
      Operation *at = demand.blocked;
      refuse(wanted + ": keys and values are not made of it position by "
                      "position")
          .note(modelLine(at ? at->getLoc() : attention->getLoc()),
                at ? "not by this " + nameOf(at)
                   : "they are made of an input too")
          .note("name what is made after that, or leave out " + written());
      return;
    }
  nn::HeldAttr margins = demand.find(exchanged);
  if (!margins) {
    refuseNested(wanted);
    return;
  }
  int64_t dim = margins.getDim();
  if (nn::layoutOf(exchanged).getDims()[dim].getFactors().size() != 1) {
    refuse("not supported yet: " + wanted +
           ", where its positions are a dim of several factors")
        .note("name what is made after that, or leave out " + written());
    return;
  }
  state(made, dim);
  exchangeHidden(held);
}

/// What outputs and states are made of.
static llvm::DenseSet<Operation *> neededOps(nn::FuncOp func) {
  llvm::DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(func.getBody().front()))
    if (isa<nn::ReturnOp, nn::AssignOp>(op) || needed.contains(&op))
      for (Value operand : op.getOperands())
        if (Operation *maker = operand.getDefiningOp())
          needed.insert(maker);
  return needed;
}

void placement::exchangeFrom(nn::FuncOp func, ArrayRef<Licence> halos,
                             const AskedHalos &asked, nn::MeshAttr mesh,
                             HeldDemand &demand, Problems &problems) {
  llvm::DenseSet<Operation *> needed = neededOps(func);
  for (const Licence &licence : halos) {
    auto line = dyn_cast<sched::AttentionOp>(licence.directive);
    if (!line || !line.getFrom())
      continue;
    auto isAsked = [&](const AskedHalo &halo) {
      return halo.line == LocationAttr(line.getLoc());
    };
    SmallVector<nn::WindowedOp> ops;
    func.walk([&](nn::WindowedOp op) {
      if (licence.covers(modelPath(op)) && asked.contains(op) &&
          llvm::any_of(asked.at(op), isAsked))
        ops.push_back(op);
    });
    for (nn::WindowedOp op : ops) {
      if (auto attention = dyn_cast<nn::AttentionOp>(op.getOperation())) {
        EarlyExchange(licence, attention, asked.at(op)[2].strategy,
                      needed.contains(op), demand, mesh, problems)
            .run();
        continue;
      }
      problems
          .addAt(line,
                 "not supported yet: from at a neighborhood attention, '" +
                     modelPath(op) + "'",
                 modelPath(op))
          .advise("leave out 'from " + line.getFrom()->str() + "'");
    }
  }
}
