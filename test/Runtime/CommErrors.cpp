//===- CommErrors.cpp - collectives that cannot succeed -------------------===//

#include "test/Runtime/CollectiveCase.h"
#include "test/Runtime/RankGroup.h"
#include <chrono>
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::test;
using plan::CollectiveKind;
using runtime::Status;

namespace {

CollectiveCase gatherOf(int64_t members) {
  CollectiveCase test{CollectiveKind::AllGather};
  test.whole = {2 * members, 3};
  test.size.assign(members, 2);
  return test;
}

/// One collective of one rank with memory of its own.
struct Attempt {
  Attempt(runtime::Communicator &comm, const CollectiveCase &test,
          const std::string &path)
      : src(test.type, srcShape(test, comm.rank()), test.layout),
        dst(test.type, dstShape(test, comm.rank()), test.layout) {
    std::vector<int64_t> members;
    for (int64_t rank = 0; rank < comm.size(); ++rank)
      members.push_back(rank);
    spec = makeSpec(test, members, comm.rank(), src, dst);
    spec.source.path = path;
  }
  Status run(runtime::Communicator &comm) {
    Status status = comm.prepare(spec, handle);
    return status.ok() ? comm.run(handle) : status;
  }
  Status start(runtime::Communicator &comm) {
    Status status = comm.prepare(spec, handle);
    return status.ok() ? comm.start(handle) : status;
  }
  int64_t handle = -1;
  TestWindow src, dst;
  runtime::CollectiveSpec spec;
};

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

ThreadRankGroup group(double deadline) {
  return ThreadRankGroup({deadline, false, 0});
}

} // namespace

TEST(CommErrors, MismatchNamesBothPaths) {
  std::vector<std::string> messages(3);
  group(30).run(3, [&](runtime::Communicator &comm) {
    CollectiveCase test = gatherOf(3);
    if (comm.rank() == 2)
      test.kind = CollectiveKind::AllReduce;
    Attempt attempt(comm, test, comm.rank() == 2 ? "h.1.mlp" : "h.0.attn");
    messages[comm.rank()] = attempt.run(comm).message;
  });
  for (const std::string &message : messages)
    EXPECT_EQ(message,
              "ranks disagree: rank 0 runs all_gather of \"h.0.attn\" "
              "(schedule.hkt:2:3), rank 2 runs all_reduce of \"h.1.mlp\" "
              "(schedule.hkt:2:3); they are different collectives");
}

TEST(CommErrors, EveryDifferenceIsFound) {
  struct Change {
    std::function<void(CollectiveCase &, runtime::CollectiveSpec *)> make;
    std::string text;
    CollectiveKind kind = CollectiveKind::AllGather;
  };
  std::vector<Change> changes = {
      {[](auto &, auto *spec) {
         if (spec)
           spec->id = 4;
       },
       "they are number 0 and number 4 of the program"},
      {[](auto &test, auto *) { test.type = plan::DType::F64; },
       "one has elements of f32 and the other of f64"},
      {[](auto &test, auto *) { test.whole[1] = 5; },
       "their tensors are [4, 3] and [4, 5]"},
      {[](auto &test, auto *) { test.size = {1, 3}; }, "they cut differently"},
      {[](auto &, auto *spec) {
         if (spec)
           spec->kind = runtime::AllReduce{plan::Reduction::Max};
       },
       "they reduce differently", CollectiveKind::AllReduce},
      {[](auto &test, auto *) { test.dim = 1, test.whole = {4, 4}; },
       "they work on different dims"},
      {[](auto &, auto *spec) {
         if (spec)
           spec->kind = runtime::Broadcast{1};
       },
       "they have different roots", CollectiveKind::Broadcast},
  };
  for (const Change &change : changes) {
    std::vector<std::string> messages(2);
    group(30).run(2, [&](runtime::Communicator &comm) {
      CollectiveCase test = gatherOf(2);
      test.kind = change.kind;
      if (comm.rank() == 1)
        change.make(test, nullptr);
      Attempt attempt(comm, test, "layer");
      if (comm.rank() == 1)
        change.make(test, &attempt.spec);
      messages[comm.rank()] = attempt.run(comm).message;
    });
    for (const std::string &message : messages)
      EXPECT_EQ(message.substr(message.find(';') + 2), change.text);
  }
}

TEST(CommErrors, TensorsOfOneAllReduceAreCompared) {
  CollectiveCase reduce = gatherOf(2);
  reduce.kind = plan::CollectiveKind::AllReduce;
  for (bool sameNumber : {false, true}) {
    std::vector<std::string> messages(2);
    group(30).run(2, [&](runtime::Communicator &comm) {
      Attempt attempt(comm, reduce, "layer");
      runtime::Window whole = attempt.spec.pairs[0].src, row = whole;
      row.shape[0] = 1;
      if (comm.rank() == 1 || sameNumber)
        attempt.spec.pairs.push_back({whole, whole});
      if (comm.rank() == 1 && sameNumber)
        attempt.spec.pairs[1] = {row, row};
      messages[comm.rank()] = attempt.run(comm).message;
    });
    for (const std::string &message : messages)
      EXPECT_EQ(message.substr(message.find(';') + 2),
                sameNumber ? "their tensors are [4, 3] and [1, 3]"
                           : "one moves 1 tensors and the other 2");
  }
}

