//===- RandomRows.cpp - random words of a row, at once --------------------===//
//
// Philox gives the words of four elements at once. Where a loop runs along the
// elements of a row, the words of up to 1024 of them are computed before, 64 at
// a time in vectors, and the loop reads them. Elsewhere each element computes
// its own.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hocket::codegen {

/// Elements whose words are in memory at once, and blocks in a vector.
static constexpr int64_t kChunk = 1024, kLanes = 16;

Value LoopEmitter::heldWord(int number, Env env) {
  auto found = words.find(number);
  if (found == words.end())
    return {};
  const Words &row = found->second;
  for (int axis : graph.nodes[number].axes)
    if (row.env[axis] != env[axis])
      return {};
  Value place = arith::AddIOp::create(builder, loc, env[row.axis], row.shift);
  return memref::LoadOp::create(builder, loc, row.memory, ValueRange(place));
}

/// The nodes that a loop over `axis` around the nests reads words of, one after
/// the other, and whose other axes have their numbers in `scope`.
SmallVector<int> LoopEmitter::keepsAlong(int axis, ArrayRef<Nest> nests,
                                         const Scope &scope) const {
  SmallVector<int> pending, found;
  for (const Nest &nest : nests) {
    pending.append(nest.kept.begin(), nest.kept.end());
    for (int output : nest.outputs)
      pending.push_back(graph.outputs[output].node);
    for (int node : nest.reductions)
      pending.push_back(graph.nodes[node].operands[0]);
  }
  std::set<int> seen;
  while (!pending.empty()) {
    int number = pending.pop_back_val();
    const Node &node = graph.nodes[number];
    bool isShifted =
        node.kind == NodeKind::Flip || node.kind == NodeKind::Pieces;
    if (!seen.insert(number).second || ready.count(number) ||
        node.kind == NodeKind::Reduce || isShifted)
      continue;
    pending.append(node.operands.begin(), node.operands.end());
    bool isBound = llvm::all_of(node.axes, [&](int other) {
      return other == axis || scope.env[other];
    });
    if (node.kind == NodeKind::Keep && node.form.of(axis) == 1 && isBound)
      found.push_back(number);
  }
  llvm::sort(found);
  return found;
}

/// Computes the words of elements [begin, end) of `axis`.
void LoopEmitter::fillWords(int number, int axis, Value begin, Value end,
                            Scope &scope) {
  const Node &node = graph.nodes[number];
  Value &memory = wordMemory[number];
  if (!memory) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&func.getBody().front());
    int64_t size = llvm::alignTo(kChunk + 3, 4 * kLanes);
    memory = memref::AllocaOp::create(
        builder, loc, MemRefType::get({size}, builder.getI32Type()),
        builder.getI64IntegerAttr(64));
  }
  Values env(scope.env);
  env[axis] = begin;
  Value step = evaluate(node.operands[0], env, scope);
  Value first = drawnAhead(node, env, scope);
  Value zero = index(0), stride = index(4 * kLanes);
  insertIn(scope);
  Type i64 = builder.getI64Type();
  Value element = drawnElement(node, env, first);
  Value three = arith::ConstantIntOp::create(builder, loc, 3, 64);
  Value two = arith::ConstantIntOp::create(builder, loc, 2, 64);
  Value block = arith::ShRUIOp::create(builder, loc, element, two);
  Value ahead = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      arith::AndIOp::create(builder, loc, element, three));
  Value count = arith::SubIOp::create(builder, loc, end, begin);
  Value last = arith::AddIOp::create(builder, loc, count, ahead);
  Value shift = arith::SubIOp::create(builder, loc, ahead, begin);
  auto loop = scf::ForOp::create(builder, loc, zero, last, stride);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value place = loop.getInductionVar();
    Value done = arith::IndexCastOp::create(builder, loc, i64, place);
    Value from = arith::AddIOp::create(
        builder, loc, block, arith::ShRUIOp::create(builder, loc, done, two));
    auto type = VectorType::get({kLanes}, i64);
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, kLanes));
    Value blocks = arith::AddIOp::create(
        builder, loc, vector::BroadcastOp::create(builder, loc, type, from),
        arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(type, ArrayRef<int64_t>(lanes))));
    SmallVector<Value, 4> four = philox(blocks, node, step);
    // Words 0 and 1 of a block are one i64 in memory, 2 and 3 the next one.
    Value half = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI64IntegerAttr(32)));
    auto pair = [&](Value lower, Value upper) -> Value {
      Value shifted = arith::ShLIOp::create(builder, loc, upper, half);
      return arith::OrIOp::create(builder, loc, lower, shifted);
    };
    Value pairs = vector::InterleaveOp::create(
        builder, loc, pair(four[0], four[1]), pair(four[2], four[3]));
    Value all = vector::BitCastOp::create(
        builder, loc, VectorType::get({4 * kLanes}, builder.getI32Type()),
        pairs);
    vector::StoreOp::create(builder, loc, all, memory, ValueRange(place));
  }
  env[axis] = nullptr;
  words[number] = {memory, shift, axis, env};
}

/// A loop over [begin, end) of `axis`, at most `size` long, with the words that
/// its body reads computed before.
LoopEmitter::Values LoopEmitter::emitRandomRange(ArrayRef<Nest> nests, int axis,
                                                 Value begin, Value end,
                                                 int64_t size, Scope &scope,
                                                 Values carried,
                                                 LoopBody body) {
  SmallVector<int> keeps = keepsAlong(axis, nests, scope);
  if (keeps.empty())
    return emitRange(axis, begin, end, scope, carried, body);
  auto fillAll = [&](Scope &at, Value from, Value to) {
    for (int number : keeps)
      fillWords(number, axis, from, to, at);
  };
  auto withWords = [&](Scope &inner, Values values) {
    for (int number : keeps)
      words[number].env[axis] = inner.env[axis];
    return body(inner, values);
  };
  if (size <= kChunk) {
    fillAll(scope, begin, end);
    return emitRange(axis, begin, end, scope, carried, withWords);
  }
  Value step = index(kChunk);
  insertIn(scope);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, carried);
  open[scope.block] = loop;
  Scope chunk = inside(scope, loop.getBody());
  insertIn(chunk);
  Value from = loop.getInductionVar();
  Value to = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, from, step), end);
  fillAll(chunk, from, to);
  Values next = emitRange(axis, from, to, chunk,
                          Values(loop.getRegionIterArgs()), withWords);
  if (!carried.empty()) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
  }
  open.erase(scope.block);
  return Values(loop.getResults());
}

} // namespace hocket::codegen
