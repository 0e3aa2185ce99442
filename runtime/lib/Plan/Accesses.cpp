//===- Accesses.cpp - what an instruction reads and writes ----------------===//

#include "hocket/Plan/Accesses.h"

namespace hocket::plan {

namespace {

/// One overload for each kind of instruction.
struct Finder {
  Accesses &out;

  void read(const View &view) const {
    if (view.buffer >= 0)
      out.reads.push_back(&view);
  }
  void write(const View &view) const {
    if (view.buffer >= 0)
      out.writes.push_back(&view);
  }

  void operator()(const ReadParameter &x) const { write(x.dst); }
  void operator()(const Kernel &x) const {
    for (const View &input : x.inputs)
      read(input);
    for (const View &output : x.outputs)
      write(output);
  }
  void operator()(const Matmul &x) const {
    read(x.a);
    if (x.packedWeight < 0) // else the pack is read
      read(x.b);
    if (x.hasBias)
      read(x.bias);
    for (const FusedPostOp &post : x.post)
      read(post.operand);
    write(x.c);
  }
  void operator()(const PackWeight &x) const { read(x.b); }
  void operator()(const Attention &x) const {
    readOperands(x);
    write(x.out);
    write(x.lse);
  }
  void operator()(const NeighborhoodAttention &x) const {
    readOperands(x);
    write(x.out);
    write(x.lse);
  }
  template <class Forward> void operator()(const GradientOf<Forward> &x) const {
    readOperands(x.forward);
    read(x.forward.out);
    read(x.forward.lse);
    read(x.dout);
    write(x.dq);
    write(x.dk);
    write(x.dv);
    write(x.dbias);
  }
  void operator()(const Embedding &x) const {
    read(x.table);
    read(x.ids);
    write(x.out);
  }
  void operator()(const EmbeddingGrad &x) const {
    read(x.ids);
    read(x.dy);
    write(x.out);
  }
  void operator()(const Convolution &x) const {
    const View &result = x.pass == ConvolutionPass::Forward         ? x.y
                         : x.pass == ConvolutionPass::InputGradient ? x.x
                                                                    : x.weight;
    for (const View *view : {&x.x, &x.weight, &x.y, &x.bias})
      if (view != &result)
        read(*view);
    write(result);
  }
  void operator()(const Pooling &x) const {
    read(x.x);
    if (x.isGradient)
      read(x.y);
    write(x.isGradient ? x.dx : x.y);
  }
  void operator()(const Copy &x) const {
    read(x.src);
    write(x.dst);
  }
  void operator()(const Collective &x) const {
    for (const Collective::Pair &pair : x.pairs) {
      read(pair.src);
      write(pair.dst);
    }
  }
  void operator()(const Wait &) const {}
  void operator()(const Fill &x) const { write(x.dst); }
  void operator()(const Iota &x) const { write(x.dst); }
  void operator()(const Constant &x) const { write(x.dst); }
  void operator()(const Hook &x) const {
    for (const View &input : x.inputs)
      read(input);
    for (const View &output : x.outputs)
      write(output);
  }

  void readOperands(const Attention &x) const {
    for (const View *view : {&x.q, &x.k, &x.v, &x.keep, &x.queryDocuments,
                             &x.keyDocuments, &x.bias, &x.dropout.step})
      read(*view);
  }
  void readOperands(const NeighborhoodAttention &x) const {
    for (const View *view : {&x.q, &x.k, &x.v})
      read(*view);
  }
};

} // namespace

Accesses accessesOf(const Instruction &instruction) {
  Accesses accesses;
  std::visit(Finder{accesses}, instruction.body);
  return accesses;
}

const Collective *endingAt(const Instructions &list, size_t at) {
  if (auto *whole = std::get_if<Collective>(&list[at].body))
    return whole->isStarted ? nullptr : whole;
  auto *wait = std::get_if<Wait>(&list[at].body);
  for (size_t i = at; wait && i-- > 0;)
    if (auto *start = std::get_if<Collective>(&list[i].body))
      if (start->isStarted && start->id == wait->id)
        return start;
  return nullptr;
}

std::vector<const View *> writtenViews(const Instructions &list, size_t at) {
  if (!std::holds_alternative<Collective>(list[at].body) &&
      !std::holds_alternative<Wait>(list[at].body))
    return accessesOf(list[at]).writes;
  std::vector<const View *> views;
  if (const Collective *ended = endingAt(list, at))
    for (const Collective::Pair &pair : ended->pairs)
      views.push_back(&pair.dst);
  return views;
}

} // namespace hocket::plan
