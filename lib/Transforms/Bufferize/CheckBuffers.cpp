//===- CheckBuffers.cpp - what concerns whole functions on buffers --------===//
//
// A dump may have been edited. What its operations cannot tell by themselves is
// told here: where a view lies on each rank, and what has been written,
// released or waited for when an operation runs.
//
//===----------------------------------------------------------------------===//

#include "Middles.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/ClassRanks.h"
#include "dialects/Spmd/ClassRows.h"
#include "hocket/Transforms/Bufferize.h"
#include "hocket/Views/Strided.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::buffers;
using views::Strided;

namespace {

/// What tables say at the ranks of a function.
struct ClassTables {
  nn::MeshAttr mesh;
  DenseI64ArrayAttr ranks;

  /// Calls `check` with a rank and the tables' values there, once for each
  /// coordinate along the axes of the tables.
  LogicalResult
  forEach(ArrayRef<spmd::TableAttr> tables,
          function_ref<LogicalResult(int64_t, ArrayRef<int64_t>)> check) const {
    spmd::ClassRows::Rows rows = spmd::rowsAt(mesh, ranks, tables);
    size_t length = tables.size() + 1;
    for (size_t row = 0; row < rows->size(); row += length)
      if (failed(check((*rows)[row],
                       ArrayRef(*rows).slice(row + 1, tables.size()))))
        return failure();
    return success();
  }
};

/// What has happened to a buffer so far.
struct Past {
  bool isWritten = false, isReleased = false, isReturned = false;
};

class FunctionChecker {
public:
  explicit FunctionChecker(spmd::FuncOp func)
      : func(func), rows{nn::meshOf(func), func.getRanksAttr()} {}

  LogicalResult check();

private:
  LogicalResult checkOp(Operation &op);
  LogicalResult checkView(ViewOp op);
  LogicalResult checkState(StateOp op);
  LogicalResult checkInPlace(ComputeOp op);
  LogicalResult checkRelease(ReleaseOp op);
  LogicalResult read(Operation &op, Value place);
  LogicalResult write(Operation &op, Value place);
  LogicalResult touch(Operation &op, Value buffer);
  LogicalResult checkReturn(nn::ReturnOp op);
  LogicalResult checkEnds(bool wantsStep, Operation &at);

  spmd::FuncOp func;
  ClassTables rows;
  bool isLoaded = false;
  llvm::MapVector<Value, Past> pasts;
  llvm::DenseSet<Value> ofStep; // buffers of the arena that a step lends
};

} // namespace

LogicalResult FunctionChecker::check() {
  Block &body = func.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto input = dyn_cast<InputType>(argument.getType());
    if (!input)
      return func.emitError("argument ") << number << " is no !buffers.input";
    auto box = func.getArgAttrOfType<spmd::BoxAttr>(number, spmd::kCuts);
    if (failed(spmd::verifyFactors(func, "argument " + Twine(number),
                                   input.getSizes(), box)))
      return failure();
    pasts[argument].isWritten = true;
  }
  for (Operation &op : body)
    if (failed(checkOp(op)))
      return failure();
  return success();
}

LogicalResult FunctionChecker::checkOp(Operation &op) {
  if (auto buffer = dyn_cast<buffers::BufferOp>(op)) {
    pasts[buffer] = {};
    if (isLoaded && buffer.getRegion() == buffers::Region::Weights)
      return buffer.emitError("weights are not made in a step");
    if (isLoaded && buffer.getRegion() == buffers::Region::Arena)
      ofStep.insert(buffer);
    return success();
  }
  if (auto state = dyn_cast<StateOp>(op)) {
    pasts[state] = {};
    return checkState(state);
  }
  if (auto view = dyn_cast<ViewOp>(op))
    return checkView(view);
  if (isa<LoadedOp>(op)) {
    if (isLoaded)
      return op.emitError("is loaded twice");
    isLoaded = true;
    return checkEnds(/*wantsStep=*/false, op);
  }
  if (auto release = dyn_cast<ReleaseOp>(op))
    return checkRelease(release);
  if (auto copy = dyn_cast<CopyOp>(op))
    return failure(failed(read(op, copy.getSource())) ||
                   failed(write(op, copy.getTarget())));
  if (auto fill = dyn_cast<FillOp>(op))
    return write(op, fill.getTarget());
  if (auto pack = dyn_cast<PackOp>(op)) {
    if (isLoaded)
      return op.emitError("weights are not packed in a step");
    return read(op, pack.getWeight());
  }
  if (auto wait = dyn_cast<WaitOp>(op)) {
    for (Value place : wait.getStarted().getDefiningOp()->getOperands())
      if (failed(touch(op, bufferOf(place))))
        return failure();
    return success();
  }
  if (auto result = dyn_cast<nn::ReturnOp>(op))
    return checkReturn(result);
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return op.emitError("'") << op.getName() << "' does not belong among "
                             << "buffers";
  for (Value in : compute.getIns())
    if (failed(read(op, in)))
      return failure();
  for (Value out : compute.getOuts())
    if (failed(write(op, out)))
      return failure();
  if (compute.getStarted() && !compute.getStarted().hasOneUse())
    return op.emitError("what is started is not waited for once");
  return checkInPlace(compute);
}

