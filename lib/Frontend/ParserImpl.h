//===- ParserImpl.h - the recursive-descent parser ------------------------===//
//
// One class, its methods in files by what they parse. A method that returns
// bool, optional or a pointer has reported an error when it returns false or
// null; callers then give up, up to the statement, where the parser skips to
// the next one.
//
// A line's end ends a statement: outside brackets, `peek()` is EndOfLine when
// the next token stands on a new line. Inside brackets newlines are spaces.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_FRONTEND_PARSERIMPL_H
#define HOCKET_LIB_FRONTEND_PARSERIMPL_H

#include "Marks.h"

#include <map>

namespace hocket::syntax {

class Parser {
public:
  Parser(const SourceManager &sources, FileId file, DiagnosticEngine &engine);

  MarkedFile takeFile();
  std::optional<PathPattern> takePattern();
  ExprPtr takeExpression();

private:
  //===-- Parser.cpp, ParseRecovery.cpp: tokens, errors, recovery ---------===//

  using Kind = TokenKind;

  TokenKind peek() const;
  bool at(TokenKind kind) const { return peek() == kind; }
  bool atWord(std::string_view word) const;
  /// Kind of the token after the next, or EndOfLine across a line's end.
  TokenKind peekSecond() const;
  /// Takes the next token. Not at EndOfLine.
  const Token &take();
  bool takeIf(TokenKind kind);
  bool takeWord(std::string_view word);
  const Token &current() const { return lexed.tokens[pos]; }
  std::string_view text(const Token &token) const;
  TokenMark &mark() { return marks[pos]; }
  TokenMark &lastMark() { return marks[pos - 1]; }
  SourceRange lastRange() const;
  /// What was taken last, in quotes: a whole path, or else a token.
  std::string lastText() const;
  /// From a token's begin to the last one taken.
  SourceRange since(SourceRange begin) const { return begin.to(lastRange()); }
  bool isAdjacent() const { return !current().spaceBefore; }

  /// Where an error about the next token points: the token, or just behind the
  /// line's last one.
  SourceRange here() const;
  /// "','", "'foo'", "the end of the line".
  std::string found() const;
  /// Reports "expected WHAT, found ...".
  Diagnostic &expected(const std::string &what);
  void noteOtherWord(Diagnostic &error) const;
  bool expect(TokenKind kind, const std::string &after);
  bool expectWord(const char *word, const std::string &after);
  std::optional<Name> expectName(const std::string &what);
  /// A name that expressions can refer to: not `not`, `true`, ...
  std::optional<Name> expectBinding(const std::string &what);

  using NameMap = std::map<std::string, SourceRange>;
  /// Adds a name to those seen; reports `twice` when it is among them.
  bool isNew(NameMap &seen, const Name &name, const std::string &twice);

  /// Brackets: newlines inside are spaces.
  bool openBracket(TokenKind kind, const std::string &after);
  bool closeBracket(TokenKind kind, const std::string &after);
  /// `item {, item} [,] CLOSE`; the opening bracket has been taken.
  template <typename Fn>
  bool parseList(TokenKind close, const std::string &what, Fn item);
  /// A list of declarations: after an error in one it goes on with the next.
  /// False when the list's end cannot be found.
  template <typename Fn>
  bool parseDeclList(TokenKind close, const std::string &what, Fn item);
  bool skipListItem(size_t begin, TokenKind close);
  bool reportListEnd(TokenKind close, const std::string &what);

  /// `{ statement... }`, a line each; errors inside are recovered from.
  template <typename Fn>
  bool parseBraced(const std::string &after, SourceRange &range, Fn statement);
  /// Runs `statement` for one statement and goes to the next line.
  template <typename Fn> void parseLine(Fn statement);
  bool startsForeignDecl(size_t i) const;
  bool reportUnclosed(SourceRange open);
  void skipStatement(size_t begin);
  void skipToDecl();
  bool stopIfTooManyErrors();
  void reportTrailing();
  unsigned getColumn(const Token &token) const;

