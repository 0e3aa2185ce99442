//===- IoNewFiles.cpp - files that several processes write ----------------===//

#include "hocket/Io/Safetensors.h"
#include "hocket/Runtime/PackedBytes.h"
#include "hocket/Runtime/Processes.h"
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

#include "TemporaryFolder.h"

using namespace hocket::runtime;
using hocket::plan::DType;

namespace {

TEST(NewFile, AnotherWritesIntoOneWithoutAName) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  NewFile first, other;
  ASSERT_TRUE(first.create(path));
  if (first.hasTemporaryName())
    GTEST_SKIP() << "this file system has no files without names";
  ASSERT_TRUE(other.join(first.place())) << std::strerror(errno);
  ASSERT_TRUE(first.write("ab", 2));
  ASSERT_EQ(pwrite(other.descriptor(), "cd", 2, 2), 2);
  EXPECT_EQ(folder.list().size(), 0u);
  ASSERT_TRUE(first.publish());
  EXPECT_EQ(folder.read("out"), "abcd");
  EXPECT_EQ(folder.list().size(), 1u);
}

/// The number of a file that was closed goes to the next one that is opened.
TEST(NewFile, AnotherFileIsNotOpenedInItsStead) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  NewFile first, second, other;
  ASSERT_TRUE(first.create(path));
  if (first.hasTemporaryName())
    GTEST_SKIP() << "this file system has no files without names";
  std::string place = first.place();
  ASSERT_TRUE(first.publish());
  ASSERT_TRUE(second.create(path));
  ASSERT_EQ(second.place().substr(0, second.place().find('\n')),
            place.substr(0, place.find('\n')));
  EXPECT_FALSE(other.join(place));
  EXPECT_EQ(errno, ENOENT);
  // The same numbers on another machine.
  std::string elsewhere = second.place();
  elsewhere[elsewhere.find('\n') + 1] = 'x';
  EXPECT_FALSE(other.join(elsewhere));
  EXPECT_TRUE(other.join(second.place()));
}

/// Process 0 of two; the other one is of another machine of the file system:
/// it sees what has a name.
class WithOneElsewhere : public Processes {
public:
  int64_t index() const override { return 0; }
  int64_t count() const override { return 2; }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override {
    all = {mine, mine};
    if (!mine.empty() && mine[0] == '/') {
      places.push_back(mine);
      isSeen = mine.find('\n') == std::string::npos;
    } else if (!isSeen) {
      all[1] = failed();
      isSeen = true;
    }
    return Status::success();
  }
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &,
                                        std::unique_ptr<World>) override {
    return nullptr;
  }

  std::vector<std::string> places; // that were told

private:
  static std::string failed() {
    Status status = Status::runtimeError("does not see it");
    BytePacker packer;
    packer.add(status.kind);
    packer.add(status.message);
    return packer.bytes;
  }
  bool isSeen = true;
};

TEST(SafetensorsWriter, HasANameWhereAProcessIsElsewhere) {
  TemporaryFolder folder;
  std::string path = folder.path("out.safetensors");
  WithOneElsewhere processes;
  TensorDescription description{DType::F32, {2}};
  std::unique_ptr<SafetensorsWriter> writer;
  Status status = SafetensorsWriter::create(path, {{"x", description}}, writer,
                                            {}, processes);
  ASSERT_TRUE(status.ok()) << status.message;
  ASSERT_FALSE(processes.places.empty());
  EXPECT_EQ(processes.places.back().find(path + "."), 0u);
  EXPECT_EQ(folder.list().size(), 1u);
  ASSERT_TRUE(writer->commit().ok());
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(folder.list().size(), 1u);
}

TEST(SafetensorsWriter, AFolderThatIsNotThereIsNamedOnce) {
  WithOneElsewhere processes;
  std::unique_ptr<SafetensorsWriter> writer;
  Status status = SafetensorsWriter::create("/no/such/folder/out.safetensors",
                                            {{"x", {DType::F32, {2}}}}, writer,
                                            {}, processes);
  EXPECT_EQ(status.message,
            "output '/no/such/folder/out.safetensors' cannot be written: No "
            "such file or directory");
  EXPECT_TRUE(processes.places.empty());
}

} // namespace
