//===- IoLauncher.cpp - a plan made by hand, packed and run ---------------===//

#include "SamplePlan.h"
#include "hocket/Io/RandomTensors.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Plan/Summary.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "RunProgram.h"
#include "test/Paths.h"

using namespace hocket::runtime;
using hocket::plan::DType;
using hocket::plan::Plan;
using hocket::plan::samplePlan;

namespace {

std::vector<uint8_t> bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The sample plan with y multiplied by 3 in a generated kernel.
Plan kernelPlan(const char *symbol = "scale_rows") {
  using namespace hocket::plan;
  Plan plan = samplePlan();
  for (RankClass &c : plan.classes) {
    Copy copy = std::get<Copy>(c.step.back().body);
    c.step.back() = {0, Kernel{symbol, {copy.src}, {copy.dst}, {{3}}, 3}};
  }
  return plan;
}

class Launcher : public testing::Test {
protected:
  TemporaryFolder folder;
  const std::string files = " --weights " + folder.path("w") + " --input " +
                            folder.path("in") + " --output " +
                            folder.path("out");

  void pack(const Plan &plan, bool withKernels = false) {
    std::vector<uint8_t> kernels;
    if (withKernels)
      kernels = bytesOf(hocket::test::builtPath("test/lib/SampleKernels.so"));
    Status status = packExecutable(hocket::test::builtPath("bin/hocket-runner"),
                                   kernels, plan, folder.path("app"));
    ASSERT_TRUE(status.ok()) << status.message;
  }

  /// W[i, j] = i, b = 100, x[i, j] = i + j.
  void writeFiles() {
    std::string weights(96 + 24, 0), x(48, 0);
    auto put = [](std::string &bytes, int64_t at, float value) {
      memcpy(&bytes[at * 4], &value, 4);
    };
    for (int i = 0; i < 24; ++i)
      put(weights, i, float(i / 6));
    for (int i = 24; i < 30; ++i)
      put(weights, i, 100);
    for (int i = 0; i < 12; ++i)
      put(x, i, float(i / 4 + i % 4));
    folder.write("w", safetensorsBytes(
                          "{\"proj.weight\":{\"dtype\":\"F32\",\"shape\":[4,6]"
                          ",\"data_offsets\":[0,96]},\"proj.bias\":{\"dtype\":"
                          "\"F32\",\"shape\":[6],\"data_offsets\":[96,120]}}",
                          weights));
    folder.write("in", safetensorsBytes("{\"x\":{\"dtype\":\"F32\",\"shape\":"
                                        "[3,4],\"data_offsets\":[0,48]}}",
                                        x));
  }

  ProgramResult run(const std::string &arguments) {
    return runProgram(folder, folder.path("app") + " " + arguments);
  }

  std::vector<float> output() {
    TensorFiles tensors("output");
    Status status = tensors.add(folder.path("out"));
    std::vector<float> y(18);
    if (status.ok())
      status = tensors.read("y", {{18}, {0}, {18}}, DType::F32, y.data());
    EXPECT_TRUE(status.ok()) << status.message;
    return y;
  }

  bool hasOutput() {
    for (const std::string &name : folder.list())
      if (name.compare(0, 3, "out") == 0)
        return true;
    return false;
  }
};

TEST_F(Launcher, ComputesTheOutput) {
  pack(samplePlan());
  writeFiles();
  ProgramResult result = run(files + " --check-replicas");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  // sum_k (i + k) k + 100 = 6 i + 14 + 100
  std::vector<float> y = output();
  for (int i = 0; i < 18; ++i)
    EXPECT_EQ(y[i], float(i / 6 * 6 + 114)) << i;
  EXPECT_EQ(folder.list().size(), 4u);
}

TEST_F(Launcher, RunsKernels) {
  pack(kernelPlan(), true);
  writeFiles();
  ProgramResult result = run(files);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(output()[6], 3 * 120.0f);
}

TEST_F(Launcher, MissingKernelsAreNamed) {
  pack(kernelPlan("unknown"), true);
  writeFiles();
  ProgramResult result = run(files);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, "error: kernel 'unknown' is not in the executable\n");
  EXPECT_FALSE(hasOutput());
}

