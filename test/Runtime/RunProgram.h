//===- RunProgram.h - a program as a subprocess of a test ------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_RUNPROGRAM_H
#define HOCKET_TEST_RUNTIME_RUNPROGRAM_H

#include "TemporaryFolder.h"
#include <sys/wait.h>

struct ProgramResult {
  int status; // exit status, or minus the signal
  std::string out, err;
};

/// Runs `command` in a shell with `folder` for its output.
inline ProgramResult runProgram(const TemporaryFolder &folder,
                                const std::string &command) {
  int code = std::system(("(" + command + ") >" + folder.path(".out") + " 2>" +
                          folder.path(".err"))
                             .c_str());
  ProgramResult result{WIFEXITED(code) ? WEXITSTATUS(code) : -WTERMSIG(code),
                       folder.read(".out"), folder.read(".err")};
  std::filesystem::remove(folder.path(".out"));
  std::filesystem::remove(folder.path(".err"));
  // The folder's name is different every time.
  for (std::string *text : {&result.out, &result.err})
    for (size_t at; (at = text->find(folder.path(""))) != std::string::npos;)
      text->erase(at, folder.path("").size());
  return result;
}

#endif // HOCKET_TEST_RUNTIME_RUNPROGRAM_H
