//===- LexerTest.cpp - tokens, comments and their places ------------------===//

#include "Parsing.h"

#include "hocket/Frontend/Lexer.h"

using namespace hocket::syntax;

/// Token texts, each on a new line after `/`.
static std::string lex(const std::string &text) {
  Parsed parsed(text);
  LexedFile file = lexFile(parsed.sources, parsed.id, parsed.engine);
  EXPECT_EQ(parsed.engine.render(), "");
  std::string out;
  for (const Token &token : file.tokens)
    out += std::string(token.newlineBefore ? "/" : " ") +
           std::string(parsed.sources.getText(token.range));
  return out;
}

static std::vector<TokenKind> kindsOf(const std::string &text) {
  Parsed parsed(text);
  std::vector<TokenKind> kinds;
  for (const Token &token :
       lexFile(parsed.sources, parsed.id, parsed.engine).tokens)
    kinds.push_back(token.kind);
  return kinds;
}

TEST(Lexer, splitsPunctuation) {
  EXPECT_EQ(lex("a->b..c==d**e//f<=g"), "/a -> b .. c == d ** e // f <= g ");
}

TEST(Lexer, tellsNumbersFromRangesAndPaths) {
  using K = TokenKind;
  EXPECT_EQ(lex("0..3 1e-12 0.5 2.5e3 h.0.x 1.x"),
            "/0 .. 3 1e-12 0.5 2.5e3 h . 0 . x 1 . x ");
  EXPECT_EQ(
      kindsOf("1 1.0 1e3 1E+3"),
      (std::vector<K>{K::Integer, K::Float, K::Float, K::Float, K::EndOfFile}));
}

TEST(Lexer, knowsWhereLinesBegin) {
  EXPECT_EQ(lex("a b # c\n\n d\r\n# e\nf"), "/a b/d/f ");
}

TEST(Lexer, keepsComments) {
  Parsed parsed("a # b  \n  #c\n");
  LexedFile file = lexFile(parsed.sources, parsed.id, parsed.engine);
  ASSERT_EQ(file.comments.size(), 2u);
  EXPECT_EQ(parsed.sources.getText(file.comments[0].range), "# b");
  EXPECT_FALSE(file.comments[0].ownLine);
  EXPECT_EQ(parsed.sources.getText(file.comments[1].range), "#c");
  EXPECT_TRUE(file.comments[1].ownLine);
  EXPECT_EQ(file.comments[1].nextToken, 1u);
}

TEST(Lexer, skipsByteOrderMark) { EXPECT_EQ(lex("\xEF\xBB\xBFx"), "/x "); }

TEST(Lexer, decodesStrings) {
  EXPECT_EQ(decodeString("\"a\\\"b\\\\c\\n\\t\""), "a\"b\\c\n\t");
  EXPECT_EQ(lex("\"# no comment\""), "/\"# no comment\" ");
}

TEST(Lexer, reportsUnclosedString) {
  EXPECT_EQ(stmtErrorsOf("z = \"abc  "),
            "t.hkt:4:9: error: expected '\"' to close the string on the same "
            "line\n"
            "    z = \"abc  \n"
            "        ^~~~\n");
}

TEST(Lexer, reportsUnknownEscape) {
  EXPECT_EQ(stmtErrorsOf("z = \"a\\q\""),
            "t.hkt:4:11: error: unknown escape in a string; there are \\\", "
            "\\\\, \\n and \\t\n"
            "    z = \"a\\q\"\n"
            "          ^\n");
}

TEST(Lexer, reportsNumberGluedToName) {
  EXPECT_EQ(stmtErrorsOf("z = 25MiB"),
            "t.hkt:4:9: error: '25MiB' is neither a number nor a name\n"
            "    z = 25MiB\n"
            "        ^~~~~\n"
            "note: a number and a unit are two words: '25 MiB'; a name does "
            "not begin with a digit\n");
}

TEST(Lexer, stopsReportingAfterManyErrors) {
  std::string text = "hocket 1\nmodule A() {\n";
  for (unsigned i = 0; i < 1000; ++i)
    text += "$ a\n";
  Parsed parsed(text + "}\n");
  lexFile(parsed.sources, parsed.id, parsed.engine);
  EXPECT_EQ(parsed.engine.getNumErrors(), 50u);
}

TEST(Lexer, reportsUnexpectedCharacters) {
  EXPECT_EQ(stmtErrorsOf("z = 3 $ 4"), "t.hkt:4:11: error: unexpected "
                                       "character\n"
                                       "    z = 3 $ 4\n"
                                       "          ^\n");
  // Columns count bytes, carets characters.
  EXPECT_EQ(stmtErrorsOf("z = \"\xC3\xA9\" \xC3\xA9"),
            "t.hkt:4:14: error: unexpected character\n"
            "    z = \"\xC3\xA9\" \xC3\xA9\n"
            "            ^\n"
            "note: letters beyond a to z belong in strings and comments\n");
}
