//===- ThreadTransports.cpp - the conformance suite on threads ------------===//

#include "test/Runtime/RankGroup.h"

namespace hocket::test {

std::vector<Transport> transports() {
  auto threads = [](bool spin, uint64_t seed) {
    return [=]() -> std::unique_ptr<RankGroup> {
      return std::make_unique<ThreadRankGroup>(
          runtime::ThreadCommunicatorOptions{30, spin, seed});
    };
  };
  return {{"threads", threads(false, 0)},
          {"threads_spinning", threads(true, 0)},
          {"threads_delayed", threads(false, 7)}};
}

} // namespace hocket::test
