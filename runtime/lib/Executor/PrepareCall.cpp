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

class CollectiveCall : public Call {
public:
  CollectiveCall(Communicator &comm, int64_t handle,
                 plan::CollectivePhase phase)
      : comm(comm), handle(handle), phase(phase) {}
  Status run() override {
    bool starts = phase == plan::CollectivePhase::Start;
    return starts ? comm.start(handle) : comm.run(handle);
  }
  bool failedInCommunicator() const override { return true; }

private:
  Communicator &comm;
  int64_t handle;
  plan::CollectivePhase phase;
};

} // namespace

Status prepareCall(const plan::Instruction &instruction,
                   const CallContext &context, std::unique_ptr<Call> &call) {
  if (auto *read = std::get_if<plan::ReadParameter>(&instruction.body)) {
    call = std::make_unique<ReadParameterCall>(*read, context);
    return Status::success();
  }
  auto *collective = std::get_if<plan::Collective>(&instruction.body);
  if (!collective || !collective->hook.empty())
    return context.device.prepare(instruction, context.book, context.comm,
                                  call);
  // What a start has prepared, its end runs.
  int64_t &handle = context.lastHandle;
  if (collective->phase != plan::CollectivePhase::Wait) {
    Status status = context.comm.prepare(
        context.book.collective(*collective, instruction.source), handle);
    if (!status.ok())
      return status;
  }
  call =
      std::make_unique<CollectiveCall>(context.comm, handle, collective->phase);
  return Status::success();
}

} // namespace hocket::runtime
