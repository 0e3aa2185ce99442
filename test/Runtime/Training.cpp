//===- Training.cpp - data, checkpoints and metrics of a run --------------===//

#include "hocket/Io/Safetensors.h"
#include "hocket/Training/Batches.h"
#include "hocket/Training/Checkpoint.h"
#include "hocket/Training/InitialParameters.h"
#include "hocket/Training/Metrics.h"
#include "hocket/Training/Permutation.h"
#include "test/Runtime/PlanBuilder.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

// After gtest, whose folder for temporaries it uses.
#include "test/Runtime/TemporaryFolder.h"

using namespace hocket;
using namespace hocket::runtime;
using hocket::test::tensor;

namespace {

TEST(Permutation, takesEveryExampleOnceAnEpoch) {
  for (uint64_t count : {1, 2, 3, 16, 17, 1000, 4097}) {
    std::vector<bool> seen(count, false);
    Permutation order(count, 7, 3);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t at = order(i);
      ASSERT_LT(at, count);
      EXPECT_FALSE(seen[at]);
      seen[at] = true;
    }
  }
}

TEST(Permutation, followsSeedAndEpoch) {
  auto first = [](uint64_t seed, uint64_t epoch) {
    std::vector<uint64_t> order;
    for (uint64_t i = 0; i < 20; ++i)
      order.push_back(Permutation(1000, seed, epoch)(i));
    return order;
  };
  EXPECT_EQ(first(1, 0), first(1, 0));
  EXPECT_NE(first(1, 0), first(2, 0));
  EXPECT_NE(first(1, 0), first(1, 1));
  // Neighbours do not stay together.
  std::vector<uint64_t> order = first(1, 0);
  int neighbours = 0;
  for (size_t i = 1; i < order.size(); ++i)
    neighbours += order[i] == order[i - 1] + 1;
  EXPECT_LT(neighbours, 3);
}

constexpr int64_t batch = 4, seq = 6;

plan::Plan tokenPlan() {
  plan::Plan plan;
  plan.inputs = {tensor("tokens", {batch, seq}, {}, plan::DType::I32),
                 tensor("targets", {batch, seq}, {}, plan::DType::I64),
                 tensor("step", {}, {}, plan::DType::I32)};
  return plan;
}

template <class T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

std::string error(const plan::Plan &plan, const DataOptions &options,
                  const TemporaryFolder &folder) {
  std::unique_ptr<Batches> batches;
  std::string message = openBatches(plan, options, batches).message;
  std::string root = folder.path("");
  for (size_t at; (at = message.find(root)) != std::string::npos;)
    message.erase(at, root.size());
  return message;
}

template <class T>
std::vector<T> readBox(const TensorSource &batch, const std::string &name,
                       const Box &box, plan::DType type) {
  std::vector<T> values(box.elements());
  Status status = batch.read(name, box, type, values.data());
  EXPECT_TRUE(status.ok()) << status.message;
  return values;
}

const Box wholeBatch{{batch, seq}, {0, 0}, {batch, seq}};

TEST(Tokens, areWindowsAndTheirNextTokens) {
  TemporaryFolder folder;
  std::vector<uint16_t> tokens(batch * seq * 5 + 1);
  std::iota(tokens.begin(), tokens.end(), 1000);
  DataOptions options{{folder.write("t.bin", bytesOf(tokens))}, {}, 3};
  std::unique_ptr<Batches> batches;
  Status status = openBatches(tokenPlan(), options, batches);
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(batches->examples(), batch * 5);
  EXPECT_EQ(batches->tokensOfStep, batch * seq);
  std::set<int32_t> firsts;
  for (int64_t step = 0; step < 5; ++step) {
    Batch inputs(*batches, step);
    auto read =
        readBox<int32_t>(inputs, "tokens", wholeBatch, plan::DType::I32);
    auto next =
        readBox<int64_t>(inputs, "targets", wholeBatch, plan::DType::I64);
    for (size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(next[i], read[i] + 1);
      EXPECT_EQ(read[i], read[i / seq * seq] + int(i % seq));
    }
    for (int64_t row = 0; row < batch; ++row) {
      EXPECT_EQ((read[row * seq] - 1000) % seq, 0);
      firsts.insert(read[row * seq]);
    }
    EXPECT_EQ(readBox<int32_t>(inputs, "step", {}, plan::DType::I32)[0], step);
  }
  // An epoch has every window once.
  EXPECT_EQ(firsts.size(), size_t(batch * 5));
}

