//===- ProductsTest.cpp - products against float64 ------------------------===//

#include "test/Gpu/Libraries/Blas/Sample.h"
#include <set>

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

struct Types {
  DType in, out;
};

const Types allTypes[] = {{DType::F32, DType::F32}, {DType::F64, DType::F64},
                          {DType::F16, DType::F16}, {DType::BF16, DType::BF16},
                          {DType::F16, DType::F32}, {DType::BF16, DType::F32}};

/// Of post operations: cuBLASLt's gelu of f64 is not exact enough.
PostOp activationOf(Types types, int number) {
  return number == 1 || types.out == DType::F64 ? PostOp::Relu
                                                : PostOp::GeluTanh;
}

struct Extents {
  int64_t m, n, k;
};

const Extents allExtents[] = {{1, 1, 1},  {5, 3, 7},    {1, 9, 33},
                              {17, 1, 5}, {33, 20, 65}, {8, 16, 1}};

/// [rows, columns] with gaps, by rows or by columns.
Tensor matrix(DType type, int64_t rows, int64_t columns, bool byColumns,
              int64_t gap = 0) {
  return byColumns ? Tensor(type, {rows, columns}, {1, rows + gap})
                   : Tensor(type, {rows, columns}, {columns + gap, 1});
}

using ProductsTest = BlasTest;

} // namespace

TEST_F(ProductsTest, TypesAndExtents) {
  for (Types types : allTypes)
    for (Extents e : allExtents)
      check(sample(types.in, types.out, {}, e.m, e.n, e.k));
}

TEST_F(ProductsTest, TransposesAndGaps) {
  for (Types types : allTypes)
    for (Extents e : allExtents)
      for (int form = 0; form < 16; ++form) {
        int64_t gap = form & 8 ? 3 : 0;
        check({matrix(types.in, e.m, e.k, form & 1, gap),
               matrix(types.in, e.k, e.n, form & 2, gap),
               matrix(types.out, e.m, e.n, form & 4, gap),
               std::nullopt,
               {}});
      }
}

TEST_F(ProductsTest, Epilogues) {
  for (Types types : allTypes)
    for (Extents e : allExtents)
      for (int form = 0; form < 12; ++form) {
        Sample product = sample(types.in, types.out, {}, e.m, e.n, e.k);
        if (form & 1)
          product.bias = Tensor(types.out, {e.n});
        if (form & 2)
          product.post.push_back({PostOp::Add, Tensor(types.out, {e.m, e.n})});
        if (form / 4)
          product.post.push_back({activationOf(types, form / 4), {}});
        check(product);
      }
}

TEST_F(ProductsTest, EpiloguesByColumns) {
  Sample product = sample(DType::F32, DType::F32, {}, 6, 4, 9);
  product.c = matrix(DType::F32, 6, 4, true, 1);
  product.post = {{PostOp::Add, matrix(DType::F32, 6, 4, true, 5)},
                  {PostOp::GeluTanh, {}}};
  check(product);
}

TEST_F(ProductsTest, AddedInPlace) {
  for (Types types : allTypes) {
    Sample product = sample(types.in, types.out, {3}, 5, 7, 11);
    product.post = {{PostOp::Add, product.c}, {PostOp::Relu, {}}};
    check(product);
  }
}

TEST_F(ProductsTest, AddedRowForAllRows) {
  Sample product = sample(DType::F32, DType::F32, {2, 3}, 5, 7, 11);
  product.bias = Tensor(DType::F32, {7});
  product.post = {
      {PostOp::Add, Tensor(DType::F32, {2, 3, 5, 7}, {0, 0, 0, 1})}};
  EXPECT_EQ(blasCalls(product.arguments()), 1);
  check(product);
  product.post = {
      {PostOp::Add, Tensor(DType::F32, {2, 3, 5, 7}, {7, 0, 0, 1})}};
  check(product);
}

TEST_F(ProductsTest, OnlyTheResultIsWritten) {
  // A window in the middle of a larger c, beside an added one.
  Tensor whole(DType::F32, {4, 6, 20});
  Sample product = sample(DType::F32, DType::F32, {4}, 6, 5, 8);
  product.c = Tensor(DType::F32, {4, 6, 5}, {120, 20, 1}, 3);
  product.bias = Tensor(DType::F32, {5}, {}, 1);
  check(product);
}

