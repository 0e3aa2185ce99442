//===- ParsePattern.cpp - path patterns -----------------------------------===//
//
// A pattern has no spaces except inside braces and brackets, so `halo ** axis
// x` and `mask h.*.attn causal * window(8)` need no quotes: it ends at the
// first space. Its words are never keywords.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

using Component = PatternComponent;

/// True where a component can begin, whatever stands before it.
bool Parser::atComponent() const {
  return at(Kind::Identifier) || at(Kind::Star) || at(Kind::StarStar) ||
         at(Kind::Integer) || at(Kind::Float) || at(Kind::LBracket) ||
         at(Kind::LBrace);
}

const Token &Parser::takeGlued() {
  mark().glueLeft = true;
  return take();
}

bool Parser::parsePattern(PathPattern &pattern, const std::string &after) {
  DepthScope scope(*this);
  if (!scope.isGood)
    return false;
  SourceRange begin = here();
  bool exceptBefore = allowExcept;
  allowExcept = false;
  bool good = true;
  if (at(Kind::Dot)) {
    mark().isSelfPath = true;
    take();
    if (atComponent() && isAdjacent()) {
      engine.error(since(begin), "a path does not begin with '.'")
          .note("paths are relative to the block around them already; '.' "
                "alone is the block itself");
      good = false;
    }
  } else if (!atComponent()) {
    expected(after.empty() ? "a path" : "a path after " + after);
    good = false;
  } else {
    good = parseComponent(pattern);
  }
  while (good && !pattern.components.empty() && isAdjacent() &&
         (at(Kind::Dot) || at(Kind::LBracket))) {
    if (at(Kind::Dot)) {
      takeGlued();
      if (!atComponent() || !isAdjacent()) {
        expected("a path component right after '.'");
        good = false;
        break;
      }
    }
    mark().glueLeft = true;
    good = parseComponent(pattern);
  }
  allowExcept = exceptBefore;
  pattern.range = lastPattern = since(begin);
  return good;
}

bool Parser::parseComponent(PathPattern &pattern) {
  if (at(Kind::LBracket))
    return parseIndexComponent(pattern);
  if (at(Kind::LBrace))
    return parseAlternation(pattern);
  return parseWordComponent(pattern);
}

static Component makeWord(std::string text, SourceRange range) {
  Component component;
  component.range = range;
  component.kind = text == "*"    ? Component::Kind::Any
                   : text == "**" ? Component::Kind::AnyDepth
                   : text.find('*') != std::string::npos
                       ? Component::Kind::Glob
                       : Component::Kind::Name;
  component.text = std::move(text);
  return component;
}

/// A name, a glob, `*`, `**`, an index; `0.1` is a number to the lexer and two
/// components here.
bool Parser::parseWordComponent(PathPattern &pattern) {
  SourceRange begin = here();
  auto isPart = [&] {
    return at(Kind::Identifier) || at(Kind::Star) || at(Kind::StarStar) ||
           at(Kind::Integer);
  };
  if (at(Kind::Float)) {
    std::string_view spelling = text(take());
    size_t dot = spelling.find('.');
    if (dot == std::string_view::npos ||
        spelling.find_first_not_of("0123456789.") != std::string_view::npos) {
      engine.error(begin, "expected a path component, found a number");
      return false;
    }
    SourceRange first = begin, second = begin;
    first.end = begin.begin + static_cast<uint32_t>(dot);
    second.begin = first.end + 1;
    pattern.components.push_back(
        makeWord(std::string(spelling.substr(0, dot)), first));
    pattern.components.push_back(
        makeWord(std::string(spelling.substr(dot + 1)), second));
    return true;
  }
  std::string spelling(text(take()));
  while (isAdjacent() && isPart())
    spelling += text(takeGlued());
  Component component = makeWord(std::move(spelling), since(begin));
  if (component.kind == Component::Kind::Glob &&
      component.text.find("**") != std::string::npos) {
    engine
        .error(component.range, "'**' is a component of its own, not part "
                                "of a name")
        .note("'*' stands for any characters of a name, '**' for any "
              "components");
    return false;
  }
  pattern.components.push_back(std::move(component));
  return true;
}

bool Parser::parseAlternation(PathPattern &pattern) {
  Component component;
  component.kind = Component::Kind::Alternation;
  SourceRange begin = here();
  openBracket(Kind::LBrace, "");
  lastMark().glueRight = true;
  while (true) {
    PathPattern branch;
    if (!parsePattern(branch, "'{' or ',' of the alternatives"))
      return false;
    component.branches.push_back(std::move(branch));
    if (at(Kind::RBrace))
      break;
    if (!takeIf(Kind::Comma)) {
      expected("',' or '}' after an alternative");
      return false;
    }
    lastMark().glueRight = true;
  }
  mark().glueLeft = true;
  closeBracket(Kind::RBrace, "");
  component.range = since(begin);
  pattern.components.push_back(std::move(component));
  return true;
}

bool Parser::parseIndexComponent(PathPattern &pattern) {
  Component component;
  component.kind = Component::Kind::Index;
  SourceRange begin = here();
  openBracket(Kind::LBracket, "");
  bool good = parseList(Kind::RBracket, "an index", [&] {
    component.selectors.emplace_back();
    return parseSelector(component.selectors.back());
  });
  if (!good || !closeBracket(Kind::RBracket, "the indices"))
    return false;
  component.range = since(begin);
  if (component.selectors.empty()) {
    engine.error(component.range, "expected an index between '[' and ']'")
        .note("write '[2]', '[0..3]' (without 3), '[even]' or '[odd]'; '*' is "
              "any component");
    return false;
  }
  pattern.components.push_back(std::move(component));
  return true;
}

bool Parser::parseSelector(IndexSelector &selector) {
  SourceRange begin = here();
  bool isRange = at(Kind::DotDot);
  if (atWord("even") || atWord("odd")) {
    selector.kind =
        atWord("even") ? IndexSelector::Kind::Even : IndexSelector::Kind::Odd;
    take();
  } else {
    if (!isRange && !(selector.lo = parseExpr()))
      return false;
    if (takeIf(Kind::DotDot)) {
      isRange = true;
      if (!at(Kind::RBracket) && !at(Kind::Comma) &&
          !(selector.hi = parseExpr()))
        return false;
    }
    if (isRange)
      selector.kind = IndexSelector::Kind::Range;
  }
  selector.range = since(begin);
  return true;
}
