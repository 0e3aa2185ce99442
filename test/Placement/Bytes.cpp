//===- Bytes.cpp - what a redistribution moves ----------------------------===//

#include "hocket/Placement/Meet.h"
#include "mlir/IR/Builders.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::placement;

TEST(Bytes, OfTheRankThatReceivesMost) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  auto name = mlir::StringAttr::get(&context, "tp");
  auto mesh =
      nn::MeshAttr::get(&context, {nn::MeshAxisAttr::get(&context, name, 4)});
  auto plain = nn::plainLayout(&context, {10, 8});
  auto split =
      plain.withPlacement({nn::SplitAttr::get(&context, name, 0, 0)}, {});
  mlir::Type f32 = mlir::Builder(&context).getF32Type();
  auto whole = nn::tensorOf(f32, plain), part = nn::tensorOf(f32, split);
  // 10 rows of 32 bytes over 4 ranks: 3, 3, 2, 2.
  EXPECT_EQ(sentBytes(RedistributeKind::AllReduce, whole, whole, mesh, {"tp"}),
            480);
  EXPECT_EQ(
      sentBytes(RedistributeKind::ReduceScatter, whole, part, mesh, {"tp"}),
      3 * 96);
  EXPECT_EQ(sentBytes(RedistributeKind::AllGather, part, whole, mesh, {"tp"}),
            8 * 32);
  EXPECT_EQ(sentBytes(RedistributeKind::Slice, whole, part, mesh, {"tp"}), 0);
  // 10 rows over 4 ranks: the first holds 3.
  EXPECT_EQ(localElements(split, mesh), 24);
}

TEST(Bytes, Text) {
  EXPECT_EQ(bytesText(192), "192 bytes");
  EXPECT_EQ(bytesText(786432), "786.4 kB");
  EXPECT_EQ(bytesText(1572864), "1.6 MB");
  EXPECT_EQ(bytesText(999990), "1.0 MB");
}
