//===- Func.cpp - what makes the function of a class well formed ----------===//

#include "dialects/Spmd/Func.h"
#include "dialects/Nn/Fields.h"
#include "dialects/Nn/Program.h"
#include "dialects/Spmd/ClassRanks.h"
#include "dialects/Spmd/Memory.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

#include "dialects/Spmd/SpmdMemory.cpp.inc"

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type, ArrayRef<int64_t> ranks) {
  build(builder, state, name, type, ranks, /*arg_attrs=*/nullptr,
        /*res_attrs=*/nullptr);
}

/// What every rank of the class has of its box; of memory only how much.
static LogicalResult verifyBox(FuncOp func, const Twine &what, Type type,
                               Attribute attribute) {
  auto box = dyn_cast_or_null<BoxAttr>(attribute);
  if (!box)
    return nn::lacks(func, what, kCuts);
  if (failed(verifyFilled(func, box))) // (C3)
    return failure();
  if (auto memory = dyn_cast<MemoryType>(type)) // (C4)
    return verifyElements(func, memory.getElements(), box);
  if (isa<RankedTensorType>(type) && nn::layoutOf(type))
    return verifyHolds(func, type, box);
  return func.emitOpError() << "has " << what << " of " << type
                            << ", which is neither a tensor with a layout nor "
                               "memory";
}

/// Axes along which the ranks have the same bytes.
static LogicalResult verifyReplicated(FuncOp func, const Twine &what,
                                      Attribute attribute) {
  if (!attribute || !nn::isListOf<StringAttr>(attribute))
    return nn::lacks(func, what, kReplicatedOver);
  nn::MeshAttr mesh = nn::meshOf(func);
  auto axes = cast<ArrayAttr>(attribute);
  for (StringRef axis : axes.getAsValueRange<StringAttr>())
    if (mesh && mesh.getIndex(axis) < 0)
      return func.emitOpError() << "has " << what << " replicated over '"
                                << axis << "', which is no axis of " << mesh;
  return success();
}

LogicalResult FuncOp::verify() {
  ArrayRef<int64_t> ranks = getRanks();
  bool ascends =
      llvm::adjacent_find(ranks, std::greater_equal<int64_t>()) == ranks.end();
  if (ranks.empty() || ranks.front() < 0 || !ascends) // (C2)
    return emitOpError() << "expects the ranks of a class, ascending, found ["
                         << ranks << "]";
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (failed(verifyBox(*this, "argument " + Twine(i), type,
                         getArgAttr(i, kCuts))))
      return failure();
  for (auto [i, type] : llvm::enumerate(getResultTypes())) { // (C1)
    std::string what = "result " + std::to_string(i);
    if (!nn::resultName(*this, i))
      return nn::lacks(*this, what, nn::kName);
    if (failed(
            verifyReplicated(*this, what, getResultAttr(i, kReplicatedOver))) ||
        failed(verifyBox(*this, what, type, getResultAttr(i, kCuts))))
      return failure();
  }
  return success();
}
