//===- ClassRanks.cpp - what tables say at the ranks of a class -----------===//

#include "dialects/Spmd/ClassRanks.h"
#include "dialects/Nn/Program.h"
#include "dialects/Spmd/ClassRows.h"
#include "dialects/Spmd/Func.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

LogicalResult spmd::verifyTable(Operation *op, TableAttr table) {
  nn::MeshAttr mesh = nn::meshOf(op);
  if (!mesh)
    return success();
  int64_t members = 1;
  for (StringAttr axis : table.getAxes()) {
    if (mesh.getIndex(axis.getValue()) < 0)
      return op->emitOpError()
             << "names axis " << axis << ", which " << mesh << " has not";
    members *= mesh.getSize(axis.getValue());
  }
  if (int64_t(table.getValues().size()) == members)
    return success();
  return op->emitOpError() << "needs " << members
                           << " values, one for each coordinate, found "
                           << table;
}

static DenseI64ArrayAttr ranksOf(Operation *op) {
  auto func = dyn_cast<FuncOp>(op);
  if (!func)
    func = op->getParentOfType<FuncOp>();
  return func ? func.getRanksAttr() : nullptr;
}

/// A check that depends on the class and on `of` only: for all operations that
/// have these, and after every pass, it is made once.
static LogicalResult once(Operation *op, StringRef what, ArrayRef<Attribute> of,
                          function_ref<LogicalResult()> check) {
  nn::MeshAttr mesh = nn::meshOf(op);
  DenseI64ArrayAttr ranks = ranksOf(op);
  if (!mesh || !ranks)
    return check();
  ClassRows::Key key = {mesh, ranks, StringAttr::get(op->getContext(), what)};
  key.insert(key.end(), of.begin(), of.end());
  return classRows(op->getContext()).once(key, check);
}

LogicalResult
spmd::forEachRank(Operation *op, ArrayRef<TableAttr> tables,
                  function_ref<LogicalResult(ArrayRef<int64_t>)> check) {
  SmallVector<int64_t> values;
  for (TableAttr table : tables) {
    if (failed(verifyTable(op, table)))
      return failure();
    values.push_back(table.getValues().front());
  }
  if (llvm::all_of(tables, [](TableAttr table) { return table.isConstant(); }))
    return check(values);
  nn::MeshAttr mesh = nn::meshOf(op);
  DenseI64ArrayAttr ranks = ranksOf(op);
  if (!mesh || !ranks)
    return success();
  if (ClassRows::Rows outside = ranksOutside(mesh, ranks); !outside->empty())
    return op->emitOpError() << "is of rank " << outside->front() << ", of "
                             << mesh.getRankCount();
  ClassRows::Rows rows = rowsAt(mesh, ranks, tables);
  size_t length = tables.size() + 1;
  for (size_t row = 0; row < rows->size(); row += length)
    if (failed(check(ArrayRef(*rows).slice(row + 1, tables.size()))))
      return failure();
  return success();
}

LogicalResult spmd::verifyRuns(Operation *op, StringRef what,
                               PositionsAttr positions, int64_t size) {
  RunsAttr runs = positions.getRuns();
  if (!runs)
    return success();
  return forEachRank(op,
                     {positions.getBegin(), runs.getBegin(), runs.getFirst(),
                      runs.getLength(), runs.getEvery()},
                     [&](ArrayRef<int64_t> at) -> LogicalResult {
                       auto place = [&](int64_t number) {
                         int64_t i = at[0] - at[1] + number;
                         return at[2] + i / at[3] * at[4] + i % at[3];
                       };
                       int64_t last = place(std::max<int64_t>(size - 1, 0));
                       if (size == 0 ||
                           (at[0] >= at[1] && at[2] >= 0 && place(0) <= last &&
                            last < positions.getExtent()))
                         return success();
                       return op->emitOpError()
                              << "has " << what << " in runs from " << place(0)
                              << " to " << last << ", which do not rise in [0, "
                              << positions.getExtent() << ")";
                     });
}

LogicalResult spmd::verifyOneRun(Operation *op, StringRef what,
                                 PositionsAttr positions) {
  if (!positions.getRuns())
    return success();
  return op->emitOpError() << "has " << what << " in several runs";
}

