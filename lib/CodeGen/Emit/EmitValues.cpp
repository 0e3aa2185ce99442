//===- EmitValues.cpp - the value of a graph node at some axis numbers ----===//

#include "ValueEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::codegen {

ValueEmitter::ValueEmitter(ModuleOp module, const Graph &graph, bool storesBits)
    : builder(module.getContext()), loc(module.getLoc()), module(module),
      graph(graph), storesBits(storesBits) {}

static void extend(int64_t &span, const Graph &graph, const LinearForm &form) {
  int64_t last = form.offset;
  for (auto &[axis, coefficient] : form.terms)
    last += coefficient * std::max<int64_t>(graph.axes[axis] - 1, 0);
  span = std::max(span, last + 1);
}

void ValueEmitter::declare(StringRef name, TypeRange more) {
  SmallVector<int64_t> spans(graph.inputTypes.size() + graph.outputs.size(), 1);
  for (const Node &node : graph.nodes)
    if (node.kind == NodeKind::Load)
      extend(spans[node.argument], graph, node.form);
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(graph.inputTypes))
    types.push_back(MemRefType::get({spans[i]}, storedTypeOf(type)));
  for (auto [output, type] : llvm::zip(graph.outputs, graph.outputTypes)) {
    int64_t &span = spans[types.size()];
    extend(span, graph, output.form);
    types.push_back(MemRefType::get({span}, storedTypeOf(type)));
  }
  types.append(graph.scalars, builder.getI64Type());
  types.append(more.begin(), more.end());
  builder.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(builder, loc, name,
                              builder.getFunctionType(types, {}));
}

Value ValueEmitter::outputMemory(int number) {
  return func.getArgument(graph.inputTypes.size() + number);
}

Value ValueEmitter::scalarArgument(int number) {
  return func.getArgument(graph.inputTypes.size() + graph.outputs.size() +
                          number);
}

Value ValueEmitter::moreArgument(int number) {
  return scalarArgument(graph.scalars + number);
}

Scope ValueEmitter::inside(Scope &parent, Block *block) {
  Scope scope;
  scope.parent = &parent;
  scope.block = block;
  scope.env = parent.env;
  return scope;
}

/// New operations go to the end of the scope as built so far.
void ValueEmitter::insertIn(Scope &scope) {
  auto child = open.find(scope.block);
  if (child != open.end())
    builder.setInsertionPoint(child->second);
  else if (!scope.block->empty() &&
           scope.block->back().hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(&scope.block->back());
  else
    builder.setInsertionPointToEnd(scope.block);
}

Type ValueEmitter::typeOf(DType type) {
  switch (type) {
  case DType::F64:
    return builder.getF64Type();
  case DType::I32:
    return builder.getI32Type();
  case DType::I64:
    return builder.getI64Type();
  case DType::Bool:
    return builder.getI1Type();
  default:
    return builder.getF32Type();
  }
}

Type ValueEmitter::narrowTypeOf(DType type) {
  return type == DType::F16 ? Type(builder.getF16Type())
                            : builder.getBF16Type();
}

Type ValueEmitter::storedTypeOf(DType type) {
  switch (type) {
  case DType::F16:
    return builder.getF16Type();
  case DType::BF16:
    return storesBits ? Type(builder.getI16Type()) : builder.getBF16Type();
  case DType::Bool:
    return builder.getI8Type();
  default:
    return typeOf(type);
  }
}

Value ValueEmitter::fromStored(Value value, DType type) {
  if (type == DType::BF16 && storesBits)
    value =
        arith::BitcastOp::create(builder, loc, builder.getBF16Type(), value);
  if (type == DType::F16 || type == DType::BF16)
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  if (type != DType::Bool)
    return value;
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 8);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               zero);
}

Value ValueEmitter::toStored(Value value, DType type) {
  if (type == DType::F16 || type == DType::BF16) {
    value = arith::TruncFOp::create(builder, loc, narrowTypeOf(type), value);
    return type == DType::BF16 && storesBits
               ? arith::BitcastOp::create(builder, loc, storedTypeOf(type),
                                          value)
               : value;
  }
  if (type != DType::Bool)
    return value;
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
}

/// Constants of the index type are made once, at the top of the function.
Value ValueEmitter::index(int64_t value) {
  Value &known = indices[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&func.getBody().front());
    known = arith::ConstantIndexOp::create(builder, loc, value);
  }
  return known;
}

Value ValueEmitter::at(const LinearForm &form, Env env) {
  AffineExpr sum = builder.getAffineConstantExpr(form.offset);
  SmallVector<OpFoldResult> numbers;
  for (auto &[axis, coefficient] : form.terms) {
    sum = sum + builder.getAffineDimExpr(numbers.size()) * coefficient;
    numbers.push_back(env[axis]);
  }
  OpFoldResult place = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(numbers.size(), 0, sum), numbers);
  if (auto value = dyn_cast<Value>(place))
    return value;
  return index(mlir::cast<IntegerAttr>(mlir::cast<Attribute>(place)).getInt());
}

//===----------------------------------------------------------------------===//
// Where a value is computed
//===----------------------------------------------------------------------===//

