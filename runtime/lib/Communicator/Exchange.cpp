//===- Exchange.cpp - a collective as messages between members ------------===//

#include "runtime/lib/Communicator/Exchange.h"
#include "hocket/Cpu/Reduce.h" // orderByStride
#include "hocket/Cpu/Scratch.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include "runtime/lib/Communicator/ShareParts.h"
#include "runtime/lib/Communicator/WindowParts.h"

namespace hocket::runtime {

Exchange::Exchange(const CollectiveSpec &spec, char *staging, Delivery delivery)
    : type(spec.type), size(plan::byteSize(spec.type)), me(spec.me),
      members(int64_t(spec.members.size())), staging(staging),
      delivery(delivery), outgoing(members), incoming(members) {
  for (; tensor < spec.pairs.size(); ++tensor)
    std::visit([&](const auto &kind) { add(kind, spec.pairs[tensor]); },
               spec.kind);
  layOut();
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
    Window to = partOf(pair.dst, kind.shares[tensor], member, size);
    if (member == me)
      copyOwn(pair.src, to);
    else
      income(member, to, false);
    outgo(member, pair.src);
  }
}

/// What several have is a sum of terms; each member's part comes in as many
/// windows as there are runs of it.
void Exchange::add(const AllToAll &kind, const CollectiveSpec::Pair &pair) {
  int dim = kind.from[tensor].dim;
  for (const HaloPart &part : partsOfShare(kind.from[tensor])) {
    for (const HaloRows &rows : part.terms)
      for (int64_t member = 0; member < members && rows.member == me; ++member)
        outgo(member, slab(partOf(pair.src, kind.to[tensor], member, size), dim,
                           rows.first, part.count, size));
    CollectiveSpec::Pair mine = pair;
    mine.src = partOf(pair.src, kind.to[tensor], me, size);
    addHaloPart(dim, part, mine);
  }
}

void Exchange::add(const ReduceScatter &kind,
                   const CollectiveSpec::Pair &pair) {
  Sum sum{pair.dst, {}, kind.reduction};
  for (int64_t member = 0; member < members; ++member) {
    Window from = partOf(pair.src, kind.shares[tensor], member, size);
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
  Window out = slab(pair.dst, dim, part.at, part.count, size);
  if (part.terms.empty() && countOf(out) > 0)
    zeros.push_back(out);
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
  if (!isDense(from)) {
    src = take(total * size);
    packs.push_back({from, denseWindow(src, from.shape)});
  }
  if (!isDense(to) || delivery == Delivery::Late) {
    dst = take(total * size);
    finals.push_back({denseWindow(dst, to.shape), to});
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
    owns.push_back({src, dst});
}

// ---- places ---------------------------------------------------------------

char *Exchange::take(int64_t bytes) {
  char *place = staging ? staging + taken : nullptr;
  taken += pieceBytes(bytes);
  return place;
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
    packs.push_back({window, denseWindow(place, window.shape)});
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
  if (delivery == Delivery::Direct && pieces.size() == 1 && !pieces[0].isTerm &&
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
      arrivals.push_back({denseWindow(place, to.shape), to});
    place += staging ? countOf(to) * size : 0;
  }
}

// ---- running --------------------------------------------------------------

Status Exchange::makeCopies(Mover &mover, const std::vector<Copy> &copies,
                            Moves &moves) const {
  Status status;
  for (const Copy &copy : copies)
    if (status.ok())
      status = mover.makeCopy(operandOf(copy.from), operandOf(copy.to),
                              moves.emplace_back());
  return status;
}

Operand Exchange::termOf(const Term &term,
                         const std::vector<int64_t> &shape) const {
  return operandOf(
      term.member < 0
          ? term.own
          : denseWindow(incoming[term.member][term.piece].data, shape));
}

Status Exchange::makeSum(Mover &mover, const Sum &sum, Moves &moves) const {
  int64_t elements = countOf(sum.out);
  if (elements == 0)
    return Status::success();
  std::vector<Operand> terms;
  for (const Term &term : sum.terms)
    terms.push_back(termOf(term, sum.out.shape));
  return mover.makeReduce(sum.reduction, operandOf(sum.out), terms,
                          orderByStride(sum.out.strides), 0, elements,
                          moves.emplace_back());
}

Status Exchange::prepare(Mover &early, Mover &late) {
  Mover &combining = hasSecond() ? early : late;
  Status status = makeCopies(early, packs, packMoves);
  for (const Window &window : zeros)
    if (status.ok())
      status =
          combining.makeZeros(operandOf(window), combineMoves.emplace_back());
  if (status.ok())
    status = makeCopies(combining, owns, combineMoves);
  if (status.ok())
    status = makeCopies(combining, arrivals, combineMoves);
  for (const Sum &sum : sums)
    if (status.ok())
      status = makeSum(combining, sum, combineMoves);
  return status.ok() ? makeCopies(late, finals, unpackMoves) : status;
}

Status Exchange::run(const Moves &moves) {
  for (const std::unique_ptr<Mover::Move> &move : moves)
    if (Status status = move->run(); !status.ok())
      return status;
  return Status::success();
}

} // namespace hocket::runtime
