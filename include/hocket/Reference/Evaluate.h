//===- Evaluate.h - what a model computes, in float64 ----------*- C++ -*-===//
//
// The definition that compiled programs are compared with: one function for
// each nn operation, on whole tensors, without placements, kernels or ranks.
//
// Every element is a double, whatever the element type of its tensor:
//
//   f16 bf16 f32 f64  real numbers, never rounded to the narrower type; a cast
//                     between float types is the identity
//   i32 i64           whole numbers; arithmetic wraps around as the type does,
//                     and a result that a double cannot hold (only possible
//                     beyond 2^53) is an error
//   i1                0 or 1
//
// Casts to integers truncate toward zero, and a number that the type does not
// have is an error; to bool, what is not 0 is true. A quotient of integers is
// truncated toward zero, and 0 where the divisor is 0. dropout is the identity
// without a step, else it drops what a compiled program drops.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_REFERENCE_EVALUATE_H
#define HOCKET_REFERENCE_EVALUATE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <string>
#include <vector>

namespace hocket::reference {

/// Row-major elements; a tensor without dims has one.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> values;
};

/// Fills in the parameter of that path; false if there is none. Called once for
/// each nn.parameter that something uses, when it is first used.
using Parameters =
    std::function<bool(llvm::StringRef parameterPath, Tensor &tensor)>;

/// Evaluates a function of the model or placed stage (nn.value and
/// nn.redistribute are the identity on whole tensors). `inputs` are its
/// arguments in order. Fails with a sentence in `error` if inputs or
/// parameters don't have the shapes that the function states, if an id is
/// outside of its table, or if an operation has no semantics here. A tensor is
/// freed after its last use. States are asked of `parameters` too; one that is
/// not there begins as it says. `assigned` gets what nn.assign assigns.
mlir::LogicalResult evaluate(mlir::FunctionOpInterface function,
                             const Parameters &parameters,
                             llvm::ArrayRef<Tensor> inputs,
                             std::vector<Tensor> &outputs, std::string &error,
                             llvm::StringMap<Tensor> *assigned = nullptr);

} // namespace hocket::reference

#endif // HOCKET_REFERENCE_EVALUATE_H
