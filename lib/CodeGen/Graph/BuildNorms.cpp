//===- BuildNorms.cpp - softmax, norms and rotary embeddings as nodes -----===//

#include "GraphBuilder.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Spmd/Spmd.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace hocket::codegen {

int GraphBuilder::buildSoftmax(nn::SoftmaxOp op) {
  SmallVector<int, 4> axes = axesOf(dimsOf(op->getOpOperand(0))[op.getDim()]);
  int x = operand(op->getOpOperand(0));
  int largest = reduce(ScalarOp::Max, x, axes);
  int power = compute(ScalarOp::Exp, {compute(ScalarOp::Sub, {x, largest})});
  int sum = reduce(ScalarOp::Add, power, axes);
  int one = constant(1, graph.nodes[x].type);
  return compute(ScalarOp::Mul, {power, compute(ScalarOp::Div, {one, sum})});
}

int GraphBuilder::buildLogSumExp(nn::LogSumExpOp op) {
  SmallVector<int, 4> axes = axesOf(dimsOf(op->getOpOperand(0))[op.getDim()]);
  int x = operand(op->getOpOperand(0));
  DType type = graph.nodes[x].type;
  int largest = reduce(ScalarOp::Max, x, axes);
  // An infinity less itself would be NaN.
  int isInfinite = compute(
      ScalarOp::Eq, {compute(ScalarOp::Abs, {largest}),
                     constant(std::numeric_limits<double>::infinity(), type)});
  int shift =
      compute(ScalarOp::Select, {isInfinite, constant(0, type), largest});
  int power = compute(ScalarOp::Exp, {compute(ScalarOp::Sub, {x, shift})});
  int sum = reduce(ScalarOp::Add, power, axes);
  return compute(ScalarOp::Add, {compute(ScalarOp::Log, {sum}), shift});
}

int GraphBuilder::buildLayerNorm(nn::LayerNormOp op) {
  const AtomList &last = dimsOf(op->getOpOperand(0)).back();
  SmallVector<int, 4> axes = axesOf(last);
  auto shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  int x = operand(op->getOpOperand(0));
  DType type = graph.nodes[x].type;
  int part = constant(1.0 / shape.back(), type);
  int mean = compute(ScalarOp::Mul, {reduce(ScalarOp::Add, x, axes), part});
  int centred = compute(ScalarOp::Sub, {x, mean});
  int squares = compute(ScalarOp::Mul, {centred, centred});
  int variance =
      compute(ScalarOp::Mul, {reduce(ScalarOp::Add, squares, axes), part});
  int eps = constant(op.getEps().convertToDouble(), type);
  int scale =
      compute(ScalarOp::Rsqrt, {compute(ScalarOp::Add, {variance, eps})});
  int y = compute(ScalarOp::Mul, {centred, scale});
  y = compute(ScalarOp::Mul, {y, operand(op->getOpOperand(1))});
  if (op.getBias())
    y = compute(ScalarOp::Add, {y, operand(op->getOpOperand(2))});
  return y;
}

int GraphBuilder::buildRmsNorm(nn::RmsNormOp op) {
  const AtomList &last = dimsOf(op->getOpOperand(0)).back();
  SmallVector<int, 4> axes = axesOf(last);
  auto shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  int x = operand(op->getOpOperand(0));
  DType type = graph.nodes[x].type;
  int sum = reduce(ScalarOp::Add, compute(ScalarOp::Mul, {x, x}), axes);
  int mean = compute(ScalarOp::Mul, {sum, constant(1.0 / shape.back(), type)});
  int eps = constant(op.getEps().convertToDouble(), type);
  int scale = compute(ScalarOp::Rsqrt, {compute(ScalarOp::Add, {mean, eps})});
  int y = compute(ScalarOp::Mul, {x, scale});
  return compute(ScalarOp::Mul, {y, operand(op->getOpOperand(1))});
}

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

