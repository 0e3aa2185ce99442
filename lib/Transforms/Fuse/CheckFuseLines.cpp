//===- CheckFuseLines.cpp - whether what is to be one kernel is one -------===//

#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Origin.h"
#include "dialects/Nn/Pinned.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Func.h"
#include "hocket/Transforms/Epilogues.h"
#include "hocket/Transforms/Fuse.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <list>

using namespace mlir;
using namespace hocket;

namespace {
/// The operations that a fuse line names, by what runs them.
using Places = llvm::MapVector<Operation *, llvm::SetVector<StringRef>>;
} // namespace

static Operation *placeOf(Operation *op, const Epilogues &epilogues) {
  if (auto kernel = op->getParentOfType<spmd::KernelOp>())
    return kernel;
  return epilogues.whereItRuns(op);
}

static StringRef describe(Operation *place) {
  if (isa<spmd::KernelOp>(place))
    return "a kernel computes ";
  if (isa<nn::LinearOp, nn::MatMulOp>(place))
    return "a product computes ";
  if (isa<nn::HookOp>(place))
    return "a hook computes ";
  return "a call of its own computes ";
}

/// What a product's library computes after it (Epilogues).
static StringRef epilogueOf(nn::Target target) {
  return target == nn::Target::Cuda
             ? "a product with a sum, then relu or (not in f64) gelu_tanh, "
               "after it"
             : "a product and up to 3 element-wise operations after it";
}

static LogicalResult report(DictionaryAttr group, const Places &places,
                            nn::Target target) {
  InFlightDiagnostic error =
      emitError(Location(cast<LocationAttr>(group.get("line"))))
      << "what this line names runs as " << places.size()
      << " kernels, not as one";
  for (const auto &[place, paths] : places) {
    std::string text;
    for (StringRef path : paths)
      text += (text.empty() ? "'" : ", '") + path.str() + "'";
    error.attachNote() << describe(place) << text;
  }
  error.attachNote()
      << "one kernel is element-wise operations and reductions over the same "
         "dims, or "
      << epilogueOf(target) << ", with no sync between; name fewer of them";
  return failure();
}

LogicalResult hocket::checkPinned(ModuleOp module) {
  for (auto func : module.getOps<spmd::FuncOp>()) {
    Block &body = func.getBody().front();
    Epilogues epilogues(body, loadTimeValues(body));
    llvm::MapVector<Attribute, Places> groups;
    std::list<std::string> paths;
    func.walk([&](Operation *op) {
      auto pinned = op->getAttrOfType<ArrayAttr>(nn::kPinned);
      op->removeAttr(nn::kPinned);
      // What is copied into each kernel, or costs nothing, runs nowhere.
      if (!pinned || isViewOp(op) || isa<nn::FillOp, spmd::IotaOp>(op))
        return;
      paths.push_back(nn::originOf(op->getLoc()).path);
      for (Attribute group : pinned)
        groups[group][placeOf(op, epilogues)].insert(paths.back());
    });
    for (const auto &[group, places] : groups)
      if (places.size() > 1)
        return report(cast<DictionaryAttr>(group), places,
                      nn::targetOf(module));
  }
  return success();
}