//===-- Places ------------------------------------------------------------===//

static SmallVector<spmd::TableAttr> tablesOf(const Strided &at) {
  SmallVector<spmd::TableAttr> tables;
  for (TermAttr term : at.terms)
    tables.push_back(term.getTable());
  return tables;
}

/// Where a view begins where its tables have these values.
static int64_t beginOf(const Strided &at, ArrayRef<int64_t> values) {
  int64_t begin = at.offset;
  for (auto [term, value] : llvm::zip_equal(at.terms, values))
    begin += term.getScale() * value;
  return begin;
}

LogicalResult FunctionChecker::checkView(ViewOp op) {
  Strided at = Strided::of(op);
  if (at.terms.empty() || at.elements() == 0)
    return success();
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip(at.sizes, at.strides))
    extent += (size - 1) * stride;
  int64_t elements = elementsOf(op.getBuffer());
  return rows.forEach(tablesOf(at), [&](int64_t rank,
                                        ArrayRef<int64_t> values) {
    int64_t begin = beginOf(at, values);
    if (begin >= 0 && begin + extent <= elements)
      return success();
    return LogicalResult(op.emitError("is [") << begin << ", " << begin + extent
                                              << ") of a buffer of " << elements
                                              << " elements on rank " << rank);
  });
}

/// As many elements as each rank holds of the whole.
LogicalResult FunctionChecker::checkState(StateOp op) {
  spmd::BoxAttr box = op.getCuts();
  SmallVector<spmd::TableAttr> tables;
  for (spmd::CutAttr cut : box.getCuts())
    tables.push_back(cut.getSize());
  return rows.forEach(tables, [&](int64_t rank, ArrayRef<int64_t> values) {
    Strided held;
    held.sizes = views::factorSizes(box.getLayout());
    for (auto [cut, size] : llvm::zip_equal(box.getCuts(), values))
      held.sizes[views::firstFactor(box.getLayout(), cut.getDim()) +
                 cut.getFactor()] = size;
    if (held.elements() == op.getType().getElements())
      return success();
    return LogicalResult(op.emitError("has ")
                         << op.getType().getElements() << " elements, rank "
                         << rank << " holds " << held.elements());
  });
}

/// Of what a halo has margins around: the middle, in both.
template <class OpTy>
static bool isMiddle(OpTy op, unsigned number, const Strided &held,
                     const Strided &owned, const ClassTables &rows,
                     spmd::FuncOp func) {
  spmd::TableAttr before = bufferization::ownedBehind(op, func);
  if (!before || owned.sizes.size() != held.sizes.size())
    return false;
  size_t factor = views::firstFactor(nn::layoutOf(op.getXs()[number]),
                                     op.getDims()[number]) +
                  op.getFactors()[number];
  Strided middle = held;
  middle.sizes = owned.sizes;
  middle.moveBy(before, held.strides[factor]);
  if (owned.elements() == 0)
    return true;
  SmallVector<spmd::TableAttr> tables = tablesOf(middle);
  llvm::append_range(tables, tablesOf(owned));
  LogicalResult begins =
      rows.forEach(tables, [&](int64_t, ArrayRef<int64_t> values) {
        size_t count = middle.terms.size();
        return success(beginOf(middle, values.take_front(count)) ==
                       beginOf(owned, values.drop_front(count)));
      });
  if (failed(begins))
    return false;
  for (auto [size, a, b] :
       llvm::zip(owned.sizes, owned.strides, middle.strides))
    if (size != 1 && a != b)
      return false;
  return true;
}

