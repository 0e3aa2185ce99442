//===- PatternTest.cpp - path patterns ------------------------------------===//

#include "Parsing.h"

using namespace hocket::syntax;

/// Component kinds: n(ame), g(lob), * any, ** depth, i(ndex), {a}lternation.
static std::string shapeOf(const PathPattern &pattern) {
  std::string text;
  for (const PatternComponent &component : pattern.components) {
    static const char *const words[] = {"n", "g", "*", "**", "i", "{"};
    text += words[static_cast<size_t>(component.kind)];
    for (const PathPattern &branch : component.branches)
      text += shapeOf(branch) + ",";
    text += component.branches.empty() ? " " : "} ";
  }
  return text.empty() ? ". " : text.substr(0, text.size());
}

static std::string pattern(const std::string &text) {
  Parsed parsed(text);
  auto result = parsePattern(parsed.sources, parsed.id, parsed.engine);
  EXPECT_EQ(parsed.engine.render(), "");
  if (!result)
    return "error";
  // The printed form means the same.
  Parsed again(result->str());
  auto second = parsePattern(again.sources, again.id, again.engine);
  EXPECT_TRUE(second && second->str() == result->str());
  return shapeOf(*result) + result->str();
}

TEST(Pattern, hasAllComponents) {
  EXPECT_EQ(pattern("attn.c_proj"), "n n attn.c_proj");
  EXPECT_EQ(pattern("."), ". .");
  EXPECT_EQ(pattern("*"), "* *");
  EXPECT_EQ(pattern("**.bias"), "** n **.bias");
  EXPECT_EQ(pattern("h.*.attn"), "n * n h.*.attn");
  EXPECT_EQ(pattern("**.ln_*.**"), "** g ** **.ln_*.**");
  EXPECT_EQ(pattern("h.*_norm"), "n g h.*_norm");
  EXPECT_EQ(pattern("{weight,attn.bias}"), "{n ,n n ,} {weight,attn.bias}");
  EXPECT_EQ(pattern("a.{ b , {c, .} }.d"), "n {n ,{n ,. ,} ,} n a.{b,{c,.}}.d");
}

TEST(Pattern, hasIndices) {
  EXPECT_EQ(pattern("h[0..3].attn"), "n i n h[0..3].attn");
  EXPECT_EQ(pattern("h.[2].attn"), "n i n h[2].attn");
  EXPECT_EQ(pattern("h[even]"), "n i h[even]");
  EXPECT_EQ(pattern("h[..2, 5, n / 2.., odd]"), "n i h[..2, 5, n / 2.., odd]");
  EXPECT_EQ(pattern("h.3.attn"), "n n n h.3.attn");
  // To the lexer `0.1` is a number.
  EXPECT_EQ(pattern("h.0.1.x"), "n n n n h.0.1.x");
  EXPECT_EQ(pattern("h.0.1.2"), "n n n n h.0.1.2");
}

TEST(Pattern, hasNoKeywords) {
  EXPECT_EQ(pattern("self.output.axis.over.at.override"),
            "n n n n n n self.output.axis.over.at.override");
}

TEST(Pattern, knowsWhetherItIsPlain) {
  Parsed plain("h.0.attn"), other("h.*.attn");
  EXPECT_TRUE(parsePattern(plain.sources, plain.id, plain.engine)->isPlain());
  EXPECT_FALSE(parsePattern(other.sources, other.id, other.engine)->isPlain());
}

TEST(Pattern, hasARangePerComponent) {
  Parsed parsed("h.0.1.{a,b.c}[2]");
  auto result = parsePattern(parsed.sources, parsed.id, parsed.engine);
  ASSERT_TRUE(result);
  std::string texts;
  for (const PatternComponent &component : result->components)
    texts += std::string(parsed.sources.getText(component.range)) + " ";
  EXPECT_EQ(texts, "h 0 1 {a,b.c} [2] ");
  EXPECT_EQ(parsed.sources.getText(result->components[3].branches[1].range),
            "b.c");
}

static std::string errors(const std::string &text) {
  Parsed parsed(text);
  EXPECT_FALSE(parsePattern(parsed.sources, parsed.id, parsed.engine));
  return parsed.engine.render();
}

TEST(Pattern, reportsErrors) {
  EXPECT_EQ(errors("a."), "t.hkt:1:3: error: expected a path component right "
                          "after '.', found the end of the file\n"
                          "a.\n"
                          "  ^\n");
  EXPECT_EQ(errors("a b"), "t.hkt:1:3: error: expected the end of the path, "
                           "found 'b'\n"
                           "a b\n"
                           "  ^\n");
  EXPECT_EQ(errors(".a"),
            "t.hkt:1:1: error: a path does not begin with '.'\n"
            ".a\n"
            "^\n"
            "note: paths are relative to the block around them already; '.' "
            "alone is the block itself\n");
  EXPECT_EQ(errors("a.{b,}"),
            "t.hkt:1:6: error: expected a path after '{' or ',' of the "
            "alternatives, found '}'\n"
            "a.{b,}\n"
            "     ^\n");
  EXPECT_EQ(errors("a.{b;c}"), "t.hkt:1:5: error: unexpected character\n"
                               "a.{b;c}\n"
                               "    ^\n");
  EXPECT_EQ(errors("a.b**"),
            "t.hkt:1:3: error: '**' is a component of its own, not part of a "
            "name\n"
            "a.b**\n"
            "  ^~~\n"
            "note: '*' stands for any characters of a name, '**' for any "
            "components\n");
  EXPECT_EQ(errors("a[]"),
            "t.hkt:1:2: error: expected an index between '[' and ']'\n"
            "a[]\n"
            " ^~\n"
            "note: write '[2]', '[0..3]' (without 3), '[even]' or '[odd]'; '*' "
            "is any component\n");
  EXPECT_EQ(errors("a.1e5"),
            "t.hkt:1:3: error: expected a path component, found a number\n"
            "a.1e5\n"
            "  ^~~\n");
}
