//===- CpuVectorRanges.cpp - products of what masks leave -----------------===//

#include "test/Runtime/VectorLevels.h"
#include <cmath>
#include <limits>

using namespace hocket::runtime;

namespace {

class CpuVectorRanges : public OfLevel {};

/// Ranges that rise with the row, as those of a mask do; some are empty.
std::vector<ColumnRange> risingRanges(int64_t rows, int64_t columns,
                                      int64_t width) {
  std::vector<ColumnRange> ranges;
  for (int64_t r = 0; r < rows; ++r)
    ranges.push_back({std::clamp<int64_t>(4 * r - width, 0, columns),
                      std::clamp<int64_t>(4 * r - 7, 0, columns)});
  return ranges;
}

bool isIn(ColumnRange range, int64_t j) {
  return range.begin <= j && j < range.end;
}

} // namespace

// What is wanted is there, and what is 0 has no part in it. Outside there is
// nothing: a is not a number where it counts as 0, except near what is not.
TEST_P(CpuVectorRanges, RowProducts) {
  constexpr int64_t rows = 40, depth = 130, pitch = 140;
  std::vector<float> a(rows * depth), b(depth * pitch);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int64_t(i) * 7 % 11 - 5);
  for (int64_t columns : {29, 64, 127})
    for (int64_t width : {3, 60, 1000})
      for (bool isNonzero : {false, true}) {
        auto ranges = risingRanges(rows, isNonzero ? depth : columns, width);
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t p = 0; p < depth; ++p)
            a[i * depth + p] = !isNonzero || isIn(ranges[i], p)
                                   ? float(int64_t(i + p) * 5 % 13 - 6)
                                   : 0.0f;
        RowTerm terms[] = {{b.data(), 50}, {b.data() + 50 * pitch, depth - 50}};
        std::vector<float> c(rows * pitch, 3), all = c;
        RowProduct product{a.data(),   depth, 1,    terms,   2,    pitch,
                           all.data(), pitch, rows, columns, false};
        GetParam()->rowProduct(product);
        product.c = c.data();
        (isNonzero ? product.nonzero : product.wanted) = ranges.data();
        GetParam()->rowProduct(product);
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < pitch; ++j)
            if (isNonzero || isIn(ranges[i], j))
              ASSERT_EQ(c[i * pitch + j], all[i * pitch + j])
                  << columns << ", " << width << ": " << i << ", " << j;
            else if (j >= columns)
              ASSERT_EQ(c[i * pitch + j], 3);
      }
}

// What is far from the diagonal is not computed: the point of ranges.
TEST_P(CpuVectorRanges, LeaveOutTiles) {
  constexpr int64_t size = 64;
  std::vector<float> a(size * size, 1), c(size * size, 3), d(size * size);
  std::vector<ColumnRange> ranges;
  for (int64_t r = 0; r < size; ++r)
    ranges.push_back({0, r + 1});
  RowTerm term{a.data(), size};
  RowProduct product{a.data(), size, 1,    &term, 1,    size,
                     c.data(), size, size, size,  false};
  product.wanted = ranges.data();
  GetParam()->rowProduct(product);
  for (int64_t j = 0; j < size; ++j)
    if (j < 8 || j >= 16)
      EXPECT_EQ(c[j], j < 8 ? size : 3);
  product.c = d.data(), product.wanted = nullptr;
  product.nonzero = ranges.data();
  GetParam()->rowProduct(product);
  for (int64_t r = 0; r < size; ++r)
    EXPECT_LT(d[r * size], r + 7);
}

// Rows without a shift take the largest of their scores, and what a row does
// not see is 0.
TEST_P(CpuVectorRanges, Weights) {
  constexpr int64_t rows = 40, depth = 5, pitch = 150;
  const float lowest = -std::numeric_limits<float>::infinity();
  std::vector<float> a(rows * depth), b(depth * pitch);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(int64_t(i) * 7 % 11 - 5) / 4;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int64_t(i) * 5 % 13 - 6) / 4;
  RowTerm term{b.data(), depth};
  for (int64_t columns : {29, 64, 127})
    for (int64_t width : {3, 60, 1000}) {
      auto ranges = risingRanges(rows, columns, width);
      std::vector<float> c(rows * pitch, 3), totals(rows * 16), shifts(rows);
      for (int64_t i = 0; i < rows; ++i)
        shifts[i] = i % 3 == 0 ? 0.5f : lowest;
      RowProduct product{a.data(), depth, 1,    &term,   1,    pitch,
                         c.data(), pitch, rows, columns, false};
      product.wanted = ranges.data();
      GetParam()->weightProduct({product, 0.5f, shifts.data(), totals.data()});
      std::vector<float> sums(rows);
      EXPECT_TRUE(GetParam()->addTotals(
          {rows, shifts.data(), totals.data(), sums.data()}));
      for (int64_t i = 0; i < rows; ++i) {
        double total = 0, largest = lowest;
        auto score = [&](int64_t j) {
          double sum = 0;
          for (int64_t p = 0; p < depth; ++p)
            sum += double(a[i * depth + p]) * b[p * pitch + j];
          return sum * 0.5;
        };
        for (int64_t j = ranges[i].begin; j < ranges[i].end; ++j)
          largest = std::max(largest, score(j));
        if (i % 3 == 0 || ranges[i].begin >= ranges[i].end)
          EXPECT_EQ(shifts[i], i % 3 == 0 ? 0.5f : lowest);
        else // of the columns that are computed first
          EXPECT_TRUE(columns > 64 ? shifts[i] <= largest + 1e-6
                                   : std::abs(shifts[i] - largest) < 1e-6);
        for (int64_t j = 0; j < pitch; ++j) {
          double weight = !isIn(ranges[i], j) ? j < columns ? 0 : 3
                                              : std::exp(score(j) - shifts[i]);
          total += j < columns ? weight : 0;
          ASSERT_NEAR(c[i * pitch + j], weight, weight * 1e-6);
        }
        EXPECT_NEAR(sums[i], total, total * 1e-6);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, CpuVectorRanges, vectorLevels(), levelName);
