//===- TextFile.h - text written whole or not at all ------------*- C++ -*-===//

#ifndef HOCKET_IO_TEXTFILE_H
#define HOCKET_IO_TEXTFILE_H

#include <string>

namespace hocket::runtime {

/// Writes `text` to the file `path`, which appears complete or stays as it was
/// and keeps its rights; to a device or pipe as it comes. Where it cannot be
/// written, false with the reason in `why`.
bool writeTextFile(const std::string &path, const std::string &text,
                   std::string &why);

} // namespace hocket::runtime

#endif // HOCKET_IO_TEXTFILE_H
