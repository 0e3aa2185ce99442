//===- Constants.h - what instructions read besides values ------*- C++ -*-===//
//
// Tables of kernels and ends of edges: known when compiling, written when
// loading, once for all that read them.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLANNING_CONSTANTS_H
#define HOCKET_LIB_PLANNING_CONSTANTS_H

#include "Memory.h"
#include "PlanTables.h"
#include "hocket/CodeGen/KernelCompiler.h"

namespace hocket::planning {

class Constants {
public:
  Constants(plan::RankClass &rankClass, Memory &memory, PlanTables &tables)
      : rankClass(rankClass), memory(memory), tables(tables) {}

  plan::View indices(mlir::Location loc, mlir::DenseI64ArrayAttr list);
  plan::View table(mlir::Location loc, const codegen::KernelTable &table);
  plan::Scalar scalar(const codegen::KernelScalar &scalar);

private:
  plan::View allocate(plan::DType type, llvm::ArrayRef<int64_t> sizes);

  plan::RankClass &rankClass;
  Memory &memory;
  PlanTables &tables;
  std::map<std::pair<std::string, std::string>, plan::View> kernelTables;
  llvm::DenseMap<mlir::Attribute, plan::View> lists;
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_CONSTANTS_H
