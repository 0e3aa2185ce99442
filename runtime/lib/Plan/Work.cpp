//===- Work.cpp - what an instruction computes and moves ------------------===//

#include "hocket/Plan/Work.h"
#include "Sight.h"
#include "hocket/Plan/Accesses.h"
#include <algorithm>
#include <map>

namespace hocket::plan {

int64_t saturatingSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

namespace {

int64_t productOf(const std::vector<int64_t> &extents) {
  int64_t product = 1;
  // A zero makes it zero, whatever the others are.
  for (int64_t extent : extents)
    if (extent == 0)
      return 0;
  for (int64_t extent : extents)
    product = saturatingProduct(product, extent);
  return product;
}

/// Elements that a view reaches: those between its first and its last, if its
/// windows overlap.
int64_t reachedElements(const View &view) {
  int64_t count = 1, span = 1;
  for (size_t dim = 0; dim < view.shape.size(); ++dim) {
    if (view.shape[dim] == 0)
      return 0;
    if (view.strides[dim] == 0)
      continue;
    count = saturatingProduct(count, view.shape[dim]);
    span = saturatingSum(span, saturatingProduct(view.shape[dim] - 1,
                                                 std::abs(view.strides[dim])));
  }
  return std::min(count, span);
}

bool isSame(const Scalar &a, const Scalar &b) {
  return a.constant == b.constant && a.table == b.table && a.scale == b.scale;
}

bool isSame(const View &a, const View &b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(),
                    b.terms.end(),
                    [](auto &x, auto &y) { return isSame(x, y); });
}

/// One overload for each kind of instruction, so that a new one that is
/// forgotten does not compile.
struct Counter {
  const Instruction &instruction;
  const Plan &plan;
  const RankClass &rankClass;
  int64_t rank;

  DType typeOf(const View &view) const {
    return rankClass.buffers[view.buffer].type;
  }
  int64_t bytesOf(const View &view) const {
    return saturatingProduct(reachedElements(view), byteSize(typeOf(view)));
  }
  /// A view that is given twice is one.
  int64_t bytesOf(const std::vector<const View *> &views) const {
    int64_t bytes = 0;
    for (auto view = views.begin(); view != views.end(); ++view)
      if (std::none_of(views.begin(), view, [&](const View *other) {
            return isSame(**view, *other);
          }))
        bytes = saturatingSum(bytes, bytesOf(**view));
    return bytes;
  }
  /// Of what moves whole operands and results.
  Work moved() const {
    Accesses accesses = accessesOf(instruction);
    Work work;
    work.readBytes = bytesOf(accesses.reads);
    work.writtenBytes = bytesOf(accesses.writes);
    return work;
  }
  /// Of `flops` on vector units.
  Work counted(const View &operand, int64_t flops) const {
    Work work = moved();
    work.unit = typeOf(operand) == DType::F64 ? Unit::F64 : Unit::F32;
    work.flops = flops;
    return work;
  }
  /// Of `flops` on matrix units, which f32 has none of: tf32 is off.
  Work multiplied(const View &operand, int64_t flops) const {
    Work work = counted(operand, flops);
    DType type = typeOf(operand);
    if (type == DType::F64)
      work.unit = Unit::F64Matrix;
    else if (type == DType::F16 || type == DType::BF16)
      work.unit = Unit::HalfMatrix;
    return work;
  }

  Work operator()(const ReadParameter &) const { return moved(); }
  Work operator()(const Kernel &x) const;
  Work operator()(const Matmul &x) const;
  Work operator()(const PackWeight &x) const {
    Work work = moved();
    work.writtenBytes = work.readBytes;
    return work;
  }
  Work operator()(const Attention &x) const { return seen(x, 1, 1); }
  Work operator()(const NeighborhoodAttention &x) const {
    return seen(x, 1, 1);
  }
  template <class Forward> Work operator()(const GradientOf<Forward> &x) const {
    // The gradient of a bias comes of scores that are computed again.
    int64_t passes = x.dbias.buffer < 0 ? 0 : 1;
    return seen(x.forward, 3 + passes, 2 + passes);
  }
  Work operator()(const Embedding &x) const;
  Work operator()(const EmbeddingGrad &x) const {
    return counted(x.out, productOf(x.dy.shape));
  }
  Work operator()(const Copy &) const { return moved(); }
  Work operator()(const Collective &) const { return moved(); }
  Work operator()(const Fill &) const { return moved(); }
  Work operator()(const Iota &) const { return moved(); }
  Work operator()(const Constant &) const { return moved(); }
  Work operator()(const Hook &) const { return moved(); }
  Work operator()(const Wait &) const { return {}; }
  Work operator()(const Convolution &x) const;
  Work operator()(const Pooling &x) const {
    return counted(x.isGradient ? x.dx : x.x,
                   saturatingProduct(productOf(x.y.shape), productOf(x.taps)));
  }

