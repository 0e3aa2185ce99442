//===- Marks.h - what the parser knows about each token's place -----------===//
//
// The parser leaves one mark a token; the formatter lays tokens out by them
// and so never has to guess what a brace, a star or a colon stands for.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_FRONTEND_MARKS_H
#define HOCKET_LIB_FRONTEND_MARKS_H

#include "hocket/Frontend/Lexer.h"
#include "hocket/Frontend/Parser.h"

namespace hocket::syntax {

/// Columns of an aligned line. A cell begins at a token with a column.
enum class Column : uint8_t {
  None,
  Assign,
  Value,
  Pattern,
  Point,
  Operation,
  Axis,
  To,
  Over,
  Option,
};

struct TokenMark {
  /// No space before, after it, whatever its kind says.
  bool glueLeft = false;
  bool glueRight = false;
  /// A `.` that is a whole path.
  bool isSelfPath = false;
  /// First token of a statement, item, setting or declaration.
  bool startsStatement = false;
  /// Braces around statements.
  bool opensBlock = false;
  bool closesBlock = false;
  /// Cells of lines in one group line up; 0 for statements that never do.
  uint8_t group = 0;
  Column column = Column::None;
};

struct MarkedFile {
  LexedFile lexed;
  std::vector<TokenMark> marks; ///< one a token
  File ast;
};

/// parseFile, keeping the tokens and marks.
MarkedFile parseMarked(const SourceManager &sources, FileId file,
                       DiagnosticEngine &diagnostics);

} // namespace hocket::syntax

#endif // HOCKET_LIB_FRONTEND_MARKS_H
