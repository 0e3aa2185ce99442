//===- ParseSchedule.cpp - the structure of a schedule --------------------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

bool Parser::parseScheduleBlock(ScheduleBlock &block,
                                const std::string &after) {
  bool allowedBefore = allowDef;
  allowDef = true;
  bool good = parseBraced(after, block.range,
                          [&] { return parseScheduleStmt(block.stmts); });
  allowDef = allowedBefore;
  return good;
}

bool Parser::parseScheduleStmt(Stmts &stmts) {
  DepthScope scope(*this);
  return scope.isGood && dispatch(stmts);
}

/// "mesh, at, use"; each word once.
static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Reports a line that older schedules have; false if it is none.
bool Parser::reportOldStatement() {
  if (atWord("decompose"))
    engine
        .error(here(), "there is no 'decompose': the bias of a partial sum is "
                       "added on one rank of the axis, so a sum is synced "
                       "right with its bias in it")
        .note("leave the line out, and sync the result: 'sync PATTERN fwd_post "
              "all_reduce over AXES'");
  else if (atWord("overlap"))
    engine
        .error(here(), "there is no line 'overlap': margins travel while a "
                       "convolution computes where the line of their halo says "
                       "so, and parts of a ring without a word")
        .note("leave the line out, or say it of a halo: 'halo PATTERN axis DIM "
              "over AXES overlap'");
  else
    return false;
  return true;
}

bool Parser::dispatch(Stmts &stmts) {
  using Method = bool (Parser::*)(Stmts &);
  static const struct {
    const char *word;
    Method method;
  } table[] = {
      {"mesh", &Parser::parseMesh},
      {"at", &Parser::parseAt},
      {"use", &Parser::parseUse},
      {"def", &Parser::parseDef},
      {"let", &Parser::parseScheduleLet},
      {"shard", &Parser::parseShard},
      {"replicate", &Parser::parseReplicate},
      {"sync", &Parser::parseSync},
      {"defer", &Parser::parseDefer},
      {"halo", &Parser::parseHalo},
      {"attention", &Parser::parseAttention},
      {"statistics", &Parser::parseStatistics},
      {"recompute", &Parser::parseRecompute},
      {"save", &Parser::parseSave},
      {"fsdp", &Parser::parseFsdp},
      {"fuse", &Parser::parseFuse},
      {"bucket", &Parser::parseBucket},
      {"hook", &Parser::parseHook},
      {"expect", &Parser::parseExpect},
      {"auto", &Parser::parseAutoReshard},
  };
  std::vector<std::string> words;
  for (const auto &entry : table) {
    if (atWord(entry.word))
      return (this->*entry.method)(stmts);
    words.push_back(entry.word);
  }
  if (reportOldStatement())
    return false;
  Diagnostic &error = expected("a schedule statement");
  noteOtherWord(error);
  if (error.notes.empty())
    error.suggest(at(Kind::Identifier) ? text(current()) : "", words);
  error.note("there are: " + joined(words));
  return false;
}

/// `mesh (dp = 2, tp = tp)`
bool Parser::parseMesh(Stmts &stmts) {
  auto stmt = begin<MeshStmt>();
  if (!at(Kind::LParen)) {
    expected("'(' after 'mesh'").note("write 'mesh (tp = 4)'");
    return false;
  }
  if (!parseArguments(stmt->axes, "the mesh"))
    return false;
  // `mesh (` is no call.
  for (size_t i = pos; i-- > 0;)
    if (lexed.tokens[i].range == stmt->keyword) {
      marks[i + 1].glueLeft = false;
      break;
    }
  for (const Argument &axis : stmt->axes)
    if (!axis.name) {
      engine.error(axis.range, "expected a name and a size for this mesh axis")
          .note("write 'mesh (tp = 4)'");
      return false;
    }
  if (stmt->axes.empty()) {
    engine.error(since(stmt->keyword), "a mesh has at least one axis")
        .note("write 'mesh (tp = 4)', or no mesh for one device");
    return false;
  }
  return end(std::move(stmt), stmts);
}

/// `at SCOPE { ... }`
bool Parser::parseAt(Stmts &stmts) {
  auto stmt = begin<AtStmt>();
  if (!parseScope(stmt->scope, "'at'") ||
      !parseScheduleBlock(stmt->body, "the scope of 'at'"))
    return false;
  return end(std::move(stmt), stmts);
}