TEST_F(ProductsTest, Batches) {
  struct Form {
    std::vector<int64_t> batch, a, b, c;
    int64_t calls;
  };
  int64_t m = 4, n = 6, k = 5;
  const Form forms[] = {
      // one batch dim; rows of a and c continue, b is the same
      {{3}, {20, 5, 1}, {30, 6, 1}, {24, 6, 1}, 1},
      {{3}, {20, 5, 1}, {0, 6, 1}, {24, 6, 1}, 1},
      {{3}, {0, 5, 1}, {30, 6, 1}, {24, 6, 1}, 1},
      {{3}, {0, 5, 1}, {0, 6, 1}, {24, 6, 1}, 1},
      // heads in the middle: a [m, heads, k], c [m, heads, n]
      {{3}, {5, 15, 1}, {30, 6, 1}, {6, 18, 1}, 1},
      {{2, 3}, {60, 20, 5, 1}, {90, 30, 6, 1}, {72, 24, 6, 1}, 1},
      {{2, 3}, {60, 5, 15, 1}, {90, 6, 18, 1}, {72, 6, 18, 1}, 2},
      {{2, 3}, {60, 20, 5, 1}, {0, 30, 6, 1}, {72, 24, 6, 1}, 2},
      {{3, 2}, {0, 20, 1, 4}, {60, 0, 1, 5}, {48, 24, 6, 1}, 2},
      {{2, 3, 2}, {20, 40, 0, 5, 1}, {0, 30, 0, 6, 1}, {24, 96, 48, 6, 1}, 4},
      {{1, 3, 1}, {7, 20, 9, 5, 1}, {0, 30, 0, 6, 1}, {1, 24, 2, 6, 1}, 1}};
  for (const Form &form : forms)
    for (Types types : {allTypes[0], allTypes[1], allTypes[5]}) {
      Sample product = sample(types.in, types.out, form.batch, m, n, k);
      product.a = Tensor(types.in, product.a.shape, form.a);
      product.b = Tensor(types.in, product.b.shape, form.b);
      product.c = Tensor(types.out, product.c.shape, form.c);
      EXPECT_EQ(blasCalls(product.arguments()), form.calls);
      check(product);
      product.bias = Tensor(types.out, {n});
      product.post = {{PostOp::Add, Tensor(types.out, product.c.shape)},
                      {PostOp::Relu, {}}};
      check(product);
    }
}

TEST_F(ProductsTest, SingleRowsOfABatchAreRows) {
  Sample product = sample(DType::F32, DType::F32, {5}, 1, 6, 4);
  product.a = Tensor(DType::F32, {5, 1, 4}, {9, 77, 1});
  product.b = Tensor(DType::F32, {5, 4, 6}, {0, 6, 1});
  EXPECT_EQ(blasCalls(product.arguments()), 1);
  check(product);
  // Joined, a would have no unit stride.
  product.a = Tensor(DType::F32, {5, 1, 4}, {2, 77, 10});
  check(product);
}

TEST_F(ProductsTest, EmptySums) {
  for (Types types : allTypes)
    for (std::vector<int64_t> batch :
         {std::vector<int64_t>(), {3}, {2, 3}, {1}}) {
      Sample product = sample(types.in, types.out, batch, 7, 5, 0);
      check(product);
      product.bias = Tensor(types.out, {5});
      product.post = {{PostOp::Add, Tensor(types.out, product.c.shape)},
                      {activationOf(types, 2), {}}};
      check(product);
    }
}

TEST_F(ProductsTest, EmptyResults) {
  for (Extents e : {Extents{0, 4, 3}, {4, 0, 3}, {0, 0, 0}}) {
    Sample product = sample(DType::F32, DType::F32, {2}, e.m, e.n, e.k);
    EXPECT_EQ(whyNotBlas(product.arguments()), "");
    EXPECT_EQ(blasCalls(product.arguments()), 0);
    check(product);
  }
  Sample product = sample(DType::I32, DType::I32, {0}, 2, 3, 4);
  ProductOptions none;
  none.workspaceBytes = 0;
  check(product, none);
}

TEST_F(ProductsTest, UnalignedOperands) {
  for (Types types : allTypes)
    for (int64_t shift : {1, 2, 3, 8}) {
      Sample product = sample(types.in, types.out, {2, 2}, 3, 5, 7);
      product.a = Tensor(types.in, {2, 2, 3, 7}, {70, 23, 7, 1}, shift);
      product.b = Tensor(types.in, {2, 2, 7, 5}, {75, 37, 5, 1}, shift);
      product.c = Tensor(types.out, {2, 2, 3, 5}, {31, 15, 5, 1}, shift);
      product.bias = Tensor(types.out, {5}, {}, shift);
      product.post = {{PostOp::Add,
                       Tensor(types.out, {2, 2, 3, 5}, {33, 16, 5, 1}, shift)}};
      check(product);
    }
}