TEST(CommErrors, AbsentRankIsNamedInTime) {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::string> messages(3);
  group(0.3).run(3, [&](runtime::Communicator &comm) {
    Attempt attempt(comm, gatherOf(3), "h.0.mlp");
    if (comm.rank() != 1)
      messages[comm.rank()] = attempt.run(comm).message;
  });
  EXPECT_LT(secondsSince(start), 1.5);
  // One of the two notices first; the other repeats what that one said.
  std::string by0 = "rank 1 did not reach all_gather of \"h.0.mlp\" "
                    "(schedule.hkt:2:3) within 0.3 s of rank 0";
  std::string by2 = by0.substr(0, by0.size() - 1) + "2";
  auto repeats = [](const std::string &rank, const std::string &text) {
    return "rank " + rank +
           " stopped at all_gather of \"h.0.mlp\" (schedule.hkt:2:3) because "
           "of rank 1: " +
           text;
  };
  EXPECT_TRUE(messages[0] == by0 || messages[0] == repeats("0", by2))
      << messages[0];
  EXPECT_TRUE(messages[2] == by2 || messages[2] == repeats("2", by0))
      << messages[2];
}

TEST(CommErrors, WhatWasStartedIsCompared) {
  std::vector<std::string> messages(2);
  group(30).run(2, [&](runtime::Communicator &comm) {
    CollectiveCase test = gatherOf(2);
    if (comm.rank() == 1)
      test.kind = CollectiveKind::AllReduce;
    Attempt attempt(comm, test, comm.rank() == 1 ? "h.1.mlp" : "h.0.attn");
    if (comm.rank() == 0) {
      EXPECT_TRUE(attempt.start(comm).ok());
      messages[0] = comm.wait(attempt.handle).message;
    } else {
      EXPECT_TRUE(attempt.start(comm).ok());
      messages[1] = comm.wait(attempt.handle).message;
    }
  });
  for (const std::string &message : messages)
    EXPECT_EQ(message,
              "ranks disagree: rank 0 runs all_gather of \"h.0.attn\" "
              "(schedule.hkt:2:3), rank 1 runs all_reduce of \"h.1.mlp\" "
              "(schedule.hkt:2:3); they are different collectives");
}

TEST(CommErrors, WhatOthersDoNotStartEndsInTime) {
  auto start = std::chrono::steady_clock::now();
  std::string message;
  group(0.3).run(2, [&](runtime::Communicator &comm) {
    Attempt attempt(comm, gatherOf(2), "h.0.mlp");
    if (comm.rank() != 0)
      return;
    EXPECT_TRUE(attempt.start(comm).ok());
    message = comm.wait(attempt.handle).message;
    EXPECT_EQ(comm.start(attempt.handle).message,
              "rank 0 stopped at all_gather of \"h.0.mlp\" "
              "(schedule.hkt:2:3) because of rank 1: " +
                  message);
  });
  EXPECT_LT(secondsSince(start), 1.5);
  EXPECT_EQ(message, "rank 1 did not reach all_gather of \"h.0.mlp\" "
                     "(schedule.hkt:2:3) within 0.3 s of rank 0");
}

TEST(CommErrors, AbortEndsWaitingAtOnce) {
  auto start = std::chrono::steady_clock::now();
  std::string message, later;
  group(60).run(2, [&](runtime::Communicator &comm) {
    if (comm.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return comm.abort(Status::runtimeError("its kernel failed"));
    }
    Attempt attempt(comm, gatherOf(2), "h.0.mlp");
    message = attempt.run(comm).message;
    later = attempt.run(comm).message;
  });
  EXPECT_LT(secondsSince(start), 2);
  EXPECT_EQ(message, "rank 0 stopped at all_gather of \"h.0.mlp\" "
                     "(schedule.hkt:2:3) because of rank 1: its kernel failed");
  EXPECT_EQ(later, message);
}

TEST(CommErrors, BadSpecIsRefused) {
  group(30).run(1, [&](runtime::Communicator &comm) {
    auto message = [&](std::function<void(runtime::CollectiveSpec &)> change) {
      Attempt attempt(comm, gatherOf(1), "layer");
      change(attempt.spec);
      return attempt.run(comm).message;
    };
    std::string name = "all_gather of \"layer\" (schedule.hkt:2:3): ";
    auto share = [](runtime::CollectiveSpec &spec) -> runtime::Share & {
      return std::get<runtime::AllGather>(spec.kind).shares[0];
    };
    EXPECT_EQ(message([&](auto &spec) { share(spec).size = {7}; }),
              name + "expected windows [7, 3] and [7, 3], found [2, 3] and "
                     "[2, 3]");
    EXPECT_EQ(message([&](auto &spec) { share(spec).offset = {1}; }),
              name + "its shards overlap or leave a gap");
    EXPECT_EQ(message([&](auto &spec) { share(spec).dim = 2; }),
              name + "its dim 2 is not one of a tensor of 2 dims");
    EXPECT_EQ(message([](auto &spec) { spec.kind = runtime::Broadcast{5}; }),
              "broadcast of \"layer\" (schedule.hkt:2:3): root 5 of 1 members "
              "does not exist");
    EXPECT_EQ(message([](auto &spec) { spec.me = 1; }),
              name + "member 1 of 1 does not exist");
    EXPECT_EQ(message([](auto &spec) { spec.members = {3}; }),
              name + "rank 0 is not member 0 of it");
    EXPECT_EQ(message([&](auto &spec) {
                runtime::CollectiveSpec other = spec;
                share(other).dim = 2;
                addTensors(spec, other);
              }),
              name + "its dim 2 is not one of a tensor of 2 dims");
    EXPECT_EQ(message([&](auto &spec) {
                spec.kind = runtime::AllToAll{{share(spec)}, {share(spec)}};
              }),
              "all_to_all of \"layer\" (schedule.hkt:2:3): it goes from dim 0 "
              "to the same dim");
    EXPECT_EQ(message([](auto &spec) { spec.pairs.clear(); }),
              name + "it does not say of each tensor how it is moved");
    EXPECT_EQ(message([](auto &spec) { spec.pairs.push_back(spec.pairs[0]); }),
              name + "it does not say of each tensor how it is moved");
  });
}
