//===- Settings.cpp - what a test asks of the look-alike of NCCL ----------===//

#include "test/Gpu/Libraries/Nccl/Settings.h"
#include "test/Gpu/Driver/Environment.h"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace hocket::lookalike {

static std::optional<std::chrono::milliseconds> readNotice() {
  const char *name = "HOCKET_LOOKALIKE_NCCL_NOTICE";
  const char *text = std::getenv(name);
  if (!text || !*text)
    return std::nullopt;
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  if (*end == 0 && value >= 0)
    return std::chrono::milliseconds(value);
  std::fprintf(stderr, "%s is '%s', expected a number of milliseconds\n", name,
               text);
  _exit(70);
}

Settings readSettings() {
  Settings settings;
  for (const Injection &injection : readEnvironment().injections)
    if (injection.function == "ncclRemote")
      settings.remoteErrors[injection.call] = injection.code;
  settings.notice = readNotice();
  return settings;
}

} // namespace hocket::lookalike
