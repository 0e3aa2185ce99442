//===- Orders.cpp - elements into the order of parts and back -------------===//
//
// A zigzag has two stretches a part: these are slices, one after another. Of
// stripes all full rounds, (round part block), are one rearrange, and only what
// is left is sliced, so that the program does not grow with the rounds.
//
//===----------------------------------------------------------------------===//

#include "Orders.h"
#include "WindowedDims.h"
#include "dialects/Nn/Ordered.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// `size` elements that lie together in both orders.
struct Orders::Stretch {
  int64_t place, number, size; ///< end to end, and part by part
};

/// One factor of a value, from end to end or part by part.
class Orders::Dim : public Emitter {
public:
  Dim(const Emitter &emitter, Value x, const OrderedFactor &what, int64_t parts)
      : Emitter(emitter), dim(what.dim), factor(what.factor), parts(parts),
        order(nn::orderOf(what.split)), x(x) {
    ArrayRef<nn::FactorAttr> factors =
        nn::layoutOf(x).getDims()[dim].getFactors();
    extent = factors[factor].getSize();
    for (nn::FactorAttr minor : factors.drop_front(factor + 1))
      rest *= minor.getSize();
  }

  Value listed();
  Value putBack();

private:
  Value slice(Value from, int64_t start, int64_t size);
  Value joined(ArrayRef<Value> pieces);
  /// Swaps the two major ones of (first second block).
  Value swapped(Value from, int64_t first, int64_t second);
  /// The elements behind the full rounds of stripes; of a zigzag all.
  SmallVector<Stretch> stretches(int64_t rounds) const;

  int64_t dim, factor, parts, extent = 0, rest = 1;
  nn::Ordering order;
  Value x;
};

Value Orders::Dim::slice(Value from, int64_t start, int64_t size) {
  return nn::SliceOp::create(
      builder, loc, withFactorSize(from.getType(), dim, factor, size), from,
      dim, start * rest, size * rest, /*drop=*/false);
}

Value Orders::Dim::joined(ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  return nn::ConcatOp::create(builder, loc, x.getType(), pieces, dim);
}

Value Orders::Dim::swapped(Value from, int64_t first, int64_t second) {
  MLIRContext *context = builder.getContext();
  SmallVector<nn::DimAttr> dims(nn::layoutOf(from).getDims());
  SmallVector<Attribute> list;
  int64_t next = 0;
  for (auto [d, whole] : llvm::enumerate(dims)) {
    SmallVector<nn::FactorAttr> factors;
    SmallVector<int64_t> numbers;
    for (auto [f, own] : llvm::enumerate(whole.getFactors())) {
      bool isThis = int64_t(d) == dim && int64_t(f) == factor;
      if (!isThis) {
        numbers.push_back(next++);
        factors.push_back(own);
        continue;
      }
      for (int64_t size : {first, second, order.block})
        factors.push_back(
            nn::FactorAttr::get(context, StringAttr::get(context, ""), size));
      numbers.append({next + 1, next, next + 2});
      next += 3;
    }
    whole = nn::DimAttr::get(context, factors);
    list.push_back(builder.getI64ArrayAttr(numbers));
  }
  return nn::RearrangeOp::create(builder, loc, from.getType(), from,
                                 nn::LayoutAttr::get(context, dims),
                                 builder.getArrayAttr(list));
}

SmallVector<Orders::Stretch> Orders::Dim::stretches(int64_t rounds) const {
  SmallVector<Stretch> all;
  int64_t number = 0;
  SmallVector<int64_t> sizes = nn::orderedSizes(extent, parts, order).list();
  for (auto [part, size] : llvm::enumerate(sizes)) {
    nn::Runs runs = nn::orderedRuns(extent, parts, part, order);
    for (int64_t i = rounds * order.block; i < size; i += runs.length)
      all.push_back({runs.at(i), number + i, std::min(runs.length, size - i)});
    number += size;
  }
  return all;
}

/// Full rounds of stripes; a zigzag has none.
static int64_t roundsOf(int64_t extent, int64_t parts, nn::Ordering order) {
  return order.kind == nn::Order::Striped ? extent / (parts * order.block) : 0;
}

Value Orders::Dim::listed() {
  int64_t rounds = roundsOf(extent, parts, order);
  int64_t each = rounds * order.block;
  Value main;
  if (rounds > 0) {
    bool isAll = each * parts == extent;
    main = swapped(isAll ? x : slice(x, 0, each * parts), rounds, parts);
    if (isAll)
      return main;
  }
  SmallVector<Stretch> left = stretches(rounds);
  SmallVector<Value> pieces;
  SmallVector<int64_t> sizes = nn::orderedSizes(extent, parts, order).list();
  const Stretch *next = left.begin();
  for (int64_t part = 0, end = 0; part < parts; ++part) {
    end += sizes[part];
    if (rounds > 0)
      pieces.push_back(slice(main, part * each, each));
    for (; next != left.end() && next->number < end; ++next)
      pieces.push_back(slice(x, next->place, next->size));
  }
  return joined(pieces);
}

Value Orders::Dim::putBack() {
  int64_t rounds = roundsOf(extent, parts, order);
  int64_t each = rounds * order.block;
  SmallVector<Value> pieces;
  if (rounds > 0 && each * parts == extent)
    return swapped(x, parts, rounds);
  if (rounds > 0) {
    SmallVector<Value> mains;
    int64_t begin = 0;
    for (int64_t size : nn::orderedSizes(extent, parts, order).list()) {
      mains.push_back(slice(x, begin, each));
      begin += size;
    }
    Value main = mains.front();
    if (parts > 1)
      main = nn::ConcatOp::create(
          builder, loc, withFactorSize(x.getType(), dim, factor, each * parts),
          mains, dim);
    pieces.push_back(swapped(main, parts, rounds));
  }
  SmallVector<Stretch> left = stretches(rounds);
  llvm::sort(left, [](const Stretch &a, const Stretch &b) {
    return a.place < b.place;
  });
  for (const Stretch &stretch : left)
    pieces.push_back(slice(x, stretch.number, stretch.size));
  return joined(pieces);
}

/// Nothing if a major factor of the dim keeps its elements apart.
static LogicalResult isMajor(Value x, const OrderedFactor &what, Location loc) {
  ArrayRef<nn::FactorAttr> factors =
      nn::layoutOf(x).getDims()[what.dim].getFactors();
  for (nn::FactorAttr major : factors.take_front(what.factor))
    if (major.getSize() != 1)
      return emitError(loc)
             << "not supported yet: moves factor " << what.factor << " of dim "
             << what.dim << " of " << nn::describe(x.getType()) << " in "
             << nn::orderOf(what.split).text()
             << " order, inside of another factor";
  return success();
}

FailureOr<Value> Orders::listed(Value x, const OrderedFactor &what) {
  if (failed(isMajor(x, what, loc)))
    return failure();
  int64_t parts = shares.getMesh().getSize(what.split.getAxis());
  return Dim(*this, x, what, parts).listed();
}

FailureOr<Value> Orders::putBack(Value x, const OrderedFactor &what) {
  if (failed(isMajor(x, what, loc)))
    return failure();
  int64_t parts = shares.getMesh().getSize(what.split.getAxis());
  return Dim(*this, x, what, parts).putBack();
}
