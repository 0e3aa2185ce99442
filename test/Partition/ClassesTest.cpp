//===- ClassesTest.cpp - which ranks share a program ----------------------===//

#include "ParsedModule.h"
#include "lib/Transforms/Partition/RankClasses.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

namespace {

class ClassesTest : public PartitionTest {
protected:
  /// The ranks of each class of a function with arguments of these layouts.
  std::vector<std::vector<int64_t>> classes(StringRef meshText,
                                            std::vector<std::string> tensors) {
    std::string arguments;
    for (const std::string &tensor : tensors)
      arguments += (arguments.empty() ? "%a" : ", %a") +
                   std::to_string(arguments.size()) + ": tensor<" + tensor +
                   "> {nn.name = \"x\"}";
    OwningOpRef<ModuleOp> module =
        parse("nn.func @forward(" + arguments +
              ") attributes {buffers = [], outputs = []} { nn.return }");
    if (!module)
      return {};
    Shares shares(mesh(meshText));
    auto func = *module->getOps<nn::FuncOp>().begin();
    FailureOr<std::vector<RankClass>> found = findRankClasses(func, shares);
    std::vector<std::vector<int64_t>> ranks;
    if (succeeded(found))
      for (const RankClass &rankClass : *found)
        ranks.emplace_back(rankClass.ranks.begin(), rankClass.ranks.end());
    return ranks;
  }
};

using Ranks = std::vector<std::vector<int64_t>>;

} // namespace

TEST_F(ClassesTest, OneDeviceIsOneClass) {
  EXPECT_EQ(classes("#nn.mesh<>", {"4xf32, #nn.layout<[4]>"}), (Ranks{{0}}));
}

TEST_F(ClassesTest, EvenSplitsAreOneClass) {
  EXPECT_EQ(classes("#nn.mesh<tp=4>", {"8xf32, #nn.layout<[8], tp: S(0.0)>"}),
            (Ranks{{0, 1, 2, 3}}));
}

TEST_F(ClassesTest, UnevenSplitsAreClassesOfEqualSizes) {
  EXPECT_EQ(classes("#nn.mesh<tp=4>", {"10xf32, #nn.layout<[10], tp: S(0.0)>"}),
            (Ranks{{0, 1}, {2, 3}}));
}

TEST_F(ClassesTest, ClassesAreVectorsOfSizes) {
  // 3 over tp: 2 1; 5 over dp: 3 2. All four ranks differ.
  EXPECT_EQ(classes("#nn.mesh<dp=2, tp=2>",
                    {"5x3xf32, #nn.layout<[5] [3], dp: S(0.0), tp: S(1.0)>"}),
            (Ranks{{0}, {1}, {2}, {3}}));
  // A second split of the same shape adds no class.
  EXPECT_EQ(classes("#nn.mesh<dp=2, tp=2>",
                    {"3xf32, #nn.layout<[3], tp: S(0.0)>",
                     "3x8xf32, #nn.layout<[3] [8], dp: S(1.0), tp: S(0.0)>"}),
            (Ranks{{0, 2}, {1, 3}}));
}

TEST_F(ClassesTest, StatedSizesAreClassesOfEqualSizes) {
  EXPECT_EQ(
      classes("#nn.mesh<tp=4>",
              {"10xf32, #nn.layout<[10], tp: S(0.0 sizes [2, 3, 3, 2])>"}),
      (Ranks{{0, 3}, {1, 2}}));
}

TEST_F(ClassesTest, RanksOfAClassJoinTheSameParts) {
  // Ranks 0 and 3 have 1 each, but of 1 and 3, and of 3 and 1.
  EXPECT_EQ(
      classes("#nn.mesh<dp=2, tp=2>", {"8xf32, #nn.layout<[8], dp: S(0.0), "
                                       "tp: S(0.0 sizes [1, 3, 3, 1])>"}),
      (Ranks{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(
      classes("#nn.mesh<dp=2, tp=2>", {"8xf32, #nn.layout<[8], dp: S(0.0), "
                                       "tp: S(0.0 sizes [1, 3, 1, 3])>"}),
      (Ranks{{0, 2}, {1, 3}}));
}

TEST_F(ClassesTest, EveryPartHasASize) {
  EXPECT_EQ(classes("#nn.mesh<tp=3>",
                    {"8xf32, #nn.layout<[8], tp: S(0.0 sizes [3, 5])>"}),
            Ranks{});
  EXPECT_NE(messages.find("axis \"tp\" makes 3 parts, and lists 2 sizes"),
            std::string::npos)
      << messages;
}

TEST_F(ClassesTest, AThousandRanks) {
  Ranks found = classes("#nn.mesh<dp=128, tp=8>",
                        {"20x50257xf32, #nn.layout<[20] [50257], tp: S(0.0)>",
                         "130xf32, #nn.layout<[130], dp: S(0.0)>"});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].size(), 2u * 4);
  EXPECT_EQ(found[3].size(), 126u * 4);
}

TEST_F(ClassesTest, ARankMayHoldNothing) {
  EXPECT_EQ(
      classes("#nn.mesh<tp=4>", {"3xf32, #nn.layout<[heads=3], tp: S(0.0)>"}),
      (Ranks{{0, 1, 2}, {3}}));
}
