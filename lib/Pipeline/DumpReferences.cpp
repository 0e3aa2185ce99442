//===- DumpReferences.cpp - what a dump names must be there ---------------===//
//
// Axes in layouts and tables are those of the mesh, and a table has a value for
// each of their coordinates; what a training step moves on by itself are
// buffers of the function.
//
//===----------------------------------------------------------------------===//

#include "DumpCheck.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"

using namespace mlir;
using namespace hocket;

//===-- Axes --------------------------------------------------------------===//

namespace {

/// Judges attributes and types, each once.
class AxisCheck {
public:
  explicit AxisCheck(nn::MeshAttr mesh) : mesh(mesh) {
    walker.addWalk([this](nn::LayoutAttr layout) { return judge(layout); });
    walker.addWalk([this](spmd::TableAttr table) { return judge(table); });
    walker.addWalk([this](spmd::CutAttr cut) { return judge(cut); });
  }

  LogicalResult judge(Operation *op);

private:
  WalkResult judge(nn::LayoutAttr layout);
  WalkResult judge(spmd::TableAttr table);
  WalkResult judge(spmd::CutAttr cut);
  WalkResult judgeAxis(StringRef name);

  nn::MeshAttr mesh;
  Location at = UnknownLoc::get(mesh.getContext());
  AttrTypeWalker walker;
};

} // namespace

WalkResult AxisCheck::judgeAxis(StringRef name) {
  if (mesh.getIndex(name) >= 0)
    return WalkResult::advance();
  emitError(at) << "the mesh has no axis '" << name << "'";
  return WalkResult::interrupt();
}

WalkResult AxisCheck::judge(nn::LayoutAttr layout) {
  for (nn::SplitAttr split : layout.getSplits())
    if (judgeAxis(split.getAxis().getValue()).wasInterrupted())
      return WalkResult::interrupt();
  for (nn::PartialAttr partial : layout.getPartials())
    if (judgeAxis(partial.getAxis().getValue()).wasInterrupted())
      return WalkResult::interrupt();
  return WalkResult::advance();
}

WalkResult AxisCheck::judge(spmd::TableAttr table) {
  size_t members = 1; // no axis twice: at most as many as ranks
  for (StringAttr axis : table.getAxes()) {
    if (judgeAxis(axis.getValue()).wasInterrupted())
      return WalkResult::interrupt();
    members *= mesh.getSize(axis.getValue());
  }
  if (table.getValues().size() == members)
    return WalkResult::advance();
  emitError(at) << "the table " << table << " has " << table.getValues().size()
                << " values for " << members << " coordinates";
  return WalkResult::interrupt();
}

/// Both are written over the axes of the one that has more.
WalkResult AxisCheck::judge(spmd::CutAttr cut) {
  ArrayRef<StringAttr> few = cut.getOffset().getAxes(),
                       many = cut.getSize().getAxes();
  if (few.size() > many.size())
    std::swap(few, many);
  if (llvm::all_of(
          few, [&](StringAttr axis) { return llvm::is_contained(many, axis); }))
    return WalkResult::advance();
  emitError(at) << "offset and size of a cut are over other axes: "
                << cut.getOffset() << " and " << cut.getSize();
  return WalkResult::interrupt();
}

LogicalResult AxisCheck::judge(Operation *op) {
  at = op->getLoc();
  if (walker.walk(op->getAttrDictionary()).wasInterrupted())
    return failure();
  for (Type type : op->getResultTypes())
    if (walker.walk(type).wasInterrupted())
      return failure();
  return success();
}

//===-- Buffers -----------------------------------------------------------===//

namespace {
using Buffers = llvm::StringMap<nn::ParameterOp>;
} // namespace

static Buffers buffersOf(nn::FuncOp func) {
  Buffers buffers;
  for (auto parameter : func.getBody().front().getOps<nn::ParameterOp>())
    if (parameter->hasAttr(nn::kBuffer))
      buffers[parameter.getPath()] = parameter;
  return buffers;
}

static LogicalResult checkBuffer(Location at, const Buffers &buffers,
                                 StringRef path, Value becomes) {
  nn::ParameterOp buffer = buffers.lookup(path);
  if (!buffer)
    return emitError(at) << "no buffer '" << path << "' in its function";
  auto held = cast<RankedTensorType>(buffer.getType());
  auto next = dyn_cast<RankedTensorType>(becomes.getType());
  if (next && next.getShape() == held.getShape() &&
      next.getElementType() == held.getElementType())
    return success();
  return emitError(at) << "the buffer '" << path << "' is "
                       << nn::describe(held) << ", and what it becomes is "
                       << nn::describe(becomes.getType());
}

/// The last outputs of the function are what its buffers become.
static LogicalResult checkNext(nn::FuncOp func, const Buffers &buffers) {
  ArrayAttr paths = func.getBuffers();
  OperandRange outputs = func.getBody().front().getTerminator()->getOperands();
  OperandRange next = outputs.take_back(paths.size());
  for (auto [path, becomes] :
       llvm::zip_equal(paths.getAsValueRange<StringAttr>(), next))
    if (failed(checkBuffer(func.getLoc(), buffers, path, becomes)))
      return failure();
  return success();
}

/// A norm of training names the running mean and variance.
static LogicalResult checkRunning(nn::NormalizeOp norm,
                                  const Buffers &buffers) {
  auto paths = norm->getAttrOfType<ArrayAttr>(nn::kRunning);
  if (!paths)
    return success();
  if (paths.size() != 2)
    return norm.emitError("the attribute '")
           << nn::kRunning << "' does not name a mean and a variance";
  std::array<Value, 2> statistics = {norm.getMean(), norm.getVariance()};
  for (auto [path, statistic] :
       llvm::zip_equal(paths.getAsValueRange<StringAttr>(), statistics))
    if (failed(checkBuffer(norm.getLoc(), buffers, path, statistic)))
      return failure();
  return success();
}

/// Norms name theirs for the loss of validation, which is made of the model.
static LogicalResult checkBuffers(nn::FuncOp func, StringRef stage) {
  Buffers buffers = buffersOf(func);
  if (failed(checkNext(func, buffers)))
    return failure();
  if (stage != "model")
    return success();
  WalkResult walked = func.walk([&](nn::NormalizeOp norm) {
    return failed(checkRunning(norm, buffers)) ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult hocket::checkReferences(ModuleOp module, StringRef stage) {
  for (auto func : module.getOps<nn::FuncOp>())
    if (failed(checkBuffers(func, stage)))
      return failure();
  nn::MeshAttr mesh = nn::meshOf(module);
  if (!mesh) // only a model has none
    return success();
  AxisCheck check(mesh);
  WalkResult walked = module.walk([&](Operation *op) {
    return failed(check.judge(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