  /// Guards recursion; `isGood` is false (and an error reported, once) when the
  /// text nests too deeply.
  struct DepthScope {
    explicit DepthScope(Parser &parser);
    ~DepthScope() { --parser.depth; }
    Parser &parser;
    bool isGood;
  };
  bool reportTooDeep(SourceRange range);

  //===-- ParseExpr.cpp ---------------------------------------------------===//

  ExprPtr parseExpr();
  ExprPtr parseBinary(unsigned minPrecedence);
  ExprPtr parseUnary(unsigned minPrecedence);
  ExprPtr parsePower();
  ExprPtr parsePostfix();
  ExprPtr parsePrimary();
  ExprPtr parseNumber();
  ExprPtr parseParenthesized();
  ExprPtr parseListExpr();
  ExprPtr parseListItems(std::unique_ptr<ListExpr> node, SourceRange begin);
  ExprPtr parseCall(ExprPtr callee);
  ExprPtr parseIndex(ExprPtr base);
  bool parseSubscript(Subscript &subscript);
  bool parseArgument(Argument &argument, const std::string &where);
  bool parseArguments(std::vector<Argument> &args, const std::string &where);
  /// `lo..hi` or one expression.
  ExprPtr parseIterable();
  /// Sets the range and depth of a finished node; null when it is too deep.
  template <typename T>
  ExprPtr finish(std::unique_ptr<T> node, SourceRange begin);
  template <typename T> std::unique_ptr<T> makeLeaf();
  void deepen(Expr &node, const ExprPtr &child);

  //===-- ParsePattern.cpp ------------------------------------------------===//

  bool parsePattern(PathPattern &pattern, const std::string &after);
  bool parseComponent(PathPattern &pattern);
  bool parseWordComponent(PathPattern &pattern);
  bool parseIndexComponent(PathPattern &pattern);
  bool parseAlternation(PathPattern &pattern);
  bool parseSelector(IndexSelector &selector);
  bool atComponent() const;
  /// Takes a token of a pattern; no space before it when printed.
  const Token &takeGlued();

  //===-- ParseModel.cpp --------------------------------------------------===//

  bool parseParameters(std::vector<Parameter> &params, const std::string &of);
  bool parseParameter(Parameter &param);
  bool parseModuleItem(std::vector<ItemPtr> &items);
  bool parseLet(Name &name, ExprPtr &value);
  /// `ignore` and `prefix`: a word and strings.
  template <class Node> bool parseStrings(std::vector<ItemPtr> &items);
  bool parseMember(std::vector<ItemPtr> &items);
  bool parseArray(const Name &name, SourceRange begin,
                  std::vector<ItemPtr> &items);
  bool parseFunction(std::vector<ItemPtr> &items);
  bool parseTensorType(TensorType &type, const std::string &after);
  bool parseResults(std::vector<TensorType> &results);

  //===-- ParseStmt.cpp ---------------------------------------------------===//

  bool parseBlock(Block &block, const std::string &after);
  bool parseStmt(std::vector<StmtPtr> &stmts);
  bool parseAssign(std::vector<StmtPtr> &stmts);
  bool parseSignature(const std::string &name, std::vector<FunctionArg> &args,
                      std::vector<TensorType> &results);
  bool parseFor(std::vector<StmtPtr> &stmts);
  StmtPtr parseIf();
  bool parseReturn(std::vector<StmtPtr> &stmts);
  bool parseValues(std::vector<ExprPtr> &values);

  //===-- ParseDecl.cpp ---------------------------------------------------===//

  void parseHeader();
  void parseTop();
  bool parseImport();
  bool parseDecl();
  bool parseModuleDecl(bool isModel);
  bool parseVariantDecl();
  bool parseChange(VariantDecl &variant);
  bool parseLossDecl();
  bool parseTrainDecl();
  bool parseSetting(Setting &setting, bool aligned);
  bool parseTrainSetting(TrainDecl &train);
  bool parseHookDecl();
  bool parseOwnSetting(std::vector<Setting> &settings,
                       const std::vector<std::string> &keys,
                       const std::string &what);
  bool parseScheduleDecl();
  bool parseDefDecl();
  bool parseDerived(Decl &decl, std::vector<Parameter> &params,
                    const char *word, Name &base);

