//===- ParseDecl.cpp - the header, imports and declarations ---------------===//

#include "ParserImpl.h"

#include <cstdlib>

using namespace hocket::syntax;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// `hocket 1`. Without it the rest is read all the same; a newer version's text
/// is not read at all, since its errors would mislead.
void Parser::parseHeader() {
  lineBegin = pos;
  const std::string version = std::to_string(kLanguageVersion);
  if (!atWord("hocket") || peekSecond() != Kind::Integer) {
    SourceRange range = current().range;
    if (atWord("hocket"))
      take();
    engine
        .error(range, "expected the language version in the file's first "
                      "line")
        .note("write 'hocket " + version + "'");
    if (pos > 0)
      skipStatement(0);
    return;
  }
  mark().startsStatement = true;
  take();
  const Token &number = take();
  file.version = std::strtoll(std::string(text(number)).c_str(), nullptr, 10);
  if (file.version != kLanguageVersion) {
    engine.truncate(firstError);
    engine
        .error(number.range, "this file is written in hocket " +
                                 std::string(text(number)) +
                                 "; this compiler reads hocket " + version)
        .note(file.version > kLanguageVersion ? "a newer compiler reads it"
                                              : "there is no such version");
    pos = lexed.tokens.size() - 1;
    return;
  }
  if (!at(Kind::EndOfLine) && !at(Kind::EndOfFile)) {
    expected("the end of the line after 'hocket " + version + "'");
    skipStatement(0);
  }
}

void Parser::parseTop() {
  while (current().kind != Kind::EndOfFile) {
    if (current().kind == Kind::RBrace) {
      engine.error(current().range, "unexpected '}': no block is open here");
      ++pos;
      skipToDecl();
      continue;
    }
    parseLine([&] { return atWord("import") ? parseImport() : parseDecl(); });
  }
}

/// `import "path"`
bool Parser::parseImport() {
  ImportDecl import;
  SourceRange begin = take().range;
  if (!at(Kind::String)) {
    expected("a file name in quotes after 'import'");
    return false;
  }
  const Token &token = take();
  import.path = decodeString(text(token));
  import.pathRange = token.range;
  import.range = since(begin);
  file.imports.push_back(std::move(import));
  return true;
}