TEST_F(Launcher, StatisticsAgreeWithThePlan) {
  pack(samplePlan());
  ProgramResult result = run("--random-weights 1 --random-input 2 --warmup 1 "
                             "--repeat 3 --stats=json");
  ASSERT_EQ(result.status, 0) << result.err;
  auto counted = nlohmann::json::parse(result.out);
  auto promised =
      nlohmann::json::parse(hocket::plan::summary(samplePlan()).dump());
  for (const char *key : {"ranks", "totals", "arena_bytes", "weight_bytes"})
    EXPECT_EQ(counted[key], promised[key]) << key;
  EXPECT_EQ(counted["step_seconds"]["all"].size(), 3u);
  EXPECT_EQ(counted["instructions"]["matmul"]["calls"], 1);
}

TEST_F(Launcher, StatisticsForPeople) {
  pack(samplePlan());
  ProgramResult result =
      run("--random-weights 1 --random-input 2 --stats --trace " +
          folder.path("trace.json"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("  all_reduce             1 call, 72 B\n"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("  weights                152 B\n"),
            std::string::npos)
      << result.out;
  auto trace = nlohmann::json::parse(folder.read("trace.json"), nullptr, false);
  EXPECT_FALSE(trace.is_discarded());
}

TEST_F(Launcher, RandomRunsRepeat) {
  pack(samplePlan());
  std::string random =
      "--random-weights 1 --random-input 2 --output " + folder.path("out");
  ASSERT_EQ(run(random).status, 0);
  std::string first = folder.read("out");
  ASSERT_EQ(run(random).status, 0);
  EXPECT_EQ(folder.read("out"), first);
  ASSERT_EQ(
      run("--random-weights 2 --random-input 2 --output " + folder.path("out"))
          .status,
      0);
  EXPECT_NE(folder.read("out"), first);
}

TEST_F(Launcher, Describes) {
  pack(samplePlan());
  ProgramResult result = run("--describe");
  EXPECT_EQ(result.status, 0);
  auto text = nlohmann::json::parse(result.out);
  EXPECT_EQ(text["mesh"][0]["name"], "tp");
  EXPECT_EQ(text["inputs"][0]["shape"], nlohmann::json::array({3, 4}));
  EXPECT_EQ(text["parameters"][1]["name"], "proj.bias");
}

struct BadUsage {
  const char *arguments, *error;
};
class LauncherUsage : public Launcher,
                      public testing::WithParamInterface<BadUsage> {};

TEST_P(LauncherUsage, IsRefused) {
  pack(samplePlan());
  ProgramResult result = run(GetParam().arguments);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, std::string("error: ") + GetParam().error + "\n");
}

const BadUsage badUsages[] = {
    {"--wieghts w", "unknown option '--wieghts'; did you mean '--weights'?"},
    {"--colour", "unknown option '--colour'; see --help"},
    {"w.safetensors", "unexpected argument 'w.safetensors'; files are given "
                      "as --weights, --input and --output"},
    {"--weights", "--weights needs a value: --weights FILE"},
    {"--repeat 0", "--repeat is '0', expected a number from 1"},
    {"--repeat=3x", "--repeat is '3x', expected a number from 1"},
    {"--random-weights -1",
     "--random-weights is '-1', expected a natural number"},
    {"--deadline 0", "--deadline is '0', expected a number of seconds above 0"},
    {"--help=yes", "--help is 'yes', expected nothing"},
    {"--stats=xml", "--stats is 'xml', expected nothing, json or json:FILE"},
    {"", "missing --weights FILE: the model has 'proj.weight', 'proj.bias' "
         "(or --random-weights SEED)"},
    {"--weights w", "missing --input FILE: the model takes 'x' (or "
                    "--random-input SEED)"},
    {"--weights w --input x", "missing --output FILE: the model gives 'y'"},
    {"--weights w --random-weights 1",
     "--weights and --random-weights exclude each other"},
    {"--input w --random-input 1 --random-weights 1",
     "--input and --random-input exclude each other"},
};
INSTANTIATE_TEST_SUITE_P(Arguments, LauncherUsage,
                         testing::ValuesIn(badUsages));

TEST_F(Launcher, WrongNumberOfRanks) {
  pack(samplePlan());
  ProgramResult result = run(files + " --ranks 4");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: the program is compiled for 2 ranks, --ranks "
                        "says 4\n");
}

