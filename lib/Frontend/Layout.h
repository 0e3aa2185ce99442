//===- Layout.h - tokens and comments put on lines ------------------------===//
//
// The first half of the formatter: where lines break, how far they are
// indented, and which tokens have a space between them. The second half
// (Format.cpp) lines up the cells and the comments.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_FRONTEND_LAYOUT_H
#define HOCKET_LIB_FRONTEND_LAYOUT_H

#include "Marks.h"

namespace hocket::syntax {

/// A part of a line that may be padded to its column.
struct Cell {
  Column column = Column::None;
  std::string text;
};

struct Line {
  unsigned indent = 0;
  std::vector<Cell> cells; ///< none: the line is only a comment
  std::string comment;
  bool blankBefore = false;
  /// Goes on with the statement of the line before.
  bool isContinuation = false;
  uint8_t group = 0; ///< of the statement that begins here
};

/// Code points in UTF-8 text.
unsigned getWidth(const std::string &text);
/// Columns of the line's code, cells a space apart, without the indent.
unsigned getCodeWidth(const Line &line);

/// The lines of a file that has been parsed without error.
std::vector<Line> layOut(const SourceManager &sources, const MarkedFile &file);

} // namespace hocket::syntax

#endif // HOCKET_LIB_FRONTEND_LAYOUT_H
