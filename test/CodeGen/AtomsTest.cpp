//===- AtomsTest.cpp - dims that become the same loops --------------------===//

#include "lib/CodeGen/Graph/Atoms.h"
#include "lib/CodeGen/Graph/Graph.h"
#include <gtest/gtest.h>

using namespace hocket::codegen;

static std::vector<int64_t> sizesOf(const Atoms &atoms, const AtomList &list) {
  std::vector<int64_t> sizes;
  for (int leaf : atoms.leaves(list))
    sizes.push_back(atoms.size(leaf));
  return sizes;
}

TEST(Atoms, aDimIsCutWhereItMeetsFactors) {
  Atoms atoms;
  AtomList whole = atoms.make(384), heads = atoms.make(12),
           size = atoms.make(32);
  AtomList pair = {heads[0], size[0]};
  ASSERT_TRUE(atoms.unify(whole, pair));
  EXPECT_EQ(sizesOf(atoms, whole), (std::vector<int64_t>{12, 32}));
  EXPECT_EQ(atoms.leaves(whole), atoms.leaves(pair));
}

TEST(Atoms, nestedCuts) {
  Atoms atoms;
  AtomList a = {atoms.make(6)[0], atoms.make(4)[0]};
  AtomList b = {atoms.make(3)[0], atoms.make(8)[0]};
  ASSERT_TRUE(atoms.unify(a, b)); // 3, 2, 4
  EXPECT_EQ(sizesOf(atoms, a), (std::vector<int64_t>{3, 2, 4}));
  EXPECT_EQ(atoms.leaves(a), atoms.leaves(b));
}

TEST(Atoms, cutsThatCrossAreRefused) {
  Atoms atoms;
  AtomList a = {atoms.make(4)[0], atoms.make(6)[0]};
  AtomList b = {atoms.make(6)[0], atoms.make(4)[0]};
  EXPECT_FALSE(atoms.unify(a, b));
}

TEST(Atoms, sizeOneHasNoLoopAndSizeZeroHas) {
  Atoms atoms;
  EXPECT_TRUE(atoms.make(1).empty());
  AtomList empty = atoms.make(0);
  AtomList parts = {atoms.make(0)[0], atoms.make(5)[0]};
  EXPECT_TRUE(atoms.unify(empty, parts));
}

/// y = f(x) over [4, 6], x with the given strides.
static Graph copyOf(int64_t major, int64_t minor) {
  Graph graph;
  graph.axes = {4, 6};
  Node load;
  load.kind = NodeKind::Load;
  load.argument = 0;
  load.form.add(0, major);
  load.form.add(1, minor);
  graph.nodes = {load};
  Output output;
  output.node = 0;
  output.form.add(0, 6);
  output.form.add(1, 1);
  output.axes = {0, 1};
  graph.outputs = {output};
  graph.inputTypes = graph.outputTypes = {DType::F32};
  graph.deriveAxes();
  return graph;
}

TEST(Graph, denseAxesJoin) {
  Graph dense = copyOf(6, 1);
  joinAxes(dense);
  EXPECT_EQ(dense.axes, (std::vector<int64_t>{1, 24}));
  EXPECT_EQ(dense.outputs[0].axes.size(), 1u);
}

TEST(Graph, paddedAxesDoNotJoin) {
  Graph padded = copyOf(8, 1);
  joinAxes(padded);
  EXPECT_EQ(padded.axes, (std::vector<int64_t>{4, 6}));
}

TEST(Graph, aCutAxisKeepsItsElements) {
  Graph graph = copyOf(8, 1);
  int major = cutAxis(graph, 1, 3);
  EXPECT_EQ(graph.axes, (std::vector<int64_t>{4, 3, 2}));
  EXPECT_EQ(graph.nodes[0].form.of(major), 3);
  EXPECT_EQ(graph.outputs[0].form.of(major), 3);
  EXPECT_EQ(graph.nodes[0].axes.size(), 3u);
}
