//===- Product.h - a contraction as products of matrices --------*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_PRODUCT_H
#define HOCKET_LIB_PLAN_PRODUCT_H

#include "ClassPlanner.h"

namespace hocket::planning {

/// c[lead..., n] = sum_k a[lead..., k] b[lead..., k, n]. `a` and `b` are
/// windows whose last factors are one k (a) and k, n (b). Without `batch` b has
/// no leading factors and all of a's are rows; else the last of `a`'s leading
/// factors are rows and the others are b's as well.
struct ClassPlanner::Product {
  Strided a;          // [lead..., k]
  Strided b;          // [k, n], or [lead without rows..., k, n]
  Numbers outFactors; // sizes of the factors that make n
  mlir::Value result; // of the contraction
  mlir::Value weight; // b's value where it may be packed, else null
  mlir::Value bias;   // or null
  bool batch = false;
  Numbers leadStrides; // strides of a's leading factors, by result factor
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLAN_PRODUCT_H
