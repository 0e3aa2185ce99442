//===- OneProcess.cpp - all ranks are threads of one process --------------===//

#include "runtime/lib/Ranks/Cores.h"
#include "runtime/lib/Ranks/ThreadRanks.h"
#include <numeric>

namespace hocket::runtime {

namespace {

class OneProcess : public Processes {
public:
  int64_t index() const override { return 0; }
  int64_t count() const override { return 1; }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override {
    all = {mine};
    return Status::success();
  }
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &options,
                                        std::unique_ptr<World> world) override {
    CoreShares shares =
        shareCores(coresOfProcess(), options.ranks, options.threads);
    if (!world)
      world = threadWorld(options, shares.spins);
    std::vector<int64_t> numbers(options.ranks);
    std::iota(numbers.begin(), numbers.end(), 0);
    return makeThreadRanks(
        {numbers, options.ranks, shares, options.pin, options.deadlineSeconds},
        std::move(world));
  }
};

} // namespace

Processes &oneProcess() {
  static OneProcess process;
  return process;
}

} // namespace hocket::runtime
