//===- Tensors.cpp - conversions, boxes and tensors in memory -------------===//

#include "hocket/Runtime/Tensors.h"
#include "hocket/Runtime/Elements.h"
#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "hocket/Runtime/RowMajor.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace hocket;
using namespace hocket::runtime;
using plan::DType;

// The compiler's own conversions are the reference, over every half number and
// over floats on both sides of each rounding boundary.
TEST(Tensors, Float16) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    Float16 half;
    half.bits = static_cast<uint16_t>(bits);
    _Float16 reference;
    std::memcpy(&reference, &half.bits, 2);
    float wide = half;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(reference)));
      EXPECT_TRUE(std::isnan(static_cast<float>(Float16(wide))));
      continue;
    }
    ASSERT_EQ(bitsOf(wide), bitsOf(static_cast<float>(reference)));
    ASSERT_EQ(Float16(wide).bits, half.bits);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    float value = floatOf(random());
    if (std::isnan(value))
      continue;
    // Half of them in the range where something can be rounded.
    if (i % 2)
      value = std::ldexp(std::fmod(value, 2.0f), static_cast<int>(i % 44) - 27);
    _Float16 reference = static_cast<_Float16>(value);
    uint16_t expected;
    std::memcpy(&expected, &reference, 2);
    ASSERT_EQ(Float16(value).bits, expected) << value;
  }
}

TEST(Tensors, BFloat16RoundsToNearestEven) {
  auto bits = [](uint32_t wide) { return BFloat16(floatOf(wide)).bits; };
  EXPECT_EQ(bits(0x3f800000), 0x3f80); // 1
  EXPECT_EQ(bits(0x3f807fff), 0x3f80);
  EXPECT_EQ(bits(0x3f808000), 0x3f80); // a tie goes to even
  EXPECT_EQ(bits(0x3f808001), 0x3f81);
  EXPECT_EQ(bits(0x3f818000), 0x3f82);
  EXPECT_EQ(bits(0x7f7fffff), 0x7f80); // overflows to infinity
  EXPECT_EQ(bits(0xff800000), 0xff80);
  EXPECT_EQ(bits(0x7f800001), 0x7fc0); // stays NaN
  EXPECT_EQ(static_cast<float>(BFloat16(1.5f)), 1.5f);
}

TEST(Tensors, ConvertAllPairs) {
  const std::vector<DType> types = {DType::F32,  DType::F64, DType::F16,
                                    DType::BF16, DType::I32, DType::I64,
                                    DType::Bool};
  for (DType from : types)
    for (DType to : types) {
      std::vector<double> numbers = {0, 1, 3, 120}, result(4);
      std::vector<uint8_t> a(64), b(64);
      convert(numbers.data(), DType::F64, a.data(), from, 4);
      convert(a.data(), from, b.data(), to, 4);
      convert(b.data(), to, result.data(), DType::F64, 4);
      bool truth = from == DType::Bool || to == DType::Bool;
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(result[i], truth ? std::min(numbers[i], 1.0) : numbers[i]);
    }
  double fraction = -2.75;
  int32_t whole;
  convert(&fraction, DType::F64, &whole, DType::I32, 1);
  EXPECT_EQ(whole, -2);
}

TEST(Tensors, BoxesReadAndWriteBack) {
  std::vector<int64_t> shape = {4, 3, 6, 2};
  std::vector<float> global(144);
  std::iota(global.begin(), global.end(), 0.0f);
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Box box;
    box.shape = shape;
    for (int64_t extent : shape) {
      box.offset.push_back(random() % (extent + 1));
      box.size.push_back(random() % (extent + 1 - box.offset.back()));
      if (random() % 2)
        box.offset.back() = 0, box.size.back() = extent;
    }
    std::vector<double> expected;
    for (int64_t flat = 0; flat < 144; ++flat) {
      bool inside = true;
      int64_t rest = flat;
      for (int dim = 3; dim >= 0; rest /= shape[dim--]) {
        int64_t at = rest % shape[dim] - box.offset[dim];
        inside &= at >= 0 && at < box.size[dim];
      }
      if (inside)
        expected.push_back(static_cast<double>(flat));
    }
    ASSERT_EQ(box.elements(), static_cast<int64_t>(expected.size()));
    std::vector<double> read(expected.size());
    readBox(global.data(), DType::F32, box, read.data(), DType::F64);
    ASSERT_EQ(read, expected);
    std::vector<double> back(144, -1);
    writeBox(back.data(), box, read.data(), DType::F64);
    for (int64_t flat = 0; flat < 144; ++flat)
      if (back[flat] != -1)
        ASSERT_EQ(back[flat], flat);
    ASSERT_EQ(std::count(back.begin(), back.end(), -1.0), 144 - box.elements());
  }
}

/// The numbers of a list whose parts are these, each ascending.
static std::vector<int64_t> listOf(const std::vector<std::vector<int>> &parts) {
  std::vector<int64_t> list;
  for (const std::vector<int> &part : parts)
    list.insert(list.end(), part.begin(), part.end());
  return list;
}