TEST_F(Launcher, BadFilesAreTheUsersMistake) {
  pack(samplePlan());
  writeFiles();
  std::filesystem::resize_file(folder.path("w"), 200);
  ProgramResult result = run(files);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: weights 'w': tensor 'proj.weight' has data "
                        "[0, 96) of the 61 bytes in the file\n");
  EXPECT_FALSE(hasOutput());
}

TEST_F(Launcher, EveryFaultIsALine) {
  pack(samplePlan());
  writeFiles();
  ProgramResult result =
      run("--weights " + folder.path("in") + " --input " + folder.path("w") +
          " --output " + folder.path("out"));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "error: weights 'in' has no tensor 'proj.weight', expected f32 "
            "[4, 6] (sample.hkt:5:10)\n"
            "error: weights 'in' has no tensor 'proj.bias', expected f32 [6] "
            "(sample.hkt:5:10)\n");
  EXPECT_FALSE(hasOutput());
}

TEST_F(Launcher, WrongInput) {
  pack(samplePlan());
  writeFiles();
  folder.write("in", safetensorsBytes("{\"x\":{\"dtype\":\"I64\",\"shape\":[3,"
                                      "4],\"data_offsets\":[0,96]}}",
                                      std::string(96, 0)));
  ProgramResult result = run(files);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: input 'in': tensor 'x' is i64 [3, 4], expected "
                        "f32 [3, 4]\n");
  EXPECT_FALSE(hasOutput());
}

TEST_F(Launcher, UnwritableOutput) {
  pack(samplePlan());
  writeFiles();
  ProgramResult result = run(files + "/out");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: output 'out/out' cannot be written: No such "
                        "file or directory\n");
}

TEST_F(Launcher, ReplicasThatDifferAreFound) {
  // The sum is not copied to y; what it is made of is.
  Plan plan = samplePlan();
  for (auto &c : plan.classes)
    std::get<hocket::plan::Copy>(c.step.back().body).src.buffer = 2;
  pack(plan);
  writeFiles();
  EXPECT_EQ(run(files).status, 0);
  std::filesystem::remove(folder.path("out"));
  ProgramResult result = run(files + " --check-replicas");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, "error: output 'y' is replicated, but rank 1 differs "
                        "from rank 0 from element 0 of 18 on\n");
  EXPECT_FALSE(hasOutput());
}

/// y = table[ids] with ids i32 [2] and a table f32 [4, 3], on one rank.
Plan lookupPlan() {
  using namespace hocket::plan;
  Plan plan;
  plan.model = "Lookup";
  plan.sources = {{"words", "lookup.hkt:3:3", ""}};
  plan.inputs = {{"ids", DType::I32, {2}, {2}, {}, {}}};
  plan.outputs = {{"y", DType::F32, {2, 3}, {2, 3}, {}, {}}};
  plan.parameters = {{"words.weight", DType::F32, {4, 3}, {4, 3}, {}, {}}};
  RankClass c;
  c.ranks = {0};
  c.buffers = {{Region::Weights, 0, 48, DType::F32},
               {Region::Input, 0, 8, DType::I32},
               {Region::Output, 0, 24, DType::F32}};
  c.budget = {0, 64};
  View table{0, 0, {}, {4, 3}, {3, 1}};
  c.load = {{0, ReadParameter{0, table, {}}}};
  c.step = {
      {0, Embedding{
              table, {1, 0, {}, {2}, {1}}, {2, 0, {}, {2, 3}, {3, 1}}, {}, 4}}};
  plan.classes = {c};
  return plan;
}

