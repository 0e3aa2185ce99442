//===- Transfers.cpp - who reads what from whom in memory -----------------===//

#include "runtime/lib/Communicator/Transfers.h"
#include "hocket/Cpu/Reduce.h" // orderByStride
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include "runtime/lib/Communicator/ShareParts.h"
#include "runtime/lib/Communicator/WindowParts.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace hocket::runtime {

static std::vector<int64_t> everyMember(size_t members) {
  std::vector<int64_t> list(members);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

static int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// What one tensor needs: one overload a kind.
class Transfers::Builder {
public:
  Builder(Transfers &out, const CollectiveSpec &mine,
          const std::vector<const CollectiveSpec *> &all, size_t tensor,
          Mover &mover)
      : out(out), mine(mine), all(all), tensor(tensor), mover(mover),
        members(int64_t(all.size())), src(mine.pairs[tensor].src),
        dst(mine.pairs[tensor].dst), bytes(plan::byteSize(mine.type)) {}

  void operator()(const AllReduce &kind) { reduceChunks(kind.reduction); }
  void operator()(const ReduceScatter &kind);
  void operator()(const AllGather &kind);
  void operator()(const AllToAll &kind);
  void operator()(const Broadcast &kind) {
    copy(kind.root, source(kind.root), dst);
  }
  void operator()(const HaloExchange &kind) {
    moveHalo(kind.dims[tensor], partsOfExchange(kind.halo, mine.me));
  }
  void operator()(const HaloReduce &kind) {
    moveHalo(kind.dims[tensor], partsOfReduce(kind.halo, mine.me));
  }

private:
  const Window &source(int64_t peer) const {
    return all[peer]->pairs[tensor].src;
  }
  char *at(const Window &window, int dim, int64_t offset) const {
    return static_cast<char *>(window.data) +
           offset * window.strides[dim] * bytes;
  }
  /// The window's positions of a member.
  Window part(const Window &window, const Share &share, int64_t peer) const {
    Window result = window;
    result.data = at(window, share.dim, share.offset[peer]);
    result.shape[share.dim] = share.size[peer];
    return result;
  }
  Operand operand(const Window &window) const {
    return {window.data, mine.type, window.shape, window.strides};
  }
  /// Gives the transfers what the last call of the mover made, if it did.
  void add(std::vector<Part> &parts, std::unique_ptr<Mover::Move> move,
           std::vector<int64_t> peers, int64_t elements);
  void copy(int64_t peer, const Window &from, const Window &to);
  void reduce(std::vector<Part> &parts, plan::Reduction reduction,
              const Operand &sum, const std::vector<Operand> &terms,
              const std::vector<int> &order, std::array<int64_t, 2> range,
              const std::vector<int64_t> &peers);
  void reduceChunks(plan::Reduction reduction);
  void moveHalo(int dim, const std::vector<HaloPart> &parts);
  int64_t rowInPlace(int dim, const HaloPart &part) const;
  /// Of each source this member's share of another dim, if there is one.
  void moveRows(int dim, const HaloPart &part, const Window &to,
                const Share *share = nullptr);

  Transfers &out;
  const CollectiveSpec &mine;
  const std::vector<const CollectiveSpec *> &all;
  const size_t tensor;
  Mover &mover;
  const int64_t members;
  const Window &src, &dst;
  const int64_t bytes; // of an element

public:
  Status status; // of the mover
};

Status Transfers::prepare(const CollectiveSpec &mine,
                          const std::vector<const CollectiveSpec *> &all,
                          Mover &mover) {
  me = mine.me;
  firsts.clear();
  seconds.clear();
  for (size_t tensor = 0; tensor < mine.pairs.size(); ++tensor) {
    Builder builder(*this, mine, all, tensor, mover);
    std::visit(builder, mine.kind);
    if (!builder.status.ok())
      return builder.status;
  }
  return Status::success();
}

void Transfers::Builder::add(std::vector<Part> &parts,
                             std::unique_ptr<Mover::Move> move,
                             std::vector<int64_t> peers, int64_t elements) {
  if (status.ok())
    parts.push_back({std::move(move), std::move(peers), elements * bytes});
}

/// Whether two windows of one shape are the same memory.
static bool areOne(const Operand &a, const Operand &b) {
  bool isOne = a.data == b.data;
  for (size_t dim = 0; isOne && dim < a.shape.size(); ++dim)
    isOne = a.shape[dim] == 1 || a.strides[dim] == b.strides[dim];
  return isOne;
}

void Transfers::Builder::copy(int64_t peer, const Window &from,
                              const Window &to) {
  Operand source = operand(from), target = operand(to);
  source.shape = to.shape;
  if (!status.ok() || target.elements() == 0 || areOne(source, target))
    return;
  std::unique_ptr<Mover::Move> move;
  status = mover.makeCopy(source, target, move);
  add(out.firsts, std::move(move), {peer}, target.elements());
}

void Transfers::Builder::reduce(std::vector<Part> &parts,
                                plan::Reduction reduction, const Operand &sum,
                                const std::vector<Operand> &terms,
                                const std::vector<int> &order,
                                std::array<int64_t, 2> range,
                                const std::vector<int64_t> &peers) {
  auto [begin, end] = range;
  if (!status.ok() || begin == end)
    return;
  std::unique_ptr<Mover::Move> move;
  status = mover.makeReduce(reduction, sum, terms, order, begin, end, move);
  add(parts, std::move(move), peers, end - begin);
}

void Transfers::Builder::operator()(const AllGather &kind) {
  // Each member begins with its neighbour, so that no two read from one.
  for (int64_t step = 1; step <= members; ++step) {
    int64_t peer = (mine.me + step) % members;
    copy(peer, source(peer), part(dst, kind.shares[tensor], peer));
  }
}

void Transfers::Builder::operator()(const AllToAll &kind) {
  const Share &from = kind.from[tensor];
  std::vector<HaloPart> parts = partsOfShare(from);
  auto steps = [&](const HaloPart &part) {
    return (part.terms[0].member - mine.me - 1 + members) % members;
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const HaloPart &a, const HaloPart &b) {
                     return steps(a) < steps(b);
                   });
  for (const HaloPart &part : parts)
    moveRows(from.dim, part, slab(dst, from.dim, part.at, part.count, bytes),
             &kind.to[tensor]);
}

