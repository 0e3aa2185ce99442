//===- ProgramTest.cpp - executables that train ---------------------------===//
//
// What a run saves it goes on from to the bit, under any schedule. The numbers
// of the step are exact (SgdProgram.h), so that files are compared byte by
// byte.
//
//===----------------------------------------------------------------------===//

#include "TrainedProgram.h"
#include <csignal>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hocket::test;

namespace {

const std::string second = "/step-0000000002.safetensors";
const std::string third = "/step-0000000003.safetensors";

TEST_F(TrainedProgram, goesOnAsIfNeverStopped) {
  trains(app(1, 1), "--steps 3 --checkpoint whole --metrics whole.jsonl");
  trains(app(1, 1), "--steps 2 --checkpoint cut --metrics cut.jsonl");
  trains(app(1, 1),
         "--steps 3 --checkpoint cut --metrics cut.jsonl --resume cut");
  EXPECT_EQ(folder.read("cut" + third), folder.read("whole" + third));
  std::vector<nlohmann::json> whole = lines("whole.jsonl"),
                              cut = lines("cut.jsonl");
  ASSERT_EQ(whole.size(), 3u);
  ASSERT_EQ(cut.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cut[i]["step"], i + 1);
    EXPECT_EQ(cut[i]["loss"], whole[i]["loss"]);
    EXPECT_EQ(cut[i]["bytes"], 0);
    EXPECT_GT(cut[i]["tokens_per_second"], 0);
  }
  EXPECT_LT(whole[2]["loss"], whole[0]["loss"]);
}

TEST_F(TrainedProgram, goesOnUnderAnySchedule) {
  trains(app(1, 1), "--steps 3 --checkpoint whole");
  for (auto [dp, tp] : {std::pair(1, 2), {2, 1}, {2, 2}, {3, 1}}) {
    std::string name = "c" + std::to_string(dp) + std::to_string(tp);
    trains(app(dp, tp), "--steps 2 --checkpoint " + name);
    trains(app(1, 2), "--steps 3 --checkpoint " + name + " --resume " + name);
    EXPECT_EQ(folder.read(name + third), folder.read("whole" + third)) << name;
    std::string again = "again" + name;
    trains(app(dp, tp),
           "--steps 3 --checkpoint " + again + " --resume " + name + second);
    EXPECT_EQ(folder.read(again + third), folder.read("whole" + third));
  }
}

TEST_F(TrainedProgram, keepsTheNewest) {
  trains(app(1, 1), "--steps 7 --save-every 2 --keep 2 --checkpoint c");
  EXPECT_EQ(listed("c"),
            (std::vector<std::string>{"step-0000000006.safetensors",
                                      "step-0000000007.safetensors"}));
}

TEST_F(TrainedProgram, countsWhatItReceives) {
  // Of each tp pair the loss; of each dp pair the loss and the gradient of the
  // weight's part: 2 * (2 + 1) rows of 5 in all.
  trains(app(2, 2), "--steps 2 --metrics m.jsonl --stats=json:s.json");
  nlohmann::json stats = nlohmann::json::parse(folder.read("s.json"));
  int64_t expected = 0;
  for (int64_t bytes : stats["totals"]["step"]["all_reduce"]["bytes_per_rank"])
    expected += bytes;
  EXPECT_EQ(lines("m.jsonl")[1]["bytes"], expected);
  EXPECT_GT(expected, 0);
  EXPECT_EQ(stats["state_bytes"], nlohmann::json::parse("[104,84,104,84]"));
}

TEST_F(TrainedProgram, beginsAsItsInitSaysOrWithWeights) {
  trains(app(1, 2), "--steps 1 --checkpoint first");
  // Rate 1/16 and the first momentum is the gradient: w = 1 - m / 16.
  auto w = tensor("first/step-0000000001.safetensors", "w").values;
  auto m = tensor("first/step-0000000001.safetensors", "momentum.w").values;
  for (size_t i = 0; i < w.size(); ++i)
    EXPECT_EQ(w[i], 1 - m[i] / 16);
  std::string weights(60, '\0');
  folder.write("w.safetensors",
               safetensorsBytes("{\"w\":{\"dtype\":\"F32\",\"shape\":[3,5],"
                                "\"data_offsets\":[0,60]}}",
                                weights));
  trains(app(1, 2), "--steps 1 --checkpoint given --weights w.safetensors");
  w = tensor("given/step-0000000001.safetensors", "w").values;
  m = tensor("given/step-0000000001.safetensors", "momentum.w").values;
  for (size_t i = 0; i < w.size(); ++i)
    EXPECT_EQ(w[i], 0 - m[i] / 16);
}

