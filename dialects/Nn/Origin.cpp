//===- Origin.cpp - where an operation comes from -------------------------===//

#include "dialects/Nn/Origin.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace hocket;
using nn::Origin;

static std::string lineOf(FileLineColLoc location) {
  return (location.getFilename().getValue() + ":" + Twine(location.getLine()) +
          ":" + Twine(location.getColumn()))
      .str();
}

/// Outside a name a file position is a schedule line, inside one a model line.
/// What is found first counts.
static void readLocation(Location location, bool isNamed, Origin &origin) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (origin.path.empty())
      origin.path = name.getName().str();
    return readLocation(name.getChildLoc(), /*isNamed=*/true, origin);
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      readLocation(part, isNamed, origin);
    return;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return readLocation(call.getCallee(), isNamed, origin);
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    std::string &line = isNamed ? origin.model : origin.schedule;
    if (line.empty())
      line = lineOf(file);
  }
}

Origin nn::originOf(Location location) {
  Origin origin;
  readLocation(location, /*isNamed=*/false, origin);
  // A location without any name is a model line.
  if (origin.path.empty() && origin.model.empty())
    std::swap(origin.model, origin.schedule);
  return origin;
}
