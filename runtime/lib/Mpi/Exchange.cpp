//===- Exchange.cpp - a collective as messages between members ------------===//

#include "runtime/lib/Mpi/Exchange.h"
#include "hocket/Cpu/Scratch.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include <numeric>

namespace hocket::runtime {

static int64_t countOf(const Window &window) {
  return std::accumulate(window.shape.begin(), window.shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

static std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

static bool isDense(const Window &window) {
  std::vector<int64_t> strides = denseStrides(window.shape);
  for (size_t i = 0; i < strides.size(); ++i)
    if (window.shape[i] != 1 && window.strides[i] != strides[i])
      return false;
  return true;
}

/// Entries first, first + step, ... of a dim.
static Window slab(Window window, int dim, int64_t first, int64_t count,
                   int64_t elementBytes, int64_t step = 1) {
  window.data = static_cast<char *>(window.data) +
                first * window.strides[dim] * elementBytes;
  window.shape[dim] = count;
  window.strides[dim] *= step;
  return window;
}

Exchange::Exchange(const CollectiveSpec &spec, char *staging, bool isDirect)
    : type(spec.type), size(plan::byteSize(spec.type)), me(spec.me),
      members(int64_t(spec.members.size())), staging(staging),
      isDirect(isDirect), outgoing(members), incoming(members) {
  for (; tensor < spec.pairs.size(); ++tensor)
    std::visit([&](const auto &kind) { add(kind, spec.pairs[tensor]); },
               spec.kind);
  layOut();
}

Window Exchange::part(const Window &window, const Share &share,
                      int64_t member) const {
  return slab(window, share.dim, share.offset[member], share.size[member],
              size);
}

void Exchange::add(const Broadcast &kind, const CollectiveSpec::Pair &pair) {
  if (me != kind.root) {
    income(kind.root, pair.dst, false);
    return;
  }
  copyOwn(pair.src, pair.dst);
  for (int64_t member = 0; member < members; ++member)
    outgo(member, pair.src);
}

void Exchange::add(const AllGather &kind, const CollectiveSpec::Pair &pair) {
  for (int64_t member = 0; member < members; ++member) {
    Window to = part(pair.dst, kind.shares[tensor], member);
    if (member == me)
      copyOwn(pair.src, to);
    else
      income(member, to, false);
    outgo(member, pair.src);
  }
}

void Exchange::add(const AllToAll &kind, const CollectiveSpec::Pair &pair) {
  for (int64_t member = 0; member < members; ++member) {
    Window from = part(pair.src, kind.to[tensor], member);
    Window to = part(pair.dst, kind.from[tensor], member);
    if (member == me)
      copyOwn(from, to);
    else
      income(member, to, false);
    outgo(member, from);
  }
}

void Exchange::add(const ReduceScatter &kind,
                   const CollectiveSpec::Pair &pair) {
  Sum sum{pair.dst, {}, kind.reduction};
  for (int64_t member = 0; member < members; ++member) {
    Window from = part(pair.src, kind.shares[tensor], member);
    outgo(member, from);
    sum.terms.push_back(member == me ? Term{from}
                                     : income(member, pair.dst, true));
  }
  sums.push_back(sum);
}

/// Rows come in the order of parts and, in one, of terms.
void Exchange::addHalo(const HaloShares &kind, const CollectiveSpec::Pair &pair,
                       PartsOf *partsOf) {
  int dim = kind.dims[tensor];
  for (int64_t member = 0; member < members; ++member)
    for (const HaloPart &part : partsOf(kind.halo, member))
      for (const HaloRows &rows : part.terms)
        if (rows.member == me)
          outgo(member,
                slab(pair.src, dim, rows.first, part.count, size, rows.step));
  for (const HaloPart &part : partsOf(kind.halo, me))
    addHaloPart(dim, part, pair);
}

void Exchange::addHaloPart(int dim, const HaloPart &part,
                           const CollectiveSpec::Pair &pair) {
  static char zero[8] = {}; // of any type
  Window out = slab(pair.dst, dim, part.at, part.count, size);
  if (part.terms.empty())
    copyOwn({zero, out.shape, std::vector<int64_t>(out.shape.size(), 0)}, out);
  bool isSum = part.terms.size() > 1;
  Sum sum{out, {}, plan::Reduction::Sum};
  for (const HaloRows &rows : part.terms) {
    if (rows.member != me) {
      sum.terms.push_back(income(rows.member, out, isSum));
      continue;
    }
    Window own = slab(pair.src, dim, rows.first, part.count, size, rows.step);
    sum.terms.push_back({own});
    if (!isSum)
      copyOwn(own, out);
  }
  if (isSum)
    sums.push_back(sum);
}

/// Members reduce a chunk each, of elements in row-major order, and then send
/// it to the others.
void Exchange::add(const AllReduce &kind, const CollectiveSpec::Pair &pair) {
  const auto &[from, to] = pair;
  int64_t total = countOf(from);
  char *src = static_cast<char *>(from.data),
       *dst = static_cast<char *>(to.data);
  std::vector<int64_t> strides = denseStrides(from.shape);
  if (!isDense(from)) {
    src = take(total * size);
    packs.push_back(
        {StridedCopy(from.shape, from.strides, strides, size), src, from.data});
  }
  if (!isDense(to)) {
    dst = take(total * size);
    finals.push_back(
        {StridedCopy(to.shape, strides, to.strides, size), to.data, dst});
  }
  auto chunk = [&](char *whole, int64_t member) {
    int64_t begin = chunkBegin(total, member, members);
    int64_t end = chunkBegin(total, member + 1, members);
    // Null where only bytes are counted.
    return Window{whole ? whole + begin * size : whole, {end - begin}, {1}};
  };
  auto send = [&](int64_t member, const Window &window,
                  std::vector<Message> &messages) {
    if (int64_t bytes = countOf(window) * size)
      messages.push_back({member, static_cast<char *>(window.data), bytes});
  };
  Sum sum{chunk(dst, me), {}, kind.reduction};
  for (int64_t member = 0; member < members; ++member) {
    outgo(member, chunk(src, member));
    sum.terms.push_back(member == me ? Term{chunk(src, me)}
                                     : income(member, sum.out, true));
    if (member == me)
      continue;
    send(member, sum.out, secondSends);
    send(member, chunk(dst, member), secondReceives);
  }
  sums.push_back(sum);
}

void Exchange::outgo(int64_t member, const Window &window) {
  if (member != me && countOf(window) > 0)
    outgoing[member].push_back(window);
}

Exchange::Term Exchange::income(int64_t member, const Window &window,
                                bool isTerm) {
  Term term;
  term.member = member;
  term.piece = incoming[member].size();
  if (countOf(window) > 0)
    incoming[member].push_back({window, isTerm});
  return term;
}

void Exchange::copyOwn(const Window &src, const Window &dst) {
  if (countOf(dst) > 0 && (src.data != dst.data || src.strides != dst.strides))
    owns.push_back({StridedCopy(dst.shape, src.strides, dst.strides, size),
                    dst.data, src.data});
}

// ---- places ---------------------------------------------------------------

char *Exchange::take(int64_t bytes) {
  char *place = staging ? staging + taken : nullptr;
  taken += pieceBytes(bytes);
  return place;
}

Window Exchange::dense(char *data, const std::vector<int64_t> &shape) const {
  return {data, shape, denseStrides(shape)};
}

Operand Exchange::operandOf(const Window &window) const {
  return {window.data, type, window.shape, window.strides};
}

void Exchange::layOut() {
  // Each member begins with its neighbour.
  for (int64_t step = 1; step < members; ++step) {
    layOutReceives((me + step) % members);
    layOutSends((me + step) % members);
  }
  for (const Sum &sum : sums)
    if (countOf(sum.out) > 0)
      addSum(sum);
}

void Exchange::layOutSends(int64_t member) {
  const std::vector<Window> &windows = outgoing[member];
  int64_t bytes = 0;
  for (const Window &window : windows)
    bytes += countOf(window) * size;
  if (bytes == 0)
    return;
  if (windows.size() == 1 && isDense(windows[0])) {
    sends.push_back({member, static_cast<char *>(windows[0].data), bytes});
    return;
  }
  char *place = take(bytes);
  sends.push_back({member, place, bytes});
  for (const Window &window : windows) {
    packs.push_back({StridedCopy(window.shape, window.strides,
                                 denseStrides(window.shape), size),
                     place, window.data});
    place += staging ? countOf(window) * size : 0;
  }
}

void Exchange::layOutReceives(int64_t member) {
  std::vector<Piece> &pieces = incoming[member];
  int64_t bytes = 0;
  for (const Piece &piece : pieces)
    bytes += countOf(piece.window) * size;
  if (bytes == 0)
    return;
  if (isDirect && pieces.size() == 1 && !pieces[0].isTerm &&
      isDense(pieces[0].window)) {
    receives.push_back(
        {member, static_cast<char *>(pieces[0].window.data), bytes});
    return;
  }
  char *place = take(bytes);
  receives.push_back({member, place, bytes});
  for (Piece &piece : pieces) {
    piece.data = place;
    const Window &to = piece.window;
    if (!piece.isTerm)
      arrivals.push_back(
          {StridedCopy(to.shape, denseStrides(to.shape), to.strides, size),
           to.data, place});
    place += staging ? countOf(to) * size : 0;
  }
}

void Exchange::addSum(const Sum &sum) {
  std::vector<Operand> terms;
  for (const Term &term : sum.terms)
    terms.push_back(operandOf(
        term.member < 0
            ? term.own
            : dense(incoming[term.member][term.piece].data, sum.out.shape)));
  Operand out = operandOf(sum.out);
  if (staging || taken == 0)
    reductions.emplace_back(sum.reduction, out, terms,
                            orderByStride(out.strides));
}

// ---- running --------------------------------------------------------------

void Exchange::pack() {
  for (const Copy &copy : packs)
    copy.run();
}

void Exchange::combine() {
  for (const Copy &copy : owns)
    copy.run();
  for (const Copy &copy : arrivals)
    copy.run();
  for (Reduce &reduce : reductions)
    reduce.run(0, reduce.elements());
}

void Exchange::unpack() {
  for (const Copy &copy : finals)
    copy.run();
}

} // namespace hocket::runtime
