//===- IoSafetensors.cpp - safetensors: what is read, refused, written ----===//

#include "hocket/Io/Safetensors.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Runtime/PackedBytes.h"
#include "hocket/Runtime/Processes.h"
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "TemporaryFolder.h"
#include "test/Paths.h"

using namespace hocket::runtime;
using hocket::plan::DType;

namespace {

struct BadHeader {
  const char *header;
  size_t dataBytes;
  const char *sentence;
};

class BadSafetensors : public testing::TestWithParam<BadHeader> {};

TEST_P(BadSafetensors, IsRefused) {
  std::string bytes =
      safetensorsBytes(GetParam().header, std::string(GetParam().dataBytes, 0));
  std::map<std::string, StoredTensor> tensors;
  std::string error;
  EXPECT_FALSE(parseSafetensors(reinterpret_cast<const uint8_t *>(bytes.data()),
                                bytes.size(), tensors, error));
  EXPECT_EQ(error, GetParam().sentence);
  EXPECT_TRUE(tensors.empty());
}

#define ENTRY_FORM                                                             \
  "is not {\"dtype\", \"shape\", \"data_offsets\"} of a word, natural "        \
  "numbers and two natural numbers"

const BadHeader badHeaders[] = {
    {"", 0, "the header is not a JSON object"},
    {"[1]", 0, "the header is not a JSON object"},
    {"{\"a\": ", 0, "the header is not JSON from its byte 7"},
    {"{\"a\": 5}", 0, "tensor 'a' " ENTRY_FORM},
    {"{\"a\": [[[[[[[[]]]]]]]]}", 0, "tensor 'a' " ENTRY_FORM},
    {"{\"a\": {\"shape\": {\"x\": 1}}}", 0, "tensor 'a' " ENTRY_FORM},
    {"{\"a\": {\"shape\": [-1]}}", 0, "tensor 'a' " ENTRY_FORM},
    {"{\"a\": {\"shape\": [1.5]}}", 0, "tensor 'a' " ENTRY_FORM},
    {"{\"a\": {\"colour\": 1}}", 0,
     "tensor 'a' has the unknown field 'colour'"},
    {"{\"a\": {\"shape\": [], \"shape\": []}}", 0,
     "tensor 'a' has 'shape' twice"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": []}}", 0,
     "tensor 'a' needs dtype, shape and data_offsets"},
    {"{\"a\": {\"shape\": [18446744073709551615]}}", 0,
     "tensor 'a' has the number 18446744073709551615, which does not fit in 63 "
     "bits"},
    {"{\"__metadata__\": {\"format\": 5}}", 0,
     "'__metadata__' is not an object of strings"},
    {"{\"__metadata__\": \"pt\"}", 0,
     "'__metadata__' is not an object of strings"},
    {"{\"a\": {\"dtype\": \"F7\", \"shape\": [1], \"data_offsets\": [0, 4]}}",
     4, "tensor 'a' has the dtype 'F7', which is not known"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [4]}}", 4,
     "tensor 'a' has 1 data_offsets, expected 2"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 8]}}",
     4, "tensor 'a' has data [0, 8) of the 4 bytes in the file"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [4, 0]}}",
     4, "tensor 'a' has data [4, 0) of the 4 bytes in the file"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 4]}}",
     4, "tensor 'a' has 4 bytes, its shape and dtype need 8"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296], "
     "\"data_offsets\": [0, 0]}}",
     0, "tensor 'a' has more elements than can be counted"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]},"
     " \"b\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [4, 8]}}",
     8, "tensors 'a' and 'b' overlap at byte 4 of the data"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]},"
     " \"b\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [8, 12]}}",
     12, "byte 4 of the 12 bytes of data belongs to no tensor"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]}}",
     5, "byte 4 of the 5 bytes of data belongs to no tensor"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]},"
     " \"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [4, 8]}}",
     8, "tensor 'a' appears twice"},
};
INSTANTIATE_TEST_SUITE_P(Headers, BadSafetensors,
                         testing::ValuesIn(badHeaders));

TEST(Safetensors, LengthOfTheHeaderIsChecked) {
  std::map<std::string, StoredTensor> tensors;
  std::string error;
  std::string bytes = safetensorsBytes("{}", "");
  auto data = reinterpret_cast<uint8_t *>(bytes.data());
  ASSERT_TRUE(parseSafetensors(data, bytes.size(), tensors, error)) << error;
  EXPECT_FALSE(parseSafetensors(data, 3, tensors, error));
  EXPECT_EQ(error, "has 3 bytes, too few for a safetensors file");
  data[0] = 3;
  EXPECT_FALSE(parseSafetensors(data, bytes.size(), tensors, error));
  EXPECT_EQ(error, "the header says that it has 3 bytes, the file has 10");
  std::fill(data, data + 8, 0xff);
  EXPECT_FALSE(parseSafetensors(data, bytes.size(), tensors, error));
  EXPECT_EQ(error, "the header says that it has 18446744073709551615 bytes, "
                   "the file has 10");
}

