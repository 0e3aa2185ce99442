//===- Terminal.h - errors in colours, and progress ------------*- C++ -*-===//
//
// Standard error as a person sees it. Where it is no terminal, what is written
// is what a file gets: no colours (nor with NO_COLOR, no-color.org) and no
// progress.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TOOLS_HOCKET_TERMINAL_H
#define HOCKET_TOOLS_HOCKET_TERMINAL_H

#include "hocket/Pipeline/Compiler.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace hocket::tool {

/// One line of an error, with the escapes that colour it: the place and the
/// text of an error bold, `error:` red, `warning:` magenta, `note:` cyan,
/// carets green.
std::string coloured(const std::string &line);

/// Has std::cerr write as a terminal wants it, as long as this lives.
class Terminal {
public:
  Terminal();
  ~Terminal();

private:
  std::unique_ptr<std::streambuf> buffer; // null: nothing was changed
  std::streambuf *before = nullptr;
};

/// LLVM's stream onto std::cerr.
llvm::raw_ostream &errors();

/// While this lives, what the compiler does is said in one line of the terminal
/// once it takes more than two seconds, and erased again.
class Progress {
public:
  Progress(const char *command, Compiler &compiler);
  ~Progress();

private:
  void show();

  std::string command, stage;
  Compiler &compiler;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread thread; // not started where there is no terminal
};

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_TERMINAL_H
