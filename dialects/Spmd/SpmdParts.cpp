//===- SpmdParts.cpp - what makes parts of the whole well formed ----------===//

#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Spmd/ClassRanks.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

static ArrayRef<nn::DimAttr> dimsOf(Value value) {
  return nn::layoutOf(value).getDims();
}

/// As an operation of nn with these operands and attributes, of which it may
/// have fewer.
template <class NnOp, class OpTy> static LogicalResult verifyAs(OpTy op) {
  typename NnOp::Properties properties;
  auto emit = [&] { return op.emitOpError(); };
  if (failed(NnOp::setPropertiesFromAttr(properties,
                                         op->getPropertiesAsAttribute(), emit)))
    return failure();
  SmallVector<Type> types;
  if (failed(NnOp::inferReturnTypes(
          op.getContext(), op.getLoc(), op->getOperands(),
          DictionaryAttr::get(op.getContext()), &properties, {}, types)))
    return failure();
  if (NnOp::isCompatibleReturnTypes(types, op->getResultTypes()))
    return success();
  return op.emitOpError() << "gives " << nn::describe(types.front())
                          << ", but the result is "
                          << nn::describe(op->getResult(0).getType());
}

//===-- Sources -----------------------------------------------------------===//

LogicalResult ParameterOp::verify() {
  if (nn::MeshAttr mesh = nn::meshOf(*this))
    for (StringRef axis : getOnlyFirstOf().getAsValueRange<StringAttr>())
      if (mesh.getIndex(axis) < 0) // (C3)
        return emitOpError()
               << "names axis \"" << axis << "\", which " << mesh << " has not";
  return failure(failed(verifyHolds(*this, getType(), getBox())) || // (C1)
                 failed(verifyFilled(*this, getBox())));            // (C2)
}

LogicalResult StateOp::verify() {
  return failure(failed(verifyHolds(*this, getType(), getBox())) || // (C1)
                 failed(verifyFilled(*this, getBox())) ||           // (C2)
                 failed(nn::verifyStoredName(*this)));              // (C3)
}

LogicalResult IotaOp::verify() {
  int64_t dim = getDim(), rank = dimsOf(getResult()).size();
  if (dim < 0 || dim >= rank ||
      nn::elementTypeOf(getResult()).isInteger(1)) // (C1)
    return emitOpError() << "counts along dim " << dim << " of "
                         << nn::describe(getType());
  int64_t size = dimsOf(getResult())[dim].getSize();
  return failure(
      failed(verifyPart(*this, "positions", getPositions(), size)) || // (C2)
      failed(verifyRuns(*this, "positions", getPositions(), size)));
}

//===-- Elements ----------------------------------------------------------===//

LogicalResult RotaryOp::verify() {
  if (failed(verifyAs<nn::RotaryOp>(*this))) // (C1)
    return failure();
  int64_t size = dimsOf(getX())[getDim()].getSize();
  return failure(
      failed(verifyInside(*this, "positions", getPositions(), size)) || // (C2)
      failed(verifyRuns(*this, "positions", getPositions(), size)));
}

LogicalResult DropoutOp::verify() {
  double p = getP().convertToDouble();
  if (!nn::haveSameFactors(getX(), getResult()) ||
      !isa<FloatType>(nn::elementTypeOf(getX()))) // (C1)
    return emitOpError() << "takes and gives the same floats, found "
                         << getX().getType() << " and " << getType();
  if (!dimsOf(getStep()).empty() ||
      !nn::elementTypeOf(getStep()).isInteger(32)) // (C2)
    return emitOpError() << "takes a step that is an i32 without dims, found "
                         << getStep().getType();
  if (!(p > 0 && p < 1)) // (C3)
    return emitOpError() << "takes a p above 0 and below 1, but it is " << p;
  return failure(failed(verifyHolds(*this, getX().getType(), // (C4)
                                    getDraws().getBox())) ||
                 failed(verifyDraws(*this, getDraws(), getX().getType(),
                                    dimsOf(getX()).size())));
}

//===-- Lookups -----------------------------------------------------------===//

LogicalResult EmbeddingOp::verify() {
  if (failed(verifyAs<nn::EmbeddingOp>(*this)) || // (C1)
      failed(verifyOneRun(*this, "rows", getRows())))
    return failure();
  return verifyPart(*this, "rows", getRows(), // (C2)
                    dimsOf(getTable())[0].getSize());
}

LogicalResult EmbeddingGradOp::verify() {
  if (failed(nn::verifyEmbeddingGrad(*this, getIds(), getDy())) || // (C1)
      failed(verifyOneRun(*this, "rows", getRows())))
    return failure();
  return verifyPart(*this, "rows", getRows(), // (C2)
                    dimsOf(getResult())[0].getSize());
}