TEST_F(ProductsTest, OneUnalignedOperand) {
  for (bool byColumns : {false, true})
    for (int which = 0; which < 5; ++which) {
      auto shift = [&](int operand) { return operand == which ? 1 : 0; };
      std::vector<int64_t> strides = {byColumns ? 1 : 5, byColumns ? 3 : 1};
      Sample product = sample(DType::F32, DType::F32, {}, 3, 5, 7);
      product.a = Tensor(DType::F32, {3, 7}, {}, shift(0));
      product.b = Tensor(DType::F32, {7, 5}, {}, shift(1));
      product.c = Tensor(DType::F32, {3, 5}, strides, shift(2));
      product.post = {
          {PostOp::Add, Tensor(DType::F32, {3, 5}, strides, shift(3))}};
      if (!byColumns)
        product.bias = Tensor(DType::F32, {5}, {}, shift(4));
      check(product);
    }
}

TEST_F(ProductsTest, ChoosingAgainChangesNothing) {
  Sample product = sample(DType::F32, DType::F32, {}, 3, 5, 7);
  product.bias = Tensor(DType::F32, {5});
  check(product);
  std::vector<uint8_t> bits = product.c.bits(), algorithm;
  product.c.forget();
  std::unique_ptr<BlasProduct> made;
  ASSERT_TRUE(BlasProduct::make(*blas, product.arguments(), {}, made).ok());
  ASSERT_TRUE(made->choose(algorithm).ok());
  ASSERT_TRUE(made->use(algorithm).ok());
  ASSERT_TRUE(made->choose(algorithm).ok());
  ASSERT_TRUE(made->run(nullptr, workspace).ok());
  EXPECT_EQ(product.c.bits(), bits);
}

TEST_F(ProductsTest, Tf32OnlyWhereAskedFor) {
  Sample product = sample(DType::F32, DType::F32, {}, 8, 8, 64);
  check(product);
  std::vector<uint8_t> exact = product.c.bits();
  ProductOptions options;
  options.tf32 = true;
  check(product, options);
  EXPECT_NE(product.c.bits(), exact);
  // Other types have nothing to round.
  check(sample(DType::F64, DType::F64, {}, 8, 8, 64), options);
}

TEST_F(ProductsTest, SameBitsEachTime) {
  Sample product = sample(DType::F32, DType::F32, {2}, 9, 8, 100);
  check(product);
  std::vector<uint8_t> first = product.c.bits();
  check(product);
  EXPECT_EQ(product.c.bits(), first);
}

TEST_F(ProductsTest, RanksShareAnAlgorithm) {
  Sample product = sample(DType::F32, DType::F32, {}, 16, 16, 300);
  product.bias = Tensor(DType::F32, {16});
  std::vector<uint8_t> chosen;
  {
    std::unique_ptr<BlasProduct> made;
    ASSERT_TRUE(BlasProduct::make(*blas, product.arguments(), {}, made).ok());
    ASSERT_TRUE(made->choose(chosen).ok());
  }
  ASSERT_TRUE(run(*blas, product, {}, &chosen).ok());
  std::vector<uint8_t> bits = product.c.bits();
  std::set<std::vector<uint8_t>> own = {bits};
  for (int device = 1; device < 3; ++device) {
    std::unique_ptr<Blas> other = openOn(device);
    ASSERT_TRUE(run(*other, product, {}, &chosen).ok());
    EXPECT_EQ(product.c.bits(), bits);
    ASSERT_TRUE(run(*other, product, {}).ok());
    own.insert(product.c.bits());
  }
  EXPECT_EQ(own.size(), 3u) << "devices choose alike";
}

TEST_F(ProductsTest, AlignmentOfAllRanks) {
  Sample here = sample(DType::BF16, DType::BF16, {}, 4, 8, 8), there = here;
  there.a = Tensor(DType::BF16, {4, 8}, {}, 1);
  here.bias = Tensor(DType::BF16, {8});
  there.bias = Tensor(DType::BF16, {8}, {}, 3);
  ProductOptions options;
  options.alignment = ProductAlignment::of(here.arguments());
  options.alignment->meet(ProductAlignment::of(there.arguments()));
  EXPECT_EQ(options.alignment->a, 2);
  EXPECT_EQ(options.alignment->b, 256);
  EXPECT_EQ(options.alignment->bias, 2);
  std::vector<uint8_t> chosen;
  std::unique_ptr<BlasProduct> made;
  ASSERT_TRUE(BlasProduct::make(*blas, here.arguments(), options, made).ok());
  ASSERT_TRUE(made->choose(chosen).ok());
  EXPECT_TRUE(run(*blas, here, options, &chosen).ok());
  EXPECT_TRUE(run(*blas, there, options, &chosen).ok());
}
