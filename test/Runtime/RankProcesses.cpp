//===- RankProcesses.cpp - what processes agree on ------------------------===//

#include "hocket/Runtime/PackedBytes.h"
#include "hocket/Runtime/Processes.h"
#include <gtest/gtest.h>

using namespace hocket::runtime;

namespace {

/// One of several, of which the others say what they are told to.
class TestProcesses : public Processes {
public:
  int64_t index() const override { return 0; }
  int64_t count() const override { return 1 + int64_t(others.size()); }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override {
    all = {mine};
    all.insert(all.end(), others.begin(), others.end());
    return Status::success();
  }
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &,
                                        std::unique_ptr<World>) override {
    return nullptr;
  }

  std::vector<std::string> others;
};

std::string packed(const std::vector<std::string> &values) {
  BytePacker packer;
  for (const std::string &value : values)
    packer.add(value);
  return packer.bytes;
}

} // namespace

TEST(RankProcesses, WhatDiffersIsNamed) {
  TestProcesses processes;
  processes.others = {packed({"a1", "3.7.0 with instruction set 7"}),
                      packed({"a1", "3.7.0 with instruction set 1"})};
  Status status = processes.requireEqual(
      {{"the executable", "a1"}, {"oneDNN", "3.7.0 with instruction set 7"}});
  EXPECT_EQ(status.kind, ErrorKind::User);
  EXPECT_EQ(status.message,
            "the processes differ: process 0 has oneDNN 3.7.0 with instruction "
            "set 7, process 2 has oneDNN 3.7.0 with instruction set 1; all "
            "have to be the same");
  processes.others.pop_back();
  EXPECT_TRUE(processes
                  .requireEqual({{"the executable", "a1"},
                                 {"oneDNN", "3.7.0 with instruction set 7"}})
                  .ok());
}

TEST(RankProcesses, ErrorOfTheLowest) {
  TestProcesses processes;
  BytePacker packer;
  packer.add(ErrorKind::Runtime);
  packer.add(std::string("no room"));
  processes.others = {packer.bytes};
  EXPECT_EQ(processes.agree(Status::success()).message, "no room");
  EXPECT_EQ(processes.agree(Status::userError("no file")).message, "no file");
}
