//===- Message.h - what a compilation says, for machines --------*- C++ -*-===//

#ifndef HOCKET_PIPELINE_MESSAGE_H
#define HOCKET_PIPELINE_MESSAGE_H

#include <optional>
#include <string>
#include <vector>

namespace hocket {

/// Part of a text: lines and columns from 1, columns count bytes, and the end
/// is behind the last one.
struct Place {
  std::string file;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
};

/// Changes of texts that belong together: with all of them the error is gone.
struct Change {
  struct Edit {
    Place place; // what `text` replaces
    std::string text;
  };
  std::vector<Edit> edits; // in order, apart from each other
  std::string remark;      // what it costs, or empty
};

/// An error or a warning with its notes, or a note.
struct Message {
  enum class Severity { Error, Warning, Note };
  Severity severity = Severity::Error;
  std::optional<Place> place;
  std::string text;
  std::vector<Message> notes;
  std::vector<Change> waysOut; // the best first
};

} // namespace hocket

#endif // HOCKET_PIPELINE_MESSAGE_H
