//===- RankRunner.cpp - one rank's memory and prepared calls --------------===//

#include "runtime/lib/Executor/RankRunner.h"
#include "hocket/Cpu/Scratch.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Summary.h"
#include <algorithm>
#include <utility>

namespace hocket::runtime {

RankRunner::RankRunner(const RankSetup &setup,
                       std::unique_ptr<Communicator> comm,
                       std::unique_ptr<Device> device)
    : setup(setup), device(std::move(device)), comm(std::move(comm)),
      book(setup.plan, setup.rankClass, setup.rank),
      context{book, *this->device, *this->comm, weights, handles},
      place(setup.place ? setup.place : &unrecorded) {
  counters.rank = setup.rank;
}

// ---- preparation ----------------------------------------------------------

Status RankRunner::begin() {
  Status status = device->begin();
  return status.ok() ? allocate() : status;
}

Status RankRunner::propose() {
  for (const auto *list : {&setup.rankClass.load, &setup.rankClass.step})
    for (const plan::Instruction &instruction : *list) {
      Status status = goOn();
      if (!status.ok())
        return status;
      status = device->propose(instruction, book);
      if (status.ok())
        continue;
      status.message = describe(instruction) + ": " + status.message;
      return status;
    }
  return Status::success();
}

/// Between calls of libraries that may take long; the error is another rank's.
Status RankRunner::goOn() {
  if (!setup.ranks.isGivenUp(setup.rank))
    return Status::success();
  failedInCollective = true;
  return Status::runtimeError("another rank has failed");
}

Status RankRunner::prepare() {
  Status status = prepareList(setup.rankClass.load, loadCalls);
  if (status.ok())
    status = prepareList(setup.rankClass.step, stepCalls);
  if (status.ok())
    status = shareScratch();
  prepareDecision();
  for (const Prepared &prepared : stepCalls)
    if (std::string name = prepared.call->implementation(); !name.empty())
      ++counters.implementations[name];
  counters.packedBytes = device->packedBytes();
  return status.ok() ? prepareTimes() : status;
}

/// Gives every input and output tensor that a buffer names a place in `boxes`.
void RankRunner::layOutBoxes() {
  const plan::Plan &plan = setup.plan;
  inputAt.assign(plan.inputs.size(), -1);
  outputAt.assign(plan.outputs.size(), -1);
  inputStrides.resize(plan.inputs.size());
  outputStrides.resize(plan.outputs.size());
  inputTypes.assign(plan.inputs.size(), plan::DType::F32);
  for (const plan::Buffer &buffer : setup.rankClass.buffers) {
    bool isInput = buffer.region == plan::Region::Input;
    if (!isInput && buffer.region != plan::Region::Output)
      continue;
    int64_t &place = isInput ? inputAt[buffer.offset] : outputAt[buffer.offset];
    if (isInput)
      inputTypes[buffer.offset] = buffer.type;
    if (place >= 0)
      continue;
    place = counters.boxBytes;
    const plan::GlobalTensor &tensor =
        isInput ? plan.inputs[buffer.offset] : plan.outputs[buffer.offset];
    int64_t bytes = boxOf(plan, tensor, setup.rank).elements() *
                    plan::byteSize(buffer.type);
    counters.boxBytes += pieceBytes(bytes);
    (isInput ? inputStrides : outputStrides)[buffer.offset] = buffer.strides;
    if (!buffer.strides.empty() && (isInput || writes(tensor)))
      turned.reserve(bytes);
  }
}

Status RankRunner::allocate() {
  const std::vector<plan::Buffer> &buffers = setup.rankClass.buffers;
  layOutBoxes();
  for (const plan::Buffer &buffer : buffers) {
    int64_t end = buffer.offset + buffer.bytes;
    if (buffer.region == plan::Region::Arena)
      counters.arenaBytes = std::max(counters.arenaBytes, end);
    else if (buffer.region == plan::Region::Weights)
      counters.weightBytes = std::max(counters.weightBytes, end);
    else if (buffer.region == plan::Region::State)
      counters.stateBytes = std::max(counters.stateBytes, end);
  }
  Status status = device->allocate(counters.arenaBytes, "activations", arena);
  if (status.ok())
    status = device->allocate(counters.weightBytes, "weights", weightMemory);
  if (status.ok())
    status = device->allocate(counters.stateBytes, "states", stateMemory);
  if (status.ok())
    status = device->allocate(counters.boxBytes, "inputs and outputs", boxes);
  if (!status.ok())
    return status;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const plan::Buffer &buffer = buffers[i];
    char *base = nullptr;
    switch (buffer.region) {
    case plan::Region::Arena:
      base = arena + buffer.offset;
      break;
    case plan::Region::Weights:
      base = weightMemory + buffer.offset;
      break;
    case plan::Region::State:
      base = stateMemory + buffer.offset;
      break;
    case plan::Region::Input:
      base = boxes + inputAt[buffer.offset];
      break;
    case plan::Region::Output:
      base = boxes + outputAt[buffer.offset];
      break;
    }
    book.setBase(static_cast<int>(i), base);
  }
  return setup.readsAhead ? reserveAhead() : Status::success();
}