  template <class Attention>
  Work seen(const Attention &x, int64_t scores, int64_t sums) const;
};

/// f16 and bf16 are computed in f32.
Work Counter::operator()(const Kernel &x) const {
  bool hasNarrower = false, hasF64 = false;
  for (const std::vector<View> *views : {&x.inputs, &x.outputs})
    for (const View &view : *views) {
      DType type = typeOf(view);
      hasF64 |= type == DType::F64;
      hasNarrower |=
          type == DType::F32 || type == DType::F16 || type == DType::BF16;
    }
  Work work = moved();
  work.unit = hasF64 && !hasNarrower ? Unit::F64 : Unit::F32;
  work.flops = x.flops;
  return work;
}

Work Counter::operator()(const Matmul &x) const {
  int64_t sums = saturatingProduct(productOf(x.c.shape), x.a.shape.back());
  Work work = multiplied(x.a, saturatingProduct(sums, 2));
  if (x.packedWeight >= 0)
    work.readBytes = saturatingSum(work.readBytes, bytesOf(x.b));
  return work;
}

Work Counter::operator()(const Embedding &x) const {
  View rows = x.table;
  rows.shape[0] = std::min(rows.shape[0], reachedElements(x.ids));
  Work work = moved();
  work.readBytes = saturatingSum(bytesOf(rows), bytesOf(x.ids));
  return work;
}

/// How many taps of the windows along a dim lie inside of x.
int64_t tapsInside(const Convolution &x, size_t dim) {
  int64_t taps = x.weight.shape[dim + 2], outputs = x.y.shape[dim + 2];
  int64_t inside = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    // Of those outputs o with 0 <= o * stride + first < extent.
    int64_t first = tap * x.dilations[dim] - x.lows[dim];
    int64_t stride = x.strides[dim], extent = x.x.shape[dim + 2];
    auto below = [&](int64_t position) { // outputs whose tap is before it
      int64_t rest = position - first;
      return rest <= 0 ? 0 : std::min(outputs, (rest + stride - 1) / stride);
    };
    inside += below(extent) - below(0);
  }
  return inside;
}

Work Counter::operator()(const Convolution &x) const {
  std::vector<int64_t> extents = {2, x.y.shape[0], x.weight.shape[0],
                                  x.weight.shape[1]};
  for (size_t dim = 0; dim < x.strides.size(); ++dim)
    extents.push_back(tapsInside(x, dim));
  return multiplied(x.x, productOf(extents));
}

/// Products of queries with keys, of `scores` kinds, and of weights with
/// values, of `sums` kinds. Those of f16 and bf16 run on matrix units, except
/// in neighborhoods.
template <class Attention>
Work Counter::seen(const Attention &x, int64_t scores, int64_t sums) const {
  constexpr bool isNeighborhood =
      std::is_same_v<Attention, NeighborhoodAttention>;
  Sight sight = sightOf(x, plan, rank);
  int64_t depth = scores * x.q.shape.back() + sums * x.v.shape.back();
  int64_t flops = productOf({2, x.q.shape[0], sight.pairs, depth});
  Work work = isNeighborhood || typeOf(x.q) == DType::F64
                  ? counted(x.q, flops)
                  : multiplied(x.q, flops);
  View k = x.k, v = x.v;
  for (View *view : {&k, &v})
    std::copy(sight.keys.begin(), sight.keys.end(), view->shape.begin() + 2);
  Accesses accesses = accessesOf(instruction);
  for (const View *&view : accesses.reads)
    view = view == &x.k ? &k : view == &x.v ? &v : view;
  work.readBytes = bytesOf(accesses.reads);
  return work;
}

} // namespace

Work workOf(const Instruction &instruction, const Plan &plan,
            const RankClass &rankClass, int64_t rank) {
  return std::visit(Counter{instruction, plan, rankClass, rank},
                    instruction.body);
}

std::vector<std::vector<int64_t>> ranksOfEqualWork(const Plan &plan,
                                                   const RankClass &rankClass) {
  // What attentions see depends on these tables alone.
  std::set<int> tables;
  for (const Instruction &instruction : rankClass.step)
    addTablesOfSight(instruction, tables);
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;
  for (int64_t rank : rankClass.ranks) {
    std::vector<int64_t> positions;
    for (int table : tables)
      positions.push_back(valueOn(plan, {0, table, 1}, rank));
    groups[positions].push_back(rank);
  }
  std::vector<std::vector<int64_t>> ranks;
  for (auto &[positions, group] : groups)
    ranks.push_back(std::move(group));
  return ranks;
}

std::vector<int64_t> flopsByRank(const Plan &plan) {
  std::vector<int64_t> flops(plan.rankCount(), 0);
  for (const RankClass &rankClass : plan.classes)
    for (const std::vector<int64_t> &group :
         ranksOfEqualWork(plan, rankClass)) {
      int64_t sum = 0;
      for (const Instruction &one : rankClass.step)
        sum = saturatingSum(sum, workOf(one, plan, rankClass, group[0]).flops);
      for (int64_t rank : group)
        flops[rank] = sum;
    }
  return flops;
}

} // namespace hocket::plan
