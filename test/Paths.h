//===- Paths.h - where tests find files and programs -----------*- C++ -*-===//
//
// In one object, so that no other differs between two clones of the tree and
// the compiler cache serves both.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_PATHS_H
#define HOCKET_TEST_PATHS_H

#include <string>

namespace hocket::test {

/// A file of the source tree: sourcePath("docs/language.md").
std::string sourcePath(const std::string &name);

/// What was built: builtPath("bin/hocket").
std::string builtPath(const std::string &name);

} // namespace hocket::test

#endif // HOCKET_TEST_PATHS_H
