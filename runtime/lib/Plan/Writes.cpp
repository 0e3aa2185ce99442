//===- Writes.cpp - what an instruction writes ----------------------------===//

#include "hocket/Plan/Writes.h"

namespace hocket::plan {

namespace {

using Views = std::vector<const View *>;

/// One overload for each kind of instruction.
struct Writer {
  Views operator()(const ReadParameter &x) const { return {&x.dst}; }
  Views operator()(const Kernel &x) const { return all(x.outputs); }
  Views operator()(const Matmul &x) const { return {&x.c}; }
  Views operator()(const PackWeight &) const { return {}; }
  Views operator()(const Attention &x) const { return {&x.out}; }
  Views operator()(const NeighborhoodAttention &x) const { return {&x.out}; }
  Views operator()(const Embedding &x) const { return {&x.out}; }
  Views operator()(const EmbeddingGrad &x) const { return {&x.out}; }
  Views operator()(const Copy &x) const { return {&x.dst}; }
  Views operator()(const Fill &x) const { return {&x.dst}; }
  Views operator()(const Iota &x) const { return {&x.dst}; }
  Views operator()(const Constant &x) const { return {&x.dst}; }
  Views operator()(const Hook &x) const { return all(x.outputs); }
  Views operator()(const Pooling &x) const {
    return {x.isGradient ? &x.dx : &x.y};
  }
  Views operator()(const Convolution &x) const {
    return {x.pass == ConvolutionPass::Forward         ? &x.y
            : x.pass == ConvolutionPass::InputGradient ? &x.x
                                                       : &x.weight};
  }
  template <class Forward>
  Views operator()(const GradientOf<Forward> &x) const {
    return {&x.dq, &x.dk, &x.dv};
  }
  /// What is started is written where it ends.
  Views operator()(const Collective &x) const {
    if (x.phase == CollectivePhase::Start)
      return {};
    Views views;
    for (const Collective::Pair &pair : x.pairs)
      views.push_back(&pair.dst);
    return views;
  }

  static Views all(const std::vector<View> &views) {
    Views result;
    for (const View &view : views)
      result.push_back(&view);
    return result;
  }
};

} // namespace

std::vector<const View *> writtenViews(const Instruction &instruction) {
  return std::visit(Writer(), instruction.body);
}

} // namespace hocket::plan
