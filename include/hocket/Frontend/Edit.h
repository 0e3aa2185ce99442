//===- Edit.h - changes of a source that would help ------------*- C++ -*-===//
//
// What an error offers is a change of the text, not a sentence about one: tools
// apply it, tests follow it, and messages are written from it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_EDIT_H
#define HOCKET_FRONTEND_EDIT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hocket::syntax {

/// Texts by the names of files.
using Texts = std::map<std::string, std::string>;

/// `text` in place of bytes [begin, end) of a file.
struct TextEdit {
  std::string file;
  uint32_t begin = 0, end = 0;
  std::string text;
};

/// Edits that belong together: with all of them the error is gone.
struct Proposal {
  std::vector<TextEdit> edits; ///< in order, apart from each other
  /// As the message has it, a line each: "instead of line 12: shard ...".
  std::vector<std::string> lines;
  /// The one line that it changes is the one at which the error stands.
  bool isOfItsLine = false;
  std::string remark; ///< "1.6 MB received by each rank"

  /// Lines are left out, and nothing else.
  bool isRemoval() const;
};

/// As a note: "write instead: ...", or a list, the best first.
std::string textOf(const std::vector<Proposal> &proposals);

/// The texts with the edits made; a file that is not among `texts` stays out.
Texts applyEdits(Texts texts, const std::vector<TextEdit> &edits);

/// "a\nb" as lines without their ends.
std::vector<std::string> linesOf(const std::string &text);

/// Lines [begin, end) of one text became [newBegin, newEnd) of another.
struct Hunk {
  size_t begin, end, newBegin, newEnd;
};
std::vector<Hunk> differences(const std::vector<std::string> &before,
                              const std::vector<std::string> &after);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_EDIT_H
