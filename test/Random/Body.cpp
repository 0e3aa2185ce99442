//===- Body.cpp - choosing operations and their operands ------------------===//

#include "Body.h"
#include <algorithm>
#include <cctype>

using namespace hocket::random;

int64_t Value::elements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

const char *hocket::random::nameOf(Element element) {
  static const char *names[] = {"f32", "f64", "f16", "bf16", "i32", "bool"};
  return names[int(element)];
}

Body::Body(ModelState &state, std::vector<Value> arguments, bool mayCall)
    : state(state), rng(state.rng), pool(std::move(arguments)),
      mayCall(mayCall) {
  pool.reserve(pool.size() + 512); // references to values survive a step
}

/// A fitting value, mostly one of the latest so that little goes unused.
const Value *Body::pick(const Predicate &fits) {
  if (wanted && fits(*wanted) && (mustTake || rng.chance(0.8)))
    return wanted;
  std::vector<const Value *> fitting;
  for (const Value &value : pool)
    if (fits(value))
      fitting.push_back(&value);
  if (fitting.empty())
    return nullptr;
  if (rng.chance(0.6))
    return fitting.back();
  return rng.oneOf(fitting);
}

const Value *Body::pickFloat(size_t minRank) {
  return pick([&](const Value &value) {
    return value.element == Element::F32 && value.rank() >= minRank;
  });
}

Value &Body::bind(const std::string &expression, Value like) {
  like.origin = {};
  return bindAlike(expression, std::move(like));
}

/// The value has the dims of `like`.
Value &Body::bindAlike(const std::string &expression, Value like) {
  like.text = "v" + std::to_string(bound++);
  statements += "    " + like.text + " = " + expression + "\n";
  pool.push_back(std::move(like));
  return pool.back();
}

/// Of a value that is bound by another statement.
Value &Body::keep(Value value) {
  value.origin = {};
  pool.push_back(std::move(value));
  return pool.back();
}

std::string Body::member(const std::string &constructor) {
  std::string name = "m" + std::to_string(memberCount++);
  members += "  " + name + " = " + constructor + "\n";
  return name;
}

