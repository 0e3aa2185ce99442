//===- Environment.cpp - what a test asks of the look-alike ---------------===//

#include "test/Gpu/Driver/Environment.h"
#include <cstdlib>
#include <functional>
#include <sstream>
#include <unistd.h>

using namespace hocket::lookalike;

namespace {

std::string textOf(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool isNumber(const std::string &text) {
  return !text.empty() && text.size() < 19 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

class Reader {
public:
  void number(const char *name, uint64_t most,
              const std::function<void(uint64_t)> &take) {
    std::string text = textOf(name);
    if (text.empty())
      return;
    if (!isNumber(text) || std::stoull(text) > most)
      environment.error = std::string(name) + " is '" + text +
                          "', expected a number of at most " +
                          std::to_string(most);
    else
      take(std::stoull(text));
  }

  /// The numbers below `count`, or those of them that CUDA_VISIBLE_DEVICES
  /// names before the first that is none.
  void devices(uint64_t count) {
    std::vector<int> &visible = environment.devices;
    visible.clear();
    const char *chosen = std::getenv("CUDA_VISIBLE_DEVICES");
    for (uint64_t device = 0; !chosen && device < count; ++device)
      visible.push_back(device);
    std::istringstream list(chosen ? chosen : "");
    for (std::string item; std::getline(list, item, ',');) {
      if (!isNumber(item) || std::stoull(item) >= count)
        return;
      visible.push_back(std::stoi(item));
    }
  }

  void injections(const char *name) {
    std::istringstream list(textOf(name));
    for (std::string item; std::getline(list, item, ',');) {
      size_t colon = item.find(':'), equal = item.find('=');
      if (colon == std::string::npos || equal == std::string::npos ||
          equal < colon || !isNumber(item.substr(equal + 1)) ||
          !isNumber(item.substr(colon + 1, equal - colon - 1))) {
        environment.error = std::string(name) + " has '" + item +
                            "', expected FUNCTION:CALL=CODE";
        return;
      }
      environment.injections.push_back(
          {item.substr(0, colon),
           std::stoull(item.substr(colon + 1, equal - colon - 1)),
           std::stoi(item.substr(equal + 1))});
    }
  }

  Environment environment;
};

} // namespace

Environment hocket::lookalike::readEnvironment() {
  Reader reader;
  Environment &to = reader.environment;
  to.report = textOf("HOCKET_LOOKALIKE_REPORT");
  to.counts = textOf("HOCKET_LOOKALIKE_COUNTS");
  to.failed = textOf("HOCKET_LOOKALIKE_FAILED");
  size_t process = to.counts.find("%p");
  if (process != std::string::npos)
    to.counts.replace(process, 2, std::to_string(getpid()));
  uint64_t large = uint64_t(1) << 50;
  reader.number("HOCKET_LOOKALIKE_SEED", large,
                [&](uint64_t value) { to.seed = value; });
  reader.number("HOCKET_LOOKALIKE_CHIP", 129,
                [&](uint64_t value) { to.chip = value; });
  reader.number("HOCKET_LOOKALIKE_VERSION", 99999,
                [&](uint64_t value) { to.version = value; });
  uint64_t devices = 1;
  reader.number("HOCKET_LOOKALIKE_DEVICES", 64,
                [&](uint64_t value) { devices = value; });
  reader.devices(devices);
  reader.number("HOCKET_LOOKALIKE_SLICES", 1,
                [&](uint64_t value) { to.areSlices = value; });
  reader.number("HOCKET_LOOKALIKE_MEMORY", large,
                [&](uint64_t value) { to.memory = value; });
  reader.number("HOCKET_LOOKALIKE_STEPS", large,
                [&](uint64_t value) { to.steps = value; });
  reader.number("HOCKET_LOOKALIKE_UNDEFINED", 1,
                [&](uint64_t value) { to.findsUndefined = value; });
  reader.number("HOCKET_LOOKALIKE_THREADS", 1,
                [&](uint64_t value) { to.keepsThreadsApart = value; });
  reader.injections("HOCKET_LOOKALIKE_FAIL");
  return to;
}
