//===- TrainMeeting.cpp - processes that meet after a step ----------------===//

#include "Accumulator.h"
#include "hocket/Training/InitialParameters.h"
#include "hocket/Training/Train.h"

using namespace hocket;
using namespace hocket::runtime;

namespace {

/// All ranks are here; the other process says what this one does, until it is
/// lost.
class LosesOther : public Processes {
public:
  int64_t index() const override { return 0; }
  int64_t count() const override { return 2; }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override {
    all = {mine, mine};
    return isLost ? Status::runtimeError("rank 1 has ended")
                  : Status::success();
  }
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &options,
                                        std::unique_ptr<World> world) override {
    return oneProcess().makeRanks(options, std::move(world));
  }

  bool isLost = false;
};

class TrainMeeting : public test::AccumulatorProgram {};

} // namespace

TEST_F(TrainMeeting, saysBehindWhichStepAProcessIsLost) {
  plan::Plan plan = test::accumulator();
  std::unique_ptr<Batches> batches;
  ASSERT_TRUE(
      openBatches(plan, {{folder.path("x.safetensors")}, {}, 0}, batches).ok());
  InitialParameters parameters(plan, 1);
  TrainStart start;
  start.parameters = &parameters;
  LosesOther processes;
  TrainOptions options;
  options.steps = 9;
  options.executor.processes = &processes;
  TrainReport report;
  Status status = train(plan, cpuDevices({}), start, *batches, nullptr, options,
                        report, [&](const auto &) { processes.isLost = true; });
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message, "after step 2: rank 1 has ended");
}
