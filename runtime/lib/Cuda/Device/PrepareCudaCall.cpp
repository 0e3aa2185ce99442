//===- PrepareCudaCall.cpp - instructions as calls of a GPU ---------------===//

#include "runtime/lib/Cuda/Device/PrepareCudaCall.h"
#include "hocket/Plan/InstructionWords.h"
#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/Neighborhood.h"
#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "runtime/lib/Cuda/Kernels/Embedding.h"
#include "runtime/lib/Cuda/Kernels/Pooling.h"
#include "runtime/lib/Device/Arguments.h"
#include <cstring>

namespace hocket::runtime::cuda {

namespace {

/// A generated kernel: its parameters are 64 bits each. One of no blocks
/// computes nothing, and is no launch.
class KernelCall : public Call {
public:
  KernelCall(CudaStream &stream, Function function, std::string name,
             std::vector<uint64_t> values, unsigned blocks, unsigned threads)
      : stream(stream), function(function), name(std::move(name)),
        values(std::move(values)), blocks(blocks), threads(threads) {
    for (uint64_t &value : this->values)
      parameters.push_back(&value);
  }
  Status run() override {
    if (blocks == 0) // the rank has no part
      return Status::success();
    Result result = stream.api->launchKernel(function, blocks, 1, 1, threads, 1,
                                             1, /*sharedBytes=*/0, stream.get(),
                                             parameters.data(), nullptr);
    return result == Success ? Status::success()
                             : stream.api.status(result, "cuLaunchKernel",
                                                 "kernel '" + name + "'");
  }

private:
  CudaStream &stream;
  Function function;
  std::string name;
  std::vector<uint64_t> values;
  std::vector<void *> parameters;
  unsigned blocks, threads;
};

/// Integers that are known when compiling, written when loading.
class ConstantCall : public Call {
public:
  ConstantCall(CudaStream &stream, const Operand &to,
               const std::vector<int64_t> &values)
      : stream(stream), to(reinterpret_cast<DeviceAddress>(to.data)) {
    for (int64_t value : values)
      append(bytes, to.type == plan::DType::I32 ? 4 : 8, value);
  }
  Status run() override {
    return stream.copyIn(to, int64_t(bytes.size()), [&](void *host) {
      std::memcpy(host, bytes.data(), bytes.size());
      return Status::success();
    });
  }

private:
  static void append(std::string &bytes, size_t size, int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), size);
  }
  CudaStream &stream;
  DeviceAddress to;
  std::string bytes;
};

/// Kernels of the runtime.
class LaunchCall : public Call {
public:
  explicit LaunchCall(CudaStream &stream) : launches(stream) {}
  Status run() override { return launches.run(); }
  std::string implementation() const override { return name; }

  Launches launches;
  std::string name; // where a library may compute it instead
};

/// One overload for each kind of instruction.
struct Preparer {
  const CudaCallContext &context;
  const plan::Instruction &instruction;
  std::unique_ptr<Call> &call;

  Operand operand(const plan::View &view) const {
    return context.book.operand(view);
  }
  /// The launches that `add` adds.
  Status launches(const std::function<Status(KernelLaunches &)> &add) const {
    KernelLaunches launches;
    Status status = add(launches);
    if (!status.ok())
      return status;
    Workspace workspace = Workspace::of(instruction, context.book);
    if (launches.scratchBytes() > workspace.bytes)
      return Status::runtimeError("its kernels need a workspace of " +
                                  std::to_string(launches.scratchBytes()) +
                                  " bytes, the plan has " +
                                  std::to_string(workspace.bytes));
    launches.setScratch(reinterpret_cast<DeviceAddress>(workspace.place));
    auto made = std::make_unique<LaunchCall>(context.stream);
    status = made->launches.prepare(std::move(launches));
    call = std::move(made);
    return status;
  }
  Status reserveRecords() const;
  template <class Lookup>
  Status lookup(const Lookup &plan, DeviceAddress &record) const;
  /// What `own` adds, or the library's call.
  template <class Instruction>
  Status attention(const Instruction &plan, const plan::Attention &forward,
                   const std::function<Status(KernelLaunches &)> &own) const;

