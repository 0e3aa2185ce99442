//===- Writer.cpp - writes a function of the buffers stage ----------------===//

#include "Writer.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::buffers;
using namespace hocket::bufferization;

Writer::Writer(Block &body)
    : load(OpBuilder::atBlockEnd(&body)), step(OpBuilder::atBlockEnd(&body)) {
  auto loaded = LoadedOp::create(step, step.getUnknownLoc());
  load.setInsertionPoint(loaded);
}

static BufferType bufferFor(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return BufferType::get(type.getContext(), type.getElementType(),
                         type.getNumElements());
}

Value Writer::buffer(Value of, Phase phase) {
  return BufferOp::create(in(phase), of.getLoc(), bufferFor(of),
                          buffers::Region::Arena);
}

Value Writer::state(Operation *op, StringRef name, spmd::BoxAttr cuts) {
  return StateOp::create(load, op->getLoc(), bufferFor(op->getResult(0)), name,
                         cuts);
}

Value Writer::view(Location loc, const Strided &at, Phase phase) {
  std::vector<const void *> terms;
  for (TermAttr term : at.terms)
    terms.push_back(term.getAsOpaquePointer());
  std::vector<int64_t> numbers{at.offset};
  numbers.insert(numbers.end(), at.sizes.begin(), at.sizes.end());
  numbers.insert(numbers.end(), at.strides.begin(), at.strides.end());
  Key key{at.buffer.getAsOpaquePointer(), terms, numbers};
  if (auto found = views[0].find(key); found != views[0].end())
    return found->second;
  Value &view = views[phase == Phase::Step][key];
  if (view)
    return view;
  OpBuilder &builder = in(phase);
  Type element = elementTypeOf(at.buffer);
  auto type =
      ViewType::get(element.getContext(), element, at.sizes, at.strides);
  SmallVector<Attribute> list(at.terms.begin(), at.terms.end());
  return view = ViewOp::create(builder, loc, type, at.buffer, at.offset,
                               list.empty() ? ArrayAttr()
                                            : builder.getArrayAttr(list));
}

void Writer::copy(Location loc, const Strided &from, const Strided &to,
                  Phase phase) {
  Value source = view(loc, from, phase), target = view(loc, to, phase);
  CopyOp::create(in(phase), loc, source, target);
}

void Writer::fill(Location loc, const Strided &at, double value, Phase phase) {
  Value target = view(loc, at, phase);
  FillOp::create(in(phase), loc, target, llvm::APFloat(value));
}

Value Writer::pack(Location loc, const Strided &weight, int64_t rows) {
  Value source = view(loc, weight, Phase::Load);
  auto type = PackType::get(load.getContext(),
                            cast<ViewType>(source.getType()).getElementType(),
                            weight.sizes[0], weight.sizes[1]);
  return PackOp::create(load, loc, type, source, rows);
}

/// The chain in `body`, whose arguments are what it reads from outside.
static void fillBody(Block &body, const Computation &computation) {
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  IRMapping inside;
  llvm::DenseMap<Operation *, Operation *> clones;
  for (Operation *op : computation.chain)
    clones[op] = builder.clone(*op, inside);
  // By operand: one value may be read in two places.
  for (const In &in : computation.ins) {
    Value value = in.operand->get();
    clones[in.operand->getOwner()]->setOperand(
        in.operand->getOperandNumber(),
        body.addArgument(value.getType(), value.getLoc()));
  }
  Operation *last = clones[computation.chain.back()];
  YieldOp::create(builder, last->getLoc(), last->getResults());
}

Value Writer::compute(const Computation &computation, Phase phase) {
  Operation *first = computation.chain.front();
  SmallVector<Value> ins, outs;
  for (const In &in : computation.ins)
    ins.push_back(in.pack ? in.pack
                          : view(in.operand->get().getLoc(), in.at, phase));
  for (auto [result, at] : llvm::zip_equal(
           computation.chain.back()->getResults(), computation.outs))
    outs.push_back(view(result.getLoc(), at, phase));
  OpBuilder &builder = in(phase);
  Type started = first->hasAttr("isStarted")
                     ? StartedType::get(builder.getContext())
                     : Type();
  auto compute = ComputeOp::create(builder, first->getLoc(), started, ins, outs,
                                   computation.inPlace);
  fillBody(compute.getBody().emplaceBlock(), computation);
  return compute.getStarted();
}

void Writer::wait(Location loc, Value started) {
  WaitOp::create(step, loc, started);
}

void Writer::finish(Location loc, ArrayRef<Strided> results) {
  SmallVector<Value> views;
  for (const Strided &result : results)
    views.push_back(view(loc, result, Phase::Step));
  nn::ReturnOp::create(step, loc, views);
}
