//===- ClassBufferizer.cpp - bufferizes one class function ----------------===//

#include "ClassBufferizer.h"
#include "Lifetimes.h"
#include "Views.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Transforms/Fuse.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;
using namespace hocket::views;

ClassBufferizer::ClassBufferizer(spmd::FuncOp func, const Target &target)
    : func(func), target(target),
      loadTime(loadTimeValues(func.getBody().front())),
      epilogues(func.getBody().front(), loadTime),
      destinations(func, target, loadTime, epilogues) {
  before.takeBody(func.getBody());
}

LogicalResult ClassBufferizer::run() {
  Block &body = func.getBody().emplaceBlock();
  addInputs(body);
  for (Operation &op : before.front())
    if (!written.contains(&op) && failed(write(op)))
      return failure();
  writeAssigns();
  writer->finish(func.getLoc(), results);
  packEarly(body);
  endLives(body);
  func.setFunctionType(FunctionType::get(
      func.getContext(), body.getArgumentTypes(),
      llvm::to_vector(body.getTerminator()->getOperandTypes())));
  return success();
}

void ClassBufferizer::addInputs(Block &body) {
  for (BlockArgument argument : before.front().getArguments()) {
    Numbers sizes = factorSizes(nn::layoutOf(argument));
    auto type = buffers::InputType::get(
        func.getContext(), getElementTypeOrSelf(argument.getType()), sizes,
        target.inputOrder(argument));
    body.addArgument(type, argument.getLoc());
  }
  writer.emplace(body);
  placer.emplace(destinations, target, loadTime, *writer);
  products.emplace(*placer, target, *writer, epilogues);
  for (auto [argument, memory] :
       llvm::zip(before.front().getArguments(), body.getArguments()))
    placer->set(argument, Strided::whole(memory));
}

/// Operations that nobody waits for and whose results have no elements here: of
/// a factor of which the rank holds nothing.
static bool makesNothing(Operation &op) {
  return op.getNumResults() > 0 &&
         !isa<spmd::ParameterOp, spmd::StateOp, spmd::CollectiveOp>(op) &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getNumElements() == 0;
         });
}

LogicalResult ClassBufferizer::write(Operation &op) {
  if (makesNothing(op)) {
    for (Value result : op.getResults())
      placer->own(result, rowMajorStrides(factorSizes(nn::layoutOf(result))));
    return success();
  }
  if (isViewOp(&op)) {
    placer->set(op.getResult(0), viewOf(op, *placer));
    return success();
  }
  TypeSwitch<Operation *>(&op)
      .Case([&](spmd::ParameterOp op) { writeParameter(op); })
      .Case([&](spmd::StateOp op) { writeState(op); })
      .Case([&](nn::FillOp op) { writeFill(op); })
      .Case([&](nn::ConcatOp op) { writeConcat(op); })
      .Case([&](nn::AssignOp op) { assigns.push_back(op); })
      .Case<nn::LinearOp, nn::MatMulOp>([&](auto op) {
        for (Operation *next : products->write(*op))
          written.insert(next);
      })
      .Case([&](spmd::KernelOp op) { writeKernel(op); })
      .Case([&](spmd::PlaceOp op) { writePlace(op); })
      .Case([&](spmd::StartOp op) { writeStart(op); })
      .Case([&](spmd::CollectiveOp op) { writeCollective(op); })
      .Case([&](nn::ReturnOp op) { writeReturn(op); })
      .Default([&](Operation *op) { writeCompute(*op); });
  return success();
}

//===-- What computes -----------------------------------------------------===//

In ClassBufferizer::read(OpOperand &operand) {
  Value value = operand.get();
  Strided at = placer->get(value);
  if (auto strides = target.turned(operand, at)) {
    auto [copy, isNew] = turned.try_emplace(value);
    if (isNew) {
      Strided from = *reshaped(at, nn::layoutOf(value).getShape());
      copy->second.sizes = from.sizes;
      copy->second.strides = *strides;
      copy->second.buffer = writer->buffer(value, Phase::Step);
      writer->copy(operand.getOwner()->getLoc(), from, copy->second,
                   Phase::Step);
    }
    return {&operand, copy->second};
  }
  if (!target.reads(operand, at))
    at = placer->copied(operand, at);
  return {&operand, at};
}

/// Where it reads and writes.
Computation ClassBufferizer::computationOf(Operation &op) {
  Computation computation;
  computation.chain = {&op};
  SmallVector<Strided> lying;
  for (OpOperand &operand : op.getOpOperands()) {
    lying.push_back(placer->get(operand.get()));
    computation.ins.push_back(read(operand));
  }
  for (OpResult result : op.getResults())
    computation.outs.push_back(
        placer->place(result, target.order(result, lying)));
  return computation;
}

void ClassBufferizer::writeCompute(Operation &op) {
  writer->compute(computationOf(op), placer->phaseOf(op.getResult(0)));
}

/// What a kernel reads where it writes stays there only if it can work in
/// place.
void ClassBufferizer::writeKernel(spmd::KernelOp op) {
  Computation computation = computationOf(*op);
  SmallVector<Strided> lying;
  for (const In &in : computation.ins)
    lying.push_back(in.at);
  for (OpResult result : op->getResults()) {
    const Destination &destination = destinations.of(result);
    if (destination.kind != Destination::Kind::Stored || !destination.isRead)
      continue;
    unsigned output = result.getResultNumber();
    int64_t input =
        llvm::find(op.getInputs(), destination.stored) - op.getInputs().begin();
    if (llvm::count(op.getInputs(), destination.stored) == 1 &&
        target.worksInPlace(op, lying, computation.outs, input, output))
      computation.inPlace.append({input, output});
    else
      computation.outs[output] =
          placer->own(result, computation.outs[output].strides);
  }
  writer->compute(computation, placer->phaseOf(op->getResult(0)));
}

