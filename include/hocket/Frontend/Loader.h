//===- Loader.h - a file and all it imports -------------------------------===//
//
// Reads the files of a program through a pluggable reader, each once, and
// parses them. Import paths are relative to the importing file.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_LOADER_H
#define HOCKET_FRONTEND_LOADER_H

#include "hocket/Frontend/Parser.h"

#include <functional>

namespace hocket::syntax {

/// The text of the file at a path, or nullopt with `why` set ("no such file").
using FileReader = std::function<std::optional<std::string>(
    const std::string &path, std::string &why)>;

/// Reads from the file system; refuses directories and files over 16 MiB.
std::optional<std::string> readFromDisk(const std::string &path,
                                        std::string &why);

struct LoadedFile {
  std::string path; ///< normalised: no `.` or inner `..` components
  File ast;
  /// For each of ast.imports: the index in Program::files, or nullopt when that
  /// import failed.
  std::vector<std::optional<size_t>> imports;
};

/// All files: `files[0]` is the one asked for, the others follow in the order
/// they were met, depth first.
struct Program {
  std::vector<std::unique_ptr<LoadedFile>> files;
};

/// Loads `path` and what it imports. Errors (missing file, a cycle, a file
/// imported twice, syntax) go to `diagnostics`; then the program may be
/// incomplete, and has no files when the first could not be read.
Program loadProgram(const std::string &path, SourceManager &sources,
                    DiagnosticEngine &diagnostics,
                    const FileReader &reader = readFromDisk);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_LOADER_H
