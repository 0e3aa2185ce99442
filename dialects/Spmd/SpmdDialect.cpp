//===- SpmdDialect.cpp - registers the spmd dialect -----------------------===//

#include "dialects/Spmd/ClassRows.h"
#include "dialects/Spmd/Func.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

#include "dialects/Spmd/SpmdDialect.cpp.inc"
#include "dialects/Spmd/SpmdInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Spmd/SpmdOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Spmd/SpmdFunc.cpp.inc"

void SpmdDialect::initialize() {
  rows = std::make_shared<ClassRows>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Spmd/SpmdOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Spmd/SpmdFunc.cpp.inc"
      >();
}

int64_t spmd::memberCount(nn::MeshAttr mesh, ArrayAttr axes) {
  int64_t count = 1;
  for (StringRef axis : axes.getAsValueRange<StringAttr>())
    count *= mesh.getSize(axis);
  return count;
}

SmallVector<int64_t> spmd::coordinatesOf(nn::MeshAttr mesh, int64_t rank) {
  ArrayRef<nn::MeshAxisAttr> axes = mesh.getAxes();
  SmallVector<int64_t> coordinates(axes.size());
  for (size_t i = axes.size(); i-- > 0; rank /= axes[i].getSize())
    coordinates[i] = rank % axes[i].getSize();
  return coordinates;
}

int64_t spmd::memberIndex(nn::MeshAttr mesh, ArrayAttr axes,
                          ArrayRef<int64_t> coordinates) {
  int64_t index = 0;
  for (StringRef axis : axes.getAsValueRange<StringAttr>())
    index = index * mesh.getSize(axis) + coordinates[mesh.getIndex(axis)];
  return index;
}