LogicalResult FunctionChecker::checkInPlace(ComputeOp op) {
  auto at = [](Value place) {
    return Strided::of(place.getDefiningOp<ViewOp>());
  };
  ArrayRef<int64_t> pairs = op.getInPlace();
  Operation &computed = op.getComputed();
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Value in = op.getIns()[pairs[i]], out = op.getOuts()[pairs[i + 1]];
    bool isGood = pairs[i] == pairs[i + 1];
    if (auto exchange = dyn_cast<spmd::HaloExchangeOp>(computed))
      isGood &= isMiddle(exchange, pairs[i], at(out), at(in), rows, func);
    else if (auto reduce = dyn_cast<spmd::HaloReduceOp>(computed))
      isGood &= isMiddle(reduce, pairs[i], at(in), at(out), rows, func);
    else
      isGood = isa<spmd::KernelOp>(computed) && in == out;
    if (!isGood)
      return op.emitError("result ")
             << pairs[i + 1] << " is not where it is computed in place of "
             << "operand " << pairs[i];
  }
  return success();
}

//===-- Lives -------------------------------------------------------------===//

LogicalResult FunctionChecker::touch(Operation &op, Value buffer) {
  if (!buffer || !pasts[buffer].isReleased)
    return success();
  InFlightDiagnostic error = op.emitError("uses a buffer that was released");
  error.attachNote(buffer.getLoc()) << "this one";
  return error;
}

LogicalResult FunctionChecker::read(Operation &op, Value place) {
  Value buffer = bufferOf(place);
  if (!buffer)
    return success();
  if (failed(touch(op, buffer)))
    return failure();
  if (!pasts[buffer].isWritten &&
      cast<ViewType>(place.getType()).getElements() > 0)
    return op.emitError("reads a buffer that nothing has written");
  return success();
}

LogicalResult FunctionChecker::write(Operation &op, Value place) {
  Value buffer = bufferOf(place);
  if (failed(touch(op, buffer)))
    return failure();
  pasts[buffer].isWritten = true;
  auto made = buffer.getDefiningOp<buffers::BufferOp>();
  if (!made && !buffer.getDefiningOp<StateOp>())
    return op.emitError("writes to an input");
  if (made && made.getRegion() == buffers::Region::Weights && isLoaded)
    return op.emitError("writes to weights in a step");
  return success();
}

LogicalResult FunctionChecker::checkRelease(ReleaseOp op) {
  Value buffer = op.getBuffer();
  auto made = buffer.getDefiningOp<buffers::BufferOp>();
  if (!made || made.getRegion() != buffers::Region::Arena)
    return op.emitError("releases what is not of the arena");
  if (pasts[buffer].isReleased)
    return op.emitError("releases a buffer a second time");
  pasts[buffer].isReleased = true;
  return success();
}

/// What the arena lent is given back where loading, or the step, ends.
LogicalResult FunctionChecker::checkEnds(bool wantsStep, Operation &at) {
  for (auto &[buffer, past] : pasts) {
    auto made = buffer.getDefiningOp<buffers::BufferOp>();
    if (!made || made.getRegion() != buffers::Region::Arena ||
        past.isReleased || ofStep.contains(buffer) != wantsStep)
      continue;
    InFlightDiagnostic error =
        at.emitError("a buffer of the arena is not released before");
    error.attachNote(buffer.getLoc()) << "this one";
    return error;
  }
  return success();
}

LogicalResult FunctionChecker::checkReturn(nn::ReturnOp op) {
  if (!isLoaded)
    return op.emitError("nothing says where loading ends");
  for (Value result : op.getOperands()) {
    Value buffer = isa<ViewType>(result.getType()) ? bufferOf(result) : Value();
    auto made = buffer ? buffer.getDefiningOp<buffers::BufferOp>()
                       : buffers::BufferOp();
    if (!made || made.getRegion() != buffers::Region::Output)
      return op.emitError("a result is not in a buffer for outputs");
    if (!Strided::of(result.getDefiningOp<ViewOp>()).isWhole())
      return op.emitError("a result does not fill its buffer");
    if (pasts[buffer].isReturned)
      return op.emitError("two results are in one buffer");
    pasts[buffer].isReturned = true;
    if (failed(read(*op, result)))
      return failure();
  }
  for (auto &[buffer, past] : pasts)
    if (auto made = buffer.getDefiningOp<buffers::BufferOp>())
      if (made.getRegion() == buffers::Region::Output && !past.isReturned)
        return made.emitError("a buffer for an output is not returned");
  return checkEnds(/*wantsStep=*/true, *op);
}

LogicalResult hocket::checkBuffers(ModuleOp module) {
  for (auto func : module.getOps<spmd::FuncOp>())
    if (failed(FunctionChecker(func).check()))
      return failure();
  return success();
}
