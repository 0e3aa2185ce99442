//===- PrepareCpuCall.cpp - instructions as calls of a CPU ----------------===//

#include "runtime/lib/Cpu/Device/PrepareCpuCall.h"
#include "hocket/Cpu/Simple.h"
#include "runtime/lib/Device/Arguments.h"
#include "runtime/lib/Device/HookCall.h"

namespace hocket::runtime {

namespace {

class KernelCall : public Call {
public:
  KernelCall(KernelFunction function, std::vector<void *> arguments,
             std::vector<int64_t> scalars, int64_t extent, int parts)
      : function(function), arguments(std::move(arguments)),
        scalars(std::move(scalars)), extent(extent), parts(parts) {}
  Status run() override {
    parallelFor(parts, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  void runPart(int part) {
    int64_t begin = extent * part / parts, end = extent * (part + 1) / parts;
    if (begin < end)
      function(arguments.data(), scalars.data(), begin, end);
  }

  KernelFunction function;
  std::vector<void *> arguments;
  std::vector<int64_t> scalars;
  int64_t extent;
  int parts;
};

class PackCall : public Call {
public:
  explicit PackCall(PackedWeight &weight) : weight(weight) {}
  Status run() override { return weight.pack(); }

private:
  PackedWeight &weight;
};

/// One overload for each kind of instruction.
struct Preparer {
  const CpuCallContext &context;
  int source;
  std::unique_ptr<Call> &call;

  Operand operand(const plan::View &view) const {
    return context.book.operand(view);
  }
  Status done(std::unique_ptr<Call> made) const {
    call = std::move(made);
    return Status::success();
  }

  /// The communicator ends what it began.
  Status operator()(const plan::Wait &) const {
    return Status::runtimeError("a CPU has no call that waits");
  }
  /// The executor uploads parameters itself.
  Status operator()(const plan::ReadParameter &) const {
    return Status::runtimeError("a CPU has no call that reads parameters");
  }
  Status operator()(const plan::Kernel &kernel) const;
  Status operator()(const plan::Matmul &matmul) const;
  Status operator()(const plan::PackWeight &pack) const;
  Status operator()(const plan::Attention &attention) const;
  Status operator()(const plan::Embedding &embedding) const;
  Status operator()(const plan::AttentionGrad &gradient) const;
  Status operator()(const plan::EmbeddingGrad &gradient) const;
  Status operator()(const plan::Convolution &convolution) const;
  Status operator()(const plan::Pooling &pooling) const;
  Status operator()(const plan::NeighborhoodAttention &attention) const;
  Status operator()(const plan::NeighborhoodAttentionGrad &gradient) const;
  Status operator()(const plan::Copy &copy) const {
    return done(
        makeCopy(operand(copy.src), operand(copy.dst), context.threads));
  }
  Status hook(const std::string &name, HookArguments arguments) const;
  Status operator()(const plan::Collective &collective) const;
  Status operator()(const plan::Hook &plan) const;
  Status operator()(const plan::Fill &fill) const {
    return done(makeFill(operand(fill.dst), fill.value));
  }
  Status operator()(const plan::Iota &iota) const {
    return done(
        makeIota(operand(iota.dst), iota.dim, context.book.value(iota.first)));
  }
  Status operator()(const plan::Constant &constant) const {
    return done(makeConstant(operand(constant.dst), constant.values));
  }
};

} // namespace

Status Preparer::operator()(const plan::Kernel &kernel) const {
  auto entry = context.kernels.find(kernel.symbol);
  if (entry == context.kernels.end())
    return Status::runtimeError("the executable has no kernel \"" +
                                kernel.symbol + "\"");
  std::vector<void *> arguments;
  int64_t elements = 0;
  for (const plan::View &view : kernel.inputs)
    arguments.push_back(operand(view).data);
  for (const plan::View &view : kernel.outputs) {
    arguments.push_back(operand(view).data);
    elements += operand(view).elements();
  }
  std::vector<int64_t> scalars;
  for (const plan::Scalar &scalar : kernel.scalars)
    scalars.push_back(context.book.value(scalar));
  // Waking threads costs as much as some ten thousand elements.
  constexpr int64_t worthThreads = 16384;
  int parts = elements < worthThreads ? 1 : context.threads;
  if (kernel.extent < parts)
    parts = kernel.extent < 1 ? 1 : static_cast<int>(kernel.extent);
  return done(std::make_unique<KernelCall>(entry->second, std::move(arguments),
                                           std::move(scalars), kernel.extent,
                                           parts));
}

Status Preparer::operator()(const plan::Matmul &matmul) const {
  MatmulArguments arguments;
  arguments.a = operand(matmul.a);
  arguments.b = operand(matmul.b);
  arguments.c = operand(matmul.c);
  if (matmul.hasBias)
    arguments.bias = operand(matmul.bias);
  for (const plan::FusedPostOp &post : matmul.post) {
    bool binary = post.op == plan::PostOp::Add || post.op == plan::PostOp::Mul;
    arguments.post.push_back(
        {post.op, binary ? operand(post.operand) : Operand()});
  }
  if (matmul.packedWeight >= 0)
    arguments.pack = context.packs[matmul.packedWeight].get();
  return makeMatmul(arguments, context.threads, call);
}

Status Preparer::operator()(const plan::PackWeight &pack) const {
  std::unique_ptr<PackedWeight> &weight = context.packs[pack.packedWeight];
  weight = PackedWeight::make(operand(pack.b), pack.m);
  return done(std::make_unique<PackCall>(*weight));
}

Status Preparer::operator()(const plan::Attention &attention) const {
  return makeAttention(argumentsOf(attention, context.book), context.threads,
                       call);
}

Status Preparer::operator()(const plan::AttentionGrad &gradient) const {
  return makeAttentionGrad(argumentsOf(gradient, context.book), context.threads,
                           call);
}

Status Preparer::operator()(const plan::Embedding &embedding) const {
  return done(makeEmbedding(argumentsOf(embedding, context.book, source)));
}

Status Preparer::operator()(const plan::EmbeddingGrad &gradient) const {
  return done(makeEmbeddingGrad(argumentsOf(gradient, context.book, source),
                                context.threads));
}

Status Preparer::operator()(const plan::Convolution &convolution) const {
  return makeConvolution(argumentsOf(convolution, context.book),
                         context.threads, call);
}

Status Preparer::operator()(const plan::Pooling &pooling) const {
  return done(makePooling(argumentsOf(pooling, context.book), context.threads));
}

Status
Preparer::operator()(const plan::NeighborhoodAttention &attention) const {
  return done(
      makeNeighborhood(argumentsOf(attention, context.book), context.threads));
}

Status
Preparer::operator()(const plan::NeighborhoodAttentionGrad &gradient) const {
  auto arguments =
      gradientArguments<NeighborhoodGradArguments>(gradient, context.book);
  return done(makeNeighborhoodGrad(arguments, context.threads));
}

Status Preparer::hook(const std::string &name, HookArguments arguments) const {
  auto entry = context.kernels.find(name);
  if (entry == context.kernels.end())
    return Status::runtimeError("the executable has no hook \"" + name + "\"");
  arguments.threads = context.threads;
  return done(makeHook(name, entry->second, std::move(arguments)));
}

Status Preparer::operator()(const plan::Hook &plan) const {
  return hook(plan.name, argumentsOf(plan, context.book));
}

/// The communicator runs all others itself.
Status Preparer::operator()(const plan::Collective &collective) const {
  return hook(collective.hook,
              argumentsOf(collective, context.book, source, context.comm));
}

Status prepareCpuCall(const plan::Instruction &instruction,
                      const CpuCallContext &context,
                      std::unique_ptr<Call> &call) {
  return std::visit(Preparer{context, instruction.source, call},
                    instruction.body);
}

} // namespace hocket::runtime