TEST(Tokens, ofAPartAreThoseOfTheWhole) {
  TemporaryFolder folder;
  std::vector<uint8_t> tokens(100);
  std::iota(tokens.begin(), tokens.end(), 0);
  DataOptions options{
      {folder.write("t.txt", bytesOf(tokens))}, FileType::U8, 1};
  std::unique_ptr<Batches> batches;
  ASSERT_TRUE(openBatches(tokenPlan(), options, batches).ok());
  Batch inputs(*batches, 7); // reaches over the end of an epoch
  auto whole = readBox<int32_t>(inputs, "tokens", wholeBatch, plan::DType::I32);
  Box part{{batch, seq}, {1, 2}, {2, 3}};
  auto read = readBox<int32_t>(inputs, "tokens", part, plan::DType::I32);
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(read[row * 3 + i], whole[(row + 1) * seq + i + 2]);
}

TEST(Tokens, thatCannotBeAreRefused) {
  TemporaryFolder folder;
  std::string few = folder.write("few.bin", std::string(12, '\1'));
  std::string odd = folder.write("odd.bin", std::string(13, '\1'));
  plan::Plan plan = tokenPlan();
  EXPECT_EQ(error(plan, {{few}, {}, 0}, folder),
            "data 'few.bin' has 6 tokens, too few for a window of 7");
  EXPECT_EQ(error(plan, {{odd}, {}, 0}, folder),
            "data 'odd.bin' has 13 bytes, which is no number of U16; say what "
            "it holds: --token-type u8");
  EXPECT_EQ(error(plan, {{few, odd}, {}, 0}, folder),
            "tokens are read from one file, --data names 2");
  EXPECT_EQ(error(plan, {{folder.path("no.bin")}, {}, 0}, folder),
            "data 'no.bin': no such file");
  std::string matrix =
      folder.write("m.npy", npyBytes("{'descr': '<i4', 'fortran_order': False, "
                                     "'shape': (1, 2)}",
                                     std::string(8, 'a')));
  EXPECT_EQ(error(plan, {{matrix}, {}, 0}, folder),
            "data 'm.npy' has 2 dims of I32, expected one dim of integers; "
            "give other tensors by name: --data tokens=m.npy");
  plan.inputs.push_back(tensor("mask", {batch, seq}));
  EXPECT_EQ(error(plan, {{few}, {}, 0}, folder),
            "a file of tokens gives 'tokens' and 'targets', the program takes "
            "'mask' too; give tensors by name instead: --data "
            "FILE.safetensors");
  plan.inputs = {tensor("tokens", {batch, seq})};
  EXPECT_EQ(error(plan, {{few}, {}, 0}, folder),
            "a file of tokens gives integers [batch, seq], 'tokens' is f32 "
            "[4, 6]");
  plan.inputs = {tensor("x", {batch, seq})};
  EXPECT_EQ(error(plan, {{few}, {}, 0}, folder),
            "a file of tokens gives 'tokens' and 'targets', the program takes "
            "no 'tokens'");
  plan.inputs = {tensor("rate", {})};
  EXPECT_EQ(error(plan, {{few}, {}, 0}, folder),
            "the program takes 'rate', a single number, which data cannot "
            "give; make it a parameter of the model");
}

plan::Plan pairPlan() {
  plan::Plan plan;
  plan.inputs = {tensor("x", {2, 3}), tensor("t", {2})};
  return plan;
}

std::string examples(int64_t count, const char *t = "\"t\"") {
  std::vector<float> x(count * 3), y(count);
  std::iota(x.begin(), x.end(), 0);
  std::iota(y.begin(), y.end(), 0);
  std::string n = std::to_string(count), xs = std::to_string(count * 12),
              end = std::to_string(count * 16);
  return safetensorsBytes("{\"x\":{\"dtype\":\"F32\",\"shape\":[" + n +
                              ",3],\"data_offsets\":[0," + xs + "]}," + t +
                              ":{\"dtype\":\"F32\",\"shape\":[" + n +
                              "],\"data_offsets\":[" + xs + "," + end + "]}}",
                          bytesOf(x) + bytesOf(y));
}

