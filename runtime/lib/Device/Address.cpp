//===- Address.cpp - a plan's views as a rank's memory --------------------===//

#include "runtime/lib/Device/Address.h"

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

CollectiveSpec AddressBook::collective(const plan::Collective &collective,
                                       int sourceIndex) const {
  CollectiveSpec spec;
  spec.kind = collective.kind;
  spec.reduction = collective.reduction;
  spec.id = collective.id;
  spec.members = plan.members(rank, collective.axes);
  spec.me = plan.coordinate(rank, collective.axes);
  Operand src = operand(collective.src), dst = operand(collective.dst);
  spec.type = dst.type;
  spec.src = {src.data, src.shape, src.strides};
  spec.dst = {dst.data, dst.shape, dst.strides};
  auto table = [&](int index) {
    return index < 0 ? std::vector<int64_t>() : plan.tables[index].values;
  };
  for (const plan::Collective::Pair &pair : collective.more) {
    Operand from = operand(pair.src), to = operand(pair.dst);
    spec.more.push_back({{from.data, from.shape, from.strides},
                         {to.data, to.shape, to.strides},
                         pair.dim,
                         table(pair.offset),
                         table(pair.size)});
  }
  spec.dim = collective.dim;
  spec.toDim = collective.toDim;
  spec.offset = table(collective.offset);
  spec.size = table(collective.size);
  spec.toOffset = table(collective.toOffset);
  spec.toSize = table(collective.toSize);
  spec.extent = collective.extent;
  spec.border = collective.border;
  spec.strategy = collective.strategy;
  spec.rows = rowsOf(plan, collective);
  spec.root = collective.root;
  spec.source = source(sourceIndex);
  return spec;
}

} // namespace hocket::runtime