TEST_F(TrainedProgram, saysWhatIsWrong) {
  std::string program = app(1, 1);
  trains(program, "--steps 2 --seed 4 --checkpoint c");
  struct Case {
    const char *options, *message;
    int status;
  };
  const Case cases[] = {
      {"", "missing --steps N: how many steps to train", 2},
      {"--steps 0", "--steps is '0', expected a number from 1", 2},
      {"--steps 3 --output o",
       "--output is for programs that do not train; this one is run with "
       "--data FILE --steps N",
       2},
      {"--steps 3 --step 4", "unknown option '--step'; did you mean '--steps'?",
       2},
      {"--steps 3 --keep 2",
       "--keep needs a folder to save in: --checkpoint FOLDER", 2},
      {"--steps 3 --save-every 2",
       "--save-every needs a folder to save in: --checkpoint FOLDER", 2},
      {"--steps 3 --resume c --weights w",
       "--weights and --resume exclude each other: a checkpoint has the "
       "parameters",
       2},
      {"--steps 3 --token-type f32",
       "--token-type is 'f32', expected u8, u16 or i32", 2},
      {"--steps 3 --resume c --seed 5",
       "checkpoint 'c/step-0000000002.safetensors' is of a run with seed 4, "
       "--seed says 5; leave out --seed to go on",
       1},
      {"--steps 3 --resume data.safetensors",
       "checkpoint 'data.safetensors' does not say its step and seed, so it is "
       "no checkpoint; to begin with its parameters: --weights "
       "data.safetensors",
       1},
      {"--steps 3 --weights data.safetensors",
       "weights 'data.safetensors' has no tensor 'w', expected f32 [3, 5] "
       "(app11.mlir:6:10); did you mean 't'?",
       1},
      {"--steps 3 --metrics no/m.jsonl",
       "metrics 'no/m.jsonl' cannot be written: No such file or directory", 1},
      {"--steps 3 --checkpoint data.safetensors",
       "checkpoint folder 'data.safetensors' cannot be made: Not a directory",
       1},
  };
  for (const Case &wrong : cases) {
    ProgramResult result = train(program, wrong.options);
    EXPECT_EQ(result.status, wrong.status) << wrong.options;
    EXPECT_EQ(result.err.substr(0, result.err.find('\n')),
              std::string("error: ") + wrong.message);
  }
  ProgramResult missing = runProgram(folder, program + " --steps 3");
  EXPECT_EQ(missing.err,
            "error: missing --data FILE: the program trains on 'x', 't'\n");
  ProgramResult done = train(program, "--steps 2 --resume c");
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, "nothing to do: checkpoint "
                      "'c/step-0000000002.safetensors' is after step 2 and "
                      "--steps is 2\n");
}

/// Runs `arguments` and kills the process after `milliseconds`.
void killAfter(const std::string &directory,
               const std::vector<std::string> &arguments, int milliseconds) {
  pid_t child = fork();
  if (child == 0) {
    std::vector<char *> words;
    for (const std::string &word : arguments)
      words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    if (chdir(directory.c_str()) == 0 && freopen("/dev/null", "w", stdout))
      execv(words[0], words.data());
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the run ended before it was killed";
}

/// 200 of them: tools/dev/kill-while-saving.
TEST_F(TrainedProgram, isKilledAtAnyMomentAndGoesOn) {
  std::string program = app(1, 2);
  trains(program, "--steps 1 --checkpoint c");
  std::mt19937 random(1);
  int64_t done = 1;
  for (int i = 0; i < 20; ++i) {
    killAfter(folder.path(""),
              {program, "--data", "data.safetensors", "--steps", "1000000",
               "--save-every", "1", "--keep", "2", "--checkpoint", "c",
               "--resume", "c"},
              100 + int(random() % 100));
    // The last complete checkpoint loads, and nothing before it was lost.
    std::string steps = std::to_string(done);
    ProgramResult result =
        train(program, "--steps 1 --checkpoint c --resume c --keep 2");
    ASSERT_EQ(result.status, 0) << result.err;
    size_t at = result.out.find("after step ");
    ASSERT_NE(at, std::string::npos) << result.out;
    int64_t now = std::stoll(result.out.substr(at + 11));
    EXPECT_GE(now, done);
    done = now;
    trains(program, "--steps " + std::to_string(++done) +
                        " --checkpoint c --resume c --keep 2");
  }
  EXPECT_GT(done, 40);
}

} // namespace
