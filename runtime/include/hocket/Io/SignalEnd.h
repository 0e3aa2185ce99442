//===- SignalEnd.h - what a signal that ends a program does ----*- C++ -*-===//

#ifndef HOCKET_IO_SIGNALEND_H
#define HOCKET_IO_SIGNALEND_H

#include <csignal>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hocket::runtime {

/// Makes signals that end the program (an interrupt, a page of a mapped file
/// that is no longer there) end it as an error does: with a sentence, where
/// there is something to say, and without a file left half written. A file that
/// grows beyond the process's limit is an error of its write, and no signal.
void endCleanlyOnSignals();

/// While one lives, the first of its signals only asks the program to end, at a
/// moment when nothing is lost; the next one ends it at once. A signal that the
/// caller had ignored stays ignored. One at a time.
class EndRequest {
public:
  explicit EndRequest(const std::vector<int> &signals);
  ~EndRequest();
  EndRequest(const EndRequest &) = delete;
  EndRequest &operator=(const EndRequest &) = delete;

  /// The signal that came, or 0.
  static int signal();

private:
  std::vector<std::pair<int, struct sigaction>> replaced;
};

/// While one lives, a page that is lost in its memory ends the program with
/// exit status 3 and an error that begins with its title. Such a page is of a
/// file that was cut short after it was mapped, or of a disk that failed.
class WatchedPages {
public:
  WatchedPages() = default;
  ~WatchedPages();
  WatchedPages(const WatchedPages &) = delete;
  WatchedPages &operator=(const WatchedPages &) = delete;

  void watch(const void *begin, size_t bytes, const std::string &title);

private:
  friend struct SignalState;
  const char *begin = nullptr;
  size_t bytes = 0;
  std::string message;
  WatchedPages *next = nullptr;
};

/// While one lives and has a name, a signal that ends the program removes that
/// file.
class TemporaryName {
public:
  TemporaryName() = default;
  ~TemporaryName();
  TemporaryName(const TemporaryName &) = delete;
  TemporaryName &operator=(const TemporaryName &) = delete;

  void set(const std::string &path);
  /// The file got its final name, or is gone.
  void clear();

private:
  friend struct SignalState;
  std::string path;
  TemporaryName *next = nullptr;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_SIGNALEND_H
