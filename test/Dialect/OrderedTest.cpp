//===- OrderedTest.cpp - which elements parts in an order have ------------===//

#include "dialects/Nn/Ordered.h"
#include "NnProgram.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;
using hocket::test::parseLayout;

namespace {

using Elements = std::vector<int64_t>;

Elements elementsOf(int64_t extent, int64_t parts, int64_t part,
                    Ordering order) {
  Runs runs = orderedRuns(extent, parts, part, order);
  Elements elements;
  for (int64_t i = 0; i < orderedSizes(extent, parts, order).list()[part]; ++i)
    elements.push_back(runs.at(i));
  return elements;
}

const Ordering zigzag{Order::Zigzag, 1};

Ordering striped(int64_t block) { return {Order::Striped, block}; }

TEST(Ordered, PartsOfTheTable) {
  EXPECT_EQ(elementsOf(12, 3, 0, zigzag), (Elements{0, 1, 10, 11}));
  EXPECT_EQ(elementsOf(12, 3, 2, zigzag), (Elements{4, 5, 6, 7}));
  EXPECT_EQ(elementsOf(12, 3, 1, striped(1)), (Elements{1, 4, 7, 10}));
  EXPECT_EQ(elementsOf(12, 3, 2, striped(2)), (Elements{4, 5, 10, 11}));
  EXPECT_EQ(elementsOf(7, 2, 0, zigzag), (Elements{0, 1, 6}));
  EXPECT_EQ(elementsOf(7, 2, 1, zigzag), (Elements{2, 3, 4, 5}));
  EXPECT_EQ(elementsOf(11, 2, 1, striped(4)), (Elements{4, 5, 6, 7}));
}

/// In another form: which part an element goes to.
int64_t partOf(int64_t element, int64_t extent, int64_t parts, Ordering order) {
  if (order.kind == Order::Striped)
    return element / order.block % parts;
  int64_t chunk = 0;
  while (element >= cut(extent, 2 * parts, chunk).offset +
                        cut(extent, 2 * parts, chunk).size)
    ++chunk;
  return std::min(chunk, 2 * parts - 1 - chunk);
}

TEST(Ordered, EveryElementGoesToOnePartAscending) {
  for (int64_t extent = 0; extent < 30; ++extent)
    for (int64_t parts = 1; parts < 6; ++parts)
      for (Ordering order : {zigzag, striped(1), striped(2), striped(7)}) {
        std::vector<Elements> expected(parts);
        for (int64_t element = 0; element < extent; ++element)
          expected[partOf(element, extent, parts, order)].push_back(element);
        for (int64_t part = 0; part < parts; ++part)
          EXPECT_EQ(elementsOf(extent, parts, part, order), expected[part])
              << extent << " in " << parts << " " << order.text();
      }
}

TEST(Ordered, TypesHaveTheOrder) {
  MLIRContext context;
  context.loadDialect<NnDialect>();
  for (const char *text : {"[12], x: S(0.0 zigzag)", "[12], x: S(0.0 striped)",
                           "[12], x: S(0.0 striped 64), y: S(0.0)"}) {
    std::string printed;
    llvm::raw_string_ostream(printed) << parseLayout(context, text);
    EXPECT_EQ(printed, "#nn.layout<" + std::string(text) + ">");
  }
  EXPECT_NE(parseLayout(context, "[12], x: S(0.0 zigzag)"),
            parseLayout(context, "[12], x: S(0.0)"));
  // A part is an interval of the list of elements.
  auto mesh = MeshAttr::get(
      &context,
      {MeshAxisAttr::get(&context, StringAttr::get(&context, "x"), 2)});
  Interval held =
      shardOf(parseLayout(context, "[7], x: S(0.0 zigzag)"), 0, 0, mesh, {1});
  EXPECT_EQ(held.offset, 3);
  EXPECT_EQ(held.size, 4);
}

} // namespace
