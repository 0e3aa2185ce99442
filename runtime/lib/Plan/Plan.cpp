//===- Plan.cpp - sizes, names and coordinates of the plan format ---------===//

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

int64_t byteSize(DType type) {
  switch (type) {
  case DType::F64:
  case DType::I64:
    return 8;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::Bool:
    return 1;
  }
  return 0;
}

const char *toString(DType type) {
  switch (type) {
  case DType::F32:
    return "f32";
  case DType::F64:
    return "f64";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  case DType::Bool:
    return "bool";
  }
  return "?";
}

const HaloShares *Collective::halo() const {
  return std::visit(
      [](const auto &one) -> const HaloShares * {
        if constexpr (std::is_base_of_v<HaloShares,
                                        std::decay_t<decltype(one)>>)
          return &one;
        else
          return nullptr;
      },
      kind);
}

CollectiveKind Collective::namedKind() const {
  const HaloShares *shares = halo();
  return shares && shares->strategy == HaloStrategy::AllToAll
             ? CollectiveKind::AllToAll
             : CollectiveKind(kind.index());
}

int64_t Plan::rankCount() const {
  int64_t count = 1;
  for (const MeshAxis &axis : mesh)
    count *= axis.size;
  return count;
}

int64_t Plan::coordinate(int64_t rank, const std::vector<int> &axes) const {
  int64_t result = 0;
  for (int axis : axes) {
    int64_t inner = 1;
    for (size_t i = axis + 1; i < mesh.size(); ++i)
      inner *= mesh[i].size;
    result = result * mesh[axis].size + rank / inner % mesh[axis].size;
  }
  return result;
}

int64_t Plan::memberCount(const std::vector<int> &axes) const {
  int64_t count = 1;
  for (int axis : axes)
    count *= mesh[axis].size;
  return count;
}

std::vector<int64_t> Plan::members(int64_t rank,
                                   const std::vector<int> &axes) const {
  std::vector<int64_t> pitch(mesh.size(), 1);
  for (size_t axis = mesh.size(); axis-- > 1;)
    pitch[axis - 1] = pitch[axis] * mesh[axis].size;
  int64_t first = rank, count = memberCount(axes);
  for (int axis : axes)
    first -= rank / pitch[axis] % mesh[axis].size * pitch[axis];
  std::vector<int64_t> result;
  for (int64_t member = 0; member < count; ++member) {
    int64_t other = first, rest = member;
    for (size_t i = axes.size(); i-- > 0; rest /= mesh[axes[i]].size)
      other += rest % mesh[axes[i]].size * pitch[axes[i]];
    result.push_back(other);
  }
  return result;
}

std::string describe(const std::string &thing, const Source &source) {
  std::string text = thing;
  if (!source.path.empty())
    text += " of \"" + source.path + "\"";
  const std::string &place =
      source.schedule.empty() ? source.model : source.schedule;
  return place.empty() ? text : text + " (" + place + ")";
}

} // namespace hocket::plan