Status RankRunner::reserveAhead() {
  inbox = device->inbox();
  Status status;
  for (size_t i = 0; inbox && i < inputAt.size(); ++i)
    if (status.ok() && inputAt[i] >= 0) {
      status = inbox->reserve(boxes + inputAt[i], inputBytes(i));
      counters.boxBytes += inputBytes(i);
    }
  return status;
}

Status RankRunner::prepareList(const std::vector<plan::Instruction> &list,
                               std::vector<Prepared> &calls) {
  calls.reserve(list.size());
  handles.clear();
  for (size_t i = 0; i < list.size(); ++i) {
    const plan::Instruction &instruction = list[i];
    Prepared prepared{nullptr, instruction.source,
                      static_cast<int>(instruction.body.index())};
    if (auto *copy = std::get_if<plan::Copy>(&instruction.body))
      prepared.copiedBytes =
          book.operand(copy->dst).elements() *
          plan::byteSize(setup.rankClass.buffers[copy->dst.buffer].type);
    if (auto *ended = plan::endingAt(list, i); ended && ended->isCounted())
      prepared.collective = static_cast<int>(ended->namedKind());
    Status status = goOn();
    if (!status.ok())
      return status;
    status = prepareCall(instruction, context, prepared.call);
    if (!status.ok()) {
      status.message = describe(instruction) + ": " + status.message;
      return status;
    }
    auto *begun = std::get_if<plan::Collective>(&instruction.body);
    prepared.begins = begun && begun->isCounted();
    if (prepared.begins)
      prepared.handle = handles[begun->id];
    calls.push_back(std::move(prepared));
  }
  return Status::success();
}

/// Calls run one after the other, so one piece of scratch serves all.
Status RankRunner::shareScratch() {
  for (const std::vector<Prepared> *calls : {&loadCalls, &stepCalls})
    for (const Prepared &prepared : *calls)
      counters.scratchBytes =
          std::max(counters.scratchBytes, prepared.call->scratchBytes());
  if (counters.scratchBytes == 0)
    return Status::success();
  char *scratch = nullptr;
  Status status = device->allocate(counters.scratchBytes, "scratch", scratch);
  if (!status.ok())
    return status;
  for (const std::vector<Prepared> *calls : {&loadCalls, &stepCalls})
    for (const Prepared &prepared : *calls)
      prepared.call->setScratch(scratch);
  return status;
}

// ---- running --------------------------------------------------------------

Status RankRunner::load(const TensorSource &source) {
  weights = &source;
  const Prepared *begin = loadCalls.data();
  Status status = run(begin, begin + loadCalls.size(), true);
  ++counters.load.runs;
  counters.load.timedRuns += isTimed();
  weights = nullptr;
  return status;
}

