//===- CpuVector.cpp - inner loops of every processor level ---------------===//

#include "test/Runtime/VectorLevels.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace hocket::runtime;

namespace {

class CpuVector : public OfLevel {};

template <typename T> void checkReduce(const ReduceFunction (&functions)[3]) {
  std::mt19937 random(1);
  for (int64_t count : {1, 2, 3, 4, 5, 9})
    for (int64_t size : {0, 1, 15, 16, 33, 5000}) {
      std::vector<std::vector<T>> terms(count, std::vector<T>(size));
      std::vector<const void *> pointers;
      for (std::vector<T> &term : terms) {
        for (T &value : term)
          value = static_cast<T>(static_cast<int>(random() % 2001) - 1000) /
                  static_cast<T>(7);
        pointers.push_back(term.data());
      }
      for (int kind = 0; kind < 3; ++kind)
        for (bool inPlace : {false, true}) {
          // In place: the last term is overwritten.
          std::vector<std::vector<T>> copy = terms;
          std::vector<const void *> from = pointers;
          std::vector<T> out(size);
          from[count - 1] = copy[count - 1].data();
          T *to = inPlace ? copy[count - 1].data() : out.data();
          functions[kind](to, from.data(), count, size);
          for (int64_t i = 0; i < size; ++i) {
            T expected = terms[0][i];
            for (int64_t term = 1; term < count; ++term)
              expected = kind == 0   ? expected + terms[term][i]
                         : kind == 1 ? std::max(expected, terms[term][i])
                                     : std::min(expected, terms[term][i]);
            ASSERT_EQ(to[i], expected) << count << " terms, element " << i;
          }
        }
    }
}

template <typename T> void checkProduct(PanelProduct<T> product) {
  constexpr int64_t depth = 37;
  std::vector<T> a(depth * panelRows), b(depth * panelColumns);
  std::vector<T> acc(panelRows * 20, T(3));
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<T>(static_cast<int>(i * 7 % 11) - 5);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<T>(static_cast<int>(i * 5 % 13) - 6);
  product(depth, a.data(), b.data(), acc.data(), 20);
  for (int i = 0; i < panelRows; ++i)
    for (int j = 0; j < 20; ++j) {
      T expected = 3;
      for (int64_t p = 0; j < panelColumns && p < depth; ++p)
        expected += a[p * panelRows + i] * b[p * panelColumns + j];
      ASSERT_EQ(acc[i * 20 + j], expected);
    }
}

} // namespace

TEST_P(CpuVector, Reduce) {
  checkReduce<float>(GetParam()->reduceF32);
  checkReduce<double>(GetParam()->reduceF64);
  checkReduce<int32_t>(GetParam()->reduceI32);
  checkReduce<int64_t>(GetParam()->reduceI64);
}

TEST_P(CpuVector, NaNWins) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> a = {nan, 1, 2}, b = {1, nan, 3}, out(3);
  const void *terms[] = {a.data(), b.data()};
  for (int kind : {1, 2}) {
    GetParam()->reduceF32[kind](out.data(), terms, 2, 3);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
    EXPECT_EQ(out[2], kind == 1 ? 3 : 2);
  }
}

TEST_P(CpuVector, PanelProducts) {
  checkProduct<float>(GetParam()->productF32);
  checkProduct<double>(GetParam()->productF64);
  checkProduct<int32_t>(GetParam()->productI32);
  checkProduct<int64_t>(GetParam()->productI64);
}

// Every remainder of rows and columns, b in two terms, a by rows and by
// columns; what lies beside c stays.
TEST_P(CpuVector, RowProducts) {
  auto number = [](int64_t i) { return float(i * 7 % 11 - 5); };
  constexpr int64_t pitch = 150, depths[] = {9, 4};
  std::vector<float> a(20 * 20), b(2 * 10 * pitch);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = number(int64_t(i));
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = number(int64_t(3 * i + 1));
  RowTerm terms[] = {{b.data(), depths[0]}, {b.data() + 10 * pitch, depths[1]}};
  for (int64_t rows = 0; rows < 15; ++rows)
    for (int64_t columns : {0, 1, 3, 4, 15, 16, 29, 48, 64, 127})
      for (bool isTurned : {false, true})
        for (bool accumulate : {false, true}) {
          std::vector<float> c(20 * pitch, 3);
          int64_t row = isTurned ? 1 : 20, column = isTurned ? 20 : 1;
          GetParam()->rowProduct({a.data(), row, column, terms, 2, pitch,
                                  c.data(), pitch, rows, columns, accumulate});
          for (int64_t i = 0; i < 20; ++i)
            for (int64_t j = 0; j < pitch; ++j) {
              bool isInside = i < rows && j < columns;
              float expected = isInside && !accumulate ? 0 : 3;
              for (int64_t p = 0; isInside && p < depths[0] + depths[1]; ++p) {
                int64_t term = p < depths[0] ? 0 : 1;
                expected += a[i * row + p * column] *
                            terms[term].b[(p - term * depths[0]) * pitch + j];
              }
              ASSERT_EQ(c[i * pitch + j], expected)
                  << rows << " x " << columns << ": " << i << ", " << j;
            }
        }
}

