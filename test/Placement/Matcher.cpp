//===- Matcher.cpp - patterns over a tree of paths ------------------------===//

#include "hocket/Placement/PathTree.h"
#include <gtest/gtest.h>

using namespace hocket::placement;

namespace {

class MatcherTest : public testing::Test {
protected:
  MatcherTest() {
    for (int layer = 0; layer < 4; ++layer) {
      std::string block = "h." + std::to_string(layer);
      for (const char *leaf :
           {".attn.q_proj.weight", ".attn.q_proj.bias", ".attn.c_proj.weight",
            ".mlp.c_proj.weight", ".ln_1.weight", ".ln_2.weight"})
        tree.insert(block + leaf);
    }
    tree.insert("wte.weight");
  }

  Match match(const std::string &text) {
    auto pattern = PathQuery::parse(text);
    EXPECT_TRUE(pattern.has_value()) << text;
    return pattern ? pattern->match(tree) : Match();
  }
  std::vector<std::string> paths(const std::string &text) {
    std::vector<std::string> found;
    for (PathNode *node : match(text).nodes)
      found.push_back(node->path);
    return found;
  }
  std::string notes(const std::string &text) {
    Match result = match(text);
    std::string joined;
    if (result.failure)
      for (const std::string &note : explainFailure(*result.failure))
        joined += note + "; ";
    return joined;
  }

  PathTree tree;
};

using Paths = std::vector<std::string>;

TEST_F(MatcherTest, NamesOneComponentEach) {
  EXPECT_EQ(paths("h.2.mlp"), Paths{"h.2.mlp"});
  EXPECT_EQ(paths("h.*").size(), 4u);
  EXPECT_EQ(paths("h.*.mlp"),
            (Paths{"h.0.mlp", "h.1.mlp", "h.2.mlp", "h.3.mlp"}));
  EXPECT_EQ(paths("h.0.ln_*"), (Paths{"h.0.ln_1", "h.0.ln_2"}));
}

TEST_F(MatcherTest, AnyDepthMatchesEachNodeOnce) {
  EXPECT_EQ(paths("**.c_proj.weight").size(), 8u);
  EXPECT_EQ(paths("**.weight").size(), 21u);
  EXPECT_EQ(paths("h.**.mlp").size(), 4u);
}

TEST_F(MatcherTest, SelectsIndices) {
  EXPECT_EQ(paths("h[0..2]"), (Paths{"h.0", "h.1"}));
  EXPECT_EQ(paths("h.[even]"), (Paths{"h.0", "h.2"}));
  EXPECT_EQ(paths("h[odd]"), (Paths{"h.1", "h.3"}));
  EXPECT_EQ(paths("h[-1]"), Paths{"h.3"});
  EXPECT_EQ(paths("h[0, 3]"), (Paths{"h.0", "h.3"}));
  EXPECT_EQ(paths("h[-2..]"), (Paths{"h.2", "h.3"}));
}

TEST_F(MatcherTest, BranchesMayContainDots) {
  EXPECT_EQ(paths("h.0.{attn.c_proj,mlp}.weight"),
            Paths{"h.0.attn.c_proj.weight"});
  EXPECT_EQ(paths("h.1.{attn,mlp}.c_proj"),
            (Paths{"h.1.attn.c_proj", "h.1.mlp.c_proj"}));
}

TEST_F(MatcherTest, NoMatchNamesTheLastMatchingComponent) {
  Match result = match("h.*.atn.q_proj");
  EXPECT_TRUE(result.nodes.empty());
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->component, "atn");
  EXPECT_EQ(result.failure->prefix, "h.*");
  EXPECT_EQ(notes("h.*.atn.q_proj"),
            "'h.*' matches 4 places; they have: attn, mlp, ln_1, ln_2; did you "
            "mean 'attn'?; ");
  EXPECT_EQ(notes("wt"), "the model has: h, wte; did you mean 'wte'?; ");
  EXPECT_EQ(notes("wte.weight.x"), "'wte.weight' has nothing inside; ");
}

TEST_F(MatcherTest, AnIdleBranchIsAFailure) {
  Match result = match("h.*.{attn,mpl}.c_proj");
  EXPECT_EQ(result.nodes.size(), 4u);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->written, "mpl");
  EXPECT_FALSE(match("h.*.{attn,mlp}.c_proj").failure.has_value());
}

TEST_F(MatcherTest, TheBlockItself) { EXPECT_EQ(paths("."), Paths{""}); }

} // namespace