Status RankRunner::restore(const std::vector<size_t> &states,
                           const TensorSource &source) {
  for (size_t i : states) {
    const plan::GlobalTensor &tensor = setup.plan.states[i];
    const plan::Buffer &buffer =
        setup.rankClass.buffers[setup.rankClass.states[i]];
    Box box = boxOf(setup.plan, tensor, setup.rank);
    Status status = device->upload(
        stateMemory + buffer.offset, buffer.bytes, [&](void *host) {
          return source.read(tensor.name, box, buffer.type, host);
        });
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status RankRunner::save(TensorSink &sink) const {
  for (size_t i = 0; i < setup.plan.states.size(); ++i) {
    const plan::GlobalTensor &tensor = setup.plan.states[i];
    if (!writes(tensor))
      continue;
    const plan::Buffer &buffer =
        setup.rankClass.buffers[setup.rankClass.states[i]];
    Box box = boxOf(setup.plan, tensor, setup.rank);
    Status status = device->download(
        stateMemory + buffer.offset, buffer.bytes,
        [&](const void *host) { return sink.write(tensor.name, box, host); });
    if (!status.ok())
      return status;
  }
  return Status::success();
}

/// Of the ranks that hold one box of a tensor the first one writes it.
bool RankRunner::writes(const plan::GlobalTensor &tensor) const {
  for (int axis : tensor.replicatedOver)
    if (setup.plan.coordinate(setup.rank, {axis}) != 0)
      return false;
  return true;
}

int64_t RankRunner::inputBytes(size_t input) const {
  Box box = boxOf(setup.plan, setup.plan.inputs[input], setup.rank);
  return box.elements() * plan::byteSize(inputTypes[input]);
}

Status RankRunner::readInput(size_t input, const TensorSource &inputs,
                             void *host) const {
  const plan::GlobalTensor &tensor = setup.plan.inputs[input];
  const std::vector<int64_t> &strides = inputStrides[input];
  Box box = boxOf(setup.plan, tensor, setup.rank);
  return strides.empty()
             ? inputs.read(tensor.name, box, inputTypes[input], host)
             : turned.read(inputs, {tensor, inputTypes[input], box, strides},
                           static_cast<char *>(host));
}

Status RankRunner::readInputs(const TensorSource &inputs) {
  Status status;
  for (size_t i = 0; status.ok() && i < inputAt.size(); ++i)
    if (inputAt[i] >= 0)
      status =
          device->upload(boxes + inputAt[i], inputBytes(i), [&](void *host) {
            return readInput(i, inputs, host);
          });
  return status;
}

/// An error is no matter of the step that runs: takeInputs reads again.
void RankRunner::readAhead(const TensorSource &next) {
  hasAhead = inbox;
  for (size_t i = 0; hasAhead && i < inputAt.size(); ++i)
    if (inputAt[i] >= 0)
      hasAhead = inbox
                     ->put(boxes + inputAt[i],
                           [&](void *host) { return readInput(i, next, host); })
                     .ok();
}

Status RankRunner::takeInputs(const TensorSource &inputs) {
  return std::exchange(hasAhead, false) ? inbox->take() : readInputs(inputs);
}

Status RankRunner::writeOutputs(TensorSink &outputs) {
  for (size_t i = 0; i < outputAt.size(); ++i) {
    const plan::GlobalTensor &tensor = setup.plan.outputs[i];
    if (outputAt[i] < 0 || !writes(tensor))
      continue;
    Box box = boxOf(setup.plan, tensor, setup.rank);
    int64_t bytes = box.elements() * plan::byteSize(tensor.type);
    Status status =
        device->download(boxes + outputAt[i], bytes, [&](const void *host) {
          return outputStrides[i].empty()
                     ? outputs.write(tensor.name, box, host)
                     : turned.write(
                           outputs,
                           {tensor, tensor.type, box, outputStrides[i]},
                           static_cast<const char *>(host));
        });
    if (!status.ok())
      return status;
  }
  return Status::success();
}

const void *RankRunner::wholeOutput(size_t output) const {
  const plan::GlobalTensor &tensor = setup.plan.outputs[output];
  Box box = boxOf(setup.plan, tensor, setup.rank);
  bool isWhole = box.size == box.shape && box.runs.empty();
  return isWhole && outputAt[output] >= 0 && outputStrides[output].empty()
             ? boxes + outputAt[output]
             : nullptr;
}

Status
RankRunner::viewOutput(size_t output,
                       const std::function<Status(const void *)> &use) const {
  const plan::GlobalTensor &tensor = setup.plan.outputs[output];
  Box box = boxOf(setup.plan, tensor, setup.rank);
  int64_t element = plan::byteSize(tensor.type);
  int64_t bytes = box.elements() * element;
  const std::vector<int64_t> &strides = outputStrides[output];
  return device->download(
      boxes + outputAt[output], bytes, [&](const void *host) {
        return use(
            strides.empty()
                ? host
                : turned.whole({tensor, tensor.type, box, strides}, host));
      });
}

Status RankRunner::run(const Prepared *from, const Prepared *to, bool load) {
  if (Status status = issue(from, to, load); !status.ok())
    return status;
  Status status = device->finish();
  current.store(nullptr, std::memory_order_relaxed);
  return status.ok() ? readTimes(load) : status;
}

/// Hands the device what it is to compute.
Status RankRunner::issue(const Prepared *from, const Prepared *to, bool load) {
  CallTime::Clock::time_point begin = CallTime::Clock::now();
  const Prepared *list = (load ? loadCalls : stepCalls).data();
  PhaseCounters &counts = load ? counters.load : counters.step;
  place->step.store(load ? 0 : stepNumber(), std::memory_order_relaxed);
  issued.clear();
  Status status = timeline ? timeline->begin() : Status::success();
  for (const Prepared *next = from; status.ok() && next != to; ++next) {
    const Prepared &prepared = *next;
    current.store(&prepared, std::memory_order_relaxed);
    place->instruction.store(next - list, std::memory_order_relaxed);
    int64_t before = comm->receivedBytes();
    status = device->submit(*prepared.call);
    if (!status.ok()) {
      failedInCollective = prepared.call->failedInCommunicator();
      if (!failedInCollective)
        status.message = describe(prepared) + ": " + status.message;
      return status;
    }
    ++counts.instructions[prepared.kind].calls;
    counts.copiedBytes += prepared.copiedBytes;
    int64_t bytes = comm->receivedBytes() - before;
    if (prepared.collective >= 0) {
      CollectiveCounter &collective = counts.collectives[prepared.collective];
      ++collective.calls;
      collective.receivedBytes += bytes;
      counters.stagingBytes = comm->stagingBytes();
    }
    status = noteCall({&prepared, bytes}, begin, load);
  }
  place->instruction.store(-1, std::memory_order_relaxed);
  return status.ok() && timeline ? timeline->end() : status;
}

Status RankRunner::recordStep(StepPart part) {
  const Prepared *begin = stepCalls.data(), *end = begin + stepCalls.size(),
                 *change = begin + decision.at;
  forgetTimes();
  Status status = issue(part == StepPart::FromDecision ? change : begin,
                        part == StepPart::BeforeDecision ? change : end, false);
  counters.step.runs += part != StepPart::FromDecision;
  current.store(nullptr, std::memory_order_relaxed);
  return status;
}

std::string RankRunner::describe(const plan::Instruction &instruction) const {
  auto *collective = std::get_if<plan::Collective>(&instruction.body);
  return plan::describe(collective
                            ? plan::toString(collective->namedKind())
                            : plan::instructionWords[instruction.body.index()],
                        book.source(instruction.source));
}

std::string RankRunner::describe(const Prepared &prepared) const {
  return plan::describe(plan::instructionWords[prepared.kind],
                        book.source(prepared.source));
}

PeerCounters RankRunner::peers() const {
  PeerCounters peers;
  for (auto [calls, lists] :
       {std::pair(&loadCalls, &peers.load), std::pair(&stepCalls, &peers.step)})
    for (const Prepared &prepared : *calls)
      if (prepared.begins)
        lists->push_back(comm->receivedFrom(prepared.handle));
  return peers;
}

std::string RankRunner::progress() const {
  const Prepared *prepared = current.load(std::memory_order_relaxed);
  return prepared ? describe(*prepared) : "no instruction";
}

} // namespace hocket::runtime