TEST_F(Launcher, FailuresWhileRunningLeaveNoFile) {
  pack(lookupPlan());
  std::string files = "--random-weights 1 --output " + folder.path("out") +
                      " --input " + folder.path("in");
  auto runWith = [&](int64_t id) {
    std::string ids(16, 0);
    memcpy(&ids[8], &id, 8);
    folder.write("in", safetensorsBytes("{\"ids\":{\"dtype\":\"I64\",\"shape\":"
                                        "[2],\"data_offsets\":[0,16]}}",
                                        ids));
    return run(files);
  };
  EXPECT_EQ(runWith(3).status, 0);
  std::filesystem::remove(folder.path("out"));
  ProgramResult result = runWith(4);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: embedding of \"words\" (lookup.hkt:3:3): "
                        "input \"ids\" holds 4, which is outside [0, 4)\n");
  EXPECT_FALSE(hasOutput());
  result = runWith(int64_t(1) << 32);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: input 'in': tensor 'ids' has 4294967296 at "
                        "[1], which does not fit in i32\n");
  EXPECT_FALSE(hasOutput());
}

TEST_F(Launcher, DamagedExecutables) {
  pack(samplePlan());
  std::vector<uint8_t> bytes = bytesOf(folder.path("app"));
  auto runWith = [&](size_t fromEnd) {
    std::vector<uint8_t> damaged = bytes;
    damaged[damaged.size() - fromEnd] ^= 1;
    std::ofstream(folder.path("app"), std::ios::binary)
        .write(reinterpret_cast<char *>(damaged.data()), damaged.size());
    ProgramResult result = run("--describe");
    EXPECT_EQ(result.status, 3);
    return result.err;
  };
  const char *changed =
      "error: executable 'app' is damaged: its kernels or its plan "
      "are not what was written; compile it again\n";
  EXPECT_EQ(runWith(100), changed);
  EXPECT_EQ(runWith(16), changed);
  EXPECT_EQ(runWith(24),
            "error: executable 'app' is damaged: its trailer points "
            "outside of it; compile it again\n");
  EXPECT_EQ(runWith(1), "error: executable 'app' is damaged: its end is "
                        "missing; compile it again\n");
}

TEST_F(Launcher, ARunnerAlone) {
  std::filesystem::copy_file(hocket::test::builtPath("bin/hocket-runner"),
                             folder.path("app"));
  ProgramResult result = run("--describe");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "error: this runner carries no program; make one with: "
                        "hocket compile FILE.hkt -o app\n");
}

TEST_F(Launcher, ASignalLeavesNoFile) {
  pack(samplePlan());
  ProgramResult result = runProgram(
      folder, "timeout --preserve-status -s TERM 1 " + folder.path("app") +
                  " --random-weights 1 --random-input 1 --repeat "
                  "1000000000 --output " +
                  folder.path("out"));
  EXPECT_NE(result.status, 0);
  EXPECT_EQ(folder.list(), std::vector<std::string>{"app"});
}

TEST_F(Launcher, APackedProgramCanBePackedAnew) {
  pack(samplePlan());
  Plan other = samplePlan();
  other.model = "Other";
  ASSERT_TRUE(
      packExecutable(folder.path("app"), {}, other, folder.path("app2")).ok());
  EXPECT_NEAR(double(bytesOf(folder.path("app2")).size()),
              double(bytesOf(folder.path("app")).size()), 8);
  ProgramResult result =
      runProgram(folder, folder.path("app2") + " --describe");
  EXPECT_EQ(nlohmann::json::parse(result.out)["model"], "Other");
}

TEST_F(Launcher, AWrongPlanIsNotPacked) {
  Plan plan = samplePlan();
  plan.mesh[0].size = 3;
  Status status = packExecutable(hocket::test::builtPath("bin/hocket-runner"),
                                 {}, plan, folder.path("app"));
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message, "the plan cannot be packed: table 0: has 2 values, "
                            "its axes have 3 coordinates");
  EXPECT_TRUE(folder.list().empty());
  status = packExecutable(hocket::test::builtPath("bin/hocket-runner"), {},
                          samplePlan(), folder.path(""));
  EXPECT_EQ(status.message, "executable '" + folder.path("") +
                                "' cannot be written: it is not a regular "
                                "file");
}

} // namespace
