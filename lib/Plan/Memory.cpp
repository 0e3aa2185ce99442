//===- Memory.cpp - lifetimes and addresses of buffers --------------------===//
//
// Arena offsets: larger buffers first, each at the lowest offset that is free
// during its life (greedy by size, Pisarchyk and Lee, arXiv 2001.03288).
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include <algorithm>
#include <climits>

using namespace hocket;
using namespace hocket::planning;

static constexpr int64_t kAlignment = 64;

static int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

namespace {

/// Calls `touch(buffer)` for each buffer that an instruction reads or writes
/// when it runs.
template <typename Touch> struct BufferVisitor {
  Touch touch;

  void view(const plan::View &view) const {
    if (view.buffer >= 0)
      touch(view.buffer);
  }
  void operator()(const plan::ReadParameter &read) const { view(read.dst); }
  void operator()(const plan::Kernel &kernel) const {
    for (const plan::View &input : kernel.inputs)
      view(input);
    for (const plan::View &output : kernel.outputs)
      view(output);
  }
  void operator()(const plan::Matmul &matmul) const {
    view(matmul.a);
    // The pack is read instead of the plain weight.
    if (matmul.packedWeight < 0)
      view(matmul.b);
    view(matmul.c);
    if (matmul.hasBias)
      view(matmul.bias);
    for (const plan::FusedPostOp &post : matmul.post)
      view(post.operand);
  }
  void operator()(const plan::PackWeight &pack) const { view(pack.b); }
  void operator()(const plan::Attention &attention) const {
    view(attention.q);
    view(attention.k);
    view(attention.v);
    view(attention.keep);
    view(attention.dropout.step);
    view(attention.out);
  }
  template <class Forward>
  void operator()(const plan::GradientOf<Forward> &gradient) const {
    (*this)(gradient.forward);
    view(gradient.dq);
    view(gradient.dk);
    view(gradient.dv);
  }
  void operator()(const plan::NeighborhoodAttention &attention) const {
    view(attention.q);
    view(attention.k);
    view(attention.v);
    view(attention.out);
  }
  void operator()(const plan::EmbeddingGrad &gradient) const {
    view(gradient.ids);
    view(gradient.dy);
    view(gradient.out);
  }
  void operator()(const plan::Embedding &embedding) const {
    view(embedding.table);
    view(embedding.ids);
    view(embedding.out);
  }
  void operator()(const plan::Convolution &convolution) const {
    view(convolution.x);
    view(convolution.weight);
    view(convolution.y);
    view(convolution.bias);
  }
  void operator()(const plan::Pooling &pooling) const {
    view(pooling.x);
    view(pooling.y);
    view(pooling.dx);
  }
  void operator()(const plan::Copy &copy) const {
    view(copy.src);
    view(copy.dst);
  }
  void operator()(const plan::Collective &collective) const {
    for (const plan::Collective::Pair &pair : collective.pairs) {
      view(pair.src);
      view(pair.dst);
    }
  }
  void operator()(const plan::Fill &fill) const { view(fill.dst); }
  void operator()(const plan::Hook &hook) const {
    for (const plan::View &input : hook.inputs)
      view(input);
    for (const plan::View &output : hook.outputs)
      view(output);
  }
  void operator()(const plan::Iota &iota) const { view(iota.dst); }
  void operator()(const plan::Constant &constant) const { view(constant.dst); }
};

template <typename Touch>
void forEachBuffer(const plan::Instruction &instruction, Touch touch) {
  std::visit(BufferVisitor<Touch>{touch}, instruction.body);
}

/// First and last instruction that touches a buffer; none: first > last.
struct Life {
  int first = INT_MAX, last = -1;
  bool isUsed() const { return last >= 0; }
  bool overlaps(const Life &other) const {
    return first <= other.last && other.first <= last;
  }
  void touch(int at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

std::vector<Life> livesIn(const std::vector<plan::Instruction> &list,
                          size_t buffers) {
  std::vector<Life> lives(buffers);
  for (size_t i = 0; i < list.size(); ++i)
    forEachBuffer(list[i], [&](int buffer) { lives[buffer].touch(i); });
  return lives;
}

/// Places `members` (buffer numbers) in one arena; returns its size.
int64_t placeByLife(std::vector<plan::Buffer> &buffers,
                    std::vector<int> members, const std::vector<Life> &lives) {
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::vector<int> placed; // by offset
  int64_t total = 0;
  for (int member : members) {
    int64_t offset = 0, size = aligned(buffers[member].bytes);
    for (int other : placed) {
      if (!lives[other].overlaps(lives[member]))
        continue;
      if (offset + size <= buffers[other].offset)
        break;
      offset = std::max(offset,
                        buffers[other].offset + aligned(buffers[other].bytes));
    }
    buffers[member].offset = offset;
    total = std::max(total, offset + size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), member,
                                   [&](int a, int b) {
                                     return buffers[a].offset <
                                            buffers[b].offset;
                                   }),
                  member);
  }
  return total;
}

} // namespace

int Memory::add(plan::DType type, int64_t elements) {
  rankClass.buffers.push_back(
      {plan::Region::Arena, 0, elements * plan::byteSize(type), type});
  return rankClass.buffers.size() - 1;
}

int Memory::addTensor(plan::Region region, int64_t index, plan::DType type,
                      int64_t elements) {
  rankClass.buffers.push_back(
      {region, index, elements * plan::byteSize(type), type});
  return rankClass.buffers.size() - 1;
}

int Memory::addState(plan::DType type, int64_t elements) {
  int64_t &bytes = rankClass.budget.stateBytes;
  rankClass.buffers.push_back(
      {plan::Region::State, bytes, elements * plan::byteSize(type), type});
  bytes += aligned(rankClass.buffers.back().bytes);
  return rankClass.buffers.size() - 1;
}

void Memory::assign() {
  std::vector<plan::Buffer> &buffers = rankClass.buffers;
  std::vector<Life> loadLives = livesIn(rankClass.load, buffers.size());
  std::vector<Life> stepLives = livesIn(rankClass.step, buffers.size());
  std::vector<int> loadOnly, stepOnly;
  int64_t weights = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].region != plan::Region::Arena)
      continue;
    bool atLoad = loadLives[i].isUsed(), atStep = stepLives[i].isUsed();
    if (atLoad && atStep) {
      buffers[i].region = plan::Region::Weights;
      buffers[i].offset = weights;
      weights += aligned(buffers[i].bytes);
    } else if (atLoad) {
      loadOnly.push_back(i);
    } else if (atStep) {
      stepOnly.push_back(i);
    } else {
      buffers[i].bytes = 0; // nothing reads or writes it
    }
  }
  // Loading is over when the first step begins: both use the same arena.
  int64_t load = placeByLife(buffers, loadOnly, loadLives);
  int64_t step = placeByLife(buffers, stepOnly, stepLives);
  rankClass.budget.arenaBytes = std::max(load, step);
  rankClass.budget.weightBytes = weights;
}
