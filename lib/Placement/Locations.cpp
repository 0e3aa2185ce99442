//===- Locations.cpp - what an op's location says -------------------------===//

#include "Locations.h"
#include "dialects/Nn/Values.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

StringRef placement::pathOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (isa<NameLoc>(part))
        return pathOf(part);
  return "";
}

/// The binding or result whose expression an operation of the model is in.
static std::string boundBy(Operation *op) {
  constexpr unsigned kLongest = 64; // operations from there to its end
  for (unsigned i = 0; i < kLongest && op && pathOf(op->getLoc()).empty();
       ++i) {
    Operation *next = nullptr;
    for (Operation *user : op->getUsers()) {
      auto value = dyn_cast<nn::ValueOp>(user);
      if (value && value.getRole() != nn::ValueRole::Argument)
        return value.getPath().str();
      next = next || value ? next : user;
    }
    op = next;
  }
  return "";
}

std::string placement::modelPath(Operation *op) {
  StringRef path = pathOf(op->getLoc());
  if (!path.empty())
    return path.str();
  if (auto value = dyn_cast<nn::ValueOp>(op))
    return value.getPath().str();
  if (auto parameter = dyn_cast<nn::ParameterOp>(op))
    return parameter.getPath().str();
  if (auto moved = dyn_cast<nn::RedistributeOp>(op))
    if (Operation *source = moved.getX().getDefiningOp())
      return modelPath(source);
  for (Value operand : op->getOperands())
    if (auto value = operand.getDefiningOp<nn::ValueOp>())
      if (value.getRole() == nn::ValueRole::Argument)
        return value.getPath().rsplit('.').first.str();
  return boundBy(op);
}

bool placement::isAtOrUnder(StringRef path, StringRef root) {
  return root.empty() || path == root ||
         (path.consume_front(root) && path.starts_with("."));
}

Location placement::modelLine(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getChildLoc();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    if (!fused.getLocations().empty())
      return modelLine(fused.getLocations().front());
  return loc;
}

Location placement::scheduleLine(Location loc) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return scheduleLine(call.getCaller());
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getChildLoc();
  return loc;
}

Location placement::definitionLine(Location loc) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return definitionLine(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getChildLoc();
  return loc;
}

Location placement::madeBy(Location model, Location directive) {
  return FusedLoc::get({model, directive}, {}, model.getContext());
}

std::string placement::lineText(Location loc) {
  auto line = dyn_cast<FileLineColLoc>(loc);
  if (!line)
    return "";
  return llvm::sys::path::filename(line.getFilename()).str() + ":" +
         std::to_string(line.getLine());
}
