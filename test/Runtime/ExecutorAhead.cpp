//===- ExecutorAhead.cpp - inputs that are read while a step runs ---------===//

#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "test/Runtime/PlanBuilder.h"
#include <gtest/gtest.h>
#include <map>

using namespace hocket;
using namespace hocket::runtime;
using plan::Region;

namespace {

using Log = std::vector<std::string>;

/// Records what it is handed and runs that when a graph is to have finished, as
/// late as a device may.
class LateDevice : public Device {
public:
  LateDevice(std::unique_ptr<Device> host, Log &log)
      : host(std::move(host)), log(log) {}

  Status begin() override { return Status::success(); }
  Status allocate(int64_t bytes, const char *purpose, char *&place) override {
    return host->allocate(bytes, purpose, place);
  }
  Status prepare(const plan::Instruction &instruction, const AddressBook &book,
                 Communicator &comm, std::unique_ptr<Call> &call) override {
    return host->prepare(instruction, book, comm, call);
  }
  Status upload(void *place, int64_t bytes,
                const std::function<Status(void *)> &fill) override {
    return host->upload(place, bytes, fill);
  }
  Status
  download(const void *place, int64_t bytes,
           const std::function<Status(const void *)> &use) const override {
    return host->download(place, bytes, use);
  }
  Status copy(void *to, const void *from, int64_t bytes) override {
    return host->copy(to, from, bytes);
  }
  Mover &mover() override { return host->mover(); }
  Status submit(Call &call) override {
    if (!isRecording)
      return call.run();
    recorded.push_back(&call);
    return Status::success();
  }
  Status finish() override { return Status::success(); }
  Recorder *recorder() override { return &recording; }
  Inbox *inbox() override { return &incoming; }
  int64_t packedBytes() const override { return 0; }

private:
  struct Graph : StepGraph {
    explicit Graph(LateDevice &device) : device(device) {}
    Status start() override {
      device.log.push_back("start");
      return Status::success();
    }
    Status finish() override {
      for (Call *call : device.recorded)
        if (Status status = call->run(); !status.ok())
          return status;
      device.log.push_back("finish");
      return Status::success();
    }
    LateDevice &device;
  };

  struct Recording : Recorder {
    explicit Recording(LateDevice &device) : device(device) {}
    Status begin() override {
      device.isRecording = true;
      return Status::success();
    }
    Status join(Recorder &) override { return Status::success(); }
    Status leave() override { return Status::success(); }
    Status end(const std::vector<Recorder *> &,
               std::unique_ptr<StepGraph> &graph) override {
      device.isRecording = false;
      graph = std::make_unique<Graph>(device);
      return Status::success();
    }
    Status check() override { return Status::success(); }
    LateDevice &device;
  };

  struct Incoming : Inbox {
    Status reserve(void *place, int64_t bytes) override {
      slots[place].resize(bytes);
      return Status::success();
    }
    Status put(void *place,
               const std::function<Status(void *)> &fill) override {
      return fill(slots.at(place).data());
    }
    Status take() override {
      for (auto &[place, bytes] : slots)
        std::copy(bytes.begin(), bytes.end(), static_cast<char *>(place));
      return Status::success();
    }
    std::map<void *, std::vector<char>> slots;
  };

  const std::unique_ptr<Device> host;
  Log &log;
  bool isRecording = false;
  std::vector<Call *> recorded;
  Recording recording{*this};
  Incoming incoming;
};

class LateDevices : public Devices {
public:
  explicit LateDevices(Log &log) : log(log) {}
  std::unique_ptr<Device> make(const DeviceSetup &setup) const override {
    return std::make_unique<LateDevice>(host->make(setup), log);
  }
  Status checkMemory(int64_t, double) const override {
    return Status::success();
  }

private:
  const std::shared_ptr<const Devices> host = cpuDevices({});
  Log &log;
};

/// x is `number`; an error where that is below 0.
class Numbered : public TensorSource {
public:
  Numbered(int number, Log &log) : number(number), log(log) {}
  std::string name() const override { return "input"; }
  bool describe(const std::string &,
                TensorDescription &description) const override {
    description = {plan::DType::F32, {1}};
    return true;
  }
  Status read(const std::string &, const Box &, plan::DType,
              void *destination) const override {
    log.push_back("read " + std::to_string(number));
    *static_cast<float *>(destination) = float(number);
    return number < 0 ? Status::userError("there is no such step")
                      : Status::success();
  }

private:
  const int number;
  Log &log;
};

class ExecutorAhead : public testing::Test {
protected:
  /// y = x, on one rank.
  void SetUp() override {
    plan.model = "Copy";
    plan.schedule = "one_device";
    plan.inputs = {test::tensor("x", {1})};
    plan.outputs = {test::tensor("y", {1})};
    test::ClassBuilder builder({0});
    plan::View x = builder.box(Region::Input, 0, {1});
    plan::View y = builder.box(Region::Output, 0, {1});
    builder.result.step.push_back({-1, plan::Copy{x, y}});
    plan.classes.push_back(std::move(builder.result));
    ExecutorOptions options;
    options.readsAhead = true;
    Status status = Executor::create(plan, std::make_shared<LateDevices>(log),
                                     options, executor);
    if (status.ok())
      status = executor->load(MemoryTensors());
    ASSERT_TRUE(status.ok()) << status.message;
  }

  std::shared_ptr<const Numbered> inputs(int number) {
    return std::make_shared<Numbered>(number, log);
  }
  /// The output of a step, or its error.
  std::string step(const std::shared_ptr<const Numbered> &given,
                   const std::shared_ptr<const Numbered> &next) {
    MemoryTensors outputs;
    Status status = executor->step(*given, outputs, NotFinite::Update, next);
    return status.ok() ? std::to_string(int(*outputs.find("y")->as<float>()))
                       : status.message;
  }

  Log log;
  plan::Plan plan;
  std::unique_ptr<Executor> executor;
};

TEST_F(ExecutorAhead, ReadsWhileTheStepBeforeRuns) {
  auto first = inputs(1), second = inputs(2), third = inputs(3);
  EXPECT_EQ(step(first, second), "1");
  EXPECT_EQ(step(second, third), "2");
  EXPECT_EQ(step(third, nullptr), "3");
  EXPECT_EQ(log, (Log{"read 1", "read 2", "start", "read 3", "finish", "start",
                      "finish"}));
}

TEST_F(ExecutorAhead, OtherInputsAreRead) {
  auto first = inputs(1), second = inputs(2);
  step(first, nullptr);
  EXPECT_EQ(step(second, inputs(3)), "2");
  EXPECT_EQ(step(inputs(7), nullptr), "7");
  EXPECT_EQ(step(inputs(3), nullptr), "3");
}

TEST_F(ExecutorAhead, AnErrorIsThatOfTheStepThatItIsOf) {
  auto first = inputs(1), second = inputs(2), none = inputs(-1);
  step(first, nullptr);
  EXPECT_EQ(step(second, none), "2");
  EXPECT_EQ(step(none, nullptr), "there is no such step");
}

} // namespace