// What a weight of nearly 1 gives cancels, and must do so exactly.
TEST_P(CpuVector, SoftmaxGradientsCancel) {
  for (int64_t columns : {1, 16, 37}) {
    std::vector<float> weights(columns, 0.75f), gradients(columns, 1.7f);
    float lse = 0.3f * 0.75f, mean = 1.7f;
    GetParam()->softmaxGradTile({weights.data(), gradients.data(), columns, 1,
                                 columns, 0.3f, 0.3f, &lse, &mean, nullptr,
                                 nullptr});
    EXPECT_NEAR(weights[0], 1, 1e-6);
    for (float gradient : gradients)
      EXPECT_EQ(gradient, 0);
  }
}

// Weights of a product, and their sums in 16 parts, which are added but where a
// power may have been too large.
TEST_P(CpuVector, WeightProducts) {
  constexpr int64_t depth = 5, pitch = 150, most = 13;
  std::vector<float> a(most * depth), b(depth * pitch), shifts(most);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(int64_t(i * 7 % 11) - 5) / 4;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int64_t(i * 5 % 13) - 6) / 4;
  for (int64_t i = 0; i < most; ++i)
    shifts[i] = float(i % 4 - 1);
  RowTerm term{b.data(), depth};
  for (int64_t rows : {1, 6, 13})
    for (int64_t columns : {1, 16, 29, 64, 127}) {
      std::vector<float> c(most * pitch, 3), totals(most * 16, 0.25f),
          sums(most, 2);
      GetParam()->weightProduct({{a.data(), depth, 1, &term, 1, pitch, c.data(),
                                  pitch, rows, columns, false},
                                 0.5f,
                                 shifts.data(),
                                 totals.data()});
      std::vector<double> expected(most, 2);
      for (int64_t i = 0; i < rows; ++i) {
        expected[i] += 4;
        for (int64_t j = 0; j < pitch; ++j) {
          double score = 0;
          for (int64_t p = 0; p < depth; ++p)
            score += double(a[i * depth + p]) * b[p * pitch + j];
          double weight = std::exp(score * 0.5 - shifts[i]);
          expected[i] += j < columns ? weight : 0;
          ASSERT_NEAR(c[i * pitch + j], j < columns ? weight : 3,
                      j < columns ? weight * 1e-6 : 0);
        }
      }
      WeightTotals all{rows, shifts.data(), totals.data(), sums.data()};
      std::vector<float> kept = totals;
      EXPECT_TRUE(GetParam()->addTotals(all));
      for (int64_t i = 0; i < most; ++i)
        EXPECT_NEAR(sums[i], expected[i], expected[i] * 1e-6);
      for (float wrong : {mostTotal, std::nanf("")}) {
        std::vector<float> before = sums;
        totals = kept;
        totals[(rows - 1) * 16 + 3] = wrong;
        EXPECT_FALSE(GetParam()->addTotals(all));
        EXPECT_EQ(sums, before);
      }
      totals = kept;
      shifts[rows - 1] += 1e8f; // differences of products are no longer small
      EXPECT_FALSE(GetParam()->addTotals(all));
      shifts[rows - 1] = float((rows - 1) % 4 - 1);
    }
}

// However far a score is above its shift, its weight is seen to be too large.
TEST_P(CpuVector, WeightsFarAboveShifts) {
  for (int64_t columns : {5, 64})
    for (float score : {15.0f, 88.0f, 89.0f, 100.0f, 178.0f, 300.0f, 1e5f}) {
      std::vector<float> row(columns), weights(columns), totals(16);
      row[3] = score;
      float one = 1, shift = 0, sum = 2;
      RowTerm term{row.data(), 1};
      GetParam()->weightProduct({{&one, 1, 1, &term, 1, columns, weights.data(),
                                  columns, 1, columns, false},
                                 1.0f,
                                 &shift,
                                 totals.data()});
      EXPECT_FALSE(GetParam()->addTotals({1, &shift, totals.data(), &sum}))
          << score;
      EXPECT_EQ(sum, 2);
    }
}

TEST_P(CpuVector, Transpositions) {
  constexpr int64_t from = 30, to = 25;
  std::vector<float> rows(22 * from);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = float(i);
  for (int64_t height : {0, 1, 7, 8, 21})
    for (int64_t width : {0, 1, 8, 15, 29}) {
      std::vector<float> columns(from * to, -1);
      GetParam()->transpose(
          {columns.data(), to, rows.data(), from, height, width});
      for (int64_t j = 0; j < from; ++j)
        for (int64_t i = 0; i < to; ++i)
          ASSERT_EQ(columns[j * to + i],
                    i < height && j < width ? rows[i * from + j] : -1);
    }
}

