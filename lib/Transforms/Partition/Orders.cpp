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

/// Factors [0, first) of the dim as one dim, and the others as the next one; or
/// with `isBack` such two dims as one.
Value Orders::parted(Value x, int64_t dim, int64_t first, bool isBack) {
  MLIRContext *context = builder.getContext();
  SmallVector<nn::DimAttr> from(nn::layoutOf(x).getDims()), to;
  SmallVector<Attribute> order;
  SmallVector<int64_t> shape;
  int64_t next = 0;
  auto add = [&](ArrayRef<nn::FactorAttr> factors) {
    to.push_back(nn::DimAttr::get(context, factors));
    shape.push_back(to.back().getSize());
    int64_t begin = next;
    next += factors.size();
    order.push_back(builder.getI64ArrayAttr(
        llvm::to_vector(llvm::seq<int64_t>(begin, next))));
  };
  for (int64_t d = 0, e = from.size(); d < e; ++d) {
    SmallVector<nn::FactorAttr> factors(from[d].getFactors());
    if (d == dim && isBack) {
      llvm::append_range(factors, from[++d].getFactors());
    } else if (d == dim) {
      add(ArrayRef(factors).take_front(first));
      factors.erase(factors.begin(), factors.begin() + first);
    }
    add(factors);
  }
  auto type = cast<RankedTensorType>(x.getType());
  return nn::RearrangeOp::create(
      builder, loc,
      RankedTensorType::get(shape, type.getElementType(),
                            nn::LayoutAttr::get(context, to)),
      x, nn::LayoutAttr::get(context, from), builder.getArrayAttr(order));
}

/// What `reorder` makes of a factor that is the major one of its dim.
Value Orders::ofMajor(Value x, const OrderedFactor &what,
                      llvm::function_ref<Value(Dim)> reorder) {
  int64_t parts = shares.getMesh().getSize(what.split.getAxis());
  ArrayRef<nn::FactorAttr> factors =
      nn::layoutOf(x).getDims()[what.dim].getFactors();
  bool isMajor =
      llvm::all_of(factors.take_front(what.factor),
                   [](nn::FactorAttr major) { return major.getSize() == 1; });
  if (isMajor)
    return reorder(Dim(*this, x, what, parts));
  Value apart = parted(x, what.dim, what.factor, /*isBack=*/false);
  Value made = reorder(Dim(*this, apart, {what.dim + 1, 0, what.split}, parts));
  return parted(made, what.dim, what.factor, /*isBack=*/true);
}

Value Orders::listed(Value x, const OrderedFactor &what) {
  return ofMajor(x, what, [](Dim dim) { return dim.listed(); });
}

Value Orders::putBack(Value x, const OrderedFactor &what) {
  return ofMajor(x, what, [](Dim dim) { return dim.putBack(); });
}
