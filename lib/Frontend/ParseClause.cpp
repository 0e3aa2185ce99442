//===- ParseClause.cpp - the clauses of schedule statements ---------------===//

#include "ParserImpl.h"
#include "hocket/Frontend/OtherWords.h"

using namespace hocket::syntax;

static std::string listWords(const std::vector<std::string> &words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i)
    list += (i == 0                  ? "'"
             : i + 1 == words.size() ? " or '"
                                     : ", '") +
            words[i] + "'";
  return list;
}

std::optional<size_t> Parser::parseOneOf(const std::vector<std::string> &words,
                                         const std::string &after) {
  for (size_t i = 0; i < words.size(); ++i)
    if (takeWord(words[i]))
      return i;
  Diagnostic &error = expected(listWords(words) + " after " + after);
  noteOtherWord(error);
  if (at(Kind::Identifier))
    error.suggest(text(current()), words);
  return std::nullopt;
}

/// The word of another system, if it is one.
void Parser::noteOtherWord(Diagnostic &error) const {
  if (!at(Kind::Identifier))
    return;
  if (const OtherWord *other = findOtherWord(text(current())))
    error.note(noteOf(*other));
}

bool Parser::reportNoneOf(const std::vector<std::string> &words,
                          const std::string &what) {
  Diagnostic &error = expected(what + ": " + listWords(words));
  noteOtherWord(error);
  if (at(Kind::Identifier))
    error.suggest(text(current()), words);
  return false;
}

/// The path a statement is about, after its keyword.
bool Parser::parseSubject(PathPattern &pattern) {
  beginCell(Column::Pattern);
  return parsePattern(pattern, lastText());
}

/// `axis DIM`, `to DIM`
bool Parser::parseDim(DimRef &dim, const char *word) {
  beginCell(*word == 'a' ? Column::Axis : Column::To);
  if (!expectWord(word, lastText()))
    return false;
  dim.range = here();
  std::string after = std::string("'") + word + "'";
  if (at(Kind::Integer)) {
    ExprPtr number = parseNumber();
    if (!number)
      return false;
    dim.position = dynAs<IntExpr>(number)->value;
    dim.text = std::to_string(*dim.position);
    return true;
  }
  auto name = expectName("a dim's name or position after " + after);
  if (!name)
    return false;
  dim.text = name->text;
  return true;
}

/// `over AXIS` or `over (AXIS, AXIS)`
bool Parser::parseAxes(AxisList &axes, bool distributed) {
  beginCell(Column::Over);
  SourceRange begin = here();
  if (!expectWord("over", lastText()))
    return false;
  if (!at(Kind::LParen)) {
    auto name = expectName("a mesh axis after 'over'");
    if (!name)
      return false;
    axes.axes.push_back({*name, std::nullopt});
    axes.range = name->range;
    return true;
  }
  begin = here();
  openBracket(Kind::LParen, "");
  NameMap seen;
  bool good = parseList(Kind::RParen, "a mesh axis",
                        [&] { return parseAxisUse(axes, seen, distributed); });
  if (!good || !closeBracket(Kind::RParen, "the mesh axes"))
    return false;
  axes.range = since(begin);
  if (!axes.axes.empty())
    return true;
  engine.error(axes.range, "expected a mesh axis between '(' and ')'");
  return false;
}

bool Parser::parseAxisUse(AxisList &axes, NameMap &seen, bool distributed) {
  auto name = expectName("a mesh axis");
  if (!name)
    return false;
  if (!isNew(seen, *name, "mesh axis '" + name->text + "' occurs twice"))
    return false;
  AxisUse use{*name, std::nullopt};
  if (distributed && atDistribution() &&
      !parseDistribution(use.distribution.emplace()))
    return false;
  axes.axes.push_back(std::move(use));
  return true;
}

bool Parser::atDistribution() const {
  return atWord("zigzag") || atWord("striped") || atWord("aligned") ||
         atWord("sizes") || atWord("weights");
}

/// `zigzag`, `striped`, `striped 64`, `aligned 2`, `sizes (3, 5)`, `weights (1,
/// 2)`
bool Parser::parseDistribution(Distribution &distribution) {
  using DistributionKind = Distribution::Kind;
  SourceRange begin = here();
  distribution.kind = static_cast<DistributionKind>(*parseOneOf(
      {"zigzag", "striped", "aligned", "sizes", "weights"}, "a distribution"));
  std::string word(sources.getText(begin));
  if (distribution.kind == DistributionKind::Aligned) {
    distribution.values.push_back(parseExpr());
    if (!distribution.values.back())
      return false;
  } else if (distribution.kind == DistributionKind::Striped &&
             (at(Kind::Integer) || at(Kind::LParen))) {
    distribution.values.push_back(parseExpr());
    if (!distribution.values.back())
      return false;
  } else if (distribution.kind == DistributionKind::Sizes ||
             distribution.kind == DistributionKind::Weights) {
    SourceRange open = here();
    if (!openBracket(Kind::LParen, "'" + word + "'"))
      return false;
    bool good = parseList(Kind::RParen, "a value", [&] {
      distribution.values.push_back(parseExpr());
      return distribution.values.back() != nullptr;
    });
    if (!good || !closeBracket(Kind::RParen, "the values of '" + word + "'"))
      return false;
    if (distribution.values.empty()) {
      engine.error(since(open), "expected one value a rank after '" + word +
                                    "', found none");
      return false;
    }
  }
  distribution.range = since(begin);
  return true;
}

double ByteSize::getBytes() const {
  if (auto *integer = dynAs<IntExpr>(number))
    return static_cast<double>(integer->value) * unitBytes;
  if (auto *real = dynAs<FloatExpr>(number))
    return real->value * unitBytes;
  return 0;
}

/// `4 GiB`
bool Parser::parseByteSize(ByteSize &size, const std::string &after) {
  SourceRange begin = here();
  if (!at(Kind::Integer) && !at(Kind::Float)) {
    expected("a size such as '4 GiB' after " + after);
    return false;
  }
  if (!(size.number = parseNumber()))
    return false;
  // `over` may follow a bare number.
  if (at(Kind::Identifier) && !atWord("over")) {
    auto unit = parseOneOf(
        {"B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"}, lastText());
    if (!unit)
      return false;
    double base = *unit > 4 ? 1024 : 1000;
    for (size_t i = *unit > 4 ? *unit - 4 : *unit; i > 0; --i)
      size.unitBytes *= base;
  }
  size.range = since(begin);
  return true;
}

/// `reach auto`, `reach 2`, `reach (1, 2)`
bool Parser::parseReach(Reach &reach) {
  SourceRange begin = take().range;
  if (!takeWord("auto")) {
    ExprPtr value = parseExpr();
    if (!value)
      return false;
    if (auto *tuple = dynAs<TupleExpr>(value)) {
      bool named = false;
      auto &items = static_cast<TupleExpr &>(*value).items;
      for (const Argument &item : tuple->items)
        named |= item.name.has_value();
      if (items.size() != 2 || named) {
        engine.error(value->range, "expected a reach to the left and one to "
                                   "the right, as in '(1, 2)'");
        return false;
      }
      for (Argument &item : items)
        reach.values.push_back(std::move(item.value));
    } else {
      reach.values.push_back(std::move(value));
    }
  }
  reach.range = since(begin);
  return true;
}

void Parser::parseOverride(OverrideMark &overrideMark) {
  if (!atWord("override"))
    return;
  beginCell(Column::Option);
  overrideMark = take().range;
}