// exp over its whole range, through a softmax row whose maximum is 0.
TEST_P(CpuVector, ExponentialIsAccurate) {
  constexpr int64_t columns = 8801;
  std::vector<float> row(columns), input(columns);
  for (int64_t j = 0; j < columns; ++j)
    input[j] = -0.01f * static_cast<float>(j);
  input[columns - 1] = -std::numeric_limits<float>::infinity();
  row = input;
  float shift = -std::numeric_limits<float>::infinity(), sum = 0, shrink = 7;
  SoftmaxTile tile{row.data(), columns, 1,      columns, 1.0f,
                   nullptr,    nullptr, &shift, &sum,    &shrink};
  GetParam()->softmaxTile(tile);
  EXPECT_EQ(shift, 0);
  EXPECT_EQ(shrink, 0); // nothing came before
  double total = 0;
  for (int64_t j = 0; j < columns; ++j) {
    double exact = std::exp(static_cast<double>(input[j]));
    total += exact;
    if (input[j] < -87.337f) // 2^-126
      EXPECT_EQ(row[j], 0);
    else // of an exponent times log2(e), rounded
      EXPECT_NEAR(row[j] / exact, 1, 2e-7 - 8e-8 * input[j]) << input[j];
  }
  // Sanitizers keep the sum of 8801 terms in one lane: sqrt(8801) roundings.
  EXPECT_NEAR(sum / total, 1, 94 * 6e-8);
}

TEST_P(CpuVector, SoftmaxLimitsMaskAndRescaling) {
  constexpr int64_t rows = 5, columns = 37;
  float lowest = -std::numeric_limits<float>::infinity();
  std::vector<float> scores(rows * columns), mask(columns, 0.0f);
  for (size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<float>(static_cast<int>(i * 31 % 41) - 20) / 4;
  mask[2] = mask[30] = lowest;
  std::vector<float> row = scores, shifts = {lowest, 1, 9, -9, lowest};
  std::vector<float> sums = {0, 2, 2, 2, 0}, rescale(rows);
  std::vector<float> before = shifts, sumsBefore = sums;
  std::vector<ColumnRange> visible;
  for (int64_t r = 0; r < rows; ++r)
    visible.push_back({0, std::max<int64_t>(r - 1, 0)});
  SoftmaxTile tile{row.data(),  columns,       rows,           columns,
                   0.5f,        mask.data(),   visible.data(), shifts.data(),
                   sums.data(), rescale.data()};
  GetParam()->softmaxTile(tile);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t limit = std::clamp<int64_t>(r - 1, 0, columns);
    double largest = before[r], total = 0;
    auto score = [&](int64_t j) {
      return j < limit ? scores[r * columns + j] * 0.5 + mask[j] : lowest;
    };
    for (int64_t j = 0; j < columns; ++j)
      largest = std::max(largest, score(j));
    for (int64_t j = 0; j < columns; ++j) {
      double weight = largest == lowest ? 0 : std::exp(score(j) - largest);
      total += weight;
      EXPECT_NEAR(row[r * columns + j], weight, 1e-6);
    }
    double shrink = before[r] == lowest ? 0 : std::exp(before[r] - largest);
    EXPECT_NEAR(rescale[r], shrink, 1e-6);
    EXPECT_NEAR(sums[r], sumsBefore[r] * shrink + total, 1e-5);
    EXPECT_EQ(shifts[r], static_cast<float>(largest));
  }
}

// Scores whose products are far from what they are rounded to, their gradient,
// and what is not a number.
TEST_P(CpuVector, SoftmaxOfLargeScoresAndNaN) {
  const float lowest = -std::numeric_limits<float>::infinity();
  for (float scale : {1.0f, 0.3f})
    for (float large : {300.0f, 3e6f, 1e9f, 1e30f, -1e9f}) {
      float row[] = {large, large, large * (large > 0 ? 0.5f : 2.0f)};
      float shift = lowest, sum = 0, shrink;
      GetParam()->softmaxTile(
          {row, 3, 1, 3, scale, nullptr, nullptr, &shift, &sum, &shrink});
      EXPECT_EQ(row[0] / sum, 0.5f) << large;
      EXPECT_EQ(row[1], row[0]);
      EXPECT_NEAR(row[2] / sum, 0, 1e-12);
      float weights[] = {large}, gradients[] = {5}, lse = large * scale,
            mean = 3;
      GetParam()->softmaxGradTile({weights, gradients, 1, 1, 1, scale, scale,
                                   &lse, &mean, nullptr, nullptr});
      if (scale == 1) // else a weight is as exact as lse
        EXPECT_EQ(weights[0], 1) << large;
    }
  float row[] = {1, std::numeric_limits<float>::quiet_NaN()};
  float shift = lowest, sum = 0, shrink;
  GetParam()->softmaxTile(
      {row, 2, 1, 2, 1.0f, nullptr, nullptr, &shift, &sum, &shrink});
  EXPECT_TRUE(std::isnan(sum) && std::isnan(row[1]));
}

INSTANTIATE_TEST_SUITE_P(Levels, CpuVector, vectorLevels(), levelName);
