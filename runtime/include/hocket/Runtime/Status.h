//===- Status.h - the outcome of a runtime call ----------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_STATUS_H
#define HOCKET_RUNTIME_STATUS_H

#include <string>
#include <utility>

namespace hocket::runtime {

/// Whose mistake it is; the values are the process's exit statuses.
enum class ErrorKind { None = 0, User = 1, Runtime = 3 };

/// Success, or one sentence about what failed (lower-case first letter, no
/// final period, without "error:").
struct [[nodiscard]] Status {
  ErrorKind kind = ErrorKind::None;
  std::string message;

  bool ok() const { return kind == ErrorKind::None; }
  int exitStatus() const { return static_cast<int>(kind); }

  static Status success() { return {}; }
  /// Bad weights, inputs or options: what the caller gave is wrong.
  static Status userError(std::string message) {
    return {ErrorKind::User, std::move(message)};
  }
  /// A failure while running: a dead rank, a full disk, a corrupt plan.
  static Status runtimeError(std::string message) {
    return {ErrorKind::Runtime, std::move(message)};
  }
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_STATUS_H
