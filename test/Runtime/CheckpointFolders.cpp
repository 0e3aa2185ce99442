//===- CheckpointFolders.cpp - whose folder it is, and what stays in it ---===//

#include "Accumulator.h"

using namespace hocket;

namespace {

class CheckpointFolders : public test::AccumulatorProgram {
protected:
  std::string in(const std::string &name) {
    std::vector<std::string> names;
    for (const auto &entry :
         std::filesystem::directory_iterator(folder.path(name)))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string &each : names)
      text += (text.empty() ? "" : " ") + each;
    return text;
  }

  /// Without changing what is in `c`.
  void refuses(const std::string &options, const std::string &error) {
    std::string before = in("c");
    ProgramResult result = run(options);
    EXPECT_EQ(result.status, 1) << options << result.out;
    EXPECT_EQ(result.err, "error: " + error + "\n");
    EXPECT_EQ(in("c"), before);
  }
};

const char steps56[] =
    "step-0000000005.safetensors step-0000000006.safetensors";

TEST_F(CheckpointFolders, areOfOneRun) {
  ASSERT_EQ(run("--steps 6 --save-every 1 --keep 2 --checkpoint c").status, 0);
  EXPECT_EQ(in("c"), steps56);
  refuses("--steps 5 --checkpoint c",
          "checkpoint folder 'c' has checkpoints of another run, the newest "
          "after step 6; go on with it (--resume c), or save in another "
          "folder");
  refuses("--steps 9 --checkpoint c --resume c/step-0000000005.safetensors",
          "checkpoint folder 'c' has checkpoints of later steps than step 5 "
          "which the run goes on from, the newest after step 6; go on from "
          "that one (--resume c), or save in another folder");
  ASSERT_EQ(run("--steps 7 --checkpoint d").status, 0);
  refuses("--steps 9 --checkpoint c --resume d",
          "checkpoint folder 'c' has checkpoints of another run than "
          "'d/step-0000000007.safetensors', the newest after step 6; save in "
          "another folder");
  // Back to an earlier step, in a folder of its own.
  ProgramResult result =
      run("--steps 6 --checkpoint e --resume c/step-0000000005.safetensors");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(folder.read("e/step-0000000006.safetensors"),
            folder.read("c/step-0000000006.safetensors"));
}

TEST_F(CheckpointFolders, keepWhatTheirRunDidNotWrite) {
  ASSERT_EQ(run("--steps 2 --checkpoint other --seed 5").status, 0);
  ASSERT_EQ(run("--steps 4 --save-every 1 --keep 9 --checkpoint c").status, 0);
  std::filesystem::rename(folder.path("other/step-0000000002.safetensors"),
                          folder.path("c/step-0000000002.safetensors"));
  folder.write("c/step-0000000001.safetensors", "no checkpoint");
  ASSERT_EQ(run("--steps 6 --save-every 1 --keep 1 --checkpoint c "
                "--resume c")
                .status,
            0);
  EXPECT_EQ(in("c"), "step-0000000001.safetensors step-0000000002.safetensors "
                     "step-0000000006.safetensors");
}

TEST_F(CheckpointFolders, loseNothingForWantOfAnOption) {
  ASSERT_EQ(run("--steps 6 --save-every 1 --keep 9 --checkpoint c").status, 0);
  refuses("--steps 8 --checkpoint c --resume c",
          "checkpoint folder 'c' has 6 checkpoints of this run, of which 3 "
          "would be removed; say how many are kept: --keep 6");
  EXPECT_EQ(run("--steps 8 --checkpoint c --resume c --keep 2").status, 0);
  EXPECT_EQ(in("c"), "step-0000000006.safetensors step-0000000008.safetensors");
}

/// A program that trains until it is killed, beside one that is given the same.
std::string beside(const std::string &first, const std::string &second) {
  std::string run = "./app --data x.safetensors ";
  return run + first +
         " --steps 1000000000 --metrics started >first.log 2>&1 "
         "& child=$!; "
         "while ! [ -s started ]; do sleep 0.01; done; " +
         run + second +
         "; status=$?; kill -KILL $child; "
         "wait $child 2>/dev/null; exit $status";
}

TEST_F(CheckpointFolders, areUsedByOneRunAtATime) {
  ProgramResult result =
      shell(beside("--checkpoint c", "--steps 2 --checkpoint ./c --metrics m"));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err.find("error: checkpoint folder './c' is in use by "
                            "another run (process "),
            0u)
      << result.err;
  EXPECT_NE(result.err.find("); let it end, or save in another folder\n"),
            std::string::npos);
  // The lock went with its process.
  EXPECT_EQ(in("c"), ".lock");
  result = run("--steps 2 --checkpoint c");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(in("c"), "step-0000000002.safetensors");
}

TEST_F(CheckpointFolders, metricsAreOfOneRunAtATime) {
  ProgramResult result = shell(beside("", "--steps 2 --metrics ./started"));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "error: metrics './started' are written by another "
                        "run; let it end, or write to another file\n");
  result = run("--steps 2 --metrics started");
  EXPECT_EQ(result.status, 0) << result.err;
  // Lines of nobody, as ever so many may write.
  EXPECT_EQ(shell(beside("", "--steps 2 --metrics /dev/null")).status, 0);
}

} // namespace
