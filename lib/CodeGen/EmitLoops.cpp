//===- EmitLoops.cpp - outer loops, nests and rows of a kernel ------------===//

#include "Emitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::codegen {

Emitter::Emitter(ModuleOp module, const Graph &graph, const Schedule &schedule)
    : builder(module.getContext()), loc(module.getLoc()), module(module),
      graph(graph), schedule(schedule) {}

static void extend(int64_t &span, const Graph &graph, const LinearForm &form) {
  int64_t last = form.offset;
  for (auto &[axis, coefficient] : form.terms)
    last += coefficient * std::max<int64_t>(graph.axes[axis] - 1, 0);
  span = std::max(span, last + 1);
}

func::FuncOp Emitter::declare(StringRef name) {
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
  types.append(2, builder.getIndexType());
  builder.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(builder, loc, name,
                              builder.getFunctionType(types, {}));
  return func;
}

void Emitter::allocateRows() {
  for (auto &[node, axes] : schedule.rows) {
    if (axes.empty())
      continue;
    auto type =
        MemRefType::get({rowSize(graph, axes)}, typeOf(graph.nodes[node].type));
    rows[node] = memref::AllocaOp::create(builder, loc, type,
                                          builder.getI64IntegerAttr(64));
  }
}

Scope Emitter::inside(Scope &parent, Block *block) {
  Scope scope;
  scope.parent = &parent;
  scope.block = block;
  scope.env = parent.env;
  return scope;
}

func::FuncOp Emitter::emit(StringRef name) {
  declare(name);
  Scope top;
  top.block = func.addEntryBlock();
  top.env.resize(graph.axes.size());
  builder.setInsertionPointToEnd(top.block);
  func::ReturnOp::create(builder, loc);
  insertIn(top);
  allocateRows();
  emitParallel(top);
  return func;
}

/// One loop over [begin, end), taken apart into the parallel axes.
void Emitter::emitParallel(Scope &top) {
  unsigned count = func.getNumArguments();
  Value begin = func.getArgument(count - 2), end = func.getArgument(count - 1);
  if (schedule.parallel.size() == 1) {
    // The loop itself may run along the elements.
    int axis = schedule.parallel.front();
    emitRandomRange(schedule.nests, axis, begin, end, graph.axes[axis], top, {},
                    [&](Scope &inner, Values) {
                      emitSerial(0, inner);
                      return Values();
                    });
    return;
  }
  Value one = index(1);
  insertIn(top);
  auto loop = scf::ForOp::create(builder, loc, begin, end, one);
  open[top.block] = loop;
  Scope scope = inside(top, loop.getBody());
  insertIn(scope);
  Value rest = loop.getInductionVar();
  for (auto [i, axis] : llvm::enumerate(llvm::reverse(schedule.parallel))) {
    if (i + 1 == schedule.parallel.size()) {
      scope.env[axis] = rest;
      break;
    }
    Value size = index(graph.axes[axis]);
    insertIn(scope);
    scope.env[axis] = arith::RemUIOp::create(builder, loc, rest, size);
    rest = arith::DivUIOp::create(builder, loc, rest, size);
  }
  emitSerial(0, scope);
  open.erase(top.block);
}

void Emitter::emitSerial(size_t depth, Scope &scope) {
  if (depth == schedule.serial.size()) {
    Scope inner = inside(scope, scope.block);
    inner.isRow = true;
    row = &inner;
    for (const Nest &nest : schedule.nests)
      emitNest(nest, inner);
    return;
  }
  int axis = schedule.serial[depth];
  Value zero = index(0), one = index(1), size = index(graph.axes[axis]);
  insertIn(scope);
  auto loop = scf::ForOp::create(builder, loc, zero, size, one);
  open[scope.block] = loop;
  Scope inner = inside(scope, loop.getBody());
  inner.env[axis] = loop.getInductionVar();
  emitSerial(depth + 1, inner);
  open.erase(scope.block);
}

/// The depth at which a nest's scalar accumulators start: its reduced loops
/// are the last ones.
size_t Emitter::firstReduced(const Nest &nest) const {
  if (nest.reductions.empty() || nest.inMemory)
    return nest.loops.size() + 1; // none
  return nest.loops.size() -
         graph.nodes[nest.reductions.front()].reduced.size();
}

void Emitter::emitNest(const Nest &nest, Scope &scope) {
  if (nest.inMemory)
    emitInit(nest, scope);
  emitLoop(nest, 0, scope, {});
  for (int node : nest.kept)
    ready.insert(node);
  for (auto &[node, output] : schedule.reloaded)
    if (llvm::is_contained(nest.outputs, output))
      ready.insert(node);
}

/// Rows of accumulators start at the identity.
void Emitter::emitInit(const Nest &nest, Scope &scope) {
  for (int node : nest.reductions) {
    int64_t size = rowSize(graph, schedule.rows.at(node));
    Value zero = index(0), one = index(1), end = index(size);
    insertIn(scope);
    Value start = identity(graph.nodes[node]);
    auto loop = scf::ForOp::create(builder, loc, zero, end, one);
    builder.setInsertionPointToStart(loop.getBody());
    memref::StoreOp::create(builder, loc, start, rows[node],
                            ValueRange(loop.getInductionVar()));
  }
}

