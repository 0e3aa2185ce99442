//===- OnGpu.cpp - which instructions a GPU runs --------------------------===//

#include "OnGpu.h"
#include "hocket/Cuda/Convolution.h"
#include "hocket/Cuda/Demands.h"
#include "hocket/Cuda/Engines.h"
#include "hocket/Cuda/Product.h"

using namespace hocket;
using namespace hocket::planning;

namespace {

/// One overload for each kind of instruction.
struct Judge {
  const plan::Plan &plan;
  const plan::RankClass &rankClass;

  runtime::Operand operand(const plan::View &view) const {
    return {nullptr, rankClass.buffers[view.buffer].type, view.shape,
            view.strides};
  }

  std::string operator()(const plan::Matmul &matmul) const {
    runtime::cuda::ProductArguments arguments;
    arguments.a = operand(matmul.a);
    arguments.b = operand(matmul.b);
    arguments.c = operand(matmul.c);
    if (matmul.hasBias)
      arguments.bias = operand(matmul.bias);
    for (const plan::FusedPostOp &post : matmul.post)
      arguments.post.push_back({post.op, post.op == plan::PostOp::Add
                                             ? operand(post.operand)
                                             : runtime::Operand()});
    return runtime::cuda::whyNotBlas(arguments);
  }
  template <class Attention>
  std::string whyNotAttention(const Attention &attention) const {
    constexpr int64_t most = 256;
    int64_t depth =
        std::max(attention.q.shape.back(), attention.v.shape.back());
    return depth <= most
               ? ""
               : "attention with " + std::to_string(depth) +
                     " elements a head, more than " + std::to_string(most);
  }
  std::string operator()(const plan::Attention &attention) const {
    if (attention.bias.buffer >= 0 && !(std::abs(attention.scale) > 1e-20))
      return "attention with a bias and a scale of 0";
    return whyNotAttention(attention);
  }
  std::string operator()(const plan::AttentionGrad &gradient) const {
    return (*this)(gradient.forward);
  }
  std::string operator()(const plan::NeighborhoodAttention &attention) const {
    return whyNotAttention(attention);
  }
  std::string
  operator()(const plan::NeighborhoodAttentionGrad &gradient) const {
    return whyNotAttention(gradient.forward);
  }
  std::string operator()(const plan::Convolution &convolution) const {
    runtime::ConvolutionArguments arguments;
    arguments.pass = convolution.pass;
    arguments.x = operand(convolution.x);
    arguments.weight = operand(convolution.weight);
    arguments.y = operand(convolution.y);
    if (convolution.bias.buffer >= 0)
      arguments.bias = operand(convolution.bias);
    arguments.strides = convolution.strides;
    arguments.dilations = convolution.dilations;
    arguments.lows = convolution.lows;
    arguments.highs = convolution.highs;
    arguments.groups = convolution.groups;
    return runtime::cuda::whyNotDnn(arguments);
  }
  std::string operator()(const plan::Collective &collective) const {
    constexpr int64_t most = 16;
    bool adds = collective.hook.empty() &&
                (std::holds_alternative<plan::AllReduce>(collective.kind) ||
                 std::holds_alternative<plan::ReduceScatter>(collective.kind));
    int64_t members = plan.memberCount(collective.axes);
    return !adds || members <= most
               ? ""
               : "a reduction over " + std::to_string(members) +
                     " ranks, more than " + std::to_string(most);
  }
  template <class Other> std::string operator()(const Other &) const {
    return "";
  }
};

} // namespace

std::string planning::whyNotOnGpu(const Body &body, const plan::Plan &plan,
                                  const plan::RankClass &rankClass) {
  return std::visit(Judge{plan, rankClass}, body);
}

/// Whether the options want it by cuDNN, if that can.
static bool wantsCudnn(const EngineOptions &options,
                       const plan::Attention &attention, bool isGradient) {
  switch (options.attention) {
  case EngineOptions::Attention::Own:
    return false;
  case EngineOptions::Attention::Cudnn:
    return true;
  case EngineOptions::Attention::Fastest:
    // What padding a run brings, nobody knows before.
    return (!isGradient || options.nondeterministic) &&
           attention.keep.buffer < 0 && runtime::cuda::isFasterByDnn(attention);
  }
  llvm_unreachable("an enumerator");
}

void planning::chooseEngine(const EngineOptions &options,
                            const plan::Plan &plan,
                            const plan::RankClass &rankClass,
                            plan::Instruction &instruction) {
  auto *attention = std::get_if<plan::Attention>(&instruction.body);
  auto *gradient = std::get_if<plan::AttentionGrad>(&instruction.body);
  if (!attention && !gradient)
    return;
  plan::Attention &forward = attention ? *attention : gradient->forward;
  if (!wantsCudnn(options, forward, gradient) ||
      !runtime::cuda::whyNotDnnOf(instruction, plan, rankClass).empty())
    return;
  forward.engine = plan::AttentionEngine::Cudnn;
  forward.isNondeterministic = gradient && options.nondeterministic;
}

std::string planning::workspaceOnGpu(const plan::Instruction &instruction,
                                     const plan::Plan &plan,
                                     const plan::RankClass &rankClass,
                                     int64_t &bytes) {
  runtime::cuda::Demands demands;
  runtime::Status status =
      runtime::cuda::demandsOf(plan, rankClass, instruction, demands);
  bytes = demands.workspaceBytes;
  return status.message;
}
