//===- HookCall.cpp - calling a user's own function -----------------------===//

#include "runtime/lib/Device/HookCall.h"
#include "hocket/Hook.h"
#include <cstring>
#include <map>
#include <tuple>

namespace hocket::runtime {

static_assert(int(plan::DType::F32) == HOCKET_F32 &&
                  int(plan::DType::F64) == HOCKET_F64 &&
                  int(plan::DType::F16) == HOCKET_F16 &&
                  int(plan::DType::BF16) == HOCKET_BF16 &&
                  int(plan::DType::I32) == HOCKET_I32 &&
                  int(plan::DType::I64) == HOCKET_I64 &&
                  int(plan::DType::Bool) == HOCKET_BOOL,
              "types of hocket/Hook.h");
static_assert(int(plan::Reduction::Sum) == HOCKET_SUM &&
                  int(plan::Reduction::Max) == HOCKET_MAX &&
                  int(plan::Reduction::Min) == HOCKET_MIN,
              "reductions of hocket/Hook.h");

namespace {

/// The communicator as a collective hook sees it. What it asks for is prepared
/// when it first asks for it: on a device for the hook's own places, which are
/// the same at each step; else with buffers of its own, since the hook's may be
/// others. So from the second step on nothing is prepared or allocated.
class HookCommunicator {
public:
  HookCommunicator(Communicator &comm, const CollectiveSpec &collective,
                   bool isOnDevice)
      : comm(comm), collective(collective), isOnDevice(isOnDevice) {}

  int run(plan::CollectiveKind kind, const void *src, void *dst,
          int64_t bytes) {
    if (bytes < 0)
      mistake = "sends " + std::to_string(bytes) +
                " bytes to each member, expected 0 or more";
    if (!status.ok() || !mistake.empty())
      return 1;
    return isOnDevice ? runInPlace(kind, src, dst, bytes)
                      : runStaged(kind, src, dst, bytes);
  }

  Status status;
  std::string mistake; // of the hook, if it made one

private:
  struct Exchange {
    std::vector<uint8_t> src, dst;
    int64_t handle = 0;
  };

  int runStaged(plan::CollectiveKind kind, const void *src, void *dst,
                int64_t bytes) {
    auto [place, isNew] = prepared.try_emplace({kind, bytes, nullptr, nullptr});
    Exchange &exchange = place->second;
    if (isNew) {
      size_t members = collective.members.size();
      bool gathers = kind == plan::CollectiveKind::AllGather;
      exchange.src.resize(gathers ? bytes : members * bytes);
      exchange.dst.resize(members * bytes);
      status = comm.prepare(
          specOf(kind, exchange.src.data(), exchange.dst.data(), bytes),
          exchange.handle);
    }
    if (!status.ok())
      return 1;
    std::memcpy(exchange.src.data(), src, exchange.src.size());
    status = comm.run(exchange.handle);
    if (!status.ok())
      return 1;
    std::memcpy(dst, exchange.dst.data(), exchange.dst.size());
    return 0;
  }

  int runInPlace(plan::CollectiveKind kind, const void *src, void *dst,
                 int64_t bytes) {
    auto [place, isNew] = prepared.try_emplace({kind, bytes, src, dst});
    Exchange &exchange = place->second;
    if (isNew) // nobody writes to src
      status = comm.prepare(specOf(kind, const_cast<void *>(src), dst, bytes),
                            exchange.handle);
    if (status.ok())
      status = comm.run(exchange.handle);
    return status.ok() ? 0 : 1;
  }

  CollectiveSpec specOf(plan::CollectiveKind kind, void *src, void *dst,
                        int64_t bytes) const {
    int64_t members = static_cast<int64_t>(collective.members.size());
    bool gathers = kind == plan::CollectiveKind::AllGather;
    CollectiveSpec spec;
    spec.type = plan::DType::Bool; // bytes
    spec.id = collective.id;
    spec.members = collective.members;
    spec.me = collective.me;
    spec.source = collective.source;
    spec.pairs = {{{src, {gathers ? 1 : members, bytes}, {bytes, 1}},
                   {dst, {1, members * bytes}, {members * bytes, 1}}}};
    if (gathers)
      spec.kind = AllGather{{evenShare(1, bytes)}};
    else
      spec.kind = AllToAll{{evenShare(1, bytes)}, {evenShare(0, 1)}};
    return spec;
  }

  Share evenShare(int dim, int64_t each) const {
    Share share{dim};
    for (size_t i = 0; i < collective.members.size(); ++i) {
      share.offset.push_back(int64_t(i) * each);
      share.size.push_back(each);
    }
    return share;
  }