/// Parts of a zigzag and of stripes, of any of the dims and of two at once.
TEST(Tensors, BoxesOfRunsReadAndWriteBack) {
  struct Order {
    std::vector<std::vector<int>> parts;
    std::vector<hocket::plan::Runs> runs;
  };
  const Order zigzag = {{{0, 1, 6}, {2, 3, 4, 5}},
                        {{0, 0, 2, 6}, {3, 2, 2, 2}}};
  const Order striped = {{{0, 1, 4, 5}, {2, 3, 6}},
                         {{0, 0, 2, 4}, {4, 2, 2, 4}}};
  const std::vector<int64_t> shape = {7, 7, 7};
  std::vector<float> global(343);
  std::iota(global.begin(), global.end(), 0.0f);
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    Box box{shape, {}, {}};
    std::vector<std::vector<int64_t>> places;
    for (size_t dim = 0; dim < 3; ++dim) {
      const Order &order = random() % 2 ? zigzag : striped;
      std::vector<int64_t> list = listOf(order.parts);
      size_t part = random() % 2, kind = random() % 3;
      if (kind == 0) { // what an inner axis leaves of a part
        box.offset.push_back(order.runs[part].begin + random() % 2);
        box.size.push_back(1 + random() % 2);
        box.runs.push_back({dim, order.runs[part]});
      } else { // an interval, or all of it
        list.resize(7);
        std::iota(list.begin(), list.end(), 0);
        box.offset.push_back(kind == 1 ? 0 : 2);
        box.size.push_back(kind == 1 ? 7 : 3);
      }
      places.emplace_back(list.begin() + box.offset.back(),
                          list.begin() + box.offset.back() + box.size.back());
    }
    std::vector<double> expected;
    for (int64_t a : places[0])
      for (int64_t b : places[1])
        for (int64_t c : places[2])
          expected.push_back(double((a * 7 + b) * 7 + c));
    std::vector<double> read(expected.size());
    readBox(global.data(), DType::F32, box, read.data(), DType::F64);
    ASSERT_EQ(read, expected);
    std::vector<double> back(343, -1);
    writeBox(back.data(), box, read.data(), DType::F64);
    for (int64_t flat = 0; flat < 343; ++flat)
      if (back[flat] != -1)
        ASSERT_EQ(back[flat], flat);
    ASSERT_EQ(std::count(back.begin(), back.end(), -1.0), 343 - box.elements());
  }
}

TEST(Tensors, WhatMayBeReadAsWhat) {
  EXPECT_TRUE(isReadable(DType::F16, DType::F32));
  EXPECT_TRUE(isReadable(DType::F64, DType::BF16));
  EXPECT_TRUE(isReadable(DType::I32, DType::I64));
  EXPECT_TRUE(isReadable(DType::Bool, DType::I64));
  EXPECT_FALSE(isReadable(DType::I64, DType::F32));
  EXPECT_FALSE(isReadable(DType::F32, DType::I64));
  EXPECT_FALSE(isReadable(DType::I32, DType::Bool));
}

TEST(Tensors, MemoryTensorsNameThemselves) {
  MemoryTensors tensors("input 'x'");
  float value;
  Box box{{1}, {0}, {1}};
  EXPECT_EQ(tensors.read("a", box, DType::F32, &value).message,
            "input 'x' has no tensor \"a\"");
  EXPECT_EQ(tensors.write("a", box, &value).message,
            "input 'x' has no room for output \"a\"");
  tensors.add("b", DType::F32, {1});
  EXPECT_EQ(tensors.names(), std::vector<std::string>{"b"});
}

// Every order of three dims, with sizes that tiles do not divide, against an
// index for each element, and back; a dim of size 1 has any stride.
TEST(Tensors, TurnsToRowMajorAndBack) {
  const std::vector<int64_t> sizes = {3, 1, 67, 45};
  std::vector<size_t> order = {0, 2, 3};
  do {
    std::vector<int64_t> strides(4, 7);
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0; stride *= sizes[order[i]])
      strides[order[i]] = stride;
    for (int64_t bytes : {1, 2, 4, 8}) {
      std::vector<uint8_t> from(stride * bytes), to(from.size());
      for (size_t i = 0; i < from.size(); ++i)
        from[i] = uint8_t(i * 31 + i / 251);
      toRowMajor(from.data(), sizes, strides, bytes, to.data());
      const uint8_t *next = to.data();
      for (int64_t a = 0; a < sizes[0]; ++a)
        for (int64_t b = 0; b < sizes[2]; ++b)
          for (int64_t c = 0; c < sizes[3]; ++c, next += bytes)
            ASSERT_EQ(
                0, std::memcmp(next,
                               &from[bytes * (a * strides[0] + b * strides[2] +
                                              c * strides[3])],
                               bytes));
      std::vector<uint8_t> back(from.size());
      fromRowMajor(to.data(), sizes, strides, bytes, back.data());
      ASSERT_EQ(back, from);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  float one = 5, there = 0;
  toRowMajor(&one, {}, {}, 4, &there);
  EXPECT_EQ(there, 5);
  toRowMajor(nullptr, {0, 4}, {4, 1}, 4, nullptr);
  fromRowMajor(nullptr, {0, 4}, {4, 1}, 4, nullptr);
}

/// Of a box of a larger tensor, in every order and of every size.
TEST(Tensors, PartsFollowOneAnotherInMemory) {
  Box box{{9, 8, 7}, {1, 2, 3}, {5, 1, 4}};
  for (auto strides : {std::vector<int64_t>{4, 4, 1}, {1, 5, 5}, {1, 20, 5}})
    for (int64_t most = 1; most <= 21; ++most) {
      int64_t next = 0;
      for (const Box &part : partsOf(box, strides, most)) {
        EXPECT_LE(part.elements(), most);
        EXPECT_EQ(part.shape, box.shape);
        int64_t first = 0, last = 0;
        for (size_t dim = 0; dim < 3; ++dim) {
          int64_t at = part.offset[dim] - box.offset[dim];
          first += at * strides[dim];
          last += (at + part.size[dim] - 1) * strides[dim];
        }
        EXPECT_EQ(first, next);
        EXPECT_EQ(last - first + 1, part.elements());
        next = last + 1;
      }
      EXPECT_EQ(next, 20);
    }
  box.size[0] = 0;
  EXPECT_TRUE(partsOf(box, {4, 4, 1}, 8).empty());
}
