//===- PlanKinds.cpp - which kinds of instructions a plan has -------------===//

#include "PlanKinds.h"
#include "hocket/Plan/InstructionWords.h"
#include "runtime/lib/Plan/PlanWords.h"

using namespace hocket;
using namespace hocket::random;

template <class Enum> static std::string wordOf(Enum value) {
  return plan::words(Enum())[size_t(value)];
}

static std::string poolingKind(plan::PoolingKind kind, bool isGradient) {
  return "pooling " + wordOf(kind) + (isGradient ? ", gradient" : "");
}

static void addKinds(const plan::Instruction &instruction,
                     std::set<std::string> &kinds) {
  std::string word = plan::instructionWords[instruction.body.index()];
  if (auto *one = std::get_if<plan::Collective>(&instruction.body)) {
    // Margins that go all to all are a kind of their own for counters only.
    auto kind = plan::CollectiveKind(one->kind.index());
    kinds.insert(word + " " + wordOf(kind));
  } else if (auto *one = std::get_if<plan::Convolution>(&instruction.body)) {
    kinds.insert(word + " " + wordOf(one->pass));
  } else if (auto *one = std::get_if<plan::Pooling>(&instruction.body)) {
    kinds.insert(poolingKind(one->kind, one->isGradient));
  } else {
    kinds.insert(word);
  }
  if (auto *one = std::get_if<plan::Matmul>(&instruction.body))
    for (const plan::FusedPostOp &post : one->post)
      kinds.insert("matmul with " + wordOf(post.op));
}

std::set<std::string> random::kindsOf(const plan::Plan &plan) {
  std::set<std::string> kinds;
  for (const plan::RankClass &rankClass : plan.classes)
    for (const auto *list : {&rankClass.load, &rankClass.step})
      for (const plan::Instruction &instruction : *list)
        addKinds(instruction, kinds);
  return kinds;
}

std::set<std::string> random::allKinds() {
  std::set<std::string> kinds(plan::instructionWords.begin(),
                              plan::instructionWords.end());
  auto split = [&](const char *word, const auto &words) {
    kinds.erase(word);
    for (const char *kind : words)
      kinds.insert(std::string(word) + " " + kind);
  };
  split("collective", plan::words(plan::CollectiveKind()));
  split("convolution", plan::words(plan::ConvolutionPass()));
  split("pooling", plan::words(plan::PoolingKind()));
  for (auto kind : {plan::PoolingKind::Max, plan::PoolingKind::Average})
    kinds.insert(poolingKind(kind, /*isGradient=*/true));
  for (const char *post : plan::words(plan::PostOp()))
    kinds.insert(std::string("matmul with ") + post);
  return kinds;
}
