//===- CollectiveSpec.cpp - checks of collectives, alone and paired -------===//

#include "runtime/lib/Communicator/CollectiveSpec.h"

namespace hocket::runtime {

using plan::CollectiveKind;

const char *toString(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::HaloExchange:
    return "halo_exchange";
  case CollectiveKind::HaloReduce:
    return "halo_reduce";
  case CollectiveKind::Broadcast:
    break;
  }
  return "broadcast";
}

std::string CollectiveSpec::describe() const {
  bool isAllToAll = isHalo() && strategy == plan::HaloStrategy::AllToAll;
  std::string text = toString(isAllToAll ? CollectiveKind::AllToAll : kind);
  text += " of \"" + source.path + "\"";
  if (!source.schedule.empty())
    text += " (" + source.schedule + ")";
  return text;
}

CollectiveSpec CollectiveSpec::alone(size_t tensor) const {
  CollectiveSpec one = *this;
  one.more.clear();
  if (tensor == 0)
    return one;
  const Part &part = more[tensor - 1];
  one.src = part.src, one.dst = part.dst;
  one.dim = part.dim, one.offset = part.offset, one.size = part.size;
  return one;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// What src and dst must be, given the tables; false if a dim is out of range.
static bool expectedShapes(const CollectiveSpec &spec,
                           std::vector<int64_t> &src,
                           std::vector<int64_t> &dst) {
  src = spec.src.shape;
  dst = src;
  auto valid = [&](int dim) {
    return dim >= 0 && dim < static_cast<int>(src.size());
  };
  auto total = [](const std::vector<int64_t> &sizes) {
    int64_t sum = 0;
    for (int64_t size : sizes)
      sum += size;
    return sum;
  };
  switch (spec.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Broadcast:
    return true;
  case CollectiveKind::ReduceScatter:
    if (!valid(spec.dim))
      return false;
    src[spec.dim] = total(spec.size);
    dst[spec.dim] = spec.size[spec.me];
    return true;
  case CollectiveKind::AllGather:
    if (!valid(spec.dim))
      return false;
    src[spec.dim] = spec.size[spec.me];
    dst[spec.dim] = total(spec.size);
    return true;
  case CollectiveKind::AllToAll:
    if (!valid(spec.dim) || !valid(spec.toDim) || spec.dim == spec.toDim)
      return false;
    src[spec.dim] = spec.size[spec.me];
    src[spec.toDim] = total(spec.toSize);
    dst[spec.dim] = total(spec.size);
    dst[spec.toDim] = spec.toSize[spec.me];
    return true;
  case CollectiveKind::HaloExchange:
  case CollectiveKind::HaloReduce: {
    if (!valid(spec.dim))
      return false;
    bool attaches = spec.kind == CollectiveKind::HaloExchange;
    src[spec.dim] = (attaches ? spec.size : spec.toSize)[spec.me];
    dst[spec.dim] = (attaches ? spec.toSize : spec.size)[spec.me];
    return true;
  }
  }
  return false;
}

/// Whether `offset` and `size` cut [0, total) into disjoint intervals by
/// member; sizes may be 0 and members in any order.
static bool isCut(const std::vector<int64_t> &offset,
                  const std::vector<int64_t> &size, size_t members) {
  if (offset.size() != members || size.size() != members)
    return false;
  int64_t total = 0;
  for (int64_t extent : size)
    total += extent;
  for (size_t i = 0; i < members; ++i) {
    if (size[i] < 0 || offset[i] < 0 || offset[i] + size[i] > total)
      return false;
    for (size_t j = 0; j < i; ++j)
      if (size[i] > 0 && size[j] > 0 && offset[i] < offset[j] + size[j] &&
          offset[j] < offset[i] + size[i])
        return false;
  }
  return true;
}

/// What a halo's members hold, given that what they own is a cut.
static bool canHold(const CollectiveSpec &spec) {
  size_t members = spec.members.size();
  int64_t owned = 0;
  for (int64_t size : spec.size)
    owned += size;
  bool fits = owned == spec.extent && spec.toOffset.size() == members &&
              spec.toSize.size() == members;
  for (size_t i = 0; fits && i < members; ++i)
    fits = spec.toSize[i] >= 0 &&
           plan::reaches(spec.border, spec.toOffset[i],
                         spec.toOffset[i] + spec.toSize[i], spec.extent);
  return fits && spec.halo().areRowsValid();
}

Status checkSpec(const CollectiveSpec &spec) {
  auto bad = [&](const std::string &what) {
    return Status::runtimeError(spec.describe() + ": " + what);
  };
  size_t members = spec.members.size();
  if (members == 0 || spec.me < 0 || spec.me >= static_cast<int64_t>(members))
    return bad("member " + std::to_string(spec.me) + " of " +
               std::to_string(members) + " does not exist");
  if (spec.root < 0 || spec.root >= static_cast<int64_t>(members))
    return bad("root " + std::to_string(spec.root) + " of " +
               std::to_string(members) + " members does not exist");
  if (spec.src.shape.size() > maxDims ||
      spec.src.shape.size() != spec.src.strides.size() ||
      spec.dst.shape.size() != spec.dst.strides.size())
    return bad("windows have at most " + std::to_string(maxDims) +
               " dims, as many strides as extents");
  bool cuts = spec.kind != CollectiveKind::AllReduce &&
              spec.kind != CollectiveKind::Broadcast;
  if (cuts && !isCut(spec.offset, spec.size, members))
    return bad("its shards overlap or leave a gap");
  if (spec.kind == CollectiveKind::AllToAll &&
      !isCut(spec.toOffset, spec.toSize, members))
    return bad("its new shards overlap or leave a gap");
  if (spec.isHalo() && !canHold(spec))
    return bad("its margins reach further than its border");
  std::vector<int64_t> src, dst;
  if (!expectedShapes(spec, src, dst))
    return bad("its dims " + std::to_string(spec.dim) + " and " +
               std::to_string(spec.toDim) + " are not those of a tensor of " +
               std::to_string(spec.src.shape.size()) + " dims");
  if (spec.src.shape != src || spec.dst.shape != dst)
    return bad("expected windows " + shapeText(src) + " and " + shapeText(dst) +
               ", found " + shapeText(spec.src.shape) + " and " +
               shapeText(spec.dst.shape));
  if (!spec.more.empty() && !plan::Collective::movesSeveral(spec.kind))
    return bad("it takes one tensor, found " +
               std::to_string(1 + spec.more.size()));
  for (size_t i = 0; i < spec.more.size(); ++i) {
    Status status = checkSpec(spec.alone(i + 1));
    if (!status.ok())
      return status;
  }
  return Status::success();
}

/// The extents on which all members agree: dims that are cut count whole.
static std::vector<int64_t> wholeShape(const CollectiveSpec &spec) {
  bool gathers = spec.kind == CollectiveKind::AllGather ||
                 spec.kind == CollectiveKind::AllToAll;
  std::vector<int64_t> shape = spec.src.shape;
  if (gathers && spec.dim >= 0)
    shape[spec.dim] = spec.dst.shape[spec.dim];
  if (spec.isHalo())
    shape[spec.dim] = spec.extent;
  return shape;
}

std::string difference(const CollectiveSpec &a, const CollectiveSpec &b) {
  if (a.kind != b.kind || a.strategy != b.strategy)
    return "they are different collectives";
  if (a.id != b.id)
    return "they are number " + std::to_string(a.id) + " and number " +
           std::to_string(b.id) + " of the program";
  if (a.type != b.type)
    return std::string("one has elements of ") + plan::toString(a.type) +
           " and the other of " + plan::toString(b.type);
  if (a.reduction != b.reduction)
    return "they reduce differently";
  if (a.more.size() != b.more.size())
    return "one moves " + std::to_string(1 + a.more.size()) +
           " tensors and the other " + std::to_string(1 + b.more.size());
  for (size_t i = 0; i < a.more.size(); ++i) {
    std::string text = difference(a.alone(i + 1), b.alone(i + 1));
    if (!text.empty())
      return text;
  }
  if (a.dim != b.dim || a.toDim != b.toDim || a.root != b.root)
    return "they work on different dims or roots";
  if (a.border != b.border)
    return "their borders differ";
  if (a.offset != b.offset || a.size != b.size || a.toOffset != b.toOffset ||
      a.toSize != b.toSize || a.rows != b.rows)
    return "they cut differently";
  if (wholeShape(a) != wholeShape(b))
    return "their tensors are " + shapeText(wholeShape(a)) + " and " +
           shapeText(wholeShape(b));
  if (a.members != b.members)
    return "they have different members";
  return "";
}

} // namespace hocket::runtime