TEST(Examples, keepTheirRowsTogether) {
  TemporaryFolder folder;
  DataOptions options{{folder.write("d.safetensors", examples(7))}, {}, 5};
  std::unique_ptr<Batches> batches;
  Status status = openBatches(pairPlan(), options, batches);
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(batches->tokensOfStep, 2);
  std::multiset<float> seen;
  for (int64_t step = 0; step < 7; ++step) { // two epochs
    Batch inputs(*batches, step);
    auto x =
        readBox<float>(inputs, "x", {{2, 3}, {0, 0}, {2, 3}}, plan::DType::F32);
    auto t = readBox<float>(inputs, "t", {{2}, {0}, {2}}, plan::DType::F32);
    for (int row = 0; row < 2; ++row) {
      EXPECT_EQ(x[row * 3 + 1], t[row] * 3 + 1);
      seen.insert(t[row]);
    }
  }
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(seen.count(float(i)), 2u);
}

TEST(Examples, thatDoNotFitAreRefused) {
  TemporaryFolder folder;
  std::string good = folder.write("d.safetensors", examples(7));
  std::string other = folder.write("o.safetensors", examples(7, "\"u\""));
  std::string none = folder.write("n.safetensors", examples(0));
  plan::Plan plan = pairPlan();
  EXPECT_EQ(error(plan, {{other}, {}, 0}, folder),
            "data 'o.safetensors' has no tensor 't', expected f32 [N], a row "
            "for each of N examples");
  EXPECT_EQ(error(plan, {{none}, {}, 0}, folder),
            "data 'n.safetensors': tensor 'x' has no examples");
  std::string uneven =
      folder.write("u.safetensors",
                   safetensorsBytes("{\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                    "\"data_offsets\":[0,24]},"
                                    "\"t\":{\"dtype\":\"F32\",\"shape\":[3],"
                                    "\"data_offsets\":[24,36]}}",
                                    std::string(36, '\0')));
  EXPECT_EQ(error(plan, {{uneven}, {}, 0}, folder),
            "data 'u.safetensors': tensor 't' has 3 examples, 'x' has 2");
  plan.inputs[0] = tensor("x", {2, 4});
  EXPECT_EQ(error(plan, {{good}, {}, 0}, folder),
            "data 'd.safetensors': tensor 'x' is f32 [7, 3], expected f32 "
            "[N, 4], a row for each of N examples");
  plan.inputs = {tensor("x", {2, 3}), tensor("t", {3})};
  EXPECT_EQ(error(plan, {{good}, {}, 0}, folder),
            "the program takes 3 examples of 't' and 2 of 'x'; the first dim "
            "of each input must be the batch");
  plan.inputs = {tensor("step", {}, {}, plan::DType::I32)};
  EXPECT_EQ(error(plan, {{good}, {}, 0}, folder), "the program takes no data");
}

