//===- Control.cpp - branches and ends ------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"

using namespace hocket::ptx;

namespace {

void branch(Warp &warp, const Step &step, uint32_t active) {
  warp.branch(active, step.target);
}

/// brx.idx: each lane goes where its number says.
void branchByTable(Warp &warp, const Step &step, uint32_t active) {
  const auto &table = warp.machine.kernel.tables[step.target];
  const uint32_t *index = warp.lanes<uint32_t>(step.operands[0]);
  std::map<uint32_t, uint32_t> lanes;
  eachLane(active, [&](unsigned lane) {
    if (index[lane] < table.size()) {
      lanes[table[index[lane]]] |= 1u << lane;
      return;
    }
    warp.find(FindingKind::OutOfBounds, step, lane,
              "goes to target " + std::to_string(index[lane]) + " of " +
                  std::to_string(table.size()));
    throw EndOfLaunch();
  });
  for (auto [target, mask] : lanes)
    warp.leave(mask, target);
}

void end(Warp &warp, const Step &step, uint32_t active) { warp.exit(active); }

void trap(Warp &warp, const Step &step, uint32_t active) {
  warp.find(FindingKind::Trap, step, __builtin_ctz(active), "ends here");
  throw EndOfLaunch();
}

void nothing(Warp &warp, const Step &step, uint32_t active) {}

void decodeBranch(Decoder &decoder) {
  decoder.take("uni");
  decoder.step.kind = Class::Branch;
  decoder.step.target = decoder.label(decoder.operand(0).name);
  decoder.step.run = branch;
}

void decodeTable(Decoder &decoder) {
  decoder.takeOne({"idx"});
  decoder.take("uni");
  decoder.step.kind = Class::Branch;
  decoder.step.run = branchByTable;
  decoder.step.target = decoder.table(decoder.operand(1).name);
  decoder.from(decoder.operand(0), 4);
}

void decodeReturn(Decoder &decoder) {
  decoder.take("uni");
  decoder.step.kind = Class::Branch;
  decoder.step.run = decoder.isCalled() ? branch : end;
  if (decoder.isCalled())
    decoder.step.target = decoder.end();
}

/// (results), name, (arguments): all except the name may be missing.
void decodeCall(Decoder &decoder) {
  decoder.take("uni");
  Step &step = decoder.step;
  step.kind = Class::Branch;
  step.run = step.isGuarded ? branch : nothing;
  step.guardNegated = !step.guardNegated;
  size_t name = decoder.operand(0).kind == Operand::Vector;
  bool hasArguments = decoder.operands() > name + 1;
  decoder.call(decoder.operand(name).name, name ? &decoder.operand(0) : nullptr,
               hasArguments ? &decoder.operand(name + 1) : nullptr);
}

template <Handler run> void decodePlain(Decoder &decoder) {
  decoder.take("uni");
  decoder.step.kind = Class::Branch;
  decoder.step.run = run;
}

/// Fences order what the detector of races does not rely on: it knows barriers
/// only, and no order between blocks.
void decodeFence(Decoder &decoder) {
  while (!decoder.next().empty())
    decoder.drop();
  decoder.step.kind = Class::Barrier;
  decoder.step.run = nothing;
}

} // namespace

void hocket::ptx::addControl(Opcodes &opcodes) {
  opcodes["bra"] = decodeBranch;
  opcodes["brx"] = decodeTable;
  opcodes["call"] = decodeCall;
  opcodes["ret"] = decodeReturn;
  opcodes["exit"] = decodePlain<end>;
  opcodes["trap"] = decodePlain<trap>;
  opcodes["membar"] = decodeFence;
  opcodes["fence"] = decodeFence;
  opcodes["nanosleep"] = decodeFence;
  opcodes["prefetch"] = decodeFence;
  opcodes["prefetchu"] = decodeFence;
}
