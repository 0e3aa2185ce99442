//===- OutputFiles.h - files that may be written ---------------*- C++ -*-===//
//
// A program that writes a file replaces what is there. It must not be a file
// that the program reads, nor one that holds something else than it writes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_IO_OUTPUTFILES_H
#define HOCKET_IO_OUTPUTFILES_H

#include "hocket/Runtime/Status.h"
#include <vector>

namespace hocket::runtime {

/// Remembers that this process has read `path`, which errors call `title`:
/// "weights 'w.npy'".
void noteRead(const std::string &title, const std::string &path);

/// What an output holds, and what it may replace.
enum class OutputKind {
  Tensors,
  Program,
  Listing, // of a stage or a plan
  Drawing, // of an attention
  Dump,    // of a stage, one of several
  Trace,
  Statistics,
  Metrics
};

struct OutputFile {
  std::string title; // "output 'out.safetensors'"
  std::string path;
  OutputKind kind;
};

/// Refuses an output that this process has read, by its inode.
Status checkNotRead(const OutputFile &output);

/// Refuses besides two outputs that are one file, and, unless `force`, an
/// output in whose place there is a file of another kind. Empty files and what
/// is no regular file may be written.
Status checkOutputs(const std::vector<OutputFile> &outputs, bool force);

} // namespace hocket::runtime

#endif // HOCKET_IO_OUTPUTFILES_H
