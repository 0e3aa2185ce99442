//===- Engines.cpp - what may compute an attention on a GPU ---------------===//

#include "hocket/Cuda/Engines.h"
#include "hocket/Cuda/Attention.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Alignment.h"
#include "runtime/lib/Device/Arguments.h"

namespace hocket::runtime::cuda {

namespace {

constexpr int64_t addressAlignment = 16; // that the library wants

/// What differs from rank to rank.
void setRank(const plan::Attention &attention, const AddressBook &book,
             AttentionArguments &arguments) {
  arguments.headOffset = book.value(attention.headOffset);
  arguments.kvHeadOffset = book.value(attention.kvHeadOffset);
  arguments.queryOffset = book.value(attention.queryOffset);
  arguments.keyOffset = book.value(attention.keyOffset);
  arguments.isTerm = attention.isTerm;
}

bool dependsOnRank(const plan::Attention &x) {
  for (const plan::Scalar *scalar :
       {&x.headOffset, &x.kvHeadOffset, &x.queryOffset, &x.keyOffset})
    if (scalar->table >= 0)
      return true;
  return false;
}

AttentionArguments &forwardOf(AttentionArguments &arguments) {
  return arguments;
}
AttentionArguments &forwardOf(AttentionGradArguments &arguments) {
  return arguments.forward;
}

template <class Arguments>
std::string whyNot(Arguments arguments, const plan::Attention &forward,
                   const plan::Plan &plan, const plan::RankClass &rankClass) {
  for (int64_t rank : rankClass.ranks) {
    setRank(forward, AddressBook(plan, rankClass, rank), forwardOf(arguments));
    std::string why = whyNotDnn(arguments);
    if (!why.empty() || !dependsOnRank(forward))
      return why;
  }
  return "";
}

/// Those that a kernel of ours reads are no operands of the library's.
std::string whyNotAddresses(const plan::Instruction &instruction,
                            const plan::Attention &forward,
                            const plan::Plan &plan,
                            const plan::RankClass &rankClass) {
  plan::Accesses accesses = plan::accessesOf(instruction);
  for (const auto *list : {&accesses.reads, &accesses.writes})
    for (const plan::View *view : *list) {
      if (view == &forward.keep || view == &forward.dropout.step)
        continue;
      int64_t bytes =
          plan::alignmentOf(*view, plan, rankClass, addressAlignment);
      if (bytes < addressAlignment)
        return "cuDNN's attention wants operands at multiples of 16 bytes, one "
               "is at a multiple of " +
               std::to_string(bytes);
    }
  return "";
}

} // namespace

std::string whyNotDnnOf(const plan::Instruction &instruction,
                        const plan::Plan &plan,
                        const plan::RankClass &rankClass) {
  AddressBook book(plan, rankClass, rankClass.ranks[0]);
  for (size_t i = 0; i < rankClass.buffers.size(); ++i)
    book.setBase(int(i), nullptr);
  auto *attention = std::get_if<plan::Attention>(&instruction.body);
  auto *gradient = std::get_if<plan::AttentionGrad>(&instruction.body);
  if (!attention && !gradient)
    return "cuDNN computes no such instruction";
  const plan::Attention &forward = attention ? *attention : gradient->forward;
  std::string why =
      attention
          ? whyNot(argumentsOf(*attention, book), forward, plan, rankClass)
          : whyNot(argumentsOf(*gradient, book), forward, plan, rankClass);
  return why.empty() ? whyNotAddresses(instruction, forward, plan, rankClass)
                     : why;
}

bool isFasterByDnn(const plan::Attention &attention) {
  constexpr int64_t leastRows = 512, leastDepth = 64;
  return attention.q.shape[2] >= leastRows &&
         attention.k.shape[2] >= leastRows &&
         attention.q.shape[3] >= leastDepth &&
         attention.v.shape[3] >= leastDepth;
}

} // namespace hocket::runtime::cuda
