//===- AttentionMemory.h - what attentions read and write ------*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_ATTENTIONMEMORY_H
#define HOCKET_LIB_PLAN_ATTENTIONMEMORY_H

#include "hocket/Plan/AttentionCosts.h"
#include <map>
#include <set>
#include <tuple>

namespace hocket::plan {

/// By buffer the first and the last instruction of a step that reads or writes
/// it.
class Lifetimes {
public:
  explicit Lifetimes(const RankClass &rankClass);

  struct Span {
    size_t first, last;
  };
  Span of(int buffer) const { return spans.at(buffer); }

private:
  std::map<int, Span> spans;
};

/// What the calls of one attention and its gradient have for operands and
/// results.
class AttentionViews {
public:
  /// `instruction` is an attention of any kind, or a gradient.
  void add(const Instruction &instruction, const RankClass &rankClass);
  AttentionMemory memory(const Lifetimes &lifetimes) const;

private:
  /// Region and, of an input or output, which one; where in it the first byte
  /// is, and how many it reaches.
  using Range = std::tuple<Region, int64_t, int64_t, int64_t>;
  /// What views reach, with their buffers.
  using Ranges = std::set<std::pair<Range, int>>;

  static void add(Ranges &ranges, const View &view, const RankClass &rankClass);
  template <class Forward>
  void addForward(const Forward &forward, const RankClass &rankClass);
  /// Bytes of those that are there at the same time, at most.
  static int64_t most(const Ranges &ranges, const Lifetimes &lifetimes);

  Ranges queries, keysAndValues, results, lse, gradients, bias;
};

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_ATTENTIONMEMORY_H
