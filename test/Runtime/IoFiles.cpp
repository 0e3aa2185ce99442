//===- IoFiles.cpp - npy, indexes, folders, and what a plan wants ---------===//

#include "SamplePlan.h"
#include "hocket/Io/Npy.h"
#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/TensorFiles.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include "TemporaryFolder.h"

using namespace hocket::runtime;
using hocket::plan::DType;

namespace {

bool parse(const std::string &bytes, StoredTensor &tensor, std::string &error) {
  return parseNpy(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                  tensor, error);
}

TEST(Npy, AllVersions) {
  StoredTensor tensor;
  std::string error;
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }   \n";
  for (char version : {1, 2, 3}) {
    std::string bytes = npyBytes(header, "abcdefgh", version);
    ASSERT_TRUE(parse(bytes, tensor, error)) << error;
    EXPECT_EQ(tensor.type, FileType::F32);
    EXPECT_EQ(tensor.dims, std::vector<int64_t>({2, 1}));
    EXPECT_EQ(tensor.data[7], 'h');
  }
  ASSERT_TRUE(
      parse(npyBytes("{'descr':'|b1','fortran_order':True,'shape':()}", "x"),
            tensor, error))
      << error;
  EXPECT_TRUE(tensor.dims.empty());
}

struct BadNpy {
  const char *header;
  const char *data;
  const char *sentence;
};
class BadNpyFile : public testing::TestWithParam<BadNpy> {};

TEST_P(BadNpyFile, IsRefused) {
  StoredTensor tensor;
  std::string error;
  EXPECT_FALSE(
      parse(npyBytes(GetParam().header, GetParam().data), tensor, error));
  EXPECT_EQ(error, GetParam().sentence);
}

const BadNpy badNpys[] = {
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", "12345678",
     ""},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
     "0123456789abcdef",
     "is in Fortran order; save numpy.ascontiguousarray(x)"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234",
     "holds big-endian numbers ('>f4'); save it with "
     "x.astype(x.dtype.newbyteorder('<'))"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "1234",
     "has the dtype '|O', which cannot be read"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234",
     "the header describes records, expected one number type"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234",
     "has 4 bytes of data, its shape and dtype need 8"},
    {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", "1234",
     "the header has a fortran_order that is neither True nor False"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "1234",
     "the header has a shape that is no tuple of natural numbers"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "1234",
     "the header has a shape that is no tuple"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': "
     "(99999999999999999999,)}",
     "1234", "the header has an extent that does not fit in 63 bits"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, "
     "4294967296)}",
     "1234", "has more elements than can be counted"},
    {"{'descr': '<f4', 'fortran_order': False}", "1234",
     "the header needs descr, fortran_order and shape"},
    {"{'descr': '<f4', 'descr': '<f4'}", "", "the header has 'descr' twice"},
    {"{'colour': 1}", "", "the header has the unknown key 'colour'"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", "1234",
     "the header goes on after its dictionary"},
    {"7", "", "the header is not a dictionary"},
};
INSTANTIATE_TEST_SUITE_P(Headers, BadNpyFile,
                         testing::ValuesIn(badNpys + 1,
                                           badNpys + std::size(badNpys)));

TEST(Npy, FortranOrderOfAVectorIsNoFault) {
  StoredTensor tensor;
  std::string error;
  EXPECT_TRUE(
      parse(npyBytes(badNpys[0].header, badNpys[0].data), tensor, error))
      << error;
}

TEST(Npy, BrokenFronts) {
  StoredTensor tensor;
  std::string error;
  EXPECT_FALSE(parse("PK\3\4 something", tensor, error));
  EXPECT_EQ(error, "is not an .npy file");
  EXPECT_FALSE(parse(npyBytes("{}", "", 9), tensor, error));
  EXPECT_EQ(error, "is of .npy version 9, expected 1, 2 or 3");
  EXPECT_FALSE(parse(npyBytes("{}", "").substr(0, 11), tensor, error));
  EXPECT_EQ(error, "the header says that it has 2 bytes, the file has 11");
}

