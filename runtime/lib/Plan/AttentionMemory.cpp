//===- AttentionMemory.cpp - what attentions read and write ---------------===//

#include "AttentionMemory.h"
#include "hocket/Plan/Accesses.h"
#include <algorithm>

namespace hocket::plan {

Lifetimes::Lifetimes(const RankClass &rankClass) {
  for (size_t at = 0; at < rankClass.step.size(); ++at) {
    Accesses accesses = accessesOf(rankClass.step[at]);
    for (const auto *views : {&accesses.reads, &accesses.writes})
      for (const View *view : *views)
        spans.try_emplace(view->buffer, Span{at, at}).first->second.last = at;
  }
}

void AttentionViews::add(Ranges &ranges, const View &view,
                         const RankClass &rankClass) {
  if (view.buffer < 0)
    return;
  const Buffer &buffer = rankClass.buffers[view.buffer];
  bool isNumbered =
      buffer.region == Region::Input || buffer.region == Region::Output;
  int64_t size = byteSize(buffer.type), count = 1, span = 1;
  for (size_t dim = 0; dim < view.shape.size(); ++dim) {
    if (view.shape[dim] == 0)
      return;
    if (view.strides[dim] == 0)
      continue;
    count *= view.shape[dim];
    span += (view.shape[dim] - 1) * std::abs(view.strides[dim]);
  }
  int64_t begin = (isNumbered ? 0 : buffer.offset) + view.offset * size;
  ranges.insert({{buffer.region, isNumbered ? buffer.offset : 0, begin,
                  std::min(count, span) * size},
                 view.buffer});
}

int64_t AttentionViews::most(const Ranges &ranges, const Lifetimes &lifetimes) {
  // By instruction, what is there from it on and what no longer is.
  std::map<size_t, std::pair<std::vector<Range>, std::vector<Range>>> changes;
  for (const auto &[range, buffer] : ranges) {
    Lifetimes::Span span = lifetimes.of(buffer);
    changes[span.first].first.push_back(range);
    changes[span.last + 1].second.push_back(range);
  }
  // One buffer may begin where another one ends, in place.
  std::map<Range, int> held;
  int64_t bytes = 0, most = 0;
  for (const auto &[at, change] : changes) {
    for (const Range &range : change.first)
      if (++held[range] == 1)
        bytes += std::get<3>(range);
    for (const Range &range : change.second)
      if (--held[range] == 0)
        bytes -= std::get<3>(range);
    most = std::max(most, bytes);
  }
  return most;
}

template <class Forward>
void AttentionViews::addForward(const Forward &forward,
                                const RankClass &rankClass) {
  add(queries, forward.q, rankClass);
  add(keysAndValues, forward.k, rankClass);
  add(keysAndValues, forward.v, rankClass);
  add(results, forward.out, rankClass);
  add(lse, forward.lse, rankClass);
}

void AttentionViews::add(const Instruction &instruction,
                         const RankClass &rankClass) {
  auto addGradient = [&](const auto &gradient) {
    addForward(gradient.forward, rankClass);
    for (const View *view : {&gradient.dout, &gradient.dq, &gradient.dk,
                             &gradient.dv, &gradient.dbias})
      add(gradients, *view, rankClass);
  };
  if (auto *x = std::get_if<Attention>(&instruction.body)) {
    addForward(*x, rankClass);
    add(bias, x->bias, rankClass);
  }
  if (auto *x = std::get_if<NeighborhoodAttention>(&instruction.body))
    addForward(*x, rankClass);
  if (auto *x = std::get_if<AttentionGrad>(&instruction.body)) {
    addGradient(*x);
    add(bias, x->forward.bias, rankClass);
  }
  if (auto *x = std::get_if<NeighborhoodAttentionGrad>(&instruction.body))
    addGradient(*x);
}

AttentionMemory AttentionViews::memory(const Lifetimes &lifetimes) const {
  return {most(queries, lifetimes),   most(keysAndValues, lifetimes),
          most(results, lifetimes),   most(lse, lifetimes),
          most(gradients, lifetimes), most(bias, lifetimes)};
}

} // namespace hocket::plan
