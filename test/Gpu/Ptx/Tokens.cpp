//===- Tokens.cpp - the words of a PTX text -------------------------------===//

#include "test/Gpu/Ptx/Tokens.h"
#include <cctype>
#include <cstring>

using namespace hocket::ptx;

void hocket::ptx::refuse(const std::string &file, unsigned line,
                         const std::string &text) {
  throw PtxError(file + ":" + std::to_string(line) + ": " + text);
}

namespace {

class Scanner {
public:
  Scanner(const std::string &text, const std::string &file)
      : text(text), file(file) {}

  std::vector<Token> run() {
    for (skipBlanks(); at < text.size(); skipBlanks())
      tokens.push_back(next());
    tokens.push_back({Token::End, "the end of the text", line, 0});
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  bool isWordChar(char c) const {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           (c && strchr("_$", c));
  }

  void skipBlanks() {
    for (; at < text.size(); ++at) {
      if (text.compare(at, 2, "//") == 0) {
        at = std::min(text.find('\n', at), text.size()) - 1;
      } else if (text.compare(at, 2, "/*") == 0) {
        size_t end = std::min(text.find("*/", at + 2), text.size() - 1);
        for (; at < end + 1; ++at)
          line += text[at] == '\n';
      } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
        line += text[at] == '\n';
      } else {
        return;
      }
    }
  }

  Token next() {
    char c = peek();
    if (c == '"')
      return quoted();
    if (std::isdigit(static_cast<unsigned char>(c)))
      return number();
    bool begins =
        isWordChar(c) || c == '%' || (c == '.' && isWordChar(peek(1)));
    if (!begins) {
      ++at;
      return {Token::Sign, std::string(1, c), line, 0};
    }
    size_t begin = at++;
    for (; at < text.size(); ++at)
      if (text.compare(at, 2, "::") == 0)
        ++at;
      else if (!isWordChar(peek()) && !(peek() == '.' && isWordChar(peek(1))))
        break;
    return {Token::Word, text.substr(begin, at - begin), line, 0};
  }

  Token quoted() {
    size_t end = text.find('"', at + 1);
    if (end == std::string::npos)
      refuse(file, line, "a string without its end");
    Token token{Token::String, text.substr(at + 1, end - at - 1), line, 0};
    at = end + 1;
    return token;
  }

  /// 12, 0x1f, 017, 0b101, 12U, 0f3f800000, 0d3ff0000000000000, 1.5
  Token number() {
    size_t begin = at;
    while (isWordChar(peek()) || (peek() == '.' && std::isdigit(peek(1))))
      ++at;
    std::string word = text.substr(begin, at - begin);
    return {Token::Number, word, line, bitsOf(word)};
  }

  uint64_t bitsOf(std::string word) const {
    char *end = nullptr;
    uint64_t bits = 0;
    char second = word.size() > 1 ? std::tolower(word[1]) : '\0';
    if (word[0] == '0' && (second == 'f' || second == 'd')) {
      bits = std::strtoull(word.c_str() + 2, &end, 16);
      if (word.size() != (second == 'f' ? 10 : 18))
        end = nullptr;
    } else if (word.find('.') != std::string::npos) {
      double value = std::strtod(word.c_str(), &end);
      std::memcpy(&bits, &value, sizeof bits);
    } else {
      if (word.back() == 'U')
        word.pop_back();
      bool binary = word[0] == '0' && second == 'b';
      bits = binary ? std::strtoull(word.c_str() + 2, &end, 2)
                    : std::strtoull(word.c_str(), &end, 0);
    }
    if (!end || *end)
      refuse(file, line, "'" + word + "' is no number");
    return bits;
  }

  const std::string &text, &file;
  std::vector<Token> tokens;
  size_t at = 0;
  unsigned line = 1;
};

} // namespace

std::vector<Token> hocket::ptx::tokensOf(const std::string &text,
                                         const std::string &file) {
  return Scanner(text, file).run();
}
