//===- Address.cpp - a plan's views as a rank's memory --------------------===//

#include "runtime/lib/Device/Address.h"
#include "hocket/Plan/Alignment.h"

namespace hocket::runtime {

void AddressBook::setBase(int buffer, char *base) {
  bases.resize(rankClass.buffers.size());
  bases[buffer] = base;
}

int64_t AddressBook::value(const plan::Scalar &scalar) const {
  if (scalar.table < 0)
    return scalar.constant;
  const plan::Table &table = plan.tables[scalar.table];
  return scalar.constant +
         scalar.scale * table.values[plan.coordinate(rank, table.axes)];
}

Operand AddressBook::operand(const plan::View &view) const {
  const plan::Buffer &buffer = rankClass.buffers[view.buffer];
  int64_t offset = view.offset;
  for (const plan::Scalar &term : view.terms)
    offset += value(term);
  return {bases[view.buffer] + offset * plan::byteSize(buffer.type),
          buffer.type, view.shape, view.strides};
}

const plan::Source &AddressBook::source(int index) const {
  static const plan::Source none;
  return index < 0 ? none : plan.sources[index];
}

namespace {

/// Writes out the tables of a kind by member: one overload a kind.
struct ByMember {
  const plan::Plan &plan;
  using Kind = decltype(CollectiveSpec::kind);

  Kind operator()(const plan::AllReduce &kind) const { return kind; }
  Kind operator()(const plan::ReduceScatter &kind) const {
    return ReduceScatter{shares(kind.shares), kind.reduction};
  }
  Kind operator()(const plan::AllGather &kind) const {
    return AllGather{shares(kind.shares)};
  }
  Kind operator()(const plan::AllToAll &kind) const {
    return AllToAll{shares(kind.from), shares(kind.to)};
  }
  Kind operator()(const plan::Broadcast &kind) const { return kind; }
  Kind operator()(const plan::HaloExchange &kind) const {
    return HaloExchange{halo(kind)};
  }
  Kind operator()(const plan::HaloReduce &kind) const {
    return HaloReduce{halo(kind)};
  }

  std::vector<Share> shares(const std::vector<plan::Share> &given) const {
    std::vector<Share> result;
    for (const plan::Share &share : given)
      result.push_back({share.dim, plan.tables[share.offset].values,
                        plan.tables[share.size].values});
    return result;
  }
  HaloShares halo(const plan::HaloShares &given) const {
    return {given.dims, plan::haloOf(plan, given), given.strategy};
  }
};

} // namespace

CollectiveSpec AddressBook::collective(const plan::Collective &collective,
                                       int sourceIndex) const {
  CollectiveSpec spec;
  spec.kind = std::visit(ByMember{plan}, collective.kind);
  spec.id = collective.id;
  spec.members = plan.members(rank, collective.axes);
  spec.me = plan.coordinate(rank, collective.axes);
  for (const plan::Collective::Pair &pair : collective.pairs) {
    Operand src = operand(pair.src), dst = operand(pair.dst);
    spec.type = dst.type;
    spec.pairs.push_back({{src.data, src.shape, src.strides},
                          {dst.data, dst.shape, dst.strides}});
  }
  spec.source = source(sourceIndex);
  return spec;
}

int64_t AddressBook::alignment(const plan::View &view, int64_t most) const {
  return plan::alignmentOf(view, plan, rankClass, most);
}

std::string AddressBook::idsName(const plan::View &ids, int index) const {
  const plan::Buffer &buffer = rankClass.buffers[ids.buffer];
  return buffer.region == plan::Region::Input
             ? "input \"" + plan.inputs[buffer.offset].name + "\""
             : "the ids of \"" + source(index).path + "\"";
}

} // namespace hocket::runtime
