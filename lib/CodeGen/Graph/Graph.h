//===- Graph.h - a kernel as scalar functions of loop axes -----*- C++ -*-===//
//
// What a kernel computes, free of MLIR types, so that it can be hashed and
// compiled on any thread. Every node is a function from the numbers of the
// loop axes to one scalar. y = softmax(x + b) over j, x [i, j], b [j]:
//
//   axis 0: size of i    axis 1: size of j
//   n0 load x [J*a0 + a1]         n4 sub n2 n3
//   n1 load b [a1]                n5 exp n4
//   n2 add n0 n1                  n6 reduce sum over a1 of n5
//   n3 reduce max over a1 of n2   n7 div n5 n6       store n7 y [J*a0 + a1]
//
// f16 and bf16 are loaded as f32 and computed in f32.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GRAPH_GRAPH_H
#define HOCKET_LIB_CODEGEN_GRAPH_GRAPH_H

#include "hocket/Plan/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <utility>
#include <vector>

namespace hocket::codegen {

using plan::DType;

/// offset + sum of coefficient * (number of axis); axes ascending, no zeros.
struct LinearForm {
  llvm::SmallVector<std::pair<int, int64_t>, 4> terms;
  int64_t offset = 0;

  void add(int axis, int64_t coefficient);
  int64_t of(int axis) const;
  void erase(int axis);
};

enum class NodeKind {
  Load,     // input `argument` at `form`
  Constant, // `value`
  Index,    // `form`, plus scalar `scalar` if >= 0
  Flag,     // scalar `scalar` != 0 (Bool)
  Keep,     // whether the random word of element `form` (plus scalar `scalar`)
            // at step operand 0, under the key of two scalars, is >= `value`
  Compute,  // `function` of the operands
  Reduce,   // Add, Max or Min of the operand over `reduced`; with an `axis`,
            // over which the operand does not vary, of one part of that: the
            // elements are shared out among the axis' numbers
  Flip,     // the operand with axis `axis` (of size 2) at the other place
  Pieces,   // operand k where begins[k] <= number of `axis` < begins[k + 1],
            // its axis pieceAxes[k] at that number - begins[k] + shifts[k]
            // (an axis of size 1 is -1, its number 0)
};

enum class ScalarOp {
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Max,
  Min,
  And,
  Or,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Select,   // operand 0 ? operand 1 : operand 2
  Cast,     // to the node's type
  RoundF16, // f32 rounded to f16 and back
  RoundBF16,
  Neg,
  Abs,
  Not,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Erf,
  Erfc,
  Tanh,
  Sin,
  Cos,
};

struct Node {
  NodeKind kind = NodeKind::Constant;
  DType type = DType::F32; // never F16 or BF16
  ScalarOp function = ScalarOp::Add;
  llvm::SmallVector<int, 3> operands; // numbers of earlier nodes
  LinearForm form;
  int argument = -1, scalar = -1, axis = -1;
  int keyLow = -1, keyHigh = -1; // scalars of Keep
  double value = 0;
  llvm::SmallVector<int, 4> reduced;
  llvm::SmallVector<int, 2> pieceAxes;
  llvm::SmallVector<int64_t, 2> begins, shifts; // begins: one more, the end
  /// Derived by Graph::deriveAxes: what the value varies over, ascending.
  llvm::SmallVector<int, 6> axes;
};

struct Output {
  int node = -1;
  LinearForm form;
  llvm::SmallVector<int, 6> axes; // the elements to write
};

struct Graph {
  std::vector<int64_t> axes; // sizes
  std::vector<Node> nodes;   // operands first
  std::vector<Output> outputs;
  std::vector<DType> inputTypes, outputTypes; // as stored
  int scalars = 0;
  /// (input, output): the output is written where the input lies.
  std::vector<std::pair<int, int>> inPlace;

  /// Fills Node::axes.
  void deriveAxes();
  /// By node: whether an output needs it.
  std::vector<bool> usedNodes() const;
  /// The same: whether this node needs it, or is it.
  std::vector<bool> neededBy(int node) const;
  /// Whether some value is read at other numbers of the axis.
  bool isRemapped(int axis) const;
  /// Multiplies and adds, functions counted as one each.
  int64_t flops() const;
  /// Everything above as bytes: equal text, equal kernel.
  std::string serialize() const;
};

/// Joins axes that every access steps through as one, so that loops are long:
/// [4096, 1024] dense in all operands becomes [4194304].
void joinAxes(Graph &graph);
/// Cuts an axis in (major, minor of size `block`); `block` divides the size.
/// The minor part keeps the axis' number; returns the major part's.
int cutAxis(Graph &graph, int axis, int64_t block);

/// Bytes of an element as stored, and the type that it is computed in.
DType computeType(DType stored);
const char *nameOf(ScalarOp function);
int operandCount(ScalarOp function);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GRAPH_GRAPH_H
