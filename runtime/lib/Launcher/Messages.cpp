//===- Messages.cpp - what a program says on the terminal -----------------===//

#include "Messages.h"
#include "Reports.h"
#include <iostream>
#include <sstream>

namespace hocket::runtime {

/// Every line of `message` as an error, except those that continue one. All is
/// written at once: others may write to the same terminal.
static void printError(const std::string &message) {
  std::istringstream lines(message);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    bool continues =
        line.empty() || line[0] == ' ' || line.compare(0, 4, "and ") == 0;
    text += (continues ? "" : "error: ") + line + "\n";
  }
  std::cerr << text << std::flush;
}

int fail(const Status &status) {
  printError(status.message);
  return status.exitStatus();
}

int print(const std::string &text) {
  Status status = printOut(text);
  return status.ok() ? 0 : fail(status);
}

int failUsage(const std::string &message) {
  printError(message);
  return usageStatus;
}

} // namespace hocket::runtime