void Body::step() {
  using Try = bool (Body::*)();
  static const std::vector<Try> moves = {
      &Body::tryRearrange, &Body::tryRearrange, &Body::tryTranspose,
      &Body::trySlice,     &Body::tryConcat,    &Body::trySplit,
      &Body::tryUnbind,    &Body::tryExtremum,  &Body::tryExtremum,
      &Body::tryPartial,   &Body::tryCompare,   &Body::tryLogic,
      &Body::tryWhere,     &Body::tryWhere,     &Body::tryDropout,
      &Body::tryCall,      &Body::tryEmbedding, &Body::tryEmbedding,
      &Body::tryInts,      &Body::tryCast};
  static const std::vector<Try> all = {
      &Body::tryLinear,    &Body::tryLinear,    &Body::tryLinear,
      &Body::tryLinear,    &Body::tryLinear,    &Body::tryLinear,
      &Body::tryEmbedding, &Body::tryEmbedding, &Body::tryMatmul,
      &Body::tryMatmul,    &Body::tryMatmul,    &Body::tryAttention,
      &Body::tryAttention, &Body::tryAttention, &Body::tryPlainAttention,
      &Body::tryNorm,      &Body::tryNorm,      &Body::tryNorm,
      &Body::trySoftmax,   &Body::trySoftmax,   &Body::tryRotary,
      &Body::tryUnary,     &Body::tryUnary,     &Body::tryUnary,
      &Body::tryUnary,     &Body::tryBinary,    &Body::tryBinary,
      &Body::tryBinary,    &Body::tryBinary,    &Body::tryExtremum,
      &Body::tryQuotient,  &Body::tryPower,     &Body::tryCompare,
      &Body::tryPartial,   &Body::tryPartial,   &Body::tryPartial,
      &Body::tryPartial,   &Body::tryPartial,   &Body::tryCrossing,
      &Body::tryLogic,     &Body::tryWhere,     &Body::tryWhere,
      &Body::tryCast,      &Body::tryCast,      &Body::tryInts,
      &Body::tryDropout,   &Body::tryReduce,    &Body::tryReduce,
      &Body::tryReduce,    &Body::tryRearrange, &Body::tryRearrange,
      &Body::tryTranspose, &Body::trySlice,     &Body::tryConcat,
      &Body::trySplit,     &Body::tryUnbind,    &Body::tryIota,
      &Body::tryCall,      &Body::tryCall};
  static const std::vector<Try> windows = {&Body::tryConvolution,
                                           &Body::tryConvolution,
                                           &Body::tryConvolution,
                                           &Body::tryConvolution,
                                           &Body::tryConvolution,
                                           &Body::tryConvolution,
                                           &Body::tryPooling,
                                           &Body::tryPooling,
                                           &Body::tryPooling,
                                           &Body::tryPooling,
                                           &Body::tryPad,
                                           &Body::tryPad,
                                           &Body::tryPad,
                                           &Body::tryCrop,
                                           &Body::tryCrop,
                                           &Body::tryCropEnd,
                                           &Body::tryCropEnd,
                                           &Body::trySlice,
                                           &Body::tryAttention,
                                           &Body::tryAttention,
                                           &Body::tryUnary,
                                           &Body::tryUnary,
                                           &Body::tryBinary,
                                           &Body::tryBinary,
                                           &Body::tryConcat,
                                           &Body::tryPartial,
                                           &Body::tryReduce,
                                           &Body::tryCall,
                                           &Body::tryGroupNorm,
                                           &Body::tryGroupNorm,
                                           &Body::tryNeighborhood,
                                           &Body::tryNeighborhood,
                                           &Body::tryInterpolate,
                                           &Body::tryInterpolate,
                                           &Body::tryGridNorm,
                                           &Body::tryGridNorm,
                                           &Body::tryChain,
                                           &Body::tryChain,
                                           &Body::tryChain,
                                           &Body::trySkip,
                                           &Body::trySkip,
                                           &Body::tryConjunction,
                                           &Body::tryEdges,
                                           &Body::tryReduce,
                                           &Body::tryWindowAttention,
                                           &Body::tryWindowAttention};
  static const std::vector<Try> windowMoves = {
      &Body::tryPad,   &Body::tryPad,        &Body::tryCrop,
      &Body::tryCrop,  &Body::trySlice,      &Body::tryPooling,
      &Body::tryWhere, &Body::tryConcat,     &Body::tryTranspose,
      &Body::tryEdges, &Body::tryConjunction};
  static const std::vector<Try> edges = {
      &Body::tryEdges,   &Body::tryEdges,    &Body::tryEdges,
      &Body::tryEdges,   &Body::tryEdges,    &Body::tryEdges,
      &Body::tryEdges,   &Body::tryEdges,    &Body::tryLinear,
      &Body::tryLinear,  &Body::tryUnary,    &Body::tryBinary,
      &Body::tryBinary,  &Body::tryNorm,     &Body::tryReduce,
      &Body::tryConcat,  &Body::trySlice,    &Body::tryPad,
      &Body::tryPartial, &Body::tryCall,     &Body::tryConjunction,
      &Body::tryMatmul,  &Body::tryTranspose};
  const std::vector<Try> &calculations = state.isGraph  ? edges
                                         : state.isGrid ? windows
                                                        : all;
  const std::vector<Try> &table = !state.onlyMoves ? calculations
                                  : state.isGrid   ? windowMoves
                                                   : moves;
  for (int attempt = 0; attempt < 40; ++attempt)
    if ((this->*rng.oneOf(table))())
      return;
}

Value Body::fill(int count) {
  pool.reserve(pool.size() + 512);
  if (state.isGrid && !state.onlyMoves && rng.chance(0.15))
    if (!rng.chance(0.6) || !tryAttention()) // of what comes in split
      tryWindowAttention();
  for (int i = 0; i < count; ++i)
    step();
  const Value *last = pick([](const Value &value) {
    return value.element == Element::F32 && value.text[0] == 'v';
  });
  if (last)
    return *last;
  Value first = pool.front();
  if (first.isFloat())
    return bind(first.text + " * 1.0", first);
  first.element = Element::F32;
  return bind("f32(" + first.text + ")", first);
}

/// How often the text has the name as a word.
static int occurrences(const std::string &text, const std::string &name) {
  int count = 0;
  for (size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    bool isWord = end == text.size() || !std::isalnum(text[end]);
    count += isWord && (at == 0 || !std::isalnum(text[at - 1]));
  }
  return count;
}

std::vector<Value> Body::leaves() const {
  std::vector<Value> found;
  for (const Value &value : pool)
    if (value.text[0] == 'v' && occurrences(statements, value.text) == 1)
      found.push_back(value);
  return found;
}
