//===- FactorOrder.h - factors in the order that they have -----*- C++ -*-===//

#ifndef HOCKET_LIB_FRONTEND_FACTORORDER_H
#define HOCKET_LIB_FRONTEND_FACTORORDER_H

#include "dialects/Nn/Layout.h"

namespace hocket::frontend {

/// The order of a rearrange that leaves every factor where it is: the numbers
/// of its factors for each dim.
inline llvm::SmallVector<llvm::SmallVector<int64_t>>
factorOrder(llvm::ArrayRef<nn::DimAttr> dims) {
  llvm::SmallVector<llvm::SmallVector<int64_t>> order;
  int64_t next = 0;
  for (nn::DimAttr dim : dims) {
    order.emplace_back();
    for (size_t k = 0; k < dim.getFactors().size(); ++k)
      order.back().push_back(next++);
  }
  return order;
}

} // namespace hocket::frontend

#endif // HOCKET_LIB_FRONTEND_FACTORORDER_H