  //===-- ParseSchedule.cpp: structure ------------------------------------===//

  using Stmts = std::vector<ScheduleStmtPtr>;

  bool parseScheduleBlock(ScheduleBlock &block, const std::string &after);
  bool parseScheduleStmt(Stmts &stmts);
  bool dispatch(Stmts &stmts);
  template <typename T> std::unique_ptr<T> begin();
  template <typename T> bool end(std::unique_ptr<T> stmt, Stmts &stmts);
  bool parseMesh(Stmts &stmts);
  bool parseAt(Stmts &stmts);
  bool parseUse(Stmts &stmts);
  bool parseDef(Stmts &stmts);
  bool parseScheduleLet(Stmts &stmts);
  bool parseScope(ScopePattern &scope, const std::string &after);
  bool parseExpect(Stmts &stmts);
  bool parseCounts(ExpectStmt &expect);
  bool parseAutoReshard(Stmts &stmts);

  //===-- ParsePlacement.cpp: statements that place and move --------------===//

  bool parseShard(Stmts &stmts);
  bool parseReplicate(Stmts &stmts);
  bool parseSync(Stmts &stmts);
  bool parseSyncOp(SyncStmt &sync);
  bool parseSyncOptions(SyncStmt &sync);
  bool checkSync(const SyncStmt &sync);
  bool checkCut(const SyncStmt &sync);
  bool parseDefer(Stmts &stmts);
  bool parseHalo(Stmts &stmts);
  bool reportSyncHalo(const SyncStmt &sync);
  bool parseAttention(Stmts &stmts);
  bool parseStatistics(Stmts &stmts);

  //===-- ParseCost.cpp: statements that change cost only -----------------===//

  bool parseRecompute(Stmts &stmts);
  bool parseSave(Stmts &stmts);
  bool parseFsdp(Stmts &stmts);
  bool parseFuse(Stmts &stmts);
  bool reportOldStatement();
  bool parseBucket(Stmts &stmts);
  bool parseHook(Stmts &stmts);

  //===-- ParseClause.cpp: clauses of schedule statements -----------------===//

  bool parseSubject(PathPattern &pattern);
  bool parseDim(DimRef &dim, const char *word);
  bool parseAxes(AxisList &axes, bool distributed = false);
  bool parseAxisUse(AxisList &axes, NameMap &seen, bool distributed);
  bool atDistribution() const;
  bool parseDistribution(Distribution &distribution);
  bool parseDistributions(std::vector<Distribution> &distributions,
                          const AxisList &axes);
  bool parseByteSize(ByteSize &size, const std::string &after);
  bool parseReach(Reach &reach);
  bool atHaloOption(const HaloOptions &options);
  bool parseHaloOption(HaloOptions &options);
  void parseOverride(OverrideMark &overrideMark);
  void beginCell(Column column) { mark().column = column; }
  /// Takes one of the words and returns its index; else an error "expected
  /// 'a' or 'b' after AFTER".
  std::optional<size_t> parseOneOf(const std::vector<std::string> &words,
                                   const std::string &after);
  /// Reports "expected WHAT: 'a' or 'b'"; false.
  bool reportNoneOf(const std::vector<std::string> &words,
                    const std::string &what);

  const SourceManager &sources;
  DiagnosticEngine &engine;
  FileId fileId;
  size_t firstError;
  LexedFile lexed;
  std::vector<TokenMark> marks;
  File file;

  size_t pos = 0;
  /// The token that a newline before is no line's end: a statement's first.
  size_t lineBegin = 0;
  /// The open brackets that are not a block's.
  std::vector<SourceRange> brackets;
  unsigned depth = 0;
  bool tooDeep = false;
  SourceRange lastPattern;
  size_t unclosedAt = ~size_t(0);
  Diagnostic ignored;
  /// `except PATTERN` is read in a training recipe, and not inside a pattern.
  bool allowExcept = false;
  /// In a schedule, where `def` is a statement.
  bool allowDef = false;
};

} // namespace hocket::syntax

#include "ParserLoops.h"

#endif // HOCKET_LIB_FRONTEND_PARSERIMPL_H