std::string tensorFile(const std::vector<std::string> &names) {
  std::string header = "{", data;
  for (const std::string &name : names) {
    header += (data.empty() ? "\"" : ",\"") + name +
              "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[" +
              std::to_string(data.size()) + "," +
              std::to_string(data.size() + 4) + "]}";
    data += "1234";
  }
  return safetensorsBytes(header + "}", data);
}

using Names = std::vector<std::string>;

TEST(TensorFiles, NamesOfNpyFiles) {
  TemporaryFolder folder;
  std::string bytes = npyBytes(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234");
  std::string path = folder.write("x.npy", bytes);
  TensorFiles files("input");
  ASSERT_TRUE(files.add(path).ok());
  ASSERT_TRUE(files.add("a.b=" + path).ok());
  EXPECT_EQ(files.tensorNames(), Names({"a.b", "x"}));
  Status status = files.add(path);
  EXPECT_EQ(status.message,
            "input '" + path + "': tensor 'x' is in '" + path + "' already");
}

TEST(TensorFiles, Index) {
  TemporaryFolder folder;
  folder.write("1.safetensors", tensorFile({"a", "b"}));
  folder.write("2.safetensors", tensorFile({"c"}));
  folder.write("model.safetensors.index.json",
               "{\"metadata\": {}, \"weight_map\": {\"a\": \"1.safetensors\","
               "\"c\": \"2.safetensors\"}}");
  TensorFiles files("weights");
  Status status = files.add(folder.path(""));
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(files.tensorNames(), Names({"a", "c"}));
}

TEST(TensorFiles, BadIndex) {
  TemporaryFolder folder;
  folder.write("1.safetensors", tensorFile({"a"}));
  auto error = [&](const std::string &text) {
    TensorFiles files("weights");
    Status status = files.add(folder.write("m.index.json", text));
    EXPECT_EQ(status.kind, ErrorKind::User);
    return status.message;
  };
  std::string front = "weights '" + folder.path("m.index.json") + "': ";
  EXPECT_EQ(error("{"), front + "is not an index, {\"weight_map\": "
                                "{\"tensor\": \"file\"}}");
  EXPECT_EQ(error("{\"weight_map\": {\"a\": 5}}"),
            front + "tensor 'a' is mapped to no file name");
  EXPECT_EQ(error("{\"weight_map\": {\"a\": \"../1.safetensors\"}}"),
            front + "tensor 'a' is mapped to '../1.safetensors', expected a "
                    "file beside the index");
  EXPECT_EQ(error("{\"weight_map\": {\"a\": \"3.safetensors\"}}"),
            front + "tensor 'a' is mapped to '3.safetensors', which is not "
                    "beside the index");
  EXPECT_EQ(error("{\"weight_map\": {\"b\": \"1.safetensors\"}}"),
            "weights '" + folder.path("1.safetensors") +
                "' has no tensor 'b', which the index says it has");
}

TEST(TensorFiles, Folder) {
  TemporaryFolder folder;
  TensorFiles none("weights");
  EXPECT_EQ(none.add(folder.path("")).message,
            "weights '" + folder.path("") +
                "': holds no .safetensors or .npy file");
  folder.write("1.safetensors", tensorFile({"a"}));
  folder.write("readme.txt", "");
  folder.write("b.npy", npyBytes("{'descr': '<f4', 'fortran_order': False, "
                                 "'shape': (1,)}",
                                 "1234"));
  TensorFiles files("weights");
  ASSERT_TRUE(files.add(folder.path("")).ok());
  EXPECT_EQ(files.tensorNames(), Names({"a", "b"}));
}

TEST(TensorFiles, UnreadableFiles) {
  TemporaryFolder folder;
  TensorFiles files("weights");
  EXPECT_EQ(files.add(folder.path("w")).message,
            "weights '" + folder.path("w") + "': no such file");
  EXPECT_EQ(files.add("/dev/null").message,
            "weights '/dev/null': is not a regular file, which can be read in "
            "parts; write it to one first");
  // A regular file of which the kernel has no pages.
  const char *setting = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (access(setting, R_OK) == 0)
    EXPECT_EQ(files.add(setting).message,
              std::string("weights '") + setting +
                  "': cannot be mapped: No such device");
  EXPECT_EQ(files.add(folder.write("empty", "")).message,
            "weights '" + folder.path("empty") +
                "': has 0 bytes, too few for a safetensors file");
  folder.write("secret", "x");
  std::filesystem::permissions(folder.path("secret"),
                               std::filesystem::perms::none);
  // Root may read every file, so it becomes somebody else for a moment.
  constexpr uid_t nobody = 65534;
  bool isRoot = geteuid() == 0;
  if (isRoot)
    ASSERT_EQ(seteuid(nobody), 0);
  Status status = files.add(folder.path("secret"));
  if (isRoot)
    ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(status.message, "weights '" + folder.path("secret") +
                                "': cannot be read: Permission denied");
}

TEST(MappedFileDeathTest, AFileCutShortIsNamed) {
  TemporaryFolder folder;
  std::string path = folder.write("w", std::string(3 * 4096, 'x'));
  auto readCutFile = [&] {
    endCleanlyOnSignals();
    TemporaryName half;
    half.set(folder.write("half", "written"));
    MappedFile file;
    if (!file.open(path, "weights").ok() || truncate(path.c_str(), 5000) != 0)
      return;
    volatile uint8_t byte = file.data()[4999]; // of a page that is still there
    byte = file.data()[9000];
    (void)byte;
  };
  EXPECT_EXIT(readCutFile(), testing::ExitedWithCode(3),
              "error: weights '.*/w': cannot be read any more: the file was "
              "cut short, or its disk failed, since the program opened it");
  EXPECT_FALSE(std::filesystem::exists(folder.path("half")));
}

TEST(MappedFileDeathTest, OtherLostPagesEndByTheirSignal) {
  auto fault = [] {
    endCleanlyOnSignals();
    raise(SIGBUS);
  };
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGBUS), "");
}

