//===- Body.h - the statements of one random function -----------*- C++ -*-===//
//
// A body knows the values that are in scope and appends statements that use
// them. Each `try...` adds one operation, or nothing where no value fits.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_BODY_H
#define HOCKET_TEST_RANDOM_BODY_H

#include "ModelText.h"
#include <functional>
#include <string>

namespace hocket::random {

enum class Element { F32, F64, F16, BF16, I32, Bool };
const char *nameOf(Element element);

/// The argument of the model whose dims a value has: what a schedule splits for
/// the value to be split.
struct Origin {
  std::string argument;
  std::vector<std::string> dims; // as a schedule names them
  std::vector<int64_t> majors;   // of a dim of two factors the major, else 0
};

struct Value {
  std::string text;
  Origin origin; // empty if there is none
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
  bool mayRound;  // to halves, after which nothing is compared
  bool isGrid;    // mostly what slides windows over x
  bool isGraph;   // mostly messages along edges
  int modules = 0;
  std::string moduleText = "";
  std::vector<Wish> wishes = {};
};

class Body {
public:
  Body(ModelState &state, std::vector<Value> arguments, bool mayCall);

  /// `count` operations, then returns the value that `return` gives.
  Value fill(int count);

  /// Joins two values whose factors of one dim cross, if there are any.
  bool tryCrossing();

  /// Operations with windows one after another, as `layers n` wants them.
  bool tryChain();
  bool trySkip();

  /// x, changed by a tensor of the module's own, of the dims of x or of 1s.
  /// Draws from `apart`, so that no other case changes.
  Value withParameter(const Value &x, Rng &apart);
  /// x under a function that is made of others, drawn from `apart` as well.
  Value withFunction(const Value &x, Rng &apart);

  /// Bound values that no statement reads.
  std::vector<Value> leaves() const;

  std::string members, statements;

private:
  using Predicate = std::function<bool(const Value &)>;
  const Value *pick(const Predicate &fits);
  const Value *pickFloat(size_t minRank = 0);
  Value &bind(const std::string &expression, Value like);
  Value &bindAlike(const std::string &expression, Value like);
  Value &keep(Value value);
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
  std::string documents(const Value &keys, int64_t batch, int64_t length);
  std::string attentionMask(const Value &keys, int64_t batch, int64_t length,
                            int64_t queries);
  bool tryNorm();
  bool trySoftmax();
  bool tryRotary();

  // BodyWindows.cpp
  const Value *pickGrid();
  bool tryConvolution();
  bool tryPooling();
  bool tryPad();
  bool tryCrop();
  bool tryCropEnd();

  // BodyGrids.cpp
  bool tryGroupNorm();
  bool tryGridNorm();
  bool tryConjunction();

  // BodyEdges.cpp
  bool tryEdges();
  const Value *edgeMessage(const Value &source, const Value &y,
                           const std::string &target, size_t axis);
  void sumEdges(const Value &message, const std::string &ends,
                const Value &like, size_t axis, int64_t most);

  // BodyNeighborhoods.cpp
  bool tryNeighborhood();
  bool tryWindowAttention();
  bool tryInterpolate();

  // BodyUnary.cpp
  bool tryUnary();
  bool tryCast();
  bool tryDropout();

  // BodyBinary.cpp
  static bool broadcast(const std::vector<int64_t> &a,
                        const std::vector<int64_t> &b,
                        std::vector<int64_t> &shape);
  const Value *partner(const Value &a, std::vector<int64_t> &shape);
  bool tryBinary();
  bool tryExtremum();
  bool tryQuotient();
  bool tryPower();
  const Value &positiveOf(const Value &x);
  const Value *positive();
  bool joinCrossing(const Value &a, const Value &b, size_t dim);

  // BodyConditions.cpp
  bool tryCompare();
  bool tryLogic();
  bool tryWhere();
  const Value *condition();

  // BodyReductions.cpp
  const Value &reducedOver(const Value &x, size_t axis, bool isMax,
                           bool keepdim);
  size_t axisOf(const Value &x);
  const Value &reduced(const Value &x, bool keepdim);
  void joinPartials(const Value &x);
  bool tryPartial();
  void consume(const Value &value);
  bool tryReduce();
  bool tryInts();

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
  const Value *wanted = nullptr; // what the next operation should take
  bool mustTake = false;         // and takes
  bool inChain = false;          // reads what another with windows makes
  int bound = 0, memberCount = 0;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_BODY_H
