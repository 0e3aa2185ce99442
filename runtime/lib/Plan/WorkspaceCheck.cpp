//===- WorkspaceCheck.cpp - memory of instructions beside their operands --===//

#include "Checker.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Workspace.h"
#include <algorithm>

namespace hocket::plan {

bool takesWorkspace(const Instruction &instruction) {
  if (auto *attention = std::get_if<Attention>(&instruction.body))
    return attention->engine == AttentionEngine::Cudnn ||
           attention->keyDocuments.buffer >= 0;
  return std::holds_alternative<Matmul>(instruction.body) ||
         std::holds_alternative<Convolution>(instruction.body) ||
         std::holds_alternative<AttentionGrad>(instruction.body) ||
         std::holds_alternative<NeighborhoodAttentionGrad>(instruction.body) ||
         std::holds_alternative<EmbeddingGrad>(instruction.body);
}

int64_t workspaceBytes(const Instruction &instruction) {
  return instruction.workspace.buffer < 0 ? 0 : instruction.workspace.shape[0];
}

std::vector<int64_t> workspaceByRank(const Plan &plan) {
  std::vector<int64_t> bytes(plan.rankCount(), 0);
  for (const RankClass &rankClass : plan.classes) {
    int64_t most = 0;
    for (const auto *list : {&rankClass.load, &rankClass.step})
      for (const Instruction &instruction : *list)
        most = std::max(most, workspaceBytes(instruction));
    for (int64_t rank : rankClass.ranks)
      bytes[rank] = most;
  }
  return bytes;
}

/// Whether the workspace lies apart from the buffers of its instruction.
static bool isApart(const RankClass &rankClass,
                    const Instruction &instruction) {
  const View &view = instruction.workspace;
  int64_t begin = rankClass.buffers[view.buffer].offset + view.offset;
  int64_t end = begin + view.shape[0];
  Accesses accesses = accessesOf(instruction);
  accesses.reads.insert(accesses.reads.end(), accesses.writes.begin(),
                        accesses.writes.end());
  return std::none_of(
      accesses.reads.begin(), accesses.reads.end(), [&](const View *other) {
        const Buffer &buffer = rankClass.buffers[other->buffer];
        return buffer.region == Region::Arena && buffer.offset < end &&
               begin < buffer.offset + buffer.bytes;
      });
}

bool Checker::checkWorkspace(const Instruction &instruction) {
  const View &view = instruction.workspace;
  if (plan.target != Target::Cuda)
    return view.buffer < 0 || fail("has a workspace, which only a GPU's do");
  if (!takesWorkspace(instruction))
    return view.buffer < 0 || fail("takes no workspace");
  if (view.buffer < 0)
    return fail("workspace is missing");
  if (!checkWrite("workspace", view))
    return false;
  const Buffer &buffer = current->buffers[view.buffer];
  bool isRow = view.shape.size() == 1 && view.strides[0] == 1 &&
               view.terms.empty() && buffer.type == DType::Bool;
  if (!isRow || buffer.region != Region::Arena)
    return fail("workspace is no row of bytes (bool) of the arena");
  int64_t begin = buffer.offset + view.offset;
  if (begin % workspaceAlignment != 0)
    return fail("workspace begins at byte " + std::to_string(begin) +
                " of the arena, which is no multiple of " +
                std::to_string(workspaceAlignment));
  return isApart(*current, instruction) ||
         fail("workspace lies in a buffer that it reads or writes");
}

} // namespace hocket::plan