Emitter::Values Emitter::emitRange(int axis, Value begin, Value end,
                                   Scope &scope, Values carried,
                                   LoopBody body) {
  Value one = index(1);
  insertIn(scope);
  auto loop = scf::ForOp::create(builder, loc, begin, end, one, carried);
  open[scope.block] = loop;
  Scope inner = inside(scope, loop.getBody());
  inner.env[axis] = loop.getInductionVar();
  Values next = body(inner, Values(loop.getRegionIterArgs()));
  if (!carried.empty()) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
  }
  open.erase(scope.block);
  return Values(loop.getResults());
}

Emitter::Values Emitter::emitLoop(const Nest &nest, size_t depth, Scope &scope,
                                  Values carried) {
  bool starts = depth == firstReduced(nest);
  insertIn(scope);
  if (starts)
    for (int node : nest.reductions)
      carried.push_back(identity(graph.nodes[node]));
  Values results;
  if (depth == nest.loops.size()) {
    results = emitUnrolled(nest, 0, scope, carried);
  } else {
    int axis = nest.loops[depth];
    int64_t count = graph.axes[axis];
    auto body = [&](Scope &inner, Values values) {
      return emitLoop(nest, depth + 1, inner, values);
    };
    Value zero = index(0), size = index(count);
    results = depth + 1 == nest.loops.size()
                  ? emitRandomRange({&nest, 1}, axis, zero, size, count, scope,
                                    carried, body)
                  : emitRange(axis, zero, size, scope, carried, body);
  }
  if (!starts)
    return results;
  finish(nest, scope, results);
  return {};
}

/// What scalar accumulators hold after their loops becomes a row's element, or
/// the value itself.
void Emitter::finish(const Nest &nest, Scope &scope, const Values &results) {
  for (auto [node, value] : llvm::zip(nest.reductions, results)) {
    const AxisList &axes = schedule.rows.at(node);
    if (axes.empty()) {
      scalars[node] = value;
      continue;
    }
    insertIn(scope);
    Value place = rowAt(axes, scope.env);
    memref::StoreOp::create(builder, loc, value, rows[node], ValueRange(place));
  }
}

Emitter::Values Emitter::emitUnrolled(const Nest &nest, size_t depth,
                                      Scope &scope, Values carried) {
  if (depth == nest.unrolled.size())
    return emitBody(nest, scope, carried);
  int axis = nest.unrolled[depth];
  for (int64_t i = 0; i < graph.axes[axis]; ++i) {
    Scope inner = inside(scope, scope.block);
    inner.env[axis] = index(i);
    carried = emitUnrolled(nest, depth + 1, inner, carried);
  }
  return carried;
}

Emitter::Values Emitter::emitBody(const Nest &nest, Scope &scope,
                                  Values carried) {
  for (int node : nest.kept) {
    Value value = evaluate(node, scope.env, scope);
    insertIn(scope);
    Value place = rowAt(schedule.rows.at(node), scope.env);
    memref::StoreOp::create(builder, loc, value, rows[node], ValueRange(place));
  }
  // What is written in place of an input is read before: nothing is stored
  // until all is computed.
  Values outputs;
  if (!graph.inPlace.empty())
    for (int output : nest.outputs)
      outputs.push_back(evaluate(graph.outputs[output].node, scope.env, scope));
  for (auto [i, output] : llvm::enumerate(nest.outputs))
    storeOutput(output, outputs.empty() ? Value() : outputs[i], scope);
  for (auto [i, number] : llvm::enumerate(nest.reductions)) {
    const Node &node = graph.nodes[number];
    Value value = evaluate(node.operands[0], scope.env, scope);
    insertIn(scope);
    if (!nest.inMemory) {
      carried[i] = combine(node, carried[i], value);
      continue;
    }
    Value place = rowAt(schedule.rows.at(number), scope.env);
    Value sum =
        memref::LoadOp::create(builder, loc, rows[number], ValueRange(place));
    memref::StoreOp::create(builder, loc, combine(node, sum, value),
                            rows[number], ValueRange(place));
  }
  return carried;
}

void Emitter::storeOutput(int number, Value value, Scope &scope) {
  const Output &output = graph.outputs[number];
  if (!value)
    value = evaluate(output.node, scope.env, scope);
  insertIn(scope);
  value = toStored(value, graph.outputTypes[number]);
  Value memory = func.getArgument(graph.inputTypes.size() + number);
  Value place = at(output.form, scope.env);
  Value first;
  for (int axis : llvm::concat<const int>(schedule.parallel, schedule.serial)) {
    if (llvm::is_contained(output.axes, axis))
      continue;
    Value zero = index(0);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, scope.env[axis], zero);
    first = first ? Value(arith::AndIOp::create(builder, loc, first, isFirst))
                  : isFirst;
  }
  if (first) {
    auto guard = scf::IfOp::create(builder, loc, first);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  memref::StoreOp::create(builder, loc, value, memory, ValueRange(place));
}

func::FuncOp emitLoops(ModuleOp module, StringRef name, const Graph &graph,
                       const Schedule &schedule) {
  return Emitter(module, graph, schedule).emit(name);
}

} // namespace hocket::codegen