/// `PATTERN [(count N, optional)]`
bool Parser::parseScope(ScopePattern &scope, const std::string &after) {
  if (!parsePattern(scope.pattern, after))
    return false;
  if (!at(Kind::LParen))
    return true;
  openBracket(Kind::LParen, "");
  NameMap seen;
  do {
    Name word{std::string(text(current())), here()};
    if (!isNew(seen, word, "'" + word.text + "' is said twice"))
      return false;
    if (takeWord("optional")) {
      scope.optional = true;
    } else if (takeWord("count")) {
      if (!(scope.count = parseExpr()))
        return false;
    } else {
      return reportNoneOf({"count", "optional"}, "a condition on the matches");
    }
  } while (takeIf(Kind::Comma));
  return closeBracket(Kind::RParen, "the condition on the matches");
}

/// `use name(args) [at SCOPE]`
bool Parser::parseUse(Stmts &stmts) {
  auto stmt = begin<UseStmt>();
  auto callee = expectName("a schedule function's name after 'use'");
  if (!callee)
    return false;
  stmt->callee = *callee;
  if (!parseArguments(stmt->args, "'" + callee->text + "'"))
    return false;
  if (takeWord("at")) {
    stmt->scope.emplace();
    if (!parseScope(*stmt->scope, "'at'"))
      return false;
  }
  return end(std::move(stmt), stmts);
}

/// `def name(params) { ... }`
bool Parser::parseDef(Stmts &stmts) {
  auto stmt = begin<DefStmt>();
  auto name = expectBinding("a name after 'def'");
  if (!name)
    return false;
  stmt->name = *name;
  std::string title = "def '" + name->text + "'";
  if (!parseParameters(stmt->params, title) ||
      !parseScheduleBlock(stmt->body, "the parameters of " + title))
    return false;
  return end(std::move(stmt), stmts);
}

bool Parser::parseScheduleLet(Stmts &stmts) {
  auto stmt = std::make_unique<LetScheduleStmt>();
  stmt->keyword = here();
  if (!parseLet(stmt->name, stmt->value))
    return false;
  return end(std::move(stmt), stmts);
}

/// `expect forward [at P] == { name: count, ... }`, `expect memory < 4 GiB`
bool Parser::parseExpect(Stmts &stmts) {
  auto stmt = begin<ExpectStmt>();
  auto what =
      parseOneOf({"forward", "backward", "memory", "bytes"}, "'expect'");
  if (!what)
    return false;
  stmt->what = static_cast<ExpectStmt::What>(*what);
  std::string word(sources.getText(lastRange()));
  if (*what < 2) {
    if (takeWord("at") && !parsePattern(stmt->at.emplace(), "'at'"))
      return false;
    if (!expect(Kind::Equal, lastText()) || !parseCounts(*stmt))
      return false;
    return end(std::move(stmt), stmts);
  }
  static const std::pair<TokenKind, BinaryOp> comparisons[] = {
      {Kind::Less, BinaryOp::Less},
      {Kind::LessEqual, BinaryOp::LessEqual},
      {Kind::Greater, BinaryOp::Greater},
      {Kind::GreaterEqual, BinaryOp::GreaterEqual},
      {Kind::Equal, BinaryOp::Equal},
      {Kind::NotEqual, BinaryOp::NotEqual},
  };
  for (auto [kind, op] : comparisons) {
    if (!takeIf(kind))
      continue;
    stmt->comparison = op;
    std::string spelling(sources.getText(lastRange()));
    return parseByteSize(stmt->size.emplace(), "'" + spelling + "'") &&
           end(std::move(stmt), stmts);
  }
  expected("a comparison such as '<' or '==' after '" + word + "'");
  return false;
}

/// `{ all_gather: 2, ... }`
bool Parser::parseCounts(ExpectStmt &expect) {
  SourceRange begin = here();
  if (!openBracket(Kind::LBrace, "'=='"))
    return false;
  NameMap seen;
  bool good = parseList(Kind::RBrace, "a count", [&] {
    ExpectStmt::Count count;
    auto name = expectName("a collective's name");
    if (!name || !this->expect(Kind::Colon, "'" + name->text + "'") ||
        !(count.count = parseExpr()))
      return false;
    count.collective = *name;
    if (!isNew(seen, *name, "'" + name->text + "' is counted twice"))
      return false;
    expect.counts.push_back(std::move(count));
    return true;
  });
  if (!good || !closeBracket(Kind::RBrace, "the counts"))
    return false;
  expect.countsRange = since(begin);
  return true;
}

/// `auto reshard`
bool Parser::parseAutoReshard(Stmts &stmts) {
  auto stmt = begin<AutoReshardStmt>();
  return expectWord("reshard", "'auto'") && end(std::move(stmt), stmts);
}