LogicalResult spmd::verifyPart(Operation *op, StringRef what,
                               PositionsAttr positions, int64_t size) {
  ClassRows::Rows known = ascending(positions.getBegin());
  ArrayRef<int64_t> begins = *known;
  int64_t extent = positions.getExtent();
  if (begins.front() != 0 || begins.back() > extent)
    return op->emitOpError() << "has " << what << " of [0, " << extent
                             << ") that begin at " << positions.getBegin();
  return forEachRank(
      op, positions.getBegin(), [&](ArrayRef<int64_t> values) -> LogicalResult {
        int64_t begin = values.front();
        auto next = llvm::upper_bound(begins, begin);
        int64_t end = next == begins.end() ? extent : *next;
        if (size == 0 || begin + size == end)
          return success();
        return op->emitOpError() << "has " << size << " " << what << " from "
                                 << begin << " on, where the next part begins "
                                 << "at " << end;
      });
}

LogicalResult spmd::verifyInside(Operation *op, StringRef what,
                                 PositionsAttr positions, int64_t size) {
  return forEachRank(
      op, positions.getBegin(), [&](ArrayRef<int64_t> values) -> LogicalResult {
        int64_t begin = values.front();
        if (size == 0 || (begin >= 0 && begin + size <= positions.getExtent()))
          return success();
        return op->emitOpError()
               << "has " << what << " [" << begin << ", " << begin + size
               << "), which are not within [0, " << positions.getExtent()
               << ")";
      });
}

//===-- Boxes -------------------------------------------------------------===//

static CutAttr cutOf(BoxAttr box, int64_t dim, int64_t factor) {
  for (CutAttr cut : box.getCuts())
    if (cut.getDim() == dim && cut.getFactor() == factor)
      return cut;
  return {};
}

/// The cut has as much, and all of that lies in the factor.
static LogicalResult verifyCutHolds(Operation *op, CutAttr cut, int64_t whole,
                                    int64_t part) {
  return forEachRank(op, {cut.getOffset(), cut.getSize()},
                     [&](ArrayRef<int64_t> values) -> LogicalResult {
                       if (values[1] != part)
                         return op->emitOpError()
                                << "has " << part << " of factor "
                                << cut.getDim() << "." << cut.getFactor()
                                << ", of which its box has " << values[1];
                       if (values[0] < 0 || values[0] + part > whole)
                         return op->emitOpError()
                                << "has [" << values[0] << ", "
                                << values[0] + part << ") of factor "
                                << cut.getDim() << "." << cut.getFactor()
                                << ", which is not within [0, " << whole << ")";
                       return success();
                     });
}

/// The first `dims` dims of both.
static LogicalResult verifyDims(Operation *op, Type type, BoxAttr box,
                                size_t dims) {
  auto layout = nn::layoutOf(type);
  ArrayRef<nn::DimAttr> wholes = box.getLayout().getDims();
  bool fits = layout.getDims().size() >= dims && wholes.size() >= dims;
  for (size_t d = 0; fits && d < dims; ++d)
    fits = layout.getDims()[d].getFactors().size() ==
           wholes[d].getFactors().size();
  if (!fits)
    return op->emitOpError()
           << "has not the factors of its box: " << type << " and " << box;
  for (size_t d = 0; d < dims; ++d)
    for (auto [f, part] : llvm::enumerate(layout.getDims()[d].getFactors())) {
      int64_t whole = wholes[d].getFactors()[f].getSize();
      if (CutAttr cut = cutOf(box, d, f)) {
        if (failed(verifyCutHolds(op, cut, whole, part.getSize())))
          return failure();
      } else if (part.getSize() != whole) {
        return op->emitOpError()
               << "has " << part.getSize() << " of factor " << d << "." << f
               << ", of which its box has all " << whole;
      }
    }
  return success();
}

LogicalResult spmd::verifyHolds(Operation *op, Type type, BoxAttr box) {
  size_t rank = nn::layoutOf(type).getDims().size();
  if (rank != box.getLayout().getDims().size())
    return op->emitOpError()
           << "has not the factors of its box: " << type << " and " << box;
  return once(op, "holds", {TypeAttr::get(type), box},
              [&] { return verifyDims(op, type, box, rank); });
}

/// So much that no memory has it, if it is more than a number can say.
static int64_t product(int64_t a, int64_t b) {
  int64_t all = 0;
  return llvm::MulOverflow(a, b, all) ? std::numeric_limits<int64_t>::max()
                                      : all;
}

LogicalResult spmd::verifyElements(Operation *op, int64_t elements,
                                   BoxAttr box) {
  int64_t whole = 1;
  SmallVector<TableAttr> sizes;
  for (auto [d, dim] : llvm::enumerate(box.getLayout().getDims()))
    for (auto [f, factor] : llvm::enumerate(dim.getFactors()))
      if (CutAttr cut = cutOf(box, d, f))
        sizes.push_back(cut.getSize());
      else
        whole = product(whole, factor.getSize());
  return forEachRank(op, sizes, [&](ArrayRef<int64_t> parts) -> LogicalResult {
    int64_t has = whole;
    for (int64_t part : parts)
      has = product(has, part);
    if (has == elements)
      return success();
    return op->emitOpError()
           << "has " << elements << " elements, of which its box has " << has;
  });
}