void Transfers::Builder::operator()(const ReduceScatter &kind) {
  Operand sum = operand(dst);
  std::vector<Operand> terms;
  for (int64_t peer = 0; peer < members; ++peer)
    terms.push_back(operand(part(source(peer), kind.shares[tensor], mine.me)));
  reduce(out.firsts, kind.reduction, sum, terms, orderByStride(sum.strides),
         {0, sum.elements()}, everyMember(members));
}

/// Members reduce one chunk each and then fetch the others' chunks. Chunks are
/// intervals of the elements' numbers, so all must number them alike: in
/// memory order if the layouts are equal, else row-major.
void Transfers::Builder::reduceChunks(plan::Reduction reduction) {
  bool alike = true;
  std::vector<Operand> terms;
  for (const CollectiveSpec *peer : all) {
    const auto &[theirs, result] = peer->pairs[tensor];
    alike &= theirs.strides == src.strides && result.strides == dst.strides;
    terms.push_back(operand(theirs));
  }
  std::vector<int> order(dst.shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (alike)
    order = orderByStride(dst.strides);
  Operand sum = operand(dst);
  int64_t elements = sum.elements();
  auto chunk = [&](int64_t member) -> std::array<int64_t, 2> {
    return {chunkBegin(elements, member, members),
            chunkBegin(elements, member + 1, members)};
  };
  out.twoPhases = members > 1;
  reduce(out.firsts, reduction, sum, terms, order, chunk(mine.me),
         everyMember(members));
  for (int64_t step = 1; step < members; ++step) {
    int64_t peer = (mine.me + step) % members;
    Operand theirs = operand(all[peer]->pairs[tensor].dst);
    reduce(out.seconds, reduction, sum, {theirs}, order, chunk(peer), {peer});
  }
}

/// The first row of a part that is a copy onto itself, though the part is none:
/// a border shows rows beside the one that it begins or ends with. `count` if
/// there is none.
int64_t Transfers::Builder::rowInPlace(int dim, const HaloPart &part) const {
  int64_t row = 0;
  bool isBorder = part.terms.size() == 1 && part.terms[0].member == mine.me &&
                  part.terms[0].step != 1;
  if (!isBorder)
    return part.count;
  Operand from = operand(src), to = operand(dst);
  from.shape = to.shape;
  from.shape[dim] = to.shape[dim] = 1;
  for (; row < part.count; ++row) {
    from.data = at(src, dim, part.terms[0].first + row * part.terms[0].step);
    to.data = at(dst, dim, part.at + row);
    if (areOne(from, to))
      break;
  }
  return row;
}

/// Rows [begin, end) of a part.
static HaloPart rowsOf(HaloPart part, int64_t begin, int64_t end) {
  part.at += begin;
  part.count = end - begin;
  for (HaloRows &term : part.terms)
    term.first += begin * term.step;
  return part;
}

/// Rows that one copy or one sum makes. What lies in its place already is left:
/// others may read it meanwhile.
void Transfers::Builder::moveHalo(int dim, const std::vector<HaloPart> &parts) {
  auto move = [&](const HaloPart &part) {
    Window to = dst;
    to.data = at(dst, dim, part.at);
    to.shape[dim] = part.count;
    if (product(to.shape) > 0)
      moveRows(dim, part, to);
  };
  for (const HaloPart &part : parts) {
    int64_t row = rowInPlace(dim, part);
    move(rowsOf(part, 0, row));
    if (row < part.count)
      move(rowsOf(part, row + 1, part.count));
  }
}

void Transfers::Builder::moveRows(int dim, const HaloPart &part,
                                  const Window &to, const Share *share) {
  std::vector<Window> rows;
  std::vector<Operand> terms;
  std::vector<int64_t> owners;
  for (const HaloRows &term : part.terms) {
    Window from = source(term.member);
    if (share)
      from = this->part(from, *share, mine.me);
    from.data = at(from, dim, term.first);
    from.shape = to.shape;
    from.strides[dim] *= term.step;
    rows.push_back(from);
    terms.push_back(operand(from));
    owners.push_back(term.member);
  }
  Operand sum = operand(to);
  if (terms.size() > 1)
    return reduce(out.firsts, plan::Reduction::Sum, sum, terms,
                  orderByStride(sum.strides), {0, sum.elements()}, owners);
  if (!terms.empty())
    return copy(owners[0], rows[0], to);
  std::unique_ptr<Mover::Move> move;
  if (status.ok())
    status = mover.makeZeros(sum, move);
  add(out.firsts, std::move(move), {}, sum.elements());
}

Status Transfers::first(std::vector<int64_t> &from, int64_t &received) {
  return run(firsts, from, received);
}

Status Transfers::second(std::vector<int64_t> &from, int64_t &received) {
  return run(seconds, from, received);
}

Status Transfers::run(const std::vector<Part> &parts,
                      std::vector<int64_t> &from, int64_t &received) const {
  for (const Part &part : parts) {
    if (Status status = part.move->run(); !status.ok())
      return status;
    for (int64_t member : part.members)
      if (member != me) {
        from[member] += part.bytes;
        received += part.bytes;
      }
  }
  return Status::success();
}

} // namespace hocket::runtime
