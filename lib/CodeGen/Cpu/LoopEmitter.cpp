//===- LoopEmitter.cpp - outer loops, nests and rows of a kernel ----------===//

#include "LoopEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::codegen {

LoopEmitter::LoopEmitter(ModuleOp module, const Graph &graph,
                         const Schedule &schedule)
    : ValueEmitter(module, graph, /*storesBits=*/true), schedule(schedule) {}

void LoopEmitter::allocateRows() {
  for (auto &[node, axes] : schedule.rows) {
    if (axes.empty())
      continue;
    auto type =
        MemRefType::get({rowSize(graph, axes)}, typeOf(graph.nodes[node].type));
    rows[node] = memref::AllocaOp::create(builder, loc, type,
                                          builder.getI64IntegerAttr(64));
  }
}

func::FuncOp LoopEmitter::emit(StringRef name) {
  Type number = builder.getIndexType();
  declare(name, {number, number});
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
void LoopEmitter::emitParallel(Scope &top) {
  Value begin = moreArgument(0), end = moreArgument(1);
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

void LoopEmitter::emitSerial(size_t depth, Scope &scope) {
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
size_t LoopEmitter::firstReduced(const Nest &nest) const {
  if (nest.reductions.empty() || nest.inMemory)
    return nest.loops.size() + 1; // none
  return nest.loops.size() -
         graph.nodes[nest.reductions.front()].reduced.size();
}

void LoopEmitter::emitNest(const Nest &nest, Scope &scope) {
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
void LoopEmitter::emitInit(const Nest &nest, Scope &scope) {
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

LoopEmitter::Values LoopEmitter::emitRange(int axis, Value begin, Value end,
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

LoopEmitter::Values LoopEmitter::emitLoop(const Nest &nest, size_t depth,
                                          Scope &scope, Values carried) {
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
void LoopEmitter::finish(const Nest &nest, Scope &scope,
                         const Values &results) {
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

LoopEmitter::Values LoopEmitter::emitUnrolled(const Nest &nest, size_t depth,
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

LoopEmitter::Values LoopEmitter::emitBody(const Nest &nest, Scope &scope,
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

void LoopEmitter::storeOutput(int number, Value value, Scope &scope) {
  const Output &output = graph.outputs[number];
  if (!value)
    value = evaluate(output.node, scope.env, scope);
  insertIn(scope);
  value = toStored(value, graph.outputTypes[number]);
  Value memory = outputMemory(number);
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

//===----------------------------------------------------------------------===//
// What a row holds
//===----------------------------------------------------------------------===//

Value LoopEmitter::rowAt(const AxisList &axes, Env env) {
  LinearForm form;
  int64_t stride = 1;
  for (int axis : llvm::reverse(axes)) {
    form.add(axis, stride);
    stride *= graph.axes[axis];
  }
  return at(form, env);
}

bool LoopEmitter::staysInRow(int node) const {
  return schedule.level[node] > 0 || schedule.rows.count(node) ||
         schedule.reloaded.count(node);
}

/// Loads a value that was written in this row: its memory is valid only at the
/// row's own outer numbers.
bool LoopEmitter::isHeld(int number, Env env, Value &value) {
  bool reloaded = schedule.reloaded.count(number);
  if (!reloaded && !schedule.rows.count(number))
    return false;
  const Node &node = graph.nodes[number];
  if (node.kind != NodeKind::Reduce && !ready.count(number))
    return false;
  for (int axis : node.axes)
    if (row->env[axis] && row->env[axis] != env[axis])
      return false;
  if (reloaded) {
    value = loadOutput(schedule.reloaded.at(number), env);
    return true;
  }
  const AxisList &axes = schedule.rows.at(number);
  if (axes.empty()) {
    value = scalars.at(number);
    return true;
  }
  Value place = rowAt(axes, env);
  value = memref::LoadOp::create(builder, loc, rows[number], ValueRange(place));
  return true;
}

func::FuncOp emitLoops(ModuleOp module, StringRef name, const Graph &graph,
                       const Schedule &schedule) {
  return LoopEmitter(module, graph, schedule).emit(name);
}

} // namespace hocket::codegen
