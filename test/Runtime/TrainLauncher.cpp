//===- TrainLauncher.cpp - a program that trains, saves and goes on -------===//

#include "Accumulator.h"
#include <cmath>
#include <csignal>

using namespace hocket;

namespace {

class TrainLauncher : public test::AccumulatorProgram {};

TEST_F(TrainLauncher, savesAllParametersAndStates) {
  ProgramResult result = run("--steps 4 --checkpoint c --metrics m --seed 3");
  ASSERT_EQ(result.status, 0) << result.err;
  std::string file = "c/step-0000000004.safetensors";
  EXPECT_EQ(values(file, "eye"), std::vector<double>{1});
  EXPECT_EQ(values(file, "count"), std::vector<double>{4});
  std::vector<double> acc = values(file, "acc");
  // Drawn around 0 and then four times both examples.
  EXPECT_NEAR(acc[0] + acc[3], 44, 0.5);
  EXPECT_NEAR(acc[2] + acc[5], 132, 0.5);
  EXPECT_NE(acc[0] + acc[3], 44);
  EXPECT_NE(result.out.find("steps 1 to 4 in "), std::string::npos);
  EXPECT_NE(result.out.find("; saved in c/step-0000000004.safetensors\n"),
            std::string::npos)
      << result.out;
  std::string metrics = folder.read("m");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 4);
  EXPECT_EQ(metrics.find("{\"step\":1,\"loss\":1"), 0u) << metrics;
}

TEST_F(TrainLauncher, goesOnToTheBit) {
  ASSERT_EQ(run("--steps 5 --checkpoint whole").status, 0);
  ASSERT_EQ(run("--steps 2 --checkpoint cut").status, 0);
  ProgramResult result = run("--steps 5 --checkpoint cut --resume cut");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(folder.read("cut/step-0000000005.safetensors"),
            folder.read("whole/step-0000000005.safetensors"));
}

TEST_F(TrainLauncher, namesTheStepThatCannotBeSaved) {
  ASSERT_EQ(run("--steps 1 --checkpoint c").status, 0);
  // The folder goes away while the run goes on, which may save into it while
  // it is emptied.
  ProgramResult result =
      shell("./app --data x.safetensors --steps 1000000 --save-every 2 "
            "--checkpoint c --resume c --metrics m & "
            "while ! grep -q '\"step\":2' m 2>/dev/null; do sleep 0.01; done; "
            "until rm -rf c 2>/dev/null; do :; done; wait $!");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err.find("error: checkpoint after step "), 0u);
  EXPECT_NE(result.err.find(": No such file or directory\n"), std::string::npos)
      << result.err;
}

TEST_F(TrainLauncher, leavesNothingWhereAFileIsWrong) {
  ASSERT_EQ(run("--steps 2 --checkpoint c").status, 0);
  folder.write("m", "{\"step\":1}\n");
  ProgramResult result =
      run("--steps 5 --metrics m --checkpoint c --resume x.safetensors");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(folder.read("m"), "{\"step\":1}\n");
  // Parameters without the state.
  std::string whole = folder.read("c/step-0000000002.safetensors");
  for (size_t at; (at = whole.find("count")) != std::string::npos;)
    whole.replace(at, 5, "round");
  folder.write("c/step-0000000002.safetensors", whole);
  result = run("--steps 5 --metrics m --resume c");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "error: checkpoint 'c/step-0000000002.safetensors' is of another "
            "optimizer: it holds 1 tensor that the recipe's does not keep: "
            "'round'; it has no 'count', which the recipe's keeps; go on with "
            "the recipe that saved it, or begin a new run with its parameters: "
            "--weights c/step-0000000002.safetensors\n");
  EXPECT_EQ(folder.read("m"), "{\"step\":1}\n");
}

