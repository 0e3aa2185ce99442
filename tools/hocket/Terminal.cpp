//===- Terminal.cpp - errors in colours, and progress ---------------------===//

#include "Terminal.h"
#include "llvm/Support/raw_os_ostream.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

using namespace hocket;
using namespace hocket::tool;

/// Who holds this writes to the terminal.
static std::mutex screen;
/// A line of progress stands there; it goes before anything else is written.
static bool hasProgressLine = false;
static constexpr char eraseLine[] = "\r\033[K";

static bool isTerminal() {
  const char *kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && kind && std::strcmp(kind, "dumb") != 0;
}

static bool wantsColours() {
  const char *none = std::getenv("NO_COLOR");
  return !(none && *none);
}

std::string tool::coloured(const std::string &line) {
  static const struct {
    const char *word, *colour, *text;
  } kinds[] = {{"error: ", "\033[1;31m", "\033[1m"},
               {"warning: ", "\033[1;35m", "\033[1m"},
               {"note: ", "\033[1;36m", ""}};
  const std::string plain = "\033[0m";
  if (line.find_first_not_of(" ^~") == std::string::npos &&
      line.find('^') != std::string::npos)
    return "\033[1;32m" + line + plain;
  for (const auto &kind : kinds) {
    size_t at = line.find(kind.word);
    // What stands before is a place or the command: "a.hkt:3:7: ".
    bool isKind = at != std::string::npos &&
                  (at == 0 || (at > 1 && line.compare(at - 2, 2, ": ") == 0));
    if (!isKind)
      continue;
    size_t end = at + std::strlen(kind.word);
    return (at ? "\033[1m" + line.substr(0, at) + plain : "") + kind.colour +
           line.substr(at, end - at) + plain + kind.text + line.substr(end) +
           (*kind.text ? plain : "");
  }
  return line;
}

namespace {

/// Writes whole lines to standard error.
class TerminalLines : public std::streambuf {
public:
  explicit TerminalLines(bool inColours) : inColours(inColours) {}
  ~TerminalLines() override { write(); }

private:
  int_type overflow(int_type next) override {
    if (next == traits_type::eof())
      return traits_type::not_eof(next);
    if (next != '\n') {
      line += char(next);
      return next;
    }
    line = (inColours ? coloured(line) : line) + "\n";
    return write() ? next : traits_type::eof();
  }

  bool write() {
    std::lock_guard<std::mutex> lock(screen);
    std::string text = hasProgressLine ? eraseLine + line : line;
    hasProgressLine = false;
    line.clear();
    for (size_t done = 0; done < text.size();) {
      ssize_t count =
          ::write(STDERR_FILENO, text.data() + done, text.size() - done);
      if (count < 0 && errno != EINTR)
        return false;
      done += count < 0 ? 0 : count;
    }
    return true;
  }

  const bool inColours;
  std::string line;
};

} // namespace

Terminal::Terminal() {
  if (!isTerminal())
    return;
  buffer = std::make_unique<TerminalLines>(wantsColours());
  before = std::cerr.rdbuf(buffer.get());
}

Terminal::~Terminal() {
  if (buffer)
    std::cerr.rdbuf(before);
}

llvm::raw_ostream &tool::errors() {
  static llvm::raw_os_ostream stream(std::cerr);
  stream.SetUnbuffered();
  return stream;
}

Progress::Progress(const char *command, Compiler &compiler)
    : command(command), compiler(compiler) {
  if (!isTerminal())
    return;
  compiler.onStage([this](llvm::StringRef name) {
    std::lock_guard<std::mutex> lock(mutex);
    stage = name.str();
  });
  thread = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  compiler.onStage({});
  {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  changed.notify_all();
  thread.join();
  std::lock_guard<std::mutex> lock(screen);
  if (hasProgressLine)
    std::fputs(eraseLine, stderr);
  hasProgressLine = false;
}

void Progress::show() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  for (int seconds = 2;; ++seconds) {
    auto due = start + std::chrono::seconds(seconds);
    if (changed.wait_until(lock, due, [this] { return isDone; }))
      return;
    std::string text = eraseLine + command;
    if (!stage.empty())
      text += ": stage " + stage;
    text += ", " + std::to_string(seconds) + " s";
    std::lock_guard<std::mutex> onScreen(screen);
    std::fputs(text.c_str(), stderr);
    hasProgressLine = true;
  }
}
