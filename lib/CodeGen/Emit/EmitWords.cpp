//===- EmitWords.cpp - which elements dropout keeps -----------------------===//

#include "ValueEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hocket::codegen {

/// The global number of the element at these numbers of the axes.
Value ValueEmitter::elementNumber(const Node &node, Env env) {
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            at(node.form, env));
  if (node.scalar < 0)
    return number;
  return arith::AddIOp::create(builder, loc, number,
                               scalarArgument(node.scalar));
}

/// Elements of the whole that go by before those that the form counts: of
/// factors in runs. Null of none.
Value ValueEmitter::drawnAhead(const Node &node, Env env, Scope &scope) {
  return node.operands.size() > 1 ? evaluate(node.operands[1], env, scope)
                                  : Value();
}

Value ValueEmitter::drawnElement(const Node &node, Env env, Value ahead) {
  Value element = elementNumber(node, env);
  return ahead ? arith::AddIOp::create(builder, loc, element, ahead) : element;
}

/// The four words of each block, in the low halves of as many i64: so a product
/// needs no half moved. `block` is an i64 or a vector of them. See
/// hocket/Random/Philox.h.
SmallVector<Value, 4> ValueEmitter::philox(Value block, const Node &node,
                                           Value step) {
  Type type = block.getType(), i64 = builder.getI64Type();
  auto number = [&](int64_t value, Type of) -> Value {
    TypedAttr one = builder.getI64IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(of))
      one = DenseElementsAttr::get(vector, Attribute(one));
    return arith::ConstantOp::create(builder, loc, one);
  };
  auto spread = [&](Value value) -> Value {
    if (!isa<VectorType>(type))
      return value;
    return vector::BroadcastOp::create(builder, loc, type, value);
  };
  auto low = [&](Value wide) -> Value {
    Value mask = number(0xffffffff, wide.getType());
    return arith::AndIOp::create(builder, loc, wide, mask);
  };
  auto high = [&](Value wide) -> Value {
    Value shift = number(32, wide.getType());
    return arith::ShRUIOp::create(builder, loc, wide, shift);
  };
  auto mix = [&](Value a, Value b) -> Value {
    return arith::XOrIOp::create(builder, loc, a, b);
  };
  auto next = [&](Value word, int64_t weyl) {
    return low(arith::AddIOp::create(builder, loc, word, number(weyl, i64)));
  };
  Value wideStep = arith::ExtUIOp::create(builder, loc, i64, step);
  SmallVector<Value, 4> counter = {low(block), high(block), spread(wideStep),
                                   number(0, type)};
  Value key0 = scalarArgument(node.keyLow);
  Value key1 = scalarArgument(node.keyHigh);
  Value multiplier0 = number(0xD2511F53, type);
  Value multiplier1 = number(0xCD9E8D57, type);
  for (int round = 0; round < 10; ++round) {
    Value product0 =
        arith::MulIOp::create(builder, loc, multiplier0, counter[0]);
    Value product1 =
        arith::MulIOp::create(builder, loc, multiplier1, counter[2]);
    counter = {
        mix(mix(high(product1), counter[1]), spread(key0)), low(product1),
        mix(mix(high(product0), counter[3]), spread(key1)), low(product0)};
    key0 = next(key0, 0x9E3779B9);
    key1 = next(key1, 0xBB67AE85);
  }
  return counter;
}

/// One element's word, by itself.
Value ValueEmitter::ownWord(const Node &node, Env env, Value step,
                            Value ahead) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  Value element = drawnElement(node, env, ahead);
  Value block = arith::ShRUIOp::create(builder, loc, element, number(2));
  Value lane = arith::AndIOp::create(builder, loc, element, number(3));
  SmallVector<Value, 4> words = philox(block, node, step);
  Value word = words[0];
  for (int64_t i = 1; i < 4; ++i) {
    Value isThis = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         lane, number(i));
    word = arith::SelectOp::create(builder, loc, isThis, words[i], word);
  }
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), word);
}

Value ValueEmitter::computeKeep(int number, Env env, Scope &scope) {
  const Node &node = graph.nodes[number];
  Value step = evaluate(node.operands[0], env, scope);
  insertIn(scope);
  Value word = heldWord(number, env);
  if (!word) {
    Value ahead = drawnAhead(node, env, scope);
    insertIn(scope);
    word = ownWord(node, env, step, ahead);
  }
  auto threshold = builder.getI32IntegerAttr(int32_t(uint32_t(node.value)));
  Value least = arith::ConstantOp::create(builder, loc, threshold);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, word,
                               least);
}

} // namespace hocket::codegen
