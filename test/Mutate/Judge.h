//===- Judge.h - a command run in a process of its own ----------*- C++ -*-===//

#ifndef HOCKET_TEST_MUTATE_JUDGE_H
#define HOCKET_TEST_MUTATE_JUDGE_H

#include <functional>
#include <string>

namespace hocket::mutate {

struct Outcome {
  int status = 0;     // the exit status, if no signal ended it
  int signal = 0;     // what ended it
  std::string errors; // what it wrote to standard error, its beginning
  double seconds = 0; // of the processor

  /// Empty where it ended as it must: 0, or 1 with an error; 3, a failure at
  /// run time, if that is the highest that may come.
  std::string complaint(int highest = 1) const;
};

/// Runs `command`, which gives an exit status, in a child process with at most
/// ten seconds of the processor, two minutes and four GiB. `scratch` is a file
/// for what it writes to standard error.
Outcome runApart(const std::function<int()> &command,
                 const std::string &scratch);

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_JUDGE_H
