//===- Transfers.cpp - who reads what from whom in memory -----------------===//

#include "runtime/lib/Communicator/Transfers.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include "runtime/lib/Communicator/HaloParts.h"
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
          const std::vector<const CollectiveSpec *> &all, size_t tensor)
      : out(out), mine(mine), all(all), tensor(tensor),
        members(int64_t(all.size())), src(mine.pairs[tensor].src),
        dst(mine.pairs[tensor].dst), bytes(plan::byteSize(mine.type)) {}

  void operator()(const AllReduce &kind) { reduceChunks(kind.reduction); }
  void operator()(const ReduceScatter &kind);
  void operator()(const AllGather &kind);
  void operator()(const AllToAll &kind);
  void operator()(const Broadcast &kind) {
    const Window &from = source(kind.root);
    copy(kind.root, from.data, from.strides, dst);
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
  void copy(int64_t peer, const void *from, const std::vector<int64_t> &strides,
            const Window &to);
  void reduceChunks(plan::Reduction reduction);
  void moveHalo(int dim, const std::vector<HaloPart> &parts);
  void moveRows(int dim, const HaloPart &part, const Window &to);

  Transfers &out;
  const CollectiveSpec &mine;
  const std::vector<const CollectiveSpec *> &all;
  const size_t tensor;
  const int64_t members;
  const Window &src, &dst;
  const int64_t bytes; // of an element
};

Transfers::Transfers(const CollectiveSpec &mine,
                     const std::vector<const CollectiveSpec *> &all)
    : me(mine.me) {
  for (size_t tensor = 0; tensor < mine.pairs.size(); ++tensor)
    std::visit(Builder(*this, mine, all, tensor), mine.kind);
}

void Transfers::Builder::copy(int64_t peer, const void *from,
                              const std::vector<int64_t> &strides,
                              const Window &to) {
  if (product(to.shape) > 0 && from != to.data)
    out.pieces.push_back({StridedCopy(to.shape, strides, to.strides, bytes),
                          from, to.data, peer});
}

void Transfers::Builder::operator()(const AllGather &kind) {
  // Each member begins with its neighbour, so that no two read from one.
  for (int64_t step = 1; step <= members; ++step) {
    int64_t peer = (mine.me + step) % members;
    const Window &from = source(peer);
    copy(peer, from.data, from.strides, part(dst, kind.shares[tensor], peer));
  }
}

void Transfers::Builder::operator()(const AllToAll &kind) {
  for (int64_t step = 1; step <= members; ++step) {
    int64_t peer = (mine.me + step) % members;
    Window from = part(source(peer), kind.to[tensor], mine.me);
    copy(peer, from.data, from.strides, part(dst, kind.from[tensor], peer));
  }
}

void Transfers::Builder::operator()(const ReduceScatter &kind) {
  Operand sum = operand(dst);
  std::vector<Operand> terms;
  for (int64_t peer = 0; peer < members; ++peer)
    terms.push_back(operand(part(source(peer), kind.shares[tensor], mine.me)));
  if (int64_t elements = sum.elements())
    out.reductions.push_back(
        {Reduce(kind.reduction, sum, terms, orderByStride(sum.strides)), 0,
         elements, everyMember(members), bytes});
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
  auto begin = [&](int64_t member) {
    return chunkBegin(elements, member, members);
  };
  out.twoPhases = members > 1;
  if (begin(mine.me) < begin(mine.me + 1))
    out.reductions.push_back({Reduce(reduction, sum, terms, order),
                              begin(mine.me), begin(mine.me + 1),
                              everyMember(members), bytes});
  for (int64_t step = 1; step < members; ++step) {
    int64_t peer = (mine.me + step) % members;
    Operand theirs = operand(all[peer]->pairs[tensor].dst);
    if (begin(peer) < begin(peer + 1))
      out.gathers.push_back({Reduce(reduction, sum, {theirs}, order),
                             begin(peer),
                             begin(peer + 1),
                             {peer},
                             bytes});
  }
}

/// Rows that one copy or one sum makes. What lies in its place already is left.
void Transfers::Builder::moveHalo(int dim, const std::vector<HaloPart> &parts) {
  for (const HaloPart &part : parts) {
    Window to = dst;
    to.data = at(dst, dim, part.at);
    to.shape[dim] = part.count;
    if (product(to.shape) > 0)
      moveRows(dim, part, to);
  }
}

void Transfers::Builder::moveRows(int dim, const HaloPart &part,
                                  const Window &to) {
  static const int64_t zero = 0; // of any type
  std::vector<Operand> terms;
  std::vector<int64_t> owners;
  for (const HaloRows &rows : part.terms) {
    Window from = source(rows.member);
    from.data = at(from, dim, rows.first);
    from.shape = to.shape;
    from.strides[dim] *= rows.step;
    terms.push_back(operand(from));
    owners.push_back(rows.member);
  }
  if (terms.size() > 1) {
    Operand sum = operand(to);
    out.reductions.push_back(
        {Reduce(plan::Reduction::Sum, sum, terms, orderByStride(sum.strides)),
         0, sum.elements(), owners, bytes});
    return;
  }
  const void *from = &zero;
  std::vector<int64_t> strides(to.shape.size(), 0);
  if (!terms.empty())
    from = terms[0].data, strides = terms[0].strides;
  // Rows that a border shows begin where they are, and go on otherwise.
  if (from != to.data || strides != to.strides)
    out.pieces.push_back({StridedCopy(to.shape, strides, to.strides, bytes),
                          from, to.data, owners.empty() ? mine.me : owners[0]});
}

int64_t Transfers::first(std::vector<int64_t> &from) {
  int64_t received = 0;
  for (const Piece &piece : pieces) {
    piece.copy.run(piece.dst, piece.src);
    if (piece.member == me)
      continue;
    from[piece.member] += piece.copy.bytes();
    received += piece.copy.bytes();
  }
  return received + run(reductions, from);
}

int64_t Transfers::second(std::vector<int64_t> &from) {
  return run(gathers, from);
}

int64_t Transfers::run(std::vector<Chunk> &chunks, std::vector<int64_t> &from) {
  int64_t received = 0;
  for (Chunk &chunk : chunks) {
    chunk.reduce.run(chunk.begin, chunk.end);
    int64_t bytes = (chunk.end - chunk.begin) * chunk.elementBytes;
    for (int64_t member : chunk.members)
      if (member != me) {
        from[member] += bytes;
        received += bytes;
      }
  }
  return received;
}

} // namespace hocket::runtime
