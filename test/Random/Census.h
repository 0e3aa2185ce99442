//===- Census.h - what a random case is made of -----------------*- C++ -*-===//
//
// Names of the operations over a domain that a placed program has, of how many
// of the dims that they slide over are split, of the mesh, of the kinds of
// parts, and of the words of its halo lines: "op | convolution 2-D".
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_CENSUS_H
#define HOCKET_TEST_RANDOM_CENSUS_H

#include "mlir/IR/BuiltinOps.h"
#include <set>
#include <string>

namespace hocket::random {

std::set<std::string> featuresOf(mlir::ModuleOp placed,
                                 const std::string &text);

/// Of each attention its mask, strategy, order, heads and layout.
void addAttentions(mlir::ModuleOp placed, std::set<std::string> &found);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_CENSUS_H
