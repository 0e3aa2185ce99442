//===- Lexer.cpp - from text to tokens ------------------------------------===//

#include "hocket/Frontend/Lexer.h"

#include <cstring>

using namespace hocket::syntax;

const char *hocket::syntax::describe(TokenKind kind) {
  static const char *const names[] = {
      "the end of the file",
      "the end of the line",
      "a name",
      "an integer",
      "a number",
      "a string",
      "'('",
      "')'",
      "'['",
      "']'",
      "'{'",
      "'}'",
      "','",
      "':'",
      "'.'",
      "'..'",
      "'->'",
      "'='",
      "'=='",
      "'!='",
      "'<'",
      "'<='",
      "'>'",
      "'>='",
      "'+'",
      "'-'",
      "'*'",
      "'**'",
      "'/'",
      "'//'",
      "'%'",
      "this",
  };
  static_assert(sizeof(names) / sizeof(*names) ==
                static_cast<size_t>(TokenKind::Invalid) + 1);
  return names[static_cast<size_t>(kind)];
}

// The locale plays no part in what a letter or a digit is.
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }
static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool hocket::syntax::isIdentifier(std::string_view text) {
  if (text.empty() || !isNameStart(text[0]))
    return false;
  for (char c : text)
    if (!isNamePart(c))
      return false;
  return true;
}