LogicalResult spmd::verifyFactors(Operation *op, const Twine &what,
                                  ArrayRef<int64_t> sizes, BoxAttr box) {
  SmallVector<int64_t> has;
  SmallVector<TableAttr> tables;
  SmallVector<size_t> cut; // which of `has` the tables are
  for (auto [d, dim] : llvm::enumerate(box.getLayout().getDims()))
    for (auto [f, factor] : llvm::enumerate(dim.getFactors())) {
      if (CutAttr part = cutOf(box, d, f)) {
        tables.push_back(part.getSize());
        cut.push_back(has.size());
      }
      has.push_back(factor.getSize());
    }
  return forEachRank(op, tables, [&](ArrayRef<int64_t> parts) -> LogicalResult {
    for (auto [at, part] : llvm::zip(cut, parts))
      has[at] = part;
    if (ArrayRef(has) == sizes)
      return success();
    return op->emitOpError() << "has " << what << " of sizes [" << sizes
                             << "], of which its box has [" << has << "]";
  });
}

LogicalResult spmd::verifyFilled(Operation *op, BoxAttr box) {
  for (CutAttr cut : box.getCuts()) {
    if (failed(verifyTable(op, cut.getOffset())) ||
        failed(verifyTable(op, cut.getSize())))
      return failure();
    TableAttr sizes = cut.getSize(), offsets = cut.getOffset();
    if (!sizes.isConstant() && !offsets.isConstant() &&
        sizes.getAxes() != offsets.getAxes())
      return op->emitOpError() << "offset and size of a cut are over other "
                                  "axes: "
                               << offsets << " and " << sizes;
    if (RunsAttr runs = cut.getRuns())
      for (TableAttr table : {runs.getBegin(), runs.getFirst(),
                              runs.getLength(), runs.getEvery()})
        if (failed(verifyTable(op, table)))
          return failure();
    ClassRows::Rows ends = shareEnds(offsets, sizes);
    if (ends->size() > 1)
      return op->emitOpError()
             << "expects shares one after another, one begins at "
             << ends->back() << " instead of " << ends->front();
    int64_t whole = box.getLayout()
                        .getDims()[cut.getDim()]
                        .getFactors()[cut.getFactor()]
                        .getSize();
    if (ends->front() != whole)
      return op->emitOpError()
             << "shares add up to " << ends->front() << " of " << whole;
  }
  return success();
}

//===-- Random words ------------------------------------------------------===//

static LogicalResult judgeDraws(Operation *op, DrawsAttr draws, Type x,
                                size_t dims, bool isFilled) {
  BoxAttr box = draws.getBox();
  if (failed(verifyDims(op, x, box, dims)) ||
      (isFilled && failed(verifyFilled(op, box))))
    return failure();
  SmallVector<TableAttr> tables = {draws.getFirst()};
  SmallVector<int64_t> strides;
  for (CutAttr cut : box.getCuts()) {
    if (cut.getRuns())
      continue;
    int64_t stride = 1;
    ArrayRef<nn::DimAttr> all = box.getLayout().getDims();
    for (int64_t d = all.size(); d-- > cut.getDim();)
      for (int64_t f = all[d].getFactors().size();
           f-- > (d == cut.getDim() ? cut.getFactor() + 1 : 0);)
        stride *= all[d].getFactors()[f].getSize();
    strides.push_back(stride);
    tables.push_back(cut.getOffset());
  }
  std::optional<int64_t> before; // what precedes the whole tensor
  return forEachRank(
      op, tables, [&](ArrayRef<int64_t> values) -> LogicalResult {
        int64_t element = 0;
        for (auto [offset, stride] : llvm::zip(values.drop_front(), strides))
          element += offset * stride;
        int64_t word = values.front();
        if (!before)
          before = word - element;
        if (*before >= 0 && word - element == *before)
          return success();
        return op->emitOpError()
               << "draws word " << word << " first, for element " << element
               << " of the whole; other ranks of the class draw " << *before
               << " after the element";
      });
}

LogicalResult spmd::verifyDraws(Operation *op, DrawsAttr draws, Type x,
                                size_t dims, bool isFilled) {
  Attribute count = Builder(op->getContext()).getI64IntegerAttr(dims);
  return once(op, isFilled ? "draws" : "draws of some",
              {draws.getFirst(), draws.getBox(), TypeAttr::get(x), count},
              [&] { return judgeDraws(op, draws, x, dims, isFilled); });
}
