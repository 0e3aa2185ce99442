//===- LineListTest.cpp - numbers of lines, as text -----------------------===//

#include "test/Gpu/Ptx/LineList.h"
#include <gtest/gtest.h>

using namespace hocket::ptx;

namespace {

TEST(LineLists, AreTextAndBack) {
  for (const std::set<unsigned> &lines :
       {std::set<unsigned>{}, {7}, {1, 2, 3}, {3, 4, 9, 11, 12, 13}})
    EXPECT_EQ(readLines(toText(lines)), lines);
  EXPECT_EQ(toText({3, 4, 5, 20}), "3-5,20");
  EXPECT_EQ(toText({}), "-");
  EXPECT_EQ(readLines("2,5-6"), (std::set<unsigned>{2, 5, 6}));
}

} // namespace