  Status operator()(const plan::Kernel &kernel) const;
  Status operator()(const plan::Matmul &matmul) const {
    return context.products.prepare(
        matmul, Workspace::of(instruction, context.book), context.book, call);
  }
  Status operator()(const plan::Convolution &convolution) const {
    return context.convolutions.prepare(
        convolution, Workspace::of(instruction, context.book), context.book,
        call);
  }
  Status operator()(const plan::Embedding &embedding) const;
  Status operator()(const plan::EmbeddingGrad &gradient) const;
  Status operator()(const plan::Attention &x) const {
    return attention(x, x, [&](KernelLaunches &list) {
      return addAttention(argumentsOf(x, context.book), list);
    });
  }
  Status operator()(const plan::AttentionGrad &gradient) const {
    return attention(gradient, gradient.forward, [&](KernelLaunches &list) {
      return addAttentionGrad(argumentsOf(gradient, context.book), list);
    });
  }
  Status operator()(const plan::NeighborhoodAttention &attention) const {
    return launches([&](KernelLaunches &list) {
      return addNeighborhood(argumentsOf(attention, context.book), list);
    });
  }
  Status operator()(const plan::NeighborhoodAttentionGrad &gradient) const {
    return launches([&](KernelLaunches &list) {
      return addNeighborhoodGrad(
          gradientArguments<NeighborhoodGradArguments>(gradient, context.book),
          list);
    });
  }
  Status operator()(const plan::Pooling &pooling) const {
    return launches([&](KernelLaunches &list) {
      return addPooling(argumentsOf(pooling, context.book), list);
    });
  }
  Status operator()(const plan::Copy &copy) const {
    return launches([&](KernelLaunches &list) {
      return addCopy(operand(copy.src), operand(copy.dst), list);
    });
  }
  Status operator()(const plan::Fill &fill) const {
    return launches([&](KernelLaunches &list) {
      return addFill(operand(fill.dst), fill.value, list);
    });
  }
  Status operator()(const plan::Iota &iota) const {
    return launches([&](KernelLaunches &list) {
      return addIota(operand(iota.dst), iota.dim,
                     context.book.value(iota.first), list);
    });
  }
  Status operator()(const plan::Constant &constant) const {
    call = std::make_unique<ConstantCall>(
        context.stream, context.book.operand(constant.dst), constant.values);
    return Status::success();
  }
  Status hook(const std::string &name, HookArguments arguments) const {
    KernelFunction entry = nullptr;
    Status status = context.stream.gpu.findHook(name, entry);
    arguments.device = &context.hooks;
    if (status.ok())
      call = makeHook(name, entry, std::move(arguments));
    return status;
  }
  Status operator()(const plan::Hook &plan) const {
    return hook(plan.name, argumentsOf(plan, context.book));
  }
  /// The communicator runs all others itself.
  Status operator()(const plan::Collective &plan) const {
    return hook(plan.hook, argumentsOf(plan, context.book, instruction.source,
                                       context.comm));
  }
  template <class Other> Status operator()(const Other &) const {
    return Status::userError("not supported yet on a GPU");
  }
};

} // namespace

Status Preparer::operator()(const plan::Kernel &kernel) const {
  Function function = nullptr;
  Status status = context.stream.gpu.find(kernel.symbol, function);
  if (!status.ok())
    return status;
  std::vector<uint64_t> values;
  for (const std::vector<plan::View> *views : {&kernel.inputs, &kernel.outputs})
    for (const plan::View &view : *views)
      values.push_back(
          reinterpret_cast<uint64_t>(context.book.operand(view).data));
  for (const plan::Scalar &scalar : kernel.scalars)
    values.push_back(uint64_t(context.book.value(scalar)));
  call = std::make_unique<KernelCall>(
      context.stream, function, kernel.symbol, std::move(values),
      unsigned(kernel.extent), unsigned(kernel.threads));
  return status;
}

/// Of all instructions that may meet what a kernel can only tell of.
Status Preparer::reserveRecords() const {
  const plan::RankClass &rankClass = context.book.rankClass;
  auto takesRecord = [](const plan::Attention &x) {
    return x.engine == plan::AttentionEngine::Cudnn && x.keep.buffer >= 0;
  };
  size_t records = 0;
  for (const auto *list : {&rankClass.load, &rankClass.step})
    for (const plan::Instruction &one : *list) {
      auto *forward = std::get_if<plan::Attention>(&one.body);
      auto *gradient = std::get_if<plan::AttentionGrad>(&one.body);
      records += std::holds_alternative<plan::Embedding>(one.body) ||
                 std::holds_alternative<plan::EmbeddingGrad>(one.body) ||
                 (forward && takesRecord(*forward)) ||
                 (gradient && takesRecord(gradient->forward));
    }
  return context.lookups.reserve(records);
}

/// The record in which a lookup says what it meets.
template <class Lookup>
Status Preparer::lookup(const Lookup &lookup, DeviceAddress &record) const {
  const AddressBook &book = context.book;
  Status status = reserveRecords();
  if (!status.ok())
    return status;
  const plan::Source &source = book.source(instruction.source);
  record = context.lookups.add(
      plan::describe(plan::instructionWords[instruction.body.index()], source),
      book.idsName(lookup.ids, instruction.source), lookup.vocab);
  return status;
}

template <class Instruction>
Status
Preparer::attention(const Instruction &plan, const plan::Attention &forward,
                    const std::function<Status(KernelLaunches &)> &own) const {
  const AddressBook &book = context.book;
  if (forward.engine == plan::AttentionEngine::Own) {
    Status status = launches(own);
    if (status.ok())
      static_cast<LaunchCall &>(*call).name =
          std::string(plan::instructionWords[instruction.body.index()]) +
          " by own kernels";
    return status;
  }
  DeviceAddress record = 0;
  if (forward.keep.buffer >= 0) {
    if (Status status = reserveRecords(); !status.ok())
      return status;
    record = context.lookups.addPadding(
        plan::describe(plan::instructionWords[instruction.body.index()],
                       book.source(instruction.source)));
  }
  return context.attentions.prepare(plan, Workspace::of(instruction, book),
                                    book, record, call);
}

Status Preparer::operator()(const plan::Embedding &embedding) const {
  EmbeddingArguments arguments =
      argumentsOf(embedding, context.book, instruction.source);
  DeviceAddress record = 0;
  if (Status status = lookup(embedding, record); !status.ok())
    return status;
  return launches([&](KernelLaunches &list) {
    return addEmbedding(arguments, record, list);
  });
}

Status Preparer::operator()(const plan::EmbeddingGrad &gradient) const {
  EmbeddingGradArguments arguments =
      argumentsOf(gradient, context.book, instruction.source);
  DeviceAddress record = 0;
  if (Status status = lookup(gradient, record); !status.ok())
    return status;
  return launches([&](KernelLaunches &list) {
    return addEmbeddingGrad(arguments, record, list);
  });
}

Status prepareCudaCall(const plan::Instruction &instruction,
                       const CudaCallContext &context,
                       std::unique_ptr<Call> &call) {
  return std::visit(Preparer{context, instruction, call}, instruction.body);
}

} // namespace hocket::runtime::cuda
