//===- RecoveryTest.cpp - several errors in one run -----------------------===//

#include "Parsing.h"

using namespace hocket::syntax;

/// `line:col` of each error.
static std::string places(const std::string &text) {
  Parsed parsed(text);
  parseFile(parsed.sources, parsed.id, parsed.engine);
  std::string out;
  for (const Diagnostic &error : parsed.engine.getDiagnostics()) {
    LineColumn place = parsed.sources.getLineColumn(error.range);
    out +=
        std::to_string(place.line) + ":" + std::to_string(place.column) + " ";
  }
  return out;
}

TEST(Recovery, goesOnWithTheNextLine) {
  EXPECT_EQ(places("hocket 1\nschedule s for M {\n  mseh (tp = 2)\n"
                   "  recompute\n  save x\n  recompute .\n}\nmodel M {\n}\n"),
            "3:3 4:12 5:9 8:9 ");
}

TEST(Recovery, goesOnInsideABadHeader) {
  EXPECT_EQ(places("hocket 1\nmodule A(n int, m: itn) {\n  w F()\n"
                   "  forward(x: f32, y) {\n    z =\n  }\n}\n"),
            "2:12 2:20 3:5 4:17 4:20 5:8 ");
}

TEST(Recovery, skipsTheBlockOfABadStatement) {
  EXPECT_EQ(places("hocket 1\nschedule s for M {\n  at h.* (cuont 3) {\n"
                   "    use x\n  }\n  recompute\n}\n"),
            "3:11 6:12 ");
}

TEST(Recovery, endsAnUnclosedBracketAtTheNextLine) {
  EXPECT_EQ(places("hocket 1\nmodule A() {\n  a = f(1,\n        2\n  b = g(\n"
                   "  c d\n}\n"),
            "5:3 6:5 ");
}

TEST(Recovery, findsAMissingBrace) {
  EXPECT_EQ(errorsOf("hocket 1\nmodule A() {\n  f() {\n    return x\n\n"
                     "module B() {\n  w F()\n}\n"),
            "t.hkt:6:1: error: expected '}' before the next declaration\n"
            "module B() {\n"
            "^~~~~~\n"
            "t.hkt:3:7: note: to close this '{'\n"
            "  f() {\n"
            "      ^\n"
            "t.hkt:7:5: error: expected '=' after member 'w', found 'F'\n"
            "  w F()\n"
            "    ^\n");
}

TEST(Recovery, takesUnindentedStatements) {
  EXPECT_EQ(errorsOf("hocket 1\nschedule s for M {\ndef f() {\ndef g() {\n"
                     "}\n}\nuse f()\n}\nmodule A() {\ndef = F()\n"
                     "module = F()\n}\n"),
            "");
}

TEST(Recovery, reportsAStrayBrace) {
  EXPECT_EQ(errorsOf("hocket 1\n}\nmodule B() { }\n"),
            "t.hkt:2:1: error: unexpected '}': no block is open here\n"
            "}\n"
            "^\n");
}

TEST(Recovery, sortsErrorsOfLexerAndParser) {
  EXPECT_EQ(places("hocket 1\nmodule A() {\n  a b\n  c = $\n  d e\n}\n"),
            "3:5 4:7 5:5 ");
}

TEST(Recovery, stopsAfterManyErrors) {
  std::string text = "hocket 1\nmodule A() {\n";
  for (unsigned i = 0; i < 1000; ++i)
    text += "  a b\n";
  Parsed parsed(text + "}\n");
  parseFile(parsed.sources, parsed.id, parsed.engine);
  EXPECT_EQ(parsed.engine.getNumErrors(), 51u);
  EXPECT_EQ(parsed.engine.getDiagnostics().back().text,
            "too many errors; the rest of the file is not read");
}

TEST(Recovery, boundsNestedBlocks) {
  for (const char *open : {"for a in b {\n", "if a {\n", "if a { } else "}) {
    std::string text = "hocket 1\nmodule A() {\n  f() {\n";
    for (unsigned i = 0; i < 3000; ++i)
      text += open;
    EXPECT_NE(errorsOf(text).find("nested more than 200 levels"),
              std::string::npos);
  }
  std::string schedule = "hocket 1\nschedule s for M {\n";
  std::string alternatives = schedule + "recompute ";
  for (unsigned i = 0; i < 3000; ++i) {
    schedule += "at a {\n";
    alternatives += "{a,";
  }
  EXPECT_NE(errorsOf(schedule).find("nested more than 200 levels"),
            std::string::npos);
  EXPECT_NE(errorsOf(alternatives).find("nested more than 200 levels"),
            std::string::npos);
}

TEST(Header, isRequired) {
  EXPECT_EQ(errorsOf("model M() { }\n"),
            "t.hkt:1:1: error: expected the language version in the file's "
            "first line\n"
            "model M() { }\n"
            "^~~~~\n"
            "note: write 'hocket 1'\n");
  EXPECT_EQ(errorsOf(""), "t.hkt:1:1: error: expected the language version in "
                          "the file's first line\n"
                          "\n"
                          "^\n"
                          "note: write 'hocket 1'\n");
}

TEST(Header, refusesOtherVersions) {
  EXPECT_EQ(errorsOf("hocket 2\n$ what is this\n"),
            "t.hkt:1:8: error: this file is written in hocket 2; this compiler "
            "reads hocket 1\n"
            "hocket 2\n"
            "       ^\n"
            "note: a newer compiler reads it\n");
  EXPECT_EQ(errorsOf("hocket 0\n"),
            "t.hkt:1:8: error: this file is written in hocket 0; this compiler "
            "reads hocket 1\n"
            "hocket 0\n"
            "       ^\n"
            "note: there is no such version\n");
  EXPECT_EQ(errorsOf("hocket 1 x\n"),
            "t.hkt:1:10: error: expected the end of the line after 'hocket 1', "
            "found 'x'\n"
            "hocket 1 x\n"
            "         ^\n");
}
