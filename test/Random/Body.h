//===- Body.h - the statements of one random function -----------*- C++ -*-===//
//
// A body knows the values that are in scope and appends statements that use
// them. Each `try...` adds one operation, or nothing where no value fits.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_BODY_H
#define HOCKET_TEST_RANDOM_BODY_H

#include "Rng.h"
#include <functional>
#include <string>

namespace hocket::random {

enum class Element { F32, F64, I32, Bool };

struct Value {
  std::string text;
  Element element = Element::F32;
  std::vector<int64_t> shape;
  bool isExact = true;     // see ModelText
  bool isPositive = false; // at least about 0.3 everywhere
  double magnitude = 5;    // no element is much larger
  bool isIds = false;      // ints below every vocabulary

  size_t rank() const { return shape.size(); }
  int64_t elements() const;
  bool isFloat() const {
    return element == Element::F32 || element == Element::F64;
  }
};

/// Shared by all bodies of a model.
struct ModelState {
  Rng &rng;
  int64_t vocabulary;
  bool onlyMoves; // make an exact model
  int modules = 0;
  std::string moduleText;
};

class Body {
public:
  Body(ModelState &state, std::vector<Value> arguments, bool mayCall);

  /// `count` operations, then returns the value that `return` gives.
  Value fill(int count);

  /// Bound values that no statement reads.
  std::vector<Value> leaves() const;

  std::string members, statements;

private:
  using Predicate = std::function<bool(const Value &)>;
  const Value *pick(const Predicate &fits);
  const Value *pickFloat(size_t minRank = 0);
  Value &bind(const std::string &expression, Value like);
  std::string member(const std::string &constructor);
  void step();

  // BodyProducts.cpp
  std::string dimText(int64_t size);
  Value linear(const Value &x, int64_t out, const std::string &outText);
  bool tryLinear();
  bool tryEmbedding();
  bool tryMatmul();
  bool tryAttention();
  bool tryPlainAttention();
  std::string attentionMask(const Value &keys, int64_t batch, int64_t length);
  bool tryNorm();
  bool trySoftmax();
  bool tryRotary();

  // BodyElements.cpp
  const Value &sumOf(const Value &x);
  bool tryUnary();
  bool tryBinary();
  bool tryExtremum();
  bool tryQuotient();
  bool tryCompare();
  bool tryLogic();
  bool tryWhere();
  bool tryCast();
  bool tryInts();
  bool tryDropout();
  bool tryReduce();
  const Value *partner(const Value &a, std::vector<int64_t> &shape);

  // BodyShapes.cpp
  bool tryRearrange();
  bool tryTranspose();
  bool trySlice();
  bool tryConcat();
  bool trySplit();
  bool tryUnbind();
  bool tryIota();
  bool tryCall();

  ModelState &state;
  Rng &rng;
  std::vector<Value> pool;
  bool mayCall;
  int bound = 0, memberCount = 0;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_BODY_H
