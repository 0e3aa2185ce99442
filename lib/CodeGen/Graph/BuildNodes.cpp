//===- BuildNodes.cpp - graph nodes of a kernel's operations --------------===//

#include "GraphBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Random/Philox.h"
#include "mlir/IR/TypeUtilities.h"
#include <set>

using namespace mlir;

namespace hocket::codegen {

std::optional<DType> dtypeOf(Type element) {
  if (element.isF32())
    return DType::F32;
  if (element.isF64())
    return DType::F64;
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  if (element.isSignlessInteger(32))
    return DType::I32;
  if (element.isSignlessInteger(64))
    return DType::I64;
  if (element.isSignlessInteger(1))
    return DType::Bool;
  return std::nullopt;
}

static DType computeTypeOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return computeType(*dtypeOf(type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

SmallVector<int, 4> GraphBuilder::axesOf(ArrayRef<int> list) {
  SmallVector<int, 4> result;
  for (int leaf : atoms.leaves(list)) {
    auto [at, isNew] = axisOfAtom.try_emplace(leaf, graph.axes.size());
    if (isNew)
      graph.axes.push_back(atoms.size(leaf));
    result.push_back(at->second);
  }
  return result;
}

int GraphBuilder::axisOf(ArrayRef<int> list) {
  SmallVector<int, 4> axes = axesOf(list);
  return axes.empty() ? -1 : axes.front();
}

/// Numbers the axes, those of the outputs first, and refuses a value that
/// would have one axis twice: x + transpose(x) of a computed x.
bool GraphBuilder::numberAxes() {
  auto check = [&](Operation *op, const Dims &list) {
    std::set<int> seen;
    for (const AtomList &dim : list)
      for (int axis : axesOf(dim))
        if (!seen.insert(axis).second)
          return fail(op, "a computed value is used both as it is and with "
                          "its dims exchanged");
    return true;
  };
  for (const Access &output : outputs)
    if (!check(request.body->getTerminator(), output.dims))
      return false;
  for (Operation &op : *request.body) {
    auto bound = uses.find(&op);
    if (bound == uses.end())
      continue;
    for (auto &access : bound->second)
      if (access && !check(&op, access->dims))
        return false;
    for (Value result : op.getResults())
      if (!check(&op, dims[result]))
        return false;
  }
  return true;
}

LinearForm GraphBuilder::formOf(const Access &access) {
  LinearForm form;
  form.offset = access.offset;
  for (auto [atom, stride] : access.strides) {
    int64_t step = stride;
    SmallVector<int, 4> axes = axesOf({atom});
    for (int axis : llvm::reverse(axes)) {
      form.add(axis, step);
      step *= graph.axes[axis];
    }
  }
  return form;
}

int GraphBuilder::indexAlong(ArrayRef<int> list, DType type) {
  Node node;
  node.kind = NodeKind::Index;
  node.type = type;
  int64_t step = 1;
  SmallVector<int, 4> axes = axesOf(list);
  for (int axis : llvm::reverse(axes)) {
    node.form.add(axis, step);
    step *= graph.axes[axis];
  }
  return add(node);
}

int GraphBuilder::tableValue(spmd::TableAttr table) {
  if (table.isConstant())
    return constant(double(table.getValues().front()), DType::I64);
  Node node;
  node.kind = NodeKind::Index;
  node.type = DType::I64;
  node.scalar = scalarOf(KernelScalar::Kind::Table, table);
  return add(node);
}

/// Where in the whole the index along these atoms is, as a number of i64.
int GraphBuilder::positionIn(ArrayRef<int> atoms, spmd::TableAttr offset,
                             spmd::RunsAttr runs) {
  auto value = [&](spmd::TableAttr table) { return tableValue(table); };
  int index = indexAlong(atoms, DType::I64);
  index = compute(ScalarOp::Add, {index, value(offset)});
  index = compute(ScalarOp::Sub, {index, value(runs.getBegin())});
  int length = value(runs.getLength());
  int run = compute(ScalarOp::Div, {index, length});
  int before = compute(ScalarOp::Mul, {run, length});
  int inside = compute(ScalarOp::Sub, {index, before});
  int begin = compute(ScalarOp::Mul, {run, value(runs.getEvery())});
  begin = compute(ScalarOp::Add, {begin, value(runs.getFirst())});
  return compute(ScalarOp::Add, {begin, inside});
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

int GraphBuilder::load(const Access &access) {
  Node node;
  node.kind = NodeKind::Load;
  node.type = computeType(access.type);
  node.argument = access.argument;
  node.form = formOf(access);
  return add(node);
}

int GraphBuilder::operand(OpOperand &operand) {
  auto &bound = uses[operand.getOwner()][operand.getOperandNumber()];
  return bound ? load(*bound) : results.lookup(operand.get());
}

int GraphBuilder::scalarOf(KernelScalar::Kind kind, Attribute attribute) {
  for (auto [number, scalar] : llvm::enumerate(scalars))
    if (scalar.kind == kind && scalar.attribute == attribute)
      return number;
  scalars.push_back({kind, attribute});
  graph.scalars = scalars.size();
  return graph.scalars - 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static ScalarOp functionOf(nn::ReduceKind kind) {
  switch (kind) {
  case nn::ReduceKind::Sum:
  case nn::ReduceKind::Mean:
    return ScalarOp::Add;
  case nn::ReduceKind::Max:
    return ScalarOp::Max;
  case nn::ReduceKind::Min:
    return ScalarOp::Min;
  }
  llvm_unreachable("an enumerator");
}

int GraphBuilder::buildReduce(nn::ReduceOp op) {
  const Dims &x = dimsOf(op->getOpOperand(0));
  SmallVector<int, 4> axes;
  int64_t count = 1;
  for (int64_t dim : op.getDims()) {
    llvm::append_range(axes, axesOf(x[dim]));
    count *= cast<RankedTensorType>(op.getX().getType()).getDimSize(dim);
  }
  int source = operand(op->getOpOperand(0));
  DType type = graph.nodes[source].type;
  int result = reduce(functionOf(op.getKind()), source, axes);
  if (op.getKind() != nn::ReduceKind::Mean)
    return result;
  return compute(ScalarOp::Mul, {result, constant(1.0 / count, type)});
}

/// Elements of the whole tensor that a step along the factor of a cut skips.
static int64_t elementsPerStep(spmd::BoxAttr box, spmd::CutAttr cut) {
  int64_t step = 1;
  ArrayRef<nn::DimAttr> dims = box.getLayout().getDims();
  for (nn::FactorAttr minor :
       dims[cut.getDim()].getFactors().drop_front(cut.getFactor() + 1))
    step *= minor.getSize();
  for (nn::DimAttr dim : dims.drop_front(cut.getDim() + 1))
    step *= dim.getSize();
  return step;
}

int GraphBuilder::buildDropout(spmd::DropoutOp op) {
  double p = op.getP().convertToDouble();
  Node keep;
  keep.kind = NodeKind::Keep;
  keep.type = DType::Bool;
  keep.operands = {operand(op->getOpOperand(1))};
  keep.form = formOf(draws[op]);
  keep.value = runtime::dropThreshold(p);
  keep.scalar = scalarOf(KernelScalar::Kind::Table, op.getDraws().getFirst());
  spmd::BoxAttr box = op.getDraws().getBox();
  for (auto [cut, atoms] : llvm::zip_equal(runsOf(box), draws[op].dims)) {
    int place = positionIn(atoms, cut.getOffset(), cut.getRuns());
    int step = constant(double(elementsPerStep(box, cut)), DType::I64);
    int elements = compute(ScalarOp::Mul, {place, step});
    if (keep.operands.size() == 1)
      keep.operands.push_back(elements);
    else
      keep.operands[1] = compute(ScalarOp::Add, {keep.operands[1], elements});
  }
  uint64_t key = op.getDraws().getKey();
  auto half = [&](uint32_t value) {
    auto type = IntegerType::get(op.getContext(), 64);
    return scalarOf(KernelScalar::Kind::Constant,
                    IntegerAttr::get(type, value));
  };
  keep.keyLow = half(uint32_t(key));
  keep.keyHigh = half(uint32_t(key >> 32));
  int x = operand(op->getOpOperand(0));
  DType type = graph.nodes[x].type;
  int scaled = compute(ScalarOp::Mul, {x, constant(1 / (1 - p), type)});
  return compute(ScalarOp::Select, {add(keep), scaled, constant(0, type)});
}

/// nn.concat, and nn.slice of a computed value.
int GraphBuilder::buildPieces(Operation *op) {
  auto slice = dyn_cast<nn::SliceOp>(op);
  int64_t dim = slice ? slice.getDim() : cast<nn::ConcatOp>(op).getDim();
  Node node;
  node.kind = NodeKind::Pieces;
  node.type = computeTypeOf(op->getResult(0));
  node.begins.push_back(0);
  AtomList axis;
  if (!slice || !slice.getDrop())
    axis = dims[op->getResult(0)][dim];
  for (OpOperand &piece : op->getOpOperands()) {
    const AtomList &list = dimsOf(piece)[dim];
    if (axesOf(list).size() > 1 || axesOf(axis).size() > 1)
      return fail(op, "the dim that is cut or joined has several factors"), -1;
    int64_t size =
        slice ? slice.getSize()
              : cast<RankedTensorType>(piece.get().getType()).getDimSize(dim);
    node.operands.push_back(operand(piece));
    node.pieceAxes.push_back(axisOf(list));
    node.shifts.push_back(slice ? slice.getStart() : 0);
    node.begins.push_back(node.begins.back() + size);
  }
  node.axis = axisOf(axis);
  return add(node);
}

int GraphBuilder::build(Operation *op) {
  auto at = [&](unsigned number) { return operand(op->getOpOperand(number)); };
  if (auto unary = dyn_cast<nn::UnaryOp>(op))
    return buildUnary(unary.getKind(), at(0));
  if (auto binary = dyn_cast<nn::BinaryOp>(op)) {
    int a = at(0), b = at(1); // arguments of a call have no order
    return buildBinary(binary.getKind(), a, b);
  }
  if (isa<nn::WhereOp>(op))
    return compute(ScalarOp::Select, {at(0), at(1), at(2)});
  if (auto cast = dyn_cast<nn::CastOp>(op))
    return buildCast(at(0), getElementTypeOrSelf(cast.getResult()));
  if (auto fill = dyn_cast<nn::FillOp>(op))
    return constant(fill.getValue().convertToDouble(),
                    computeTypeOf(fill.getResult()));
  if (auto iota = dyn_cast<spmd::IotaOp>(op)) {
    if (spmd::RunsAttr runs = iota.getPositions().getRuns())
      return typed(ScalarOp::Cast, computeTypeOf(iota.getResult()),
                   {positionIn(dims[iota.getResult()][iota.getDim()],
                               iota.getPositions().getBegin(), runs)});
    int node = indexAlong(dims[iota.getResult()][iota.getDim()],
                          computeTypeOf(iota.getResult()));
    spmd::TableAttr first = iota.getPositions().getBegin();
    Node shifted = graph.nodes[node];
    if (first.isConstant())
      shifted.form.offset = first.getValues().front();
    else
      shifted.scalar = scalarOf(KernelScalar::Kind::Table, first);
    return add(shifted);
  }
  if (auto keep = dyn_cast<spmd::KeepFirstOp>(op)) {
    Node flag;
    flag.kind = NodeKind::Flag;
    flag.type = DType::Bool;
    flag.scalar = scalarOf(KernelScalar::Kind::IsFirst, keep.getAxes());
    int x = at(0);
    int zero = constant(0, graph.nodes[x].type);
    return compute(ScalarOp::Select, {add(flag), x, zero});
  }
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return buildReduce(reduce);
  if (auto softmax = dyn_cast<nn::SoftmaxOp>(op))
    return buildSoftmax(softmax);
  if (auto sum = dyn_cast<nn::LogSumExpOp>(op))
    return buildLogSumExp(sum);
  if (auto norm = dyn_cast<nn::LayerNormOp>(op))
    return buildLayerNorm(norm);
  if (auto norm = dyn_cast<nn::RmsNormOp>(op))
    return buildRmsNorm(norm);
  if (auto rotate = dyn_cast<spmd::RotaryOp>(op))
    return buildRotary(rotate);
  if (isa<nn::ConcatOp, nn::SliceOp>(op))
    return buildPieces(op);
  if (auto dropout = dyn_cast<spmd::DropoutOp>(op))
    if (dropout.getStep())
      return buildDropout(dropout);
  return at(0); // broadcast, rearrange, value, dropout without a step
}

bool GraphBuilder::buildOutputs(Operation *terminator) {
  for (auto [access, operand] :
       llvm::zip(outputs, terminator->getOpOperands())) {
    Output &output = graph.outputs.emplace_back();
    output.node = this->operand(operand);
    output.form = formOf(access);
    for (const AtomList &dim : access.dims)
      llvm::append_range(output.axes, axesOf(dim));
    llvm::sort(output.axes);
    graph.outputTypes.push_back(access.type);
  }
  return true;
}

bool GraphBuilder::buildNodes() {
  for (Type type : request.body->getArgumentTypes())
    graph.inputTypes.push_back(
        *dtypeOf(cast<RankedTensorType>(type).getElementType()));
  for (Operation &op : request.body->without_terminator()) {
    if (isViewOfInput(op.getResult(0)))
      continue;
    int node = build(&op);
    if (node < 0)
      return false;
    results[op.getResult(0)] = node;
  }
  buildOutputs(request.body->getTerminator());
  for (const TableGraph &table : tables)
    graph.inputTypes.push_back(table.type);
  graph.deriveAxes();
  return true;
}

bool GraphBuilder::build() {
  for (Type type : request.body->getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !dtypeOf(tensor.getElementType()))
      return fail(request.body->getTerminator(),
                  "an input is not a tensor that a kernel can hold");
  }
  return bindDims() && numberAxes() && buildNodes();
}

} // namespace hocket::codegen
