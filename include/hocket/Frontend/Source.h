//===- Source.h - source files, byte offsets and line:column --------------===//
//
// A SourceManager owns the text of every file of one run. Everything else
// refers to text by a SourceRange: a file id and two byte offsets, so that a
// diagnostic can always show the user's own line.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_SOURCE_H
#define HOCKET_FRONTEND_SOURCE_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::syntax {

using FileId = uint32_t;

/// Bytes [begin, end) of one file. `file == kNoFile` means "no place known".
struct SourceRange {
  static constexpr FileId kNoFile = ~FileId(0);

  FileId file = kNoFile;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return file != kNoFile; }
  uint32_t size() const { return end - begin; }

  /// The smallest range that holds both (which must lie in one file).
  /// An invalid range is neutral.
  SourceRange to(const SourceRange &last) const;
  bool operator==(const SourceRange &other) const {
    return file == other.file && begin == other.begin && end == other.end;
  }
  bool operator!=(const SourceRange &other) const { return !(*this == other); }
};

/// A place as the user counts it: both from 1; columns count bytes.
struct LineColumn {
  unsigned line = 0;
  unsigned column = 0;
};

class SourceManager {
public:
  /// Takes a file's text under the name that diagnostics will show.
  FileId addFile(std::string name, std::string text);

  size_t getNumFiles() const { return files.size(); }
  const std::string &getName(FileId file) const { return files[file]->name; }
  std::string_view getText(FileId file) const { return files[file]->text; }
  /// The bytes of a range; empty for an invalid one.
  std::string_view getText(const SourceRange &range) const;

  LineColumn getLineColumn(FileId file, uint32_t offset) const;
  LineColumn getLineColumn(const SourceRange &range) const {
    return getLineColumn(range.file, range.begin);
  }
  /// Line `line` (from 1) without its line end.
  std::string_view getLine(FileId file, unsigned line) const;

private:
  struct File {
    std::string name;
    std::string text;
    std::vector<uint32_t> lineStarts;
  };
  std::vector<std::unique_ptr<File>> files;
};

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_SOURCE_H