TEST(TensorCheck, Patterns) {
  EXPECT_TRUE(coversPath("pooler.*", "pooler.dense.weight"));
  EXPECT_TRUE(coversPath("pooler", "pooler.dense.weight"));
  EXPECT_FALSE(coversPath("pooler.*", "pooler"));
  EXPECT_FALSE(coversPath("pool", "pooler.dense"));
  EXPECT_TRUE(coversPath("h.*.attn.bias", "h.10.attn.bias"));
  EXPECT_FALSE(coversPath("h.*.attn.bias", "h.1.2.attn.bias"));
  EXPECT_TRUE(coversPath("**.bias", "h.1.attn.bias"));
  EXPECT_TRUE(coversPath("**.bias", "bias"));
  EXPECT_FALSE(coversPath("**.bias", "h.1.attn.weight"));
  EXPECT_TRUE(coversPath("h.[0..3].{attn.bias,mlp}", "h.3.attn.bias"));
  EXPECT_TRUE(coversPath("h.[0..3].{attn.bias,mlp}", "h.0.mlp.weight"));
  EXPECT_FALSE(coversPath("h.[0..3].{attn.bias,mlp}", "h.4.mlp.weight"));
  EXPECT_FALSE(coversPath("h.[0..3].{attn.bias,mlp}", "h.0.attn.weight"));
  EXPECT_TRUE(coversPath("a*c", "abbc"));
  EXPECT_FALSE(coversPath("a*c", "abb"));
  EXPECT_FALSE(coversPath("", "abb"));
  EXPECT_FALSE(coversPath("{a", "a"));
}

