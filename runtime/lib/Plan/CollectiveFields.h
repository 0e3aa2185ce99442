//===- CollectiveFields.h - the fields of collectives, by kind -*- C++ -*-===//
//
// As PlanFields.h, which says what a visitor has.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLAN_COLLECTIVEFIELDS_H
#define HOCKET_LIB_PLAN_COLLECTIVEFIELDS_H

#include "PlanWords.h"

namespace hocket::plan {

static_assert(words(CollectiveKind()).size() ==
              std::variant_size_v<decltype(Collective::kind)>);

template <class V> void fields(V &v, Share &x) {
  v.required("dim", x.dim);
  v.required("offset", x.offset);
  v.required("size", x.size);
}

template <class V> void fields(V &v, AllReduce &x) {
  v.optional("reduction", x.reduction, Reduction::Sum);
}

template <class V> void fields(V &v, ReduceScatter &x) {
  v.required("shares", x.shares);
  v.optional("reduction", x.reduction, Reduction::Sum);
}

template <class V> void fields(V &v, AllGather &x) {
  v.required("shares", x.shares);
}

template <class V> void fields(V &v, AllToAll &x) {
  v.required("from", x.from);
  v.required("to", x.to);
}

template <class V> void fields(V &v, Broadcast &x) {
  v.required("root", x.root);
}

template <class V> void fields(V &v, HaloShares &x) {
  v.required("dims", x.dims);
  v.required("offset", x.offset);
  v.required("size", x.size);
  v.required("held_offset", x.heldOffset);
  v.required("held_size", x.heldSize);
  v.required("extent", x.extent);
  v.optional("border", x.border, Border::Zero);
  v.optional("strategy", x.strategy, HaloStrategy::Neighbors);
  v.optional("rows", x.rows, -1);
}

template <class V> void fields(V &v, Collective::Pair &x) {
  v.required("src", x.src);
  v.required("dst", x.dst);
  v.optional("source", x.source, -1);
}

/// The kind's own fields stand beside the others.
template <class V> void fields(V &v, Collective &x) {
  v.required("kind", x.kind);
  v.required("id", x.id);
  v.required("axes", x.axes);
  v.required("pairs", x.pairs);
  std::visit([&](auto &kind) { fields(v, kind); }, x.kind);
  v.optional("is_started", x.isStarted, false);
  v.optional("hook", x.hook, std::string());
}

template <class V> void fields(V &v, Wait &x) { v.required("id", x.id); }

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_COLLECTIVEFIELDS_H