/// The graph of [2, positions, half]: cos and sin of (first + p) *
/// base^(-2i/d), or times the frequencies; computed in f64, since f32 loses the
/// angle at large positions.
static Graph tableGraph(int64_t positions, spmd::RotaryOp op, DType type,
                        int64_t first, bool hasScalar) {
  ArrayRef<double> frequencies = op.getFrequencies();
  int64_t half =
      cast<RankedTensorType>(op.getX().getType()).getShape().back() / 2;
  Graph graph;
  graph.axes = {2, positions, half};
  graph.outputTypes = {type};
  graph.scalars = hasScalar;
  auto add = [&](Node node) {
    graph.nodes.push_back(node);
    return int(graph.nodes.size()) - 1;
  };
  auto compute = [&](ScalarOp function, DType result, ArrayRef<int> operands) {
    Node node;
    node.kind = NodeKind::Compute;
    node.function = function;
    node.type = result;
    node.operands.assign(operands.begin(), operands.end());
    return add(node);
  };
  Node number;
  number.kind = NodeKind::Index;
  number.type = DType::F64;
  number.form.add(1, 1);
  number.form.offset = first;
  number.scalar = hasScalar ? 0 : -1;
  int position = add(number);
  number = Node();
  number.kind = NodeKind::Index;
  number.type = DType::F64;
  number.form.add(2, 1);
  int pair = add(number), rate = -1;
  auto constant = [&](double number) {
    Node value;
    value.type = DType::F64;
    value.value = number;
    return add(value);
  };
  if (frequencies.empty()) {
    int exponent =
        compute(ScalarOp::Mul, DType::F64, {pair, constant(-1.0 / half)});
    double base = op.getBase().convertToDouble();
    rate = compute(ScalarOp::Pow, DType::F64, {constant(base), exponent});
  }
  for (auto [i, frequency] : llvm::enumerate(frequencies)) {
    int here = constant(frequency);
    if (i > 0) {
      int is = compute(ScalarOp::Eq, DType::Bool, {pair, constant(double(i))});
      here = compute(ScalarOp::Select, DType::F64, {is, here, rate});
    }
    rate = here;
  }
  int angle = compute(ScalarOp::Mul, DType::F64, {position, rate});
  Node both;
  both.kind = NodeKind::Pieces;
  both.type = type;
  both.axis = 0;
  both.begins = {0, 1, 2};
  both.shifts = {0, 0};
  both.pieceAxes = {-1, -1};
  for (ScalarOp function : {ScalarOp::Cos, ScalarOp::Sin}) {
    int piece = compute(function, DType::F64, {angle});
    if (type != DType::F64)
      piece = compute(ScalarOp::Cast, type, {piece});
    both.operands.push_back(piece);
  }
  Output output;
  output.node = add(both);
  output.form.add(0, positions * half);
  output.form.add(1, half);
  output.form.add(2, 1);
  output.axes = {0, 1, 2};
  graph.outputs.push_back(output);
  graph.deriveAxes();
  return graph;
}

int GraphBuilder::tableArgument(spmd::RotaryOp op) {
  auto shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  DType type = *dtypeOf(getElementTypeOrSelf(op.getX()));
  type = computeType(type);
  int64_t positions = shape[op.getDim()], half = shape.back() / 2;
  spmd::TableAttr first = op.getPositions().getBegin();
  bool isConstant = first.isConstant();
  TableGraph table;
  table.graph = tableGraph(positions, op, type,
                           isConstant ? first.getValues()[0] : 0, !isConstant);
  table.type = type;
  table.shape = {2, positions, half};
  if (!isConstant)
    table.first = first;
  std::string text = table.graph.serialize();
  size_t number = 0;
  while (number < tables.size() && (tables[number].graph.serialize() != text ||
                                    tables[number].first != table.first))
    ++number;
  if (number == tables.size())
    tables.push_back(table);
  return request.body->getNumArguments() + number;
}

/// y[0, i] = x[0, i] cos - x[1, i] sin,  y[1, i] = x[1, i] cos + x[0, i] sin;
/// backwards the signs of the sines change.
int GraphBuilder::buildRotary(spmd::RotaryOp op) {
  auto shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  int64_t positions = shape[op.getDim()], half = shape.back() / 2;
  auto &[pair, angle] = rotary[op];
  int x = operand(op->getOpOperand(0));
  Access cosine;
  cosine.argument = tableArgument(op);
  cosine.type = graph.nodes[x].type;
  for (int atom : dims[op.getResult()][op.getDim()])
    cosine.strides.push_back({atom, half});
  for (int atom : angle)
    cosine.strides.push_back({atom, 1});
  Access sine = cosine;
  sine.offset = positions * half;
  Node flip;
  flip.kind = NodeKind::Flip;
  flip.type = graph.nodes[x].type;
  flip.operands = {x};
  flip.axis = axisOf(pair);
  int other = compute(ScalarOp::Mul, {add(flip), load(sine)});
  int minor = indexAlong(pair, DType::I64);
  int isFirst = compute(ScalarOp::Eq, {minor, constant(0, DType::I64)});
  int turned = compute(ScalarOp::Neg, {other});
  if (op.getInverse())
    std::swap(turned, other);
  int sign = compute(ScalarOp::Select, {isFirst, turned, other});
  return compute(ScalarOp::Add,
                 {compute(ScalarOp::Mul, {x, load(cosine)}), sign});
}

} // namespace hocket::codegen
