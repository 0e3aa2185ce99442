//===- Transfers.cpp - who reads what from whom in memory -----------------===//

#include "runtime/lib/Communicator/Transfers.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include "runtime/lib/Communicator/HaloParts.h"
#include <numeric>

namespace hocket::runtime {

using plan::CollectiveKind;

static char *address(const Window &window, plan::DType type, int dim,
                     int64_t offset) {
  int64_t elements = dim < 0 ? 0 : offset * window.strides[dim];
  return static_cast<char *>(window.data) + elements * plan::byteSize(type);
}

static std::vector<int64_t> everyMember(size_t members) {
  std::vector<int64_t> list(members);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

static int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

Transfers::Transfers(const CollectiveSpec &mine,
                     const std::vector<const CollectiveSpec *> &all)
    : me(mine.me) {
  if (mine.more.empty()) {
    add(mine, all);
    return;
  }
  for (size_t tensor = 0; tensor <= mine.more.size(); ++tensor) {
    std::vector<CollectiveSpec> parts;
    for (const CollectiveSpec *peer : all)
      parts.push_back(peer->alone(tensor));
    std::vector<const CollectiveSpec *> list;
    for (const CollectiveSpec &part : parts)
      list.push_back(&part);
    add(parts[mine.me], list);
  }
}

/// What one tensor needs.
void Transfers::add(const CollectiveSpec &mine,
                    const std::vector<const CollectiveSpec *> &all) {
  int64_t members = static_cast<int64_t>(all.size());
  switch (mine.kind) {
  case CollectiveKind::AllReduce:
    reduceChunks(mine, all);
    break;
  case CollectiveKind::ReduceScatter:
    reduceBox(mine, all);
    break;
  case CollectiveKind::Broadcast:
    copyFrom(mine.root, mine, *all[mine.root]);
    break;
  case CollectiveKind::HaloExchange:
  case CollectiveKind::HaloReduce:
    moveHalo(mine, all);
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
    // Each member begins with its neighbour, so that no two read from one.
    for (int64_t step = 1; step <= members; ++step) {
      int64_t peer = (mine.me + step) % members;
      copyFrom(peer, mine, *all[peer]);
    }
  }
}

void Transfers::copyFrom(int64_t peer, const CollectiveSpec &mine,
                         const CollectiveSpec &theirs) {
  std::vector<int64_t> shape = mine.dst.shape;
  char *dst = static_cast<char *>(mine.dst.data);
  const char *src = static_cast<char *>(theirs.src.data);
  if (mine.kind != CollectiveKind::Broadcast) {
    shape[mine.dim] = mine.size[peer];
    dst = address(mine.dst, mine.type, mine.dim, mine.offset[peer]);
  }
  if (mine.kind == CollectiveKind::AllToAll)
    src = address(theirs.src, mine.type, mine.toDim, mine.toOffset[mine.me]);
  if (product(shape) > 0 && src != dst)
    pieces.push_back({StridedCopy(shape, theirs.src.strides, mine.dst.strides,
                                  plan::byteSize(mine.type)),
                      src, dst, peer});
}

void Transfers::reduceBox(const CollectiveSpec &mine,
                          const std::vector<const CollectiveSpec *> &all) {
  Operand out{mine.dst.data, mine.type, mine.dst.shape, mine.dst.strides};
  std::vector<Operand> terms;
  for (const CollectiveSpec *peer : all)
    terms.push_back(
        {address(peer->src, mine.type, mine.dim, mine.offset[mine.me]),
         mine.type, mine.dst.shape, peer->src.strides});
  if (int64_t elements = out.elements())
    reductions.push_back(
        {Reduce(mine.reduction, out, terms, orderByStride(out.strides)), 0,
         elements, everyMember(all.size()), plan::byteSize(mine.type)});
}

/// Members reduce one chunk each and then fetch the others' chunks. Chunks are
/// intervals of the elements' numbers, so all must number them alike: in
/// memory order if the layouts are equal, else row-major.
void Transfers::reduceChunks(const CollectiveSpec &mine,
                             const std::vector<const CollectiveSpec *> &all) {
  bool alike = true;
  std::vector<Operand> terms;
  const Window &src = mine.src, &dst = mine.dst;
  for (const CollectiveSpec *peer : all) {
    alike &=
        peer->src.strides == src.strides && peer->dst.strides == dst.strides;
    terms.push_back({peer->src.data, mine.type, src.shape, peer->src.strides});
  }
  std::vector<int> order(dst.shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (alike)
    order = orderByStride(dst.strides);
  Operand out{dst.data, mine.type, dst.shape, dst.strides};
  int64_t members = static_cast<int64_t>(all.size());
  int64_t elements = out.elements(), size = plan::byteSize(mine.type);
  auto begin = [&](int64_t member) {
    return chunkBegin(elements, member, members);
  };
  twoPhases = members > 1;
  if (begin(mine.me) < begin(mine.me + 1))
    reductions.push_back({Reduce(mine.reduction, out, terms, order),
                          begin(mine.me), begin(mine.me + 1),
                          everyMember(all.size()), size});
  for (int64_t step = 1; step < members; ++step) {
    int64_t peer = (mine.me + step) % members;
    Operand theirs{all[peer]->dst.data, mine.type, dst.shape,
                   all[peer]->dst.strides};
    if (begin(peer) < begin(peer + 1))
      gathers.push_back({Reduce(mine.reduction, out, {theirs}, order),
                         begin(peer),
                         begin(peer + 1),
                         {peer},
                         size});
  }
}

/// Rows that one copy or one sum makes. What lies in its place already is left.
void Transfers::moveHalo(const CollectiveSpec &mine,
                         const std::vector<const CollectiveSpec *> &all) {
  static const int64_t zero = 0; // of any type
  int64_t size = plan::byteSize(mine.type);
  bool attaches = mine.kind == CollectiveKind::HaloExchange;
  for (const HaloPart &part : attaches ? partsOfExchange(mine.halo(), mine.me)
                                       : partsOfReduce(mine.halo(), mine.me)) {
    Operand out{address(mine.dst, mine.type, mine.dim, part.at), mine.type,
                mine.dst.shape, mine.dst.strides};
    out.shape[mine.dim] = part.count;
    if (out.elements() == 0)
      continue;
    std::vector<Operand> terms;
    std::vector<int64_t> members;
    for (const HaloRows &rows : part.terms) {
      const Window &src = all[rows.member]->src;
      terms.push_back({address(src, mine.type, mine.dim, rows.first), mine.type,
                       out.shape, src.strides});
      terms.back().strides[mine.dim] *= rows.step;
      members.push_back(rows.member);
    }
    if (terms.size() > 1) {
      reductions.push_back(
          {Reduce(mine.reduction, out, terms, orderByStride(out.strides)), 0,
           out.elements(), members, size});
      continue;
    }
    const void *src = &zero;
    std::vector<int64_t> strides(out.shape.size(), 0);
    if (!terms.empty())
      src = terms[0].data, strides = terms[0].strides;
    // Rows that a border shows begin where they are, and go on otherwise.
    if (src != out.data || strides != out.strides)
      pieces.push_back({StridedCopy(out.shape, strides, out.strides, size), src,
                        out.data, members.empty() ? mine.me : members[0]});
  }
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