Value ValueEmitter::evaluate(int number, Env env, Scope &scope) {
  const Node &node = graph.nodes[number];
  Scope *place = &scope;
  for (Scope *at = &scope; at; at = at->parent) {
    if (!llvm::all_of(node.axes, [&](int axis) {
          return at->env[axis] && at->env[axis] == env[axis];
        }))
      break;
    place = at;
    if (at->isRow && staysInRow(number))
      break;
  }
  SmallVector<void *, 6> numbers;
  for (int axis : node.axes)
    numbers.push_back(env[axis].getAsOpaquePointer());
  auto [known, isNew] = place->memo.try_emplace({number, numbers});
  if (!isNew)
    return known->second;
  OpBuilder::InsertionGuard guard(builder);
  Value value = compute(number, env, *place);
  place->memo[{number, numbers}] = value;
  return value;
}

Value ValueEmitter::compute(int number, Env env, Scope &scope) {
  const Node &node = graph.nodes[number];
  insertIn(scope);
  Value value;
  if (isHeld(number, env, value))
    return value;
  switch (node.kind) {
  case NodeKind::Load:
    return fromStored(loadInput(number, env, scope),
                      graph.inputTypes[node.argument]);
  case NodeKind::Constant:
    return constant(node.value, node.type);
  case NodeKind::Index:
    return computeIndex(node, env);
  case NodeKind::Keep:
    return computeKeep(number, env, scope);
  case NodeKind::Flag: {
    Value flag = scalarArgument(node.scalar);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, flag,
                                 zero);
  }
  case NodeKind::Compute: {
    Values operands;
    for (int operand : node.operands)
      operands.push_back(evaluate(operand, env, scope));
    insertIn(scope);
    return scalar(node, operands);
  }
  case NodeKind::Flip:
    return computeFlip(node, env, scope);
  case NodeKind::Pieces:
    return computePieces(number, env, scope);
  case NodeKind::Reduce:
    break;
  }
  llvm_unreachable("a reduction is used before its nest");
}

Value ValueEmitter::loadInput(int number, Env env, Scope &) {
  const Node &node = graph.nodes[number];
  Value place = at(node.form, env);
  return memref::LoadOp::create(builder, loc, inputMemory(node.argument),
                                ValueRange(place));
}

Value ValueEmitter::loadOutput(int number, Env env) {
  Value place = at(graph.outputs[number].form, env);
  Value value = memref::LoadOp::create(builder, loc, outputMemory(number),
                                       ValueRange(place));
  return fromStored(value, graph.outputTypes[number]);
}

Value ValueEmitter::computeIndex(const Node &node, Env env) {
  return cast(elementNumber(node, env), node.type);
}

Value ValueEmitter::computeFlip(const Node &node, Env env, Scope &scope) {
  Values flipped(env);
  AffineExpr other = 1 - builder.getAffineDimExpr(0);
  OpFoldResult place = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(1, 0, other),
      ArrayRef<OpFoldResult>(env[node.axis]));
  auto value = dyn_cast<Value>(place);
  flipped[node.axis] =
      value
          ? value
          : index(
                mlir::cast<IntegerAttr>(mlir::cast<Attribute>(place)).getInt());
  return evaluate(node.operands[0], flipped, scope);
}

//===----------------------------------------------------------------------===//
// Slices and concatenations
//===----------------------------------------------------------------------===//

Value ValueEmitter::piece(const Node &node, size_t k, Value number, Env env,
                          Scope &scope) {
  Values shifted(env);
  if (int axis = node.pieceAxes[k]; axis >= 0) {
    insertIn(scope);
    AffineExpr inner =
        builder.getAffineDimExpr(0) + (node.shifts[k] - node.begins[k]);
    shifted[axis] = affine::AffineApplyOp::create(
        builder, loc, AffineMap::get(1, 0, inner), ValueRange(number));
  }
  return evaluate(node.operands[k], shifted, scope);
}

/// A chain of branches, so that no piece is read outside its range.
Value ValueEmitter::computePieces(int number, Env env, Scope &scope) {
  const Node &node = graph.nodes[number];
  SmallVector<size_t> pieces;
  for (size_t k = 0; k < node.operands.size(); ++k)
    if (node.begins[k] < node.begins[k + 1])
      pieces.push_back(k);
  if (pieces.empty())
    return constant(0, node.type);
  Value place = node.axis >= 0 ? env[node.axis] : index(0);
  std::function<Value(size_t, Scope &)> choose = [&](size_t i, Scope &outer) {
    size_t k = pieces[i];
    if (i + 1 == pieces.size())
      return piece(node, k, place, env, outer);
    Value end = index(node.begins[k + 1]);
    insertIn(outer);
    Value here = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       place, end);
    auto branch = scf::IfOp::create(builder, loc, TypeRange(typeOf(node.type)),
                                    here, true);
    auto before = open.find(outer.block);
    Operation *above = before == open.end() ? nullptr : before->second;
    open[outer.block] = branch;
    for (bool first : {true, false}) {
      Block *block = first ? branch.thenBlock() : branch.elseBlock();
      Scope inner = inside(outer, block);
      Value value =
          first ? piece(node, k, place, env, inner) : choose(i + 1, inner);
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, loc, value);
    }
    if (above)
      open[outer.block] = above;
    else
      open.erase(outer.block);
    return Value(branch.getResult(0));
  };
  return choose(0, scope);
}

} // namespace hocket::codegen
