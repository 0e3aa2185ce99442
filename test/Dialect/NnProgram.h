//===- NnProgram.h - one nn operation from text, and its rule --*- C++ -*-===//
//
// Rules are compared as text, one line a factor and a value:
//
//   ruleOf("nn.linear %0, %1", {"f32 2 3", "f32 4 3"}, "f32 2 4")
//   0:2  1:4  2:3 sum | linear [0][2]  linear [1][2] | [0][1]
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_DIALECT_NNPROGRAM_H
#define HOCKET_TEST_UNIT_DIALECT_NNPROGRAM_H

#include "dialects/Nn/Nn.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace hocket::test {

/// A function whose arguments are the operands of one operation.
class NnProgram {
public:
  /// `op` is the text before the types: `nn.unary exp %0`. A type is its
  /// element type and its dims: "f32 4 heads=12*head_dim=32".
  NnProgram(const std::string &op, const std::vector<std::string> &operands,
            const std::string &result);

  /// The operation, or null if the text was refused.
  mlir::Operation *op() const { return operation; }
  nn::PlacementRule rule() const;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *operation = nullptr;
};

std::string toText(const nn::PlacementRule &rule);

/// The rule of one operation as text, or "refused".
std::string ruleOf(const std::string &op,
                   const std::vector<std::string> &operands,
                   const std::string &result);

/// The reason for refusing partial operands, and those of its factors.
std::string reasonsOf(const std::string &op,
                      const std::vector<std::string> &operands,
                      const std::string &result);

/// A layout from what stands between the brackets of #nn.layout<...>.
nn::LayoutAttr parseLayout(mlir::MLIRContext &context, const std::string &text);

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_DIALECT_NNPROGRAM_H