TEST(TensorCheck, NearestName) {
  Names names = {"bert.proj.weight", "proj.weights", "other"};
  EXPECT_EQ(nearestName("proj.weight", names), "bert.proj.weight");
  EXPECT_EQ(nearestName("proj.weighs", {"proj.weights", "x"}), "proj.weights");
  EXPECT_EQ(nearestName("proj.weight", {"other"}), "");
}

/// A file for the sample plan with `names` of dims `dims`.
std::string
weightsFile(const std::vector<std::pair<std::string, Names>> &rows) {
  std::string header = "{", data;
  for (const auto &[name, words] : rows) {
    size_t bytes = std::stoul(words[2]);
    header += (header.size() > 1 ? ",\"" : "\"") + name + "\":{\"dtype\":\"" +
              words[0] + "\",\"shape\":" + words[1] + ",\"data_offsets\":[" +
              std::to_string(data.size()) + "," +
              std::to_string(data.size() + bytes) + "]}";
    data.append(bytes, '\0');
  }
  return safetensorsBytes(header + "}", data);
}

std::string parameterFault(const std::string &bytes) {
  TemporaryFolder folder;
  TensorFiles files("weights");
  std::string path = folder.write("w", bytes);
  Status status = files.add(path);
  EXPECT_TRUE(status.ok()) << status.message;
  status =
      checkParameters(hocket::plan::samplePlan(), files, files.tensorNames());
  std::string text = status.message;
  for (size_t at; (at = text.find(path)) != std::string::npos;)
    text.replace(at, path.size(), "w");
  return text;
}

TEST(TensorCheck, Parameters) {
  Names weight = {"F32", "[4,6]", "96"}, bias = {"F32", "[6]", "24"};
  EXPECT_EQ(parameterFault(weightsFile({{"proj.weight", weight},
                                        {"proj.bias", bias},
                                        {"pooler.dense.bias", bias}})),
            "");
  EXPECT_EQ(parameterFault(weightsFile({{"proj.weight", {"F16", "[4,6]", "48"}},
                                        {"proj.bias", bias}})),
            "");
  EXPECT_EQ(parameterFault(weightsFile({{"proj.wieght", weight}})),
            "weights 'w' has no tensor 'proj.weight', expected f32 [4, 6] "
            "(sample.hkt:5:10); did you mean 'proj.wieght'?\n"
            "weights 'w' has no tensor 'proj.bias', expected f32 [6] "
            "(sample.hkt:5:10)");
  EXPECT_EQ(parameterFault(weightsFile({{"proj.weight", {"F32", "[6,4]", "96"}},
                                        {"proj.bias", {"U8", "[6]", "6"}}})),
            "weights 'w': tensor 'proj.weight' is f32 [6, 4], expected f32 "
            "[4, 6] (sample.hkt:5:10)\n"
            "weights 'w': tensor 'proj.bias' is u8 [6], expected f32 [6] "
            "(sample.hkt:5:10)");
  EXPECT_EQ(
      parameterFault(weightsFile(
          {{"proj.weight", weight}, {"proj.bias", bias}, {"head.bias", bias}})),
      "weights 'w' has 1 tensor that the model does not use: "
      "'head.bias'; to leave them unread, add to the model: ignore "
      "\"head.bias\"");
}

TEST(TensorCheck, ManyFaultsAreCounted) {
  Names bias = {"F32", "[6]", "24"};
  std::vector<std::pair<std::string, Names>> rows = {
      {"proj.weight", {"F32", "[4,6]", "96"}}, {"proj.bias", bias}};
  for (char c = 'a'; c < 'h'; ++c)
    rows.push_back({std::string(1, c), bias});
  EXPECT_EQ(parameterFault(weightsFile(rows)),
            "weights 'w' has 7 tensors that the model does not use: 'a', 'b', "
            "'c', 'd', 'e' and 2 more; to leave them unread, add to the "
            "model: ignore \"a\", \"b\", \"c\", \"d\", \"e\"");
}

} // namespace