std::string hocket::syntax::decodeString(std::string_view spelling) {
  std::string value;
  for (size_t i = 1; i + 1 < spelling.size(); ++i) {
    char c = spelling[i];
    if (c == '\\') {
      c = spelling[++i];
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    value += c;
  }
  return value;
}

/// Bad characters beyond so many are one thing: not our text.
static constexpr unsigned kMaxErrors = 50;

namespace {
class Lexer {
public:
  Lexer(const SourceManager &sources, FileId file, DiagnosticEngine &engine)
      : text(sources.getText(file)), file(file), engine(engine) {}

  LexedFile run() {
    // A byte order mark is white space.
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
      pos = 3;
    while (skipBlanks())
      lexToken();
    add(TokenKind::EndOfFile, pos);
    return std::move(result);
  }

private:
  char at(size_t offset) const {
    return pos + offset < text.size() ? text[pos + offset] : '\0';
  }

  SourceRange rangeFrom(size_t begin) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(pos)};
  }

  /// The token from `begin` to the present position.
  void add(TokenKind kind, size_t begin) {
    bool space = newline || begin == 0 || begin > lastEnd;
    result.tokens.push_back({kind, newline, space, rangeFrom(begin)});
    newline = false;
    lastEnd = pos;
  }

  /// Reports an error; after many of them it goes nowhere.
  Diagnostic &error(SourceRange range, std::string message) {
    if (errors++ < kMaxErrors)
      return engine.error(range, std::move(message));
    return ignored = Diagnostic();
  }

  /// Goes to the next token; false at the end.
  bool skipBlanks() {
    for (; pos < text.size(); ++pos) {
      if (text[pos] == '\n')
        newline = true;
      else if (text[pos] == '#')
        lexComment();
      else if (!isBlank(text[pos]))
        return true;
    }
    return false;
  }

  /// Leaves the position at the comment's last byte.
  void lexComment() {
    size_t begin = pos;
    pos = std::min(text.find('\n', pos), text.size());
    size_t lineEnd = pos;
    while (isBlank(text[pos - 1]))
      --pos;
    result.comments.push_back({rangeFrom(begin), newline,
                               static_cast<uint32_t>(result.tokens.size())});
    pos = lineEnd - 1;
  }

  void lexToken() {
    if (isNameStart(text[pos])) {
      size_t begin = pos;
      while (isNamePart(at(0)))
        ++pos;
      add(TokenKind::Identifier, begin);
    } else if (isDigit(text[pos])) {
      lexNumber();
    } else if (text[pos] == '"') {
      lexString();
    } else if (!lexPunctuation()) {
      lexInvalid();
    }
  }

  void lexNumber() {
    size_t begin = pos;
    TokenKind kind = TokenKind::Integer;
    while (isDigit(at(0)))
      ++pos;
    // `0..3` is a range, `h.0.attn` a path.
    if (at(0) == '.' && isDigit(at(1))) {
      kind = TokenKind::Float;
      ++pos;
      while (isDigit(at(0)))
        ++pos;
    }
    size_t sign = at(1) == '+' || at(1) == '-' ? 1 : 0;
    if ((at(0) == 'e' || at(0) == 'E') && isDigit(at(1 + sign))) {
      kind = TokenKind::Float;
      pos += 1 + sign;
      while (isDigit(at(0)))
        ++pos;
    }
    if (!isNamePart(at(0)))
      return add(kind, begin);
    size_t digitsEnd = pos;
    while (isNamePart(at(0)))
      ++pos;
    std::string digits(text.substr(begin, digitsEnd - begin));
    std::string rest(text.substr(digitsEnd, pos - digitsEnd));
    error(rangeFrom(begin),
          "'" + digits + rest + "' is neither a number nor a name")
        .note("a number and a unit are two words: '" + digits + " " + rest +
              "'; a name does not begin with a digit");
    add(TokenKind::Invalid, begin);
  }

  void lexString() {
    size_t begin = pos++;
    bool good = true;
    while (at(0) != '"') {
      if (pos >= text.size() || text[pos] == '\n') {
        while (isBlank(text[pos - 1]) && pos - 1 > begin)
          --pos;
        error(rangeFrom(begin),
              "expected '\"' to close the string on the same line");
        return add(TokenKind::Invalid, begin);
      }
      if (text[pos++] != '\\')
        continue;
      if (at(0) == '\0' || !std::strchr("\"\\nt", at(0))) {
        --pos;
        SourceRange escape = rangeFrom(pos);
        escape.end += 1;
        error(escape, "unknown escape in a string; there are \\\", "
                      "\\\\, \\n and \\t");
        good = false;
      }
      ++pos;
    }
    ++pos;
    add(good ? TokenKind::String : TokenKind::Invalid, begin);
  }

  bool lexPunctuation() {
    static const struct {
      char text[3];
      TokenKind kind;
    } table[] = {
        // Longer ones first.
        {"->", TokenKind::Arrow},     {"..", TokenKind::DotDot},
        {"==", TokenKind::Equal},     {"!=", TokenKind::NotEqual},
        {"<=", TokenKind::LessEqual}, {">=", TokenKind::GreaterEqual},
        {"**", TokenKind::StarStar},  {"//", TokenKind::SlashSlash},
        {"(", TokenKind::LParen},     {")", TokenKind::RParen},
        {"[", TokenKind::LBracket},   {"]", TokenKind::RBracket},
        {"{", TokenKind::LBrace},     {"}", TokenKind::RBrace},
        {",", TokenKind::Comma},      {":", TokenKind::Colon},
        {".", TokenKind::Dot},        {"=", TokenKind::Assign},
        {"<", TokenKind::Less},       {">", TokenKind::Greater},
        {"+", TokenKind::Plus},       {"-", TokenKind::Minus},
        {"*", TokenKind::Star},       {"/", TokenKind::Slash},
        {"%", TokenKind::Percent},
    };
    for (const auto &entry : table) {
      size_t length = std::strlen(entry.text);
      if (text.compare(pos, length, entry.text) != 0)
        continue;
      size_t begin = pos;
      pos += length;
      add(entry.kind, begin);
      return true;
    }
    return false;
  }

  /// One error for a run of bytes that begin nothing.
  void lexInvalid() {
    size_t begin = pos;
    auto isBad = [](char c) {
      return static_cast<unsigned char>(c) > 0x7e ||
             (c != '\n' && !isBlank(c) &&
              static_cast<unsigned char>(c) < ' ') ||
             std::strchr("!$&';?@\\^`|~", c);
    };
    do
      ++pos;
    while (pos < text.size() && isBad(text[pos]) && pos - begin < 40);
    Diagnostic &bad = error(rangeFrom(begin), "unexpected character");
    if (static_cast<unsigned char>(text[begin]) >= 0x80)
      bad.note("letters beyond a to z belong in strings and comments");
    add(TokenKind::Invalid, begin);
  }

  std::string_view text;
  FileId file;
  DiagnosticEngine &engine;
  LexedFile result;
  unsigned errors = 0;
  Diagnostic ignored;
  size_t pos = 0;
  size_t lastEnd = 0;
  bool newline = true;
};
} // namespace

LexedFile hocket::syntax::lexFile(const SourceManager &sources, FileId file,
                                  DiagnosticEngine &diagnostics) {
  return Lexer(sources, file, diagnostics).run();
}
