//===- Edit.h - a small change of PTX, by its text -------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DEFECTS_EDIT_H
#define HOCKET_TEST_GPU_DEFECTS_EDIT_H

#include <optional>
#include <string>

namespace hocket::test {

/// Of one line. Registers differ from compiler to compiler: a pattern names the
/// instruction, and which one of its kind it is.
struct Edit {
  /// Of a whole line without the white space at its ends.
  const char *pattern;
  /// Which of the lines that match, from 1; the last one is -1.
  int number;
  /// $1 is the first group; empty: the line is deleted.
  const char *replacement;
};

/// The text with the change; nothing where no such line is.
std::optional<std::string> edited(const std::string &text, const Edit &edit);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_DEFECTS_EDIT_H
