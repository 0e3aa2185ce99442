//===- PrepareCall.cpp - instructions of a plan as calls ------------------===//

#include "runtime/lib/Executor/PrepareCall.h"
#include <cstring>

namespace hocket::runtime {

namespace {

class ReadParameterCall : public Call {
public:
  ReadParameterCall(const plan::ReadParameter &read, const CallContext &context)
      : name(context.book.plan.parameters[read.tensor].name),
        box(boxOf(context.book.plan, context.book.plan.parameters[read.tensor],
                  context.book.rank)),
        dst(context.book.operand(read.dst)), // dense and of the box's size
        device(context.device), weights(context.weights) {
    for (int axis : read.onlyFirstOf)
      zeros |= context.book.plan.coordinate(context.book.rank, {axis}) != 0;
  }
  Status run() override {
    int64_t bytes = dst.elements() * plan::byteSize(dst.type);
    return device.upload(dst.data, bytes, [&](void *host) {
      if (!zeros)
        return weights->read(name, box, dst.type, host);
      std::memset(host, 0, bytes);
      return Status::success();
    });
  }

private:
  std::string name;
  Box box;
  Operand dst;
  bool zeros = false;
  Device &device;
  const TensorSource *const &weights;
};

/// Runs, starts or ends what the communicator has prepared.
class CollectiveCall : public Call {
public:
  using Act = Status (Communicator::*)(int64_t handle);
  CollectiveCall(Communicator &comm, Act act, int64_t handle)
      : comm(comm), act(act), handle(handle) {}
  Status run() override { return (comm.*act)(handle); }
  bool failedInCommunicator() const override { return true; }

private:
  Communicator &comm;
  Act act;
  int64_t handle;
};

} // namespace

Status prepareCall(const plan::Instruction &instruction,
                   const CallContext &context, std::unique_ptr<Call> &call) {
  if (auto *read = std::get_if<plan::ReadParameter>(&instruction.body)) {
    call = std::make_unique<ReadParameterCall>(*read, context);
    return Status::success();
  }
  if (auto *wait = std::get_if<plan::Wait>(&instruction.body)) {
    call = std::make_unique<CollectiveCall>(context.comm, &Communicator::wait,
                                            context.handles.at(wait->id));
    return Status::success();
  }
  auto *collective = std::get_if<plan::Collective>(&instruction.body);
  if (!collective || !collective->hook.empty())
    return context.device.prepare(instruction, context.book, context.comm,
                                  call);
  int64_t &handle = context.handles[collective->id];
  Status status = context.comm.prepare(
      context.book.collective(*collective, instruction.source), handle);
  call = std::make_unique<CollectiveCall>(
      context.comm,
      collective->isStarted ? &Communicator::start : &Communicator::run,
      handle);
  return status;
}

} // namespace hocket::runtime