TEST(InitialParameters, areTheSameInEveryPart) {
  plan::Plan plan;
  plan.parameters = {tensor("w", {4, 6}), tensor("b", {3})};
  plan.parameters[1].init = {plan::InitKind::Constant, 1};
  InitialParameters drawn(plan, 9);
  std::vector<float> whole(24), part(4), ones(3);
  ASSERT_TRUE(
      drawn.read("w", {{4, 6}, {0, 0}, {4, 6}}, plan::DType::F32, whole.data())
          .ok());
  ASSERT_TRUE(
      drawn.read("w", {{4, 6}, {1, 2}, {2, 2}}, plan::DType::F32, part.data())
          .ok());
  EXPECT_EQ(part,
            (std::vector<float>{whole[8], whole[9], whole[14], whole[15]}));
  float largest = 0;
  for (float value : whole)
    largest = std::max(largest, std::abs(value));
  EXPECT_GT(largest, 0.01f);
  EXPECT_LT(largest, 0.1f);
  ASSERT_TRUE(
      drawn.read("b", {{3}, {0}, {3}}, plan::DType::F32, ones.data()).ok());
  EXPECT_EQ(ones, (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(
      drawn.read("c", {{3}, {0}, {3}}, plan::DType::F32, ones.data()).message,
      "parameters (new, seed 9) have no 'c'");
}

TEST(Metrics, goOnAfterACheckpoint) {
  TemporaryFolder folder;
  std::string path =
      folder.write("m.jsonl", "{\"step\":1,\"loss\":3.0}\n{\"step\":2}\n"
                              "{\"step\":3}\n{\"st");
  {
    MetricsFile file;
    ASSERT_TRUE(file.open(path, 2).ok());
    ASSERT_TRUE(file.write({{"step", 3}, {"loss", 1.5}}).ok());
  }
  EXPECT_EQ(folder.read("m.jsonl"), "{\"step\":1,\"loss\":3.0}\n{\"step\":2}\n"
                                    "{\"step\":3,\"loss\":1.5}\n");
  MetricsFile fresh, bad;
  ASSERT_TRUE(fresh.open(path, 0).ok());
  EXPECT_EQ(folder.read("m.jsonl"), "");
  EXPECT_EQ(bad.open("/nowhere/m.jsonl", 0).message,
            "metrics '/nowhere/m.jsonl' cannot be written: No such file or "
            "directory");
}

std::string checkpointBytes(const std::string &metadata) {
  return safetensorsBytes("{\"__metadata__\":" + metadata +
                              ",\"w\":{\"dtype\":\"F32\",\"shape\":[1],"
                              "\"data_offsets\":[0,4]}}",
                          std::string(4, '\0'));
}

TEST(Checkpoint, isTheNewestOfAFolder) {
  TemporaryFolder folder;
  folder.write(
      "step-0000000007.safetensors",
      checkpointBytes("{\"hocket.step\":\"7\",\"hocket.seed\":\"3\"}"));
  folder.write(
      "step-0000000012.safetensors",
      checkpointBytes("{\"hocket.step\":\"12\",\"hocket.seed\":\"3\"}"));
  folder.write("step-0000000015.safetensors.abcdef", "half");
  folder.write("step-0000000015.json", "{}");
  Checkpoint newest;
  Status status = newest.open(folder.path(""));
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(newest.progress.step, 12);
  EXPECT_EQ(newest.progress.seed, 3u);
  EXPECT_EQ(newest.tensorNames(), std::vector<std::string>{"w"});
  Checkpoint named;
  ASSERT_TRUE(named.open(folder.path("step-0000000007.safetensors")).ok());
  EXPECT_EQ(named.progress.step, 7);
  // A run that begins to save there removes what was left half written.
  CheckpointFolder saves;
  status = saves.open(
      folder.path(""), 2,
      {"", newest.progress, folder.path("step-0000000012.safetensors")});
  ASSERT_TRUE(status.ok()) << status.message;
  std::vector<std::string> names = folder.list();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{
                       ".lock", "step-0000000007.safetensors",
                       "step-0000000012.safetensors", "step-0000000015.json"}));
}

TEST(Checkpoint, thatIsNoneIsRefused) {
  TemporaryFolder folder;
  auto refusal = [&](const std::string &path) {
    Checkpoint checkpoint;
    Status status = checkpoint.open(path);
    EXPECT_EQ(status.exitStatus(), 1);
    std::string message = status.message, root = folder.path("");
    for (size_t at; (at = message.find(root)) != std::string::npos;)
      message.erase(at, root.size());
    return message;
  };
  std::filesystem::create_directory(folder.path("empty"));
  EXPECT_EQ(refusal(folder.path("empty")),
            "checkpoint folder 'empty' has no checkpoint "
            "(step-N.safetensors); leave out --resume to begin anew");
  EXPECT_EQ(refusal(folder.path("none.safetensors")),
            "checkpoint 'none.safetensors': no such file");
  EXPECT_EQ(refusal(folder.write("plain.safetensors",
                                 checkpointBytes("{\"format\":\"pt\"}"))),
            "checkpoint 'plain.safetensors' does not say its step and seed, "
            "so it is no checkpoint; to begin with its parameters: --weights "
            "plain.safetensors");
  EXPECT_EQ(refusal(folder.write(
                "step-0000000001.safetensors",
                checkpointBytes("{\"hocket.step\":\"-1\"}").substr(0, 50))),
            "checkpoint 'step-0000000001.safetensors': the header says that "
            "it has 90 bytes, the file has 50");
  folder.write("file", "");
  CheckpointFolder saves;
  Status status = saves.open(folder.path("file/in"), 1, {});
  EXPECT_EQ(status.exitStatus(), 1);
  EXPECT_NE(status.message.find("cannot be made: Not a directory"),
            std::string::npos)
      << status.message;
}

} // namespace