/// A tensor [3, 4] of 0 ... 11 as `type`, at a data address that is aligned to
/// nothing.
template <typename T>
std::string countingFile(const char *type, int64_t count = 12) {
  std::string data(count * sizeof(T), 0);
  for (int64_t i = 0; i < count; ++i) {
    T value = T(i);
    memcpy(&data[i * sizeof(T)], &value, sizeof(T));
  }
  std::string header = std::string("{\"x\":{\"dtype\":\"") + type +
                       "\",\"shape\":[3,4],\"data_offsets\":[0," +
                       std::to_string(data.size()) + "]}}";
  header.append(8 - header.size() % 8 + 1, ' ');
  return safetensorsBytes(header, data);
}

template <typename T>
std::vector<T> readBoxOf(const TensorFiles &files, const Box &box, DType type) {
  std::vector<T> out(box.elements(), T(77));
  Status status = files.read("x", box, type, out.data());
  EXPECT_TRUE(status.ok()) << status.message;
  return out;
}

TEST(Safetensors, BoxesOfFactors) {
  TemporaryFolder folder;
  TensorFiles files("weights");
  ASSERT_TRUE(files.add(folder.write("w", countingFile<float>("F32"))).ok());
  using V = std::vector<float>;
  EXPECT_EQ(readBoxOf<float>(files, {{3, 4}, {1, 0}, {2, 4}}, DType::F32),
            V({4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(readBoxOf<float>(files, {{3, 4}, {0, 1}, {3, 2}}, DType::F32),
            V({1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(
      readBoxOf<float>(files, {{3, 2, 2}, {1, 0, 1}, {2, 2, 1}}, DType::F32),
      V({5, 7, 9, 11}));
  EXPECT_EQ(readBoxOf<float>(files, {{3, 4}, {1, 1}, {0, 2}}, DType::F32), V());
}

TEST(Safetensors, Conversions) {
  TemporaryFolder folder;
  Box row{{3, 4}, {1, 0}, {1, 4}};
  auto add = [&](TensorFiles &files, const std::string &bytes) {
    ASSERT_TRUE(files.add(folder.write("w", bytes)).ok());
  };
  TensorFiles f64("w"), i64("w"), u8("w"), i8("w"), f16("w");
  add(f64, countingFile<double>("F64"));
  EXPECT_EQ(readBoxOf<float>(f64, row, DType::F32),
            std::vector<float>({4, 5, 6, 7}));
  add(i64, countingFile<int64_t>("I64"));
  EXPECT_EQ(readBoxOf<int32_t>(i64, row, DType::I32),
            std::vector<int32_t>({4, 5, 6, 7}));
  add(u8, countingFile<uint8_t>("U8"));
  EXPECT_EQ(readBoxOf<int64_t>(u8, row, DType::I64),
            std::vector<int64_t>({4, 5, 6, 7}));
  EXPECT_EQ(readBoxOf<uint8_t>(u8, {{3, 4}, {0, 0}, {1, 4}}, DType::Bool),
            std::vector<uint8_t>({0, 1, 1, 1}));
  // 1.0 and 2.0 in IEEE half.
  add(f16, safetensorsBytes("{\"x\":{\"dtype\":\"F16\",\"shape\":[2],"
                            "\"data_offsets\":[0,4]}}",
                            std::string("\x00\x3c\x00\x40", 4)));
  EXPECT_EQ(readBoxOf<float>(f16, {{2}, {0}, {2}}, DType::F32),
            std::vector<float>({1, 2}));
}

TEST(Safetensors, IntegersMustFit) {
  TemporaryFolder folder;
  std::string data(16, 0);
  data[8] = 1, data[13] = 1; // 2^40 + 1
  TensorFiles files("input");
  std::string path =
      folder.write("ids.safetensors",
                   safetensorsBytes("{\"x\":{\"dtype\":\"I64\",\"shape\":[1,2],"
                                    "\"data_offsets\":[0,16]}}",
                                    data));
  ASSERT_TRUE(files.add(path).ok());
  int32_t out[2];
  Status status = files.read("x", {{1, 2}, {0, 0}, {1, 2}}, DType::I32, out);
  EXPECT_EQ(status.kind, ErrorKind::User);
  EXPECT_EQ(status.message, "input '" + path +
                                "': tensor 'x' has 1099511627777 at [0, 1], "
                                "which does not fit in i32");
}

std::unique_ptr<SafetensorsWriter> makeWriter(const std::string &path) {
  std::unique_ptr<SafetensorsWriter> writer;
  Status status = SafetensorsWriter::create(
      path, {{"y", {DType::F32, {2, 4}}}, {"mask", {DType::Bool, {3}}}},
      writer);
  EXPECT_TRUE(status.ok()) << status.message;
  return writer;
}

TEST(Safetensors, WritesBoxesInAnyOrder) {
  TemporaryFolder folder;
  auto writer = makeWriter(folder.path("out.safetensors"));
  float right[] = {2, 3, 6, 7}, left[] = {0, 1, 4, 5};
  uint8_t mask[] = {1, 0, 1};
  ASSERT_TRUE(writer->prepare("y", {DType::F32, {2, 4}}).ok());
  ASSERT_TRUE(writer->write("y", {{2, 4}, {0, 2}, {2, 2}}, right).ok());
  ASSERT_TRUE(writer->write("mask", {{3}, {0}, {3}}, mask).ok());
  ASSERT_TRUE(writer->write("y", {{2, 2, 2}, {0, 0, 0}, {2, 1, 2}}, left).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path("out.safetensors")));
  ASSERT_TRUE(writer->commit().ok());
  EXPECT_EQ(folder.list(), std::vector<std::string>({"out.safetensors"}));
  TensorFiles files("output");
  ASSERT_TRUE(files.add(folder.path("out.safetensors")).ok());
  std::vector<float> y(8);
  ASSERT_TRUE(
      files.read("y", {{2, 4}, {0, 0}, {2, 4}}, DType::F32, y.data()).ok());
  EXPECT_EQ(y, std::vector<float>({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Safetensors, NothingIsLeftWithoutCommit) {
  TemporaryFolder folder;
  folder.write("out.safetensors", "before");
  makeWriter(folder.path("out.safetensors")).reset();
  EXPECT_EQ(folder.list(), std::vector<std::string>({"out.safetensors"}));
  EXPECT_EQ(folder.read("out.safetensors"), "before");
}

TEST(Safetensors, UnknownOutputsAreRefused) {
  TemporaryFolder folder;
  std::string path = folder.path("out.safetensors");
  auto writer = makeWriter(path);
  EXPECT_EQ(writer->prepare("z", {DType::F32, {1}}).message,
            "output '" + path + "' has no room for 'z'");
  EXPECT_EQ(writer->prepare("y", {DType::F32, {2, 5}}).message,
            "output '" + path + "' has no room for 'y'");
}

TEST(Safetensors, UnwritablePlaces) {
  TemporaryFolder folder;
  std::unique_ptr<SafetensorsWriter> writer;
  std::string path = folder.path("missing/out");
  Status status = SafetensorsWriter::create(path, {}, writer);
  EXPECT_EQ(status.kind, ErrorKind::User);
  EXPECT_EQ(status.message, "output '" + path +
                                "' cannot be written: No such file or "
                                "directory");
  std::filesystem::create_directory(folder.path("dir"));
  status = SafetensorsWriter::create(folder.path("dir"), {}, writer);
  EXPECT_EQ(status.message,
            "output '" + folder.path("dir") + "' is not a regular file");
}

/// The second of two, whose first says these texts, in turn.
class SecondProcess : public Processes {
public:
  explicit SecondProcess(std::vector<std::string> texts)
      : texts(std::move(texts)) {}
  int64_t index() const override { return 1; }
  int64_t count() const override { return 2; }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override {
    all = {texts.at(turn++), mine};
    return Status::success();
  }
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &,
                                        std::unique_ptr<World>) override {
    return nullptr;
  }

private:
  std::vector<std::string> texts;
  size_t turn = 0;
};

TEST(Safetensors, TheFirstProcessHasAnotherDisk) {
  TemporaryFolder folder;
  BytePacker success;
  success.add(Status::success().kind);
  success.add(std::string());
  const std::string &ok = success.bytes;
  // A place without a name first, and then one with a name.
  SecondProcess processes({ok, ok, "/proc/1/fd/9\nanother 1 2", ok, ok,
                           folder.path("out.of-the-first"), ok, ok});
  std::unique_ptr<SafetensorsWriter> writer;
  Status status =
      SafetensorsWriter::create(folder.path("out"), {}, writer, {}, processes);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "output '" + folder.path("out") +
                "': this process does not see the file that the first one has "
                "made; all need one file system: No such file or directory");
  EXPECT_TRUE(folder.list().empty());
}

TEST(Safetensors, APlaceThatWasTakenMeanwhile) {
  TemporaryFolder folder;
  auto writer = makeWriter(folder.path("out"));
  std::filesystem::create_directory(folder.path("out"));
  Status status = writer->commit();
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "output '" + folder.path("out") +
                "': cannot be put in its place: Is a directory");
  writer.reset();
  EXPECT_EQ(folder.list(), std::vector<std::string>({"out"}));
}

TEST(Safetensors, FilesOfOthers) {
  TensorFiles files("input");
  Status status = files.add(
      hocket::test::sourcePath("test/Data/minilm/tokens.safetensors"));
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_FALSE(files.tensorNames().empty());
}

TEST(Safetensors, AFullDiskLeavesNothing) {
  TemporaryFolder folder;
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limited = {4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limited);
  signal(SIGXFSZ, SIG_IGN);
  std::unique_ptr<SafetensorsWriter> writer;
  std::string path = folder.path("out");
  Status status =
      SafetensorsWriter::create(path, {{"y", {DType::F32, {1 << 20}}}}, writer);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "output '" + path + "': no room for 4194432 bytes: File too large");
  EXPECT_TRUE(folder.list().empty());
}

} // namespace
