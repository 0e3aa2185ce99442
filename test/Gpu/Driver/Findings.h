//===- Findings.h - where the look-alike says what is wrong ----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_FINDINGS_H
#define HOCKET_TEST_GPU_DRIVER_FINDINGS_H

#include <cstdint>
#include <string>

namespace hocket::lookalike {

/// Sentences, one a line, appended to a file or written to stderr. Each line is
/// one write, so that processes can share a file.
class Findings {
public:
  /// An empty path is stderr.
  explicit Findings(const std::string &path) : path(path) {}

  void add(const std::string &sentence);
  uint64_t count() const { return added; }

private:
  std::string path;
  uint64_t added = 0;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_FINDINGS_H
