//===- FileFormat.h - what a file is that is not read ----------*- C++ -*-===//

#ifndef HOCKET_IO_FILEFORMAT_H
#define HOCKET_IO_FILEFORMAT_H

#include "hocket/Io/MappedFile.h"
#include <optional>

namespace hocket::runtime {

/// A format that files are recognised by, of those that tensors come in and are
/// not read from.
struct FileFormat {
  std::string looksLike; // "a PyTorch file (torch.save)"
  std::string wayOut;    // a clause with a command; empty without one
  bool isText = false;
};

/// Goes by how `file` begins, not by the name `path`, which stands in commands.
/// Nothing for safetensors, and for bytes that are of no known format.
std::optional<FileFormat> formatOf(const MappedFile &file,
                                   const std::string &path);

/// A file that was mapped and could not be read as `error` says: what it looks
/// like instead, and what to do. `role` is "weights", "input", "data" or
/// "checkpoint"; `takesTokens` says that it may hold raw tokens too.
Status unread(const MappedFile &file, const std::string &role,
              const std::string &path, const std::string &error,
              bool takesTokens = false);

} // namespace hocket::runtime

#endif // HOCKET_IO_FILEFORMAT_H