TEST_F(TrainLauncher, keepsWhatItReadsAndWhatIsNoMetrics) {
  ASSERT_EQ(run("--steps 1 --checkpoint c").status, 0);
  folder.write("notes", "my notes");
  auto refuses = [&](const std::string &options, const std::string &error) {
    ProgramResult result = run("--steps 2 " + options);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err, "error: metrics " + error + "\n");
  };
  refuses("--metrics notes", "'notes' is there already and is no metrics of a "
                             "run; write to another file, or replace it: "
                             "--force");
  refuses("--metrics x.safetensors --force",
          "'x.safetensors' is the file that is read as data 'x.safetensors'; "
          "write to another file");
  std::string saved = "c/step-0000000001.safetensors";
  refuses("--resume c --force --metrics " + saved,
          "'" + saved + "' is the file that is read as checkpoint '" + saved +
              "'; write to another file");
  EXPECT_EQ(run("--steps 2 --metrics notes --force").status, 0);
  EXPECT_EQ(folder.read("notes").find("{\"step\":1,"), 0u);
  EXPECT_EQ(run("--steps 2 --metrics notes").status, 0);
}

TEST_F(TrainLauncher, leavesOutStepsThatAreNotFinite) {
  std::string data(24, '\0');
  float bad = INFINITY;
  std::memcpy(&data[0], &bad, 4);
  folder.write("x.safetensors",
               safetensorsBytes("{\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                "\"data_offsets\":[0,24]}}",
                                data));
  ProgramResult result = run("--steps 3 --checkpoint c --metrics m");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err.find("error: step 1: loss inf; the step was left out; "
                            "the first value that is not finite: inf in input "
                            "'x' on rank "),
            0u)
      << result.err;
  EXPECT_FALSE(
      std::filesystem::exists(folder.path("c/step-0000000003.safetensors")));
  // The states stay, what is counted is right.
  std::string file = "c/step-0000000003.safetensors";
  result = run("--steps 3 --checkpoint c --nan skip --stats=json:s");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(values(file, "count"), std::vector<double>{0});
  EXPECT_LT(std::abs(values(file, "acc")[0]), 1);
  result = run("--steps 3 --checkpoint d --nan ignore");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(values("d/step-0000000003.safetensors", "count"),
            std::vector<double>{3});
  // A state that is bad when the step begins.
  result = run("--steps 4 --resume d");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("step 4: loss inf"), std::string::npos);
}

/// Trains until a line of metrics is there, and for a moment more; `wait $!`
/// then gives its exit status.
const char trainForAWhile[] =
    "./app --data x.safetensors --steps 1000000000 --save-every 1000000 "
    "--checkpoint c --metrics m & "
    "while ! [ -s m ]; do sleep 0.01; done; sleep 0.05; ";

TEST_F(TrainLauncher, savesAndEndsWhenItIsAskedTo) {
  ProgramResult result =
      shell(std::string(trainForAWhile) + "kill -TERM $!; wait $!");
  EXPECT_EQ(result.status, 4) << result.err;
  EXPECT_EQ(result.err, "");
  std::string metrics = folder.read("m");
  auto steps = std::count(metrics.begin(), metrics.end(), '\n');
  char name[64];
  std::snprintf(name, sizeof name, "c/step-%010d.safetensors", int(steps));
  std::string end = std::string("; saved in ") + name +
                    "; ended by SIGTERM, to go on: --resume c\n";
  EXPECT_NE(result.out.find(end), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("steps 1 to " + std::to_string(steps) + " in "),
            0u);
  // Nothing is lost and nothing is done twice.
  std::string all = "--steps " + std::to_string(steps + 2);
  ASSERT_EQ(run(all + " --checkpoint c --resume c").status, 0);
  ASSERT_EQ(run(all + " --checkpoint whole").status, 0);
  std::snprintf(name, sizeof name, "/step-%010d.safetensors", int(steps + 2));
  EXPECT_EQ(folder.read(std::string("c") + name),
            folder.read(std::string("whole") + name));
}

TEST_F(TrainLauncher, endsAtOnceWithoutAFolder) {
  ProgramResult result = shell("./app --data x.safetensors --steps 1000000000 "
                               "--metrics m & while ! [ -s m ]; do sleep 0.01; "
                               "done; kill -TERM $!; wait $!");
  EXPECT_EQ(result.status, 128 + SIGTERM);
}

TEST_F(TrainLauncher, saysThatAFileMayNotGrow) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer writes a file when a program starts";
#endif
#endif
  ProgramResult result =
      shell("(ulimit -f 0; ./app --data x.safetensors --steps 1 --checkpoint c "
            "2>&1) | cat");
  EXPECT_EQ(result.out, "error: checkpoint folder 'c' cannot be written: File "
                        "too large\n");
}

} // namespace
