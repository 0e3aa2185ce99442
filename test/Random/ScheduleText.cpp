//===- ScheduleText.cpp - a schedule from its mesh to its end -------------===//

#include "ScheduleText.h"
#include "ScheduleBlocks.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Nn.h"

using namespace hocket;
using namespace hocket::random;

std::string Schedule::text() const {
  std::string text = "\nschedule s for Net {\n  mesh (";
  for (auto &[axis, size] : mesh)
    text += (axis == mesh.front().first ? "" : ", ") + axis + " = " +
            std::to_string(size);
  text += ")\n";
  for (const std::string &line : lines)
    text += "  " + line + "\n";
  return text + (isAuto ? "  auto reshard\n}\n" : "}\n");
}

/// Keeps the line if the schedule can be compiled with it.
bool ScheduleMaker::tryLine(const std::string &line) {
  schedule.lines.push_back(line);
  Attempt next = place(model + schedule.text());
  if (next.isPlaced) {
    placed = std::move(next);
    return true;
  }
  schedule.lines.pop_back();
  refusal = next.errors();
  return false;
}

/// Bare schedules lack a line that `auto reshard` can replace.
void ScheduleMaker::leaveOneOut() {
  if (schedule.lines.empty())
    return;
  Schedule less = schedule;
  less.lines.erase(less.lines.begin() + rng.below(less.lines.size()));
  Attempt next = place(model + less.text());
  if (!next.isPlaced)
    return;
  schedule = less;
  placed = std::move(next);
}

/// Writes what `auto reshard` does out.
void ScheduleMaker::resolve() {
  Schedule explicitly = schedule;
  explicitly.isAuto = false;
  for (const placement::InsertedSync &sync :
       placed.compiler->placement().inserted) {
    isUnnamed |= sync.line.empty();
    explicitly.lines.push_back(sync.line);
  }
  if (isUnnamed)
    return;
  Attempt next = place(model + explicitly.text());
  if (!next.isPlaced)
    mistake = "the lines that `auto reshard` names are refused:\n" + model +
              explicitly.text() + "\n" + next.errors();
  else
    schedule = explicitly;
}

/// What is placed.
static std::string functionOf(Attempt &placed) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto func : placed.compiler->module().getOps<nn::FuncOp>())
    func.print(stream);
  return text;
}

/// Blocks change nothing.
void ScheduleMaker::wrapSome() {
  Schedule blocks = schedule;
  blocks.lines = inBlocks(rng, schedule.lines);
  Attempt flat = place(model + schedule.text());
  Attempt next = place(model + blocks.text());
  if (next.isPlaced != flat.isPlaced ||
      (flat.isPlaced && functionOf(flat) != functionOf(next)))
    mistake = "blocks change what lines do:\n" + model + schedule.text() +
              "\n" + blocks.text() + "\n" + next.errors();
  else
    schedule = blocks;
}

void ScheduleMaker::makeAny() {
  drawMesh();
  readPlaces();
  shardSome();
  if (hasWindows) {
    attentionSome();
    haloSome();
  }
  if (rng.chance(0.6))
    licenseSome();
  syncSome();
  if (hasWindows && rng.chance(0.5))
    haloSome();
  if (rng.chance(0.3))
    licenseSome();
}

Schedule ScheduleMaker::make(Ending ending) {
  bool isBlind = made.isAttention && ending == Ending::Bare && rng.chance(0.5);
  if (made.isAttention)
    makeAttention(isBlind);
  else
    makeAny();
  if (isBlind) {
    schedule.isAuto = false;
    return schedule;
  }
  if (ending == Ending::Bare && rng.chance(0.3))
    leaveOneOut();
  if (ending == Ending::Explicit)
    resolve();
  if (ending != Ending::Bare && rng.chance(0.3))
    expectSome();
  schedule.isAuto &= ending != Ending::Bare;
  if (wrapsBlocks && mistake.empty() && rng.chance(0.25))
    wrapSome();
  return schedule;
}
