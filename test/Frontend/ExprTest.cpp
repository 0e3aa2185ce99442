//===- ExprTest.cpp - expressions: structure, text, limits ----------------===//

#include "Parsing.h"

using namespace hocket::syntax;

/// The structure of `text`, after checking that its printed form reads back.
static std::string expr(const std::string &text) {
  auto dump = [](const std::string &text) {
    return dumpOf("hocket 1\nmodule M() {\n  let x = " + text + "\n}\n");
  };
  std::string first = dump(text);
  Parsed parsed(text);
  ExprPtr value = parseExpression(parsed.sources, parsed.id, parsed.engine);
  EXPECT_EQ(parsed.engine.render(), "");
  if (value) {
    EXPECT_EQ(dump(toString(*value)), first);
  }
  size_t begin = first.find("let x ") + 6;
  return first.substr(begin, first.size() - begin - 1);
}

TEST(Expr, followsPythonsPrecedence) {
  EXPECT_EQ(expr("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(expr("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(expr("a / b // c % d"), "(% (// (/ a b) c) d)");
  EXPECT_EQ(expr("-a ** b"), "(- (** a b))");
  EXPECT_EQ(expr("a ** -b"), "(** a (- b))");
  EXPECT_EQ(expr("a ** b ** c"), "(** a (** b c))");
  EXPECT_EQ(expr("-a * b"), "(* (- a) b)");
  EXPECT_EQ(expr("not a == b and c or d"), "(or (and (not (== a b)) c) d)");
  EXPECT_EQ(expr("a or b if c else d if e else f"),
            "(if c (or a b) (if e d f))");
  EXPECT_EQ(expr("a if (b if c else d) else e"), "(if (if c b d) a e)");
}

TEST(Expr, keepsGroups) {
  EXPECT_EQ(expr("(a + b) * c"), "(* (+ a b) c)");
  EXPECT_EQ(expr("a - (b - c)"), "(- a (- b c))");
  EXPECT_EQ(expr("(a ** b) ** c"), "(** (** a b) c)");
  EXPECT_EQ(expr("(-a) ** b"), "(** (- a) b)");
  EXPECT_EQ(expr("(a < b) == (c < d)"), "(== (< a b) (< c d))");
  EXPECT_EQ(expr("1 + (not a)"), "(+ 1 (not a))");
}

TEST(Expr, hasTuplesAndProducts) {
  EXPECT_EQ(expr("(a)"), "a");
  EXPECT_EQ(expr("(a,)"), "(tuple a)");
  EXPECT_EQ(expr("()"), "(tuple)");
  EXPECT_EQ(expr("(heads, head_dim)"), "(tuple heads head_dim)");
  EXPECT_EQ(expr("(qkv = 3, heads)"), "(tuple qkv=3 heads)");
  EXPECT_EQ(expr("(inner = 4 * hidden)"), "(tuple inner=(* 4 hidden))");
}

TEST(Expr, hasPostfixes) {
  EXPECT_EQ(expr("wte.weight"), "(attr wte weight)");
  EXPECT_EQ(expr("f(x, n = 1).y[0]"), "(index (attr (call f x n=1) y) 0)");
  EXPECT_EQ(expr("x[:, 0]"), "(index x (slice _ _ _) 0)");
  EXPECT_EQ(expr("x[1:n - 1:2, :2, 3:]"),
            "(index x (slice 1 (- n 1) 2) (slice _ 2 _) (slice 3 _ _))");
}

TEST(Expr, hasLiterals) {
  EXPECT_EQ(expr("[1, 1e-12, 0.5, 6e-4]"), "(list 1 1e-12 0.5 0.0006)");
  EXPECT_EQ(expr("f(true, false, none, \"a \\\"b\\\"\")"),
            "(call f true false none \"a \\\"b\\\"\")");
  EXPECT_EQ(expr("10000.0"), "10000.0");
}

TEST(Expr, goesOnInBrackets) {
  EXPECT_EQ(expr("(a +\n b)"), "(+ a b)");
  EXPECT_EQ(expr("f(a,\n  b,\n)"), "(call f a b)");
}

TEST(Expr, hasRanges) {
  Parsed parsed("f(a) + b.c");
  ExprPtr value = parseExpression(parsed.sources, parsed.id, parsed.engine);
  auto *sum = dynAs<BinaryExpr>(value);
  ASSERT_TRUE(sum);
  EXPECT_EQ(parsed.sources.getText(sum->range), "f(a) + b.c");
  EXPECT_EQ(parsed.sources.getText(sum->opRange), "+");
  EXPECT_EQ(parsed.sources.getText(sum->lhs->range), "f(a)");
  EXPECT_EQ(parsed.sources.getText(sum->rhs->range), "b.c");
}

/// Deep nesting of every kind ends in one error, not in a crash.
TEST(Expr, boundsNesting) {
  auto repeat = [](const std::string &text, unsigned times) {
    std::string all;
    while (times--)
      all += text;
    return all;
  };
  for (const std::string &text :
       {repeat("(", 5000), repeat("[", 5000), repeat("-", 5000),
        repeat("not ", 5000), repeat("a ** ", 5000), repeat("f(", 5000),
        "a" + repeat(" + a", 5000), "a" + repeat(".a", 5000),
        "a" + repeat("()", 5000), repeat("a if b else ", 5000)}) {
    std::string errors = stmtErrorsOf("z = " + text);
    EXPECT_NE(errors.find("error: the text is nested more than 200 levels deep "
                          "here"),
              std::string::npos)
        << errors.substr(0, 300);
  }
}