//===-- What is there from the start --------------------------------------===//

void ClassBufferizer::writeParameter(spmd::ParameterOp op) {
  Value value = op.getResult();
  if (loadTime.contains(value)) {
    placer->place(value, target.order(op->getResult(0), {}));
  } else { // steps change it
    stored[op.getPath()] =
        rowMajorAt(value, writer->state(op, op.getPath(), op.getBox()));
    placer->set(value, stored[op.getPath()]);
  }
  Computation computation;
  computation.chain = {op};
  computation.outs = {placer->get(value)};
  writer->compute(computation, Phase::Load);
}

void ClassBufferizer::writeState(spmd::StateOp op) {
  Strided at =
      rowMajorAt(op.getResult(), writer->state(op, op.getName(), op.getBox()));
  stored[op.getName()] = at;
  placer->set(op.getResult(), at);
  writer->fill(op.getLoc(), at, op.getInit().convertToDouble(), Phase::Load);
}

void ClassBufferizer::writeFill(nn::FillOp op) {
  Value value = op.getResult();
  Strided at = placer->place(value, target.order(op->getResult(0), {}));
  writer->fill(op.getLoc(), at, op.getValue().convertToDouble(),
               placer->phaseOf(value));
}

//===-- What is put together ----------------------------------------------===//

void ClassBufferizer::writeConcat(nn::ConcatOp op) {
  for (OpOperand &part : op.getXsMutable()) {
    Strided to = placer->partOf(op, part.getOperandNumber());
    if (placer->isInConcat(part.get()))
      continue;
    Strided from = placer->get(part.get());
    if (!reshaped(from, to.sizes))
      from = placer->copied(part, from);
    writer->copy(op.getLoc(), *reshaped(from, to.sizes), to,
                 placer->phaseOf(op.getResult()));
  }
}

void ClassBufferizer::writePlace(spmd::PlaceOp op) {
  if (placer->has(op.getResult())) // its operand was computed there
    return;
  Strided from = placer->get(op.getX());
  Strided to = placer->amongZeros(op, from.strides);
  if (from.elements() > 0)
    writer->copy(op.getLoc(), from, to, placer->phaseOf(op.getResult()));
}

//===-- Collectives -------------------------------------------------------===//

/// Whether what others read of it is where its collective will have it: of an
/// exchange the operand, of a reduction the margins.
bool ClassBufferizer::isWhereItIsSent(spmd::StartOp start,
                                      spmd::CollectiveOp collective) {
  Value x = collective->getOperand(0);
  if (llvm::is_contained(start.getXs(), x))
    return true;
  return placer->has(x) && llvm::all_of(start.getXs(), [&](Value part) {
           return placer->isInConcat(part);
         });
}

/// Its collective has its place from here on. What is not yet where others will
/// read it cannot be sent: that is started where it ends.
void ClassBufferizer::writeStart(spmd::StartOp op) {
  Operation *next = op->getNextNode();
  while (!isa<spmd::CollectiveOp>(next))
    next = next->getNextNode();
  auto collective = cast<spmd::CollectiveOp>(next);
  if (isWhereItIsSent(op, collective))
    started[next] = begin(collective);
}

/// What waits for it; null if it is over at once.
Value ClassBufferizer::begin(spmd::CollectiveOp op) {
  Computation computation = computationOf(*op.getOperation());
  for (size_t i = 0; i < computation.ins.size(); ++i)
    if (computation.ins[i].at.buffer == computation.outs[i].buffer)
      computation.inPlace.append({int64_t(i), int64_t(i)});
  return writer->compute(computation, Phase::Step);
}

void ClassBufferizer::writeCollective(spmd::CollectiveOp op) {
  Value begun = started.lookup(op.getOperation());
  if (!begun)
    begun = begin(op);
  if (begun)
    writer->wait(op.getLoc(), begun);
}

//===-- What is left at the end -------------------------------------------===//

/// The result is computed where the executor wants it, if it can be, in any
/// order: what writes it to a file turns it.
void ClassBufferizer::writeReturn(nn::ReturnOp op) {
  for (Value value : op.getOperands()) {
    Strided at = placer->get(value);
    auto buffer = at.buffer.getDefiningOp<buffers::BufferOp>();
    bool isFree = buffer && buffer.getRegion() == buffers::Region::Arena &&
                  !loadTime.contains(value);
    if (!isFree || !at.isWhole()) {
      Strided from = at;
      at = rowMajorAt(value, writer->buffer(value, Phase::Step));
      writer->copy(op.getLoc(), from, at, Phase::Step);
      buffer = at.buffer.getDefiningOp<buffers::BufferOp>();
    }
    buffer.setRegion(buffers::Region::Output);
    results.push_back(at);
  }
}

static bool isSame(const Strided &a, const Strided &b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.terms == b.terms &&
         a.sizes == b.sizes && a.strides == b.strides;
}

/// After the outputs, which may be what a stored tensor held. What other stored
/// tensors held is copied before any of them changes.
void ClassBufferizer::writeAssigns() {
  llvm::DenseSet<Value> held;
  for (auto &entry : stored)
    held.insert(entry.second.buffer);
  SmallVector<std::pair<nn::AssignOp, Strided>> left;
  for (nn::AssignOp assign : assigns) {
    Strided at = placer->get(assign.getX());
    if (isSame(at, stored[assign.getName()]))
      continue;
    if (held.contains(at.buffer))
      at = placer->copied(assign.getLoc(), at, assign.getX());
    left.push_back({assign, at});
  }
  for (auto &[assign, at] : left)
    writer->copy(assign.getLoc(), at, stored[assign.getName()], Phase::Step);
}
