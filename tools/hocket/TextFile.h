//===- TextFile.h - text written whole or not at all ------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_TEXTFILE_H
#define HOCKET_TOOLS_HOCKET_TEXTFILE_H

#include <string>

namespace hocket::tool {

/// Writes `text` to the file `path`, which appears complete or stays as it was
/// and keeps its rights; to a device or pipe as it comes. After an error, which
/// is printed, false.
bool writeTextFile(const std::string &path, const std::string &text);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_TEXTFILE_H
