//===- Wholes.cpp - what NCCL does for all members at once ----------------===//

#include "runtime/lib/Cuda/Nccl/Wholes.h"
#include "hocket/Cpu/Scratch.h"
#include "runtime/lib/Communicator/WindowParts.h"
#include <algorithm>

namespace hocket::runtime::cuda {

static NcclType typeOf(plan::DType type) {
  switch (type) {
  case plan::DType::F16:
    return NcclFloat16;
  case plan::DType::BF16:
    return NcclBfloat16;
  case plan::DType::F32:
    return NcclFloat32;
  case plan::DType::F64:
    return NcclFloat64;
  default:
    return NcclInt8;
  }
}

static bool isEven(const Share &share) {
  for (size_t i = 0; i < share.size.size(); ++i)
    if (share.size[i] != share.size[0] ||
        share.offset[i] != int64_t(i) * share.size[0])
      return false;
  return true;
}

bool Wholes::serves(const CollectiveSpec &spec, bool sumsAsLibrary) {
  if (spec.members.size() == 1)
    return false;
  if (std::holds_alternative<AllGather>(spec.kind) ||
      std::holds_alternative<Broadcast>(spec.kind))
    return true;
  if (!sumsAsLibrary || typeOf(spec.type) == NcclInt8)
    return false;
  if (auto *kind = std::get_if<ReduceScatter>(&spec.kind))
    return std::all_of(kind->shares.begin(), kind->shares.end(), isEven);
  return std::holds_alternative<AllReduce>(spec.kind);
}

Wholes::Wholes(const CollectiveSpec &spec, char *staging, bool isLate)
    : dtype(spec.type), size(plan::byteSize(spec.type)), me(spec.me),
      members(int64_t(spec.members.size())), staging(staging), isLate(isLate) {
  for (; tensor < spec.pairs.size(); ++tensor)
    std::visit([&](const auto &kind) { add(kind, spec.pairs[tensor]); },
               spec.kind);
}

// ---- places ---------------------------------------------------------------

char *Wholes::take(int64_t bytes) {
  char *place = staging ? staging + taken : nullptr;
  taken += pieceBytes(bytes);
  return place;
}

bool Wholes::isDirect(const Window &window) const {
  return !isLate && isDense(window);
}

/// Where the window is dense, before the calls.
char *Wholes::packed(const Window &window) {
  if (isDense(window))
    return static_cast<char *>(window.data);
  char *place = take(countOf(window) * size);
  packs.push_back({window, denseWindow(place, window.shape)});
  return place;
}

/// Where a call brings the window to.
char *Wholes::placeOf(const Window &window) {
  if (isDirect(window))
    return static_cast<char *>(window.data);
  char *place = take(countOf(window) * size);
  unpacks.push_back({denseWindow(place, window.shape), window});
  return place;
}

// ---- kinds ----------------------------------------------------------------

void Wholes::add(const AllGather &kind, const CollectiveSpec::Pair &pair) {
  std::vector<Window> parts;
  int64_t least = countOf(pair.src), most = least;
  for (int64_t member = 0; member < members; ++member) {
    parts.push_back(partOf(pair.dst, kind.shares[tensor], member, size));
    least = std::min(least, countOf(parts.back()));
    most = std::max(most, countOf(parts.back()));
  }
  if (most == 0)
    return;
  const char *from = countOf(pair.src) > 0 ? packed(pair.src) : nullptr;
  if (least == most)
    gatherEven(parts, from, most * size);
  else
    gatherUneven(parts, from);
}

void Wholes::gatherEven(const std::vector<Window> &parts, const char *from,
                        int64_t bytes) {
  char *first = static_cast<char *>(parts[0].data);
  bool isRun = true;
  for (int64_t member = 0; member < members; ++member)
    isRun &=
        isDirect(parts[member]) && parts[member].data == first + member * bytes;
  if (!isRun) {
    first = take(members * bytes);
    for (int64_t member = 0; member < members; ++member) {
      char *place = first ? first + member * bytes : nullptr;
      unpacks.push_back(
          {denseWindow(place, parts[member].shape), parts[member]});
    }
  }
  calls.push_back({WholeCall::AllGather, from, first, bytes});
}

void Wholes::gatherUneven(const std::vector<Window> &parts, const char *from) {
  for (int64_t member = 0; member < members; ++member) {
    int64_t bytes = countOf(parts[member]) * size;
    if (bytes == 0)
      continue;
    char *to = placeOf(parts[member]);
    calls.push_back(
        {WholeCall::Broadcast, member == me ? from : to, to, bytes, member});
  }
}

void Wholes::add(const Broadcast &kind, const CollectiveSpec::Pair &pair) {
  int64_t bytes = countOf(pair.dst) * size;
  if (bytes == 0)
    return;
  const char *from = me == kind.root ? packed(pair.src) : nullptr;
  char *to = placeOf(pair.dst);
  calls.push_back(
      {WholeCall::Broadcast, from ? from : to, to, bytes, kind.root});
}

void Wholes::reducesAs(plan::Reduction what) {
  type = typeOf(dtype);
  elementBytes = size;
  reduction = what == plan::Reduction::Sum   ? NcclSum
              : what == plan::Reduction::Max ? NcclMax
                                             : NcclMin;
}

void Wholes::add(const AllReduce &kind, const CollectiveSpec::Pair &pair) {
  reducesAs(kind.reduction);
  int64_t bytes = countOf(pair.dst) * size;
  if (bytes == 0)
    return;
  const char *from = packed(pair.src);
  calls.push_back({WholeCall::AllReduce, from, placeOf(pair.dst), bytes});
}

/// The parts of all members, one after the other.
void Wholes::add(const ReduceScatter &kind, const CollectiveSpec::Pair &pair) {
  reducesAs(kind.reduction);
  int64_t bytes = countOf(pair.dst) * size;
  if (bytes == 0)
    return;
  std::vector<Window> parts;
  bool isRun = true;
  for (int64_t member = 0; member < members; ++member) {
    parts.push_back(partOf(pair.src, kind.shares[tensor], member, size));
    isRun &= isDense(parts[member]) &&
             parts[member].data ==
                 static_cast<char *>(parts[0].data) + member * bytes;
  }
  char *from = static_cast<char *>(parts[0].data);
  if (!isRun) {
    from = take(members * bytes);
    for (int64_t member = 0; member < members; ++member) {
      char *place = from ? from + member * bytes : nullptr;
      packs.push_back({parts[member], denseWindow(place, parts[member].shape)});
    }
  }
  calls.push_back({WholeCall::ReduceScatter, from, placeOf(pair.dst), bytes});
}

// ---- running --------------------------------------------------------------

Status Wholes::makeCopies(Mover &mover, const std::vector<Copy> &copies,
                          Moves &moves) const {
  auto operand = [&](const Window &window) {
    return Operand{window.data, dtype, window.shape, window.strides};
  };
  Status status;
  for (const Copy &copy : copies)
    if (status.ok() && countOf(copy.to) > 0)
      status = mover.makeCopy(operand(copy.from), operand(copy.to),
                              moves.emplace_back());
  return status;
}

Status Wholes::prepare(Mover &early, Mover &late) {
  Status status = makeCopies(early, packs, packMoves);
  return status.ok() ? makeCopies(late, unpacks, unpackMoves) : status;
}

Status Wholes::run(const Moves &moves) {
  for (const std::unique_ptr<Mover::Move> &move : moves)
    if (Status status = move->run(); !status.ok())
      return status;
  return Status::success();
}

} // namespace hocket::runtime::cuda
