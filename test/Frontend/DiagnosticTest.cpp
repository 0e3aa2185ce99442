//===- DiagnosticTest.cpp - places, near names, rendering -----------------===//

#include "Parsing.h"

using namespace hocket::syntax;

TEST(Source, countsLinesAndColumnsFromOne) {
  SourceManager sources;
  FileId id = sources.addFile("f", "ab\r\nc\n");
  EXPECT_EQ(sources.getLineColumn(id, 1).column, 2u);
  EXPECT_EQ(sources.getLineColumn(id, 4).line, 2u);
  EXPECT_EQ(sources.getLineColumn(id, 4).column, 1u);
  EXPECT_EQ(sources.getLine(id, 1), "ab");
  EXPECT_EQ(sources.getLine(id, 3), "");
}

TEST(Nearest, countsSwapsAsOneEdit) {
  EXPECT_EQ(editDistance("fwd_psot", "fwd_post", 3), 1u);
  EXPECT_EQ(editDistance("kitten", "sitting", 5), 3u);
  EXPECT_EQ(editDistance("", "abc", 5), 3u);
  EXPECT_EQ(editDistance("abcdef", "x", 2), 3u);
}

TEST(Nearest, picksTheNearestOrNone) {
  std::vector<std::string> names = {"attn", "mlp", "ln_1", "ln_2"};
  EXPECT_EQ(nearest("atn", names), "attn");
  EXPECT_EQ(nearest("ln_3", names), "ln_1");
  EXPECT_EQ(nearest("ATTN", names), "attn");
  EXPECT_EQ(nearest("embedding", names), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
}

TEST(Render, showsLineCaretAndNotes) {
  Parsed parsed("\tab cd\nef\n");
  parsed.engine.error({parsed.id, 4, 6}, "bad 'cd'")
      .note({parsed.id, 7, 9}, "because of this")
      .note("do\n  that")
      .suggest("dc", {"cd"});
  EXPECT_EQ(parsed.engine.render(), "t.hkt:1:5: error: bad 'cd'\n"
                                    "\tab cd\n"
                                    "\t   ^~\n"
                                    "t.hkt:2:1: note: because of this\n"
                                    "ef\n"
                                    "^~\n"
                                    "note: do\n"
                                    "  that\n"
                                    "note: did you mean 'cd'?\n");
}

TEST(Render, endsTheTailWithTheLine) {
  Parsed parsed("ab\ncd\n");
  parsed.engine.error({parsed.id, 1, 5}, "over two lines");
  EXPECT_EQ(parsed.engine.render(), "t.hkt:1:2: error: over two lines\n"
                                    "ab\n"
                                    " ^\n");
}

TEST(Render, showsAWindowOfALongLine) {
  Parsed parsed(std::string(500, 'x') + "y" + std::string(500, 'z'));
  parsed.engine.error({parsed.id, 500, 501}, "here");
  EXPECT_EQ(parsed.engine.render(),
            "t.hkt:1:501: error: here\n..." + std::string(80, 'x') + "y" +
                std::string(79, 'z') + "...\n" + std::string(83, ' ') + "^\n");
}