  Communicator &comm;
  const CollectiveSpec &collective;
  const bool isOnDevice;
  /// By kind, bytes and, on a device, places.
  std::map<
      std::tuple<plan::CollectiveKind, int64_t, const void *, const void *>,
      Exchange>
      prepared;
};

int gatherAll(void *self, const void *src, void *dst, int64_t bytes) {
  return static_cast<HookCommunicator *>(self)->run(
      plan::CollectiveKind::AllGather, src, dst, bytes);
}

int exchangeAll(void *self, const void *src, void *dst, int64_t bytes) {
  return static_cast<HookCommunicator *>(self)->run(
      plan::CollectiveKind::AllToAll, src, dst, bytes);
}

std::vector<hocket_tensor> tensorsOf(const std::vector<Operand> &operands) {
  std::vector<hocket_tensor> tensors;
  for (const Operand &operand : operands)
    tensors.push_back({operand.data, int32_t(operand.type),
                       int32_t(operand.shape.size()), operand.shape.data(),
                       operand.strides.data()});
  return tensors;
}

/// Tells a hook what it does: one overload a kind.
struct KindOfCall {
  hocket_call &call;
  void operator()(const AllReduce &kind) const {
    call.reduction = int32_t(kind.reduction);
    call.dim = -1;
  }
  void operator()(const ReduceScatter &kind) const {
    call.reduction = int32_t(kind.reduction);
    setShare(kind.shares[0]);
  }
  void operator()(const AllGather &kind) const { setShare(kind.shares[0]); }
  // What a plan may not have hooks for.
  void operator()(const AllToAll &) const {}
  void operator()(const Broadcast &) const {}
  void operator()(const HaloShares &) const {}

  void setShare(const Share &share) const {
    call.dim = share.dim;
    call.offsets = share.offset.data();
    call.sizes = share.size.data();
  }
};

class HookCall : public Call {
public:
  HookCall(std::string hook, hocket_function *function, HookArguments given)
      : name(std::move(hook)), function(function), arguments(std::move(given)),
        inputs(tensorsOf(arguments.inputs)),
        outputs(tensorsOf(arguments.outputs)) {
    call.abi = HOCKET_HOOK_ABI;
    call.threads = arguments.threads;
    call.rank = arguments.rank;
    call.ranks = arguments.ranks;
    call.input_count = int32_t(inputs.size());
    call.output_count = int32_t(outputs.size());
    call.inputs = inputs.data();
    call.outputs = outputs.data();
    call.members = 1;
    if (arguments.device) {
      call.stream = arguments.device->stream();
      call.scratch = takeScratch;
      call.device = this;
    }
    if (!arguments.comm)
      return;
    const CollectiveSpec &spec = arguments.collective;
    communicator = std::make_unique<HookCommunicator>(*arguments.comm, spec,
                                                      arguments.device);
    call.member = spec.me;
    call.members = int64_t(spec.members.size());
    std::visit(KindOfCall{call}, spec.kind);
    call.communicator = communicator.get();
    call.all_gather = gatherAll;
    call.all_to_all = exchangeAll;
  }

  bool failedInCommunicator() const override {
    return communicator && !communicator->status.ok();
  }
  Status run() override {
    taken = 0;
    int result = function(&call);
    if (!status.ok())
      return status;
    if (communicator && !communicator->status.ok())
      return communicator->status;
    if (communicator && !communicator->mistake.empty())
      return Status::runtimeError("hook '" + name + "' " +
                                  communicator->mistake);
    if (arguments.device)
      if (Status after = arguments.device->check(name); !after.ok())
        return after;
    if (result == 0)
      return Status::success();
    return Status::runtimeError("hook '" + name + "' returned " +
                                std::to_string(result));
  }

private:
  static void *takeScratch(void *self, int64_t bytes) {
    HookCall &hook = *static_cast<HookCall *>(self);
    void *place = nullptr;
    if (hook.status.ok() && bytes < 0)
      hook.status = Status::runtimeError(
          "hook '" + hook.name + "' asks for " + std::to_string(bytes) +
          " bytes of scratch, expected 0 or more");
    if (hook.status.ok())
      hook.status = hook.arguments.device->scratch(hook.taken++, bytes, place);
    return hook.status.ok() ? place : nullptr;
  }

  std::string name;
  hocket_function *function;
  HookArguments arguments;
  std::vector<hocket_tensor> inputs, outputs;
  std::unique_ptr<HookCommunicator> communicator;
  size_t taken = 0; // pieces of scratch, by this call
  Status status;    // of taking them
  hocket_call call = {};
};

} // namespace

HookArguments argumentsOf(const plan::Hook &hook, const AddressBook &book) {
  HookArguments arguments;
  for (const plan::View &view : hook.inputs)
    arguments.inputs.push_back(book.operand(view));
  for (const plan::View &view : hook.outputs)
    arguments.outputs.push_back(book.operand(view));
  arguments.ranks = book.plan.rankCount();
  arguments.rank = book.rank;
  return arguments;
}

HookArguments argumentsOf(const plan::Collective &collective,
                          const AddressBook &book, int source,
                          Communicator &comm) {
  HookArguments arguments;
  arguments.inputs = {book.operand(collective.pairs[0].src)};
  arguments.outputs = {book.operand(collective.pairs[0].dst)};
  arguments.ranks = book.plan.rankCount();
  arguments.rank = book.rank;
  arguments.comm = &comm;
  arguments.collective = book.collective(collective, source);
  return arguments;
}

std::unique_ptr<Call> makeHook(const std::string &name, KernelFunction entry,
                               HookArguments arguments) {
  // Tables hold addresses; each instruction knows what it calls.
  auto *function =
      reinterpret_cast<hocket_function *>(reinterpret_cast<void (*)()>(entry));
  return std::make_unique<HookCall>(name, function, std::move(arguments));
}

} // namespace hocket::runtime
