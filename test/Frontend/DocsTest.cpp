//===- DocsTest.cpp - the language reference parses -----------------------===//

#include "Parsing.h"

#include "hocket/Frontend/Loader.h"
#include "test/Paths.h"

using namespace hocket::syntax;

/// The code blocks of docs/language.md that are marked `kind`.
static std::vector<std::string> blocksOf(const std::string &kind) {
  std::string why;
  auto text = readFromDisk(hocket::test::sourcePath("docs/language.md"), why);
  EXPECT_TRUE(text) << why;
  std::vector<std::string> blocks;
  const std::string open = "\n```" + kind + "\n", close = "\n```\n";
  for (size_t i = 0; text && (i = text->find(open, i)) != std::string::npos;) {
    i += open.size();
    size_t end = text->find(close, i);
    blocks.push_back(text->substr(i, end - i + 1));
    i = end;
  }
  return blocks;
}

TEST(Docs, filesParse) {
  auto blocks = blocksOf("hkt");
  EXPECT_GE(blocks.size(), 3u);
  for (const std::string &block : blocks)
    EXPECT_EQ(errorsOf(block), "") << block;
}

TEST(Docs, everyPrimitiveHasAnExampleThatParses) {
  using Kind = ScheduleStmt::Kind;
  std::vector<bool> seen(static_cast<size_t>(Kind::Hook) + 1);
  for (const std::string &block : blocksOf("schedule")) {
    Parsed parsed("hocket 1\nschedule s for M {\n" + block + "}\n");
    File file = parseFile(parsed.sources, parsed.id, parsed.engine);
    ASSERT_EQ(parsed.engine.render(), "") << block;
    auto *schedule = dynAs<ScheduleDecl>(file.decls.at(0));
    for (const ScheduleStmtPtr &stmt : schedule->body.stmts)
      seen[static_cast<size_t>(stmt->kind)] = true;
  }
  for (size_t kind = 0; kind < seen.size(); ++kind)
    EXPECT_TRUE(seen[kind]) << getSpelling(static_cast<Kind>(kind));
}