bool Parser::parseDecl() {
  if (atWord("module"))
    return parseModuleDecl(false);
  if (atWord("model"))
    return parseModuleDecl(true);
  if (atWord("variant"))
    return parseVariantDecl();
  if (atWord("train"))
    return parseTrainDecl();
  if (atWord("schedule"))
    return parseScheduleDecl();
  if (atWord("def"))
    return parseDefDecl();
  if (atWord("hook"))
    return parseHookDecl();
  if (atWord("loss"))
    return parseLossDecl();
  Diagnostic &error = expected("a declaration");
  if (at(Kind::Identifier))
    error.suggest(text(current()),
                  {"module", "model", "variant", "train", "schedule", "def",
                   "hook", "loss", "import"});
  error.note("a file holds import, module, model, variant, loss, train, "
             "schedule, def and hook");
  skipToDecl();
  return false;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

bool Parser::parseModuleDecl(bool isModel) {
  auto decl = std::make_unique<ModuleDecl>();
  decl->isModel = isModel;
  SourceRange begin = take().range;
  std::string word = isModel ? "model" : "module";
  auto name = expectBinding("a name after '" + word + "'");
  if (!name)
    return false;
  decl->name = *name;
  std::string title = word + " '" + name->text + "'";
  SourceRange braces;
  if (!parseParameters(decl->params, title) ||
      !parseBraced("the parameters of " + title, braces,
                   [&] { return parseModuleItem(decl->items); }))
    return false;
  decl->range = since(begin);
  file.decls.push_back(std::move(decl));
  return true;
}

/// `KEYWORD name[(params)] WORD base`
bool Parser::parseDerived(Decl &decl, std::vector<Parameter> &params,
                          const char *word, Name &base) {
  std::string keyword(text(take()));
  auto name = expectBinding("a name after '" + keyword + "'");
  if (!name)
    return false;
  decl.name = *name;
  std::string title = keyword + " '" + name->text + "'";
  if (at(Kind::LParen) && !parseParameters(params, title))
    return false;
  if (!expectWord(word, title))
    return false;
  auto baseName =
      expectName("a model's name after '" + std::string(word) + "'");
  if (!baseName)
    return false;
  base = *baseName;
  return true;
}

bool Parser::parseVariantDecl() {
  auto decl = std::make_unique<VariantDecl>();
  SourceRange begin = here(), braces;
  if (!parseDerived(*decl, decl->params, "of", decl->base) ||
      !parseBraced("'" + decl->base.text + "'", braces,
                   [&] { return parseChange(*decl); }))
    return false;
  decl->range = since(begin);
  file.decls.push_back(std::move(decl));
  return true;
}

/// `replace PATTERN with CALL`, `mask PATTERN EXPR`, `precision ...`, `let`.
bool Parser::parseChange(VariantDecl &variant) {
  using ChangeKind = VariantDecl::Change::Kind;
  VariantDecl::Change change;
  SourceRange begin = here();
  if (atWord("let")) {
    auto let = std::make_unique<LetItem>();
    if (!parseLet(let->name, let->value))
      return false;
    let->range = since(begin);
    variant.lets.push_back(std::move(let));
    return true;
  }
  if (atWord("precision")) {
    change.kind = ChangeKind::Precision;
    change.setting.emplace();
    if (!parseSetting(*change.setting, false))
      return false;
  } else if (atWord("replace")) {
    mark().group = 3;
    take();
    beginCell(Column::Pattern);
    if (!parsePattern(change.pattern, "'replace'"))
      return false;
    beginCell(Column::Value);
    if (!expectWord("with", lastText()) || !(change.value = parseExpr()))
      return false;
  } else if (atWord("mask")) {
    mark().group = 4;
    change.kind = ChangeKind::Mask;
    take();
    beginCell(Column::Pattern);
    if (!parsePattern(change.pattern, "'mask'"))
      return false;
    beginCell(Column::Value);
    if (!(change.value = parseExpr()))
      return false;
  } else {
    return reportNoneOf({"replace", "mask", "precision", "let"},
                        "a change of the model");
  }
  change.range = since(begin);
  variant.changes.push_back(std::move(change));
  return true;
}

/// `loss NAME of MODEL(x: f32[...], ...) [-> f32[]] { ... }`
bool Parser::parseLossDecl() {
  auto decl = std::make_unique<LossDecl>();
  SourceRange begin = take().range;
  auto name = expectBinding("a name after 'loss'");
  if (!name || !expectWord("of", "loss '" + name->text + "'"))
    return false;
  auto base = expectName("a model's name after 'of'");
  if (!base)
    return false;
  decl->name = *name;
  decl->base = *base;
  auto function = std::make_unique<FunctionItem>();
  function->name = *name;
  std::string title = "loss '" + name->text + "'";
  if (!at(Kind::LParen)) {
    expected("the inputs of " + title + " after '" + decl->base.text + "'")
        .note("write loss " + decl->name.text + " of " + decl->base.text +
              "(x: f32[batch], targets: i64[batch]) -> f32[] { ... }");
    return false;
  }
  if (!parseSignature(title, function->args, function->results) ||
      !parseBlock(function->body, "the inputs of " + title))
    return false;
  function->range = decl->range = since(begin);
  decl->function = std::move(function);
  file.decls.push_back(std::move(decl));
  return true;
}

bool Parser::parseTrainDecl() {
  auto decl = std::make_unique<TrainDecl>();
  SourceRange begin = here(), braces;
  if (!parseDerived(*decl, decl->params, "of", decl->base))
    return false;
  allowExcept = true;
  bool good = parseBraced("'" + decl->base.text + "'", braces,
                          [&] { return parseTrainSetting(*decl); });
  allowExcept = false;
  if (!good)
    return false;
  decl->range = since(begin);
  file.decls.push_back(std::move(decl));
  return true;
}

bool Parser::parseTrainSetting(TrainDecl &train) {
  SourceRange begin = here();
  if (atWord("let")) {
    auto let = std::make_unique<LetItem>();
    if (!parseLet(let->name, let->value))
      return false;
    let->range = since(begin);
    train.lets.push_back(std::move(let));
    return true;
  }
  static const std::vector<std::string> keys = {
      "loss",       "optimizer", "clip",       "precision", "seed",    "data",
      "accumulate", "init",      "checkpoint", "steps",     "validate"};
  return parseOwnSetting(train.settings, keys, "a setting of the recipe");
}

/// A setting whose key is one of `keys` and new.
bool Parser::parseOwnSetting(std::vector<Setting> &settings,
                             const std::vector<std::string> &keys,
                             const std::string &what) {
  std::string key(at(Kind::Identifier) ? text(current()) : std::string_view());
  bool isKnown = false;
  for (const std::string &known : keys)
    isKnown |= known == key;
  if (!isKnown)
    return reportNoneOf(keys, what);
  for (const Setting &other : settings)
    if (other.key.text == key) {
      engine.error(here(), "'" + key + "' is set twice")
          .note(other.key.range, "set here first");
      return false;
    }
  Setting setting;
  if (!parseSetting(setting, true))
    return false;
  settings.push_back(std::move(setting));
  return true;
}

/// `hook NAME[(x: T, ...) -> T] { ... }`
bool Parser::parseHookDecl() {
  auto decl = std::make_unique<HookDecl>();
  SourceRange begin = take().range, braces;
  auto name = expectBinding("a name after 'hook'");
  if (!name)
    return false;
  decl->name = *name;
  std::string title = "hook '" + name->text + "'";
  static const std::vector<std::string> keys = {"from", "cuda", "split",
                                                "derivative", "collective"};
  if ((at(Kind::LParen) && !parseSignature(title, decl->args, decl->results)) ||
      !parseBraced(title, braces, [&] {
        return parseOwnSetting(decl->settings, keys, "a setting of the hook");
      }))
    return false;
  decl->range = since(begin);
  file.decls.push_back(std::move(decl));
  return true;
}

/// `KEY VALUE [KEY VALUE]...`
bool Parser::parseSetting(Setting &setting, bool aligned) {
  if (aligned)
    mark().group = 5;
  setting.key = *expectName("a setting");
  if (aligned)
    beginCell(Column::Value);
  if (!(setting.value = parseExpr()))
    return false;
  while (at(Kind::Identifier)) {
    Setting::Clause clause;
    clause.key = *expectName("a clause");
    if (!(clause.value = parseExpr()))
      return false;
    setting.clauses.push_back(std::move(clause));
  }
  setting.range = since(setting.key.range);
  return true;
}

bool Parser::parseScheduleDecl() {
  auto decl = std::make_unique<ScheduleDecl>();
  SourceRange begin = here();
  if (!parseDerived(*decl, decl->params, "for", decl->model) ||
      !parseScheduleBlock(decl->body, "'" + decl->model.text + "'"))
    return false;
  decl->range = since(begin);
  file.decls.push_back(std::move(decl));
  return true;
}

bool Parser::parseDefDecl() {
  Stmts stmts;
  if (!parseDef(stmts))
    return false;
  auto decl = std::make_unique<DefDecl>();
  decl->def.reset(static_cast<DefStmt *>(stmts.back().release()));
  decl->name = decl->def->name;
  decl->range = decl->def->range;
  file.decls.push_back(std::move(decl));
  return true;
}
