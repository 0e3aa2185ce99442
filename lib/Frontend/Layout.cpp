//===- Layout.cpp - tokens and comments put on lines ----------------------===//

#include "Layout.h"

#include <algorithm>

using namespace hocket::syntax;

/// Lines inside a bracket are aligned behind it, unless it stands further to
/// the right than this.
static constexpr unsigned kMaxAlignedBracket = 60;
static constexpr unsigned kIndent = 2;

unsigned hocket::syntax::getWidth(const std::string &text) {
  unsigned width = 0;
  for (char c : text)
    width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

unsigned hocket::syntax::getCodeWidth(const Line &line) {
  unsigned width = 0;
  for (const Cell &cell : line.cells)
    width += getWidth(cell.text) + 1;
  return width ? width - 1 : 0;
}

namespace {
class Layout {
public:
  Layout(const SourceManager &sources, const MarkedFile &file)
      : sources(sources), tokens(file.lexed.tokens),
        comments(file.lexed.comments), marks(file.marks),
        isMultiline(tokens.size()) {}

  std::vector<Line> run() {
    findMultilineBlocks();
    for (size_t i = 0; i < tokens.size(); ++i) {
      bool afterComment = placeComments(i);
      if (tokens[i].kind == TokenKind::EndOfFile)
        break;
      placeToken(i, afterComment);
    }
    return std::move(lines);
  }

private:
  /// An open `(`, `[` or `{` that is not a block's.
  struct Bracket {
    unsigned lineIndent; ///< of the line it stands on
    unsigned inner;      ///< the column behind it
    bool hangs;          ///< nothing follows it on its line
  };

  static bool isOpening(TokenKind kind) {
    return kind == TokenKind::LParen || kind == TokenKind::LBracket ||
           kind == TokenKind::LBrace;
  }
  static bool isClosing(TokenKind kind) {
    return kind == TokenKind::RParen || kind == TokenKind::RBracket ||
           kind == TokenKind::RBrace;
  }

  /// A block is on several lines when it is so in the source; an empty one only
  /// when it holds a comment.
  void findMultilineBlocks() {
    std::vector<size_t> blocks;
    unsigned depth = 0;
    size_t comment = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      bool hasComment = false;
      for (; comment < comments.size() && comments[comment].nextToken <= i;
           ++comment)
        hasComment = true;
      bool isEmpty = marks[i].closesBlock && blocks.back() + 1 == i;
      if (depth == 0 && tokens[i].newlineBefore && (hasComment || !isEmpty))
        for (size_t block : blocks)
          isMultiline[block] = true;
      if (marks[i].opensBlock)
        blocks.push_back(i);
      else if (marks[i].closesBlock)
        blocks.pop_back();
      else if (isOpening(tokens[i].kind))
        ++depth;
      else if (isClosing(tokens[i].kind))
        --depth;
    }
  }

  /// Puts the comments before token `i`; true when there are any.
  bool placeComments(size_t i) {
    bool any = false;
    for (;
         nextComment < comments.size() && comments[nextComment].nextToken == i;
         ++nextComment) {
      const Comment &comment = comments[nextComment];
      any = true;
      if (comment.ownLine || lines.empty())
        startLine(comment.range, getInnerIndent(i));
      lines.back().comment = std::string(sources.getText(comment.range));
      lastEnd = comment.range.end;
    }
    return any;
  }

  void placeToken(size_t i, bool afterComment) {
    const Token &token = tokens[i];
    const TokenMark &mark = marks[i];
    if (i == 0 || afterComment || breaksBefore(i))
      startLine(token.range, getIndent(i));
    if (mark.closesBlock) {
      if (isMultiline[blocks.back()]) {
        --indentLevel;
        lines.back().blankBefore = false;
      }
      blocks.pop_back();
    } else if (isClosing(token.kind)) {
      brackets.pop_back();
    }
    append(i);
    lastEnd = token.range.end;
    if (mark.opensBlock) {
      blocks.push_back(i);
      indentLevel += isMultiline[i];
    } else if (isOpening(token.kind)) {
      const Line &line = lines.back();
      brackets.push_back(
          {line.indent, line.indent + getCodeWidth(line), false});
    }
  }

  bool breaksBefore(size_t i) const {
    if (!brackets.empty())
      return tokens[i].newlineBefore;
    bool inMultiline = blocks.empty() || isMultiline[blocks.back()];
    return inMultiline && (marks[i].startsStatement || marks[i].closesBlock);
  }

  /// The indent of a line that begins with token `i`.
  unsigned getIndent(size_t i) {
    unsigned inner = getInnerIndent(i);
    if (!brackets.empty() && isClosing(tokens[i].kind)) {
      const Bracket &bracket = brackets.back();
      return bracket.hangs ? bracket.lineIndent : bracket.inner - 1;
    }
    return brackets.empty() && marks[i].closesBlock ? inner - kIndent : inner;
  }

  /// The indent of what stands in the innermost block or bracket, before token
  /// `i`.
  unsigned getInnerIndent(size_t i) {
    if (brackets.empty())
      return indentLevel * kIndent;
    Bracket &bracket = brackets.back();
    if (isOpening(tokens[i - 1].kind) ||
        bracket.inner > bracket.lineIndent + kMaxAlignedBracket)
      bracket.hangs = true;
    return bracket.hangs ? bracket.lineIndent + kIndent : bracket.inner;
  }

  void startLine(const SourceRange &range, unsigned indent) {
    Line line;
    line.indent = indent;
    line.isContinuation = !brackets.empty();
    std::string_view gap = sources.getText({range.file, lastEnd, range.begin});
    bool afterOpen = !lines.empty() && openedAtEnd;
    line.blankBefore = !lines.empty() && brackets.empty() && !afterOpen &&
                       std::count(gap.begin(), gap.end(), '\n') > 1;
    lines.push_back(std::move(line));
    openedAtEnd = false;
  }

  void append(size_t i) {
    Line &line = lines.back();
    bool isFirst = line.cells.empty();
    if (isFirst && marks[i].startsStatement)
      line.group = marks[i].group;
    std::string text(sources.getText(tokens[i].range));
    if (isFirst || (marks[i].column != Column::None && hasSpace(i)))
      line.cells.push_back({marks[i].column, text});
    else
      line.cells.back().text += (hasSpace(i) ? " " : "") + text;
    openedAtEnd = marks[i].opensBlock;
  }

  /// Whether a space stands between tokens `i` - 1 and `i` on one line.
  bool hasSpace(size_t i) const {
    if (marks[i - 1].glueRight || marks[i].glueLeft)
      return false;
    switch (tokens[i].kind) {
    case TokenKind::Comma:
    case TokenKind::RParen:
    case TokenKind::RBracket:
    case TokenKind::Colon:
    case TokenKind::DotDot:
      return false;
    case TokenKind::Dot:
      if (!marks[i].isSelfPath)
        return false;
      break;
    default:
      break;
    }
    switch (tokens[i - 1].kind) {
    case TokenKind::LParen:
    case TokenKind::LBracket:
    case TokenKind::DotDot:
      return false;
    case TokenKind::Dot:
      return marks[i - 1].isSelfPath;
    default:
      return true;
    }
  }

  const SourceManager &sources;
  const std::vector<Token> &tokens;
  const std::vector<Comment> &comments;
  const std::vector<TokenMark> &marks;
  /// For a block's opening brace: whether the block has lines of its own.
  std::vector<bool> isMultiline;

  std::vector<Line> lines;
  std::vector<size_t> blocks;
  std::vector<Bracket> brackets;
  unsigned indentLevel = 0;
  size_t nextComment = 0;
  uint32_t lastEnd = 0;
  bool openedAtEnd = false;
};
} // namespace

std::vector<Line> hocket::syntax::layOut(const SourceManager &sources,
                                         const MarkedFile &file) {
  return Layout(sources, file).run();
}
