//===- RefusalsTest.cpp - what products are refused, and how --------------===//

#include "test/Gpu/Libraries/Blas/Sample.h"
#include "test/Paths.h"
#include <cstring>

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

Sample plain() { return sample(DType::F32, DType::F32, {}, 3, 4, 5); }

std::string whyNot(const Sample &product) {
  return whyNotBlas(product.arguments());
}

class RefusalsTest : public BlasTest {
protected:
  std::string failure(const Sample &product, const ProductOptions &options,
                      const std::vector<uint8_t> *algorithm = nullptr) {
    Status status = run(*blas, product, options, algorithm);
    EXPECT_EQ(status.kind, runtime::ErrorKind::Runtime);
    return status.message;
  }
};

} // namespace

TEST(Refusals, Types) {
  EXPECT_EQ(whyNot(sample(DType::I32, DType::I32, {}, 3, 4, 5)),
            "cuBLASLt has no product of i32 and i32 with a result of i32");
  EXPECT_EQ(whyNot(sample(DType::F16, DType::BF16, {}, 3, 4, 5)),
            "cuBLASLt has no product of f16 and f16 with a result of bf16");
  EXPECT_EQ(whyNot(sample(DType::F32, DType::F64, {}, 3, 4, 5)),
            "cuBLASLt has no product of f32 and f32 with a result of f64");
  Sample mixed = plain();
  mixed.b = Tensor(DType::BF16, {5, 4});
  EXPECT_EQ(whyNot(mixed),
            "cuBLASLt has no product of f32 and bf16 with a result of f32");
  Sample product = sample(DType::BF16, DType::F32, {}, 3, 4, 5);
  product.bias = Tensor(DType::BF16, {4});
  EXPECT_EQ(whyNot(product), "cuBLASLt adds a bias only of the result's type "
                             "f32, not of bf16");
  product.bias.reset();
  product.post = {{PostOp::Add, Tensor(DType::BF16, {3, 4})}};
  EXPECT_EQ(whyNot(product), "cuBLASLt adds only what has the result's type "
                             "f32, not bf16");
}

TEST(Refusals, PostOperations) {
  auto with = [](std::vector<PostOp> ops) {
    Sample product = plain();
    for (PostOp op : ops) {
      bool hasOperand = op == PostOp::Add || op == PostOp::Mul;
      product.post.push_back(
          {op, hasOperand ? Tensor(DType::F32, {3, 4}) : Tensor()});
    }
    return whyNot(product);
  };
  EXPECT_EQ(with({PostOp::Silu}), "cuBLASLt has no silu after a product");
  EXPECT_EQ(with({PostOp::Tanh}), "cuBLASLt has no tanh after a product");
  EXPECT_EQ(with({PostOp::GeluErf}),
            "cuBLASLt has no gelu with erf after a product");
  EXPECT_EQ(with({PostOp::Add, PostOp::Mul}),
            "cuBLASLt has no mul after a product");
  EXPECT_EQ(with({PostOp::Relu, PostOp::Add}),
            "cuBLASLt has no add after relu");
  EXPECT_EQ(with({PostOp::Add, PostOp::Add}), "cuBLASLt has no add after add");
  EXPECT_EQ(with({PostOp::GeluTanh, PostOp::Relu}),
            "cuBLASLt has no relu after gelu with tanh");
  EXPECT_EQ(with({PostOp::Relu, PostOp::GeluTanh}),
            "cuBLASLt has no gelu with tanh after relu");
  Sample product = sample(DType::F64, DType::F64, {}, 3, 4, 5);
  product.post = {{PostOp::GeluTanh, {}}};
  EXPECT_EQ(whyNot(product), "cuBLASLt's gelu with tanh errs by 1e-10 in f64");
}

TEST(Refusals, Strides) {
  Sample product = plain();
  product.a = Tensor(DType::F32, {3, 5}, {10, 2});
  EXPECT_EQ(whyNot(product),
            "cuBLASLt wants a stride of 1 in one of the last two dims and no "
            "overlap in the other, and the strides of a [3, 5] are [10, 2]");
  product.a = Tensor(DType::F32, {3, 5}, {0, 1});
  EXPECT_EQ(whyNot(product),
            "cuBLASLt wants a stride of 1 in one of the last two dims and no "
            "overlap in the other, and the strides of a [3, 5] are [0, 1]");
  product = plain();
  product.b = Tensor(DType::F32, {5, 4}, {3, 1});
  EXPECT_EQ(whyNot(product),
            "cuBLASLt wants a stride of 1 in one of the last two dims and no "
            "overlap in the other, and the strides of b [5, 4] are [3, 1]");
  product = plain();
  product.c = Tensor(DType::F32, {3, 4}, {8, 2});
  EXPECT_EQ(whyNot(product),
            "cuBLASLt wants a stride of 1 in one of the last two dims and no "
            "overlap in the other, and the strides of c [3, 4] are [8, 2]");
  ProductArguments backwards = plain().arguments();
  backwards.b.strides = {-4, 1};
  EXPECT_EQ(whyNotBlas(backwards), "cuBLASLt cannot read backwards, and the "
                                   "strides of b are [-4, 1]");
}

TEST(Refusals, BiasAndAddedOperand) {
  Sample product = plain();
  product.bias = Tensor(DType::F32, {4}, {2});
  EXPECT_EQ(whyNot(product), "cuBLASLt reads a bias only with stride 1, not 2");
  product.bias = Tensor(DType::F32, {4});
  product.c = Tensor(DType::F32, {3, 4}, {1, 3});
  EXPECT_EQ(whyNot(product), "cuBLASLt adds a bias only along a unit stride "
                             "of c, whose strides are [1, 3]");
  product = plain();
  product.post = {{PostOp::Add, Tensor(DType::F32, {3, 4}, {1, 3})}};
  EXPECT_EQ(whyNot(product),
            "cuBLASLt adds only what lies in the order of c, and the strides "
            "of c are [4, 1], those of what is added [1, 3]");
  product.post = {{PostOp::Add, Tensor(DType::F32, {3, 4}, {1, 0})}};
  EXPECT_EQ(whyNot(product),
            "cuBLASLt adds only what lies in the order of c, and the strides "
            "of c are [4, 1], those of what is added [1, 0]");
}

TEST(Refusals, Limits) {
  ProductArguments product = plain().arguments();
  int64_t many = int64_t(1) << 31;
  product.a.shape = {many, 5};
  product.c.shape = {many, 4};
  EXPECT_EQ(whyNotBlas(product), "cuBLASLt takes at most 2147483647 rows and "
                                 "columns, not 2147483648");
  product = sample(DType::F32, DType::F32, {2}, 3, 4, 5).arguments();
  for (Operand *operand : {&product.a, &product.b, &product.c})
    operand->shape[0] = many;
  EXPECT_EQ(whyNotBlas(product), "cuBLASLt takes at most 2147483647 products "
                                 "in a batch, not 2147483648");
  product = sample(DType::F32, DType::F32, {}, 3, 4, 0).arguments();
  product.a.shape = {5000000, 0};
  product.c.shape = {5000000, 4};
  EXPECT_EQ(whyNotBlas(product), "an empty sum of 4 x 5000000 takes more zeros "
                                 "than fit beside a product");
}

TEST(Refusals, NoLibrary) {
  BlasLibrary library;
  Status status = library.load({"libcublasLt.so.999"});
  EXPECT_EQ(status.kind, runtime::ErrorKind::User);
  EXPECT_EQ(status.message,
            "products need cuBLASLt 12 or newer, which is not found: "
            "libcublasLt.so.999: cannot open shared object file: No such file "
            "or directory; install the CUDA toolkit or the Python package "
            "nvidia-cublas, and name the folder of libcublasLt.so.13 in "
            "LD_LIBRARY_PATH");
}

TEST(Refusals, AnotherLibrary) {
  BlasLibrary library;
  Status status = library.load({"libcublasLt.so.999", "libm.so.6"});
  EXPECT_EQ(status.message,
            "products need cuBLASLt 12 or newer, and libm.so.6 has no "
            "cublasLtGetVersion; install the CUDA toolkit or the Python "
            "package nvidia-cublas, and name the folder of libcublasLt.so.13 "
            "in LD_LIBRARY_PATH");
}

TEST_F(RefusalsTest, OldLibrary) {
  auto set = reinterpret_cast<void (*)(size_t)>(find("hocketBlasSetVersion"));
  set(111103);
  BlasLibrary old;
  Status status = old.load({lookalikePath()});
  set(130100);
  EXPECT_EQ(status.kind, runtime::ErrorKind::User);
  EXPECT_EQ(status.message,
            "products need cuBLASLt 12 or newer, and " + lookalikePath() +
                " is 11.11.3; install the CUDA toolkit or the Python package "
                "nvidia-cublas, and name the folder of libcublasLt.so.13 in "
                "LD_LIBRARY_PATH");
}

TEST_F(RefusalsTest, WhatIsNotTaken) {
  EXPECT_EQ(failure(sample(DType::I64, DType::I64, {}, 3, 4, 5), {}),
            "the product [3, 5] x [5, 4] i64 cannot be computed: cuBLASLt has "
            "no product of i64 and i64 with a result of i64");
}

TEST_F(RefusalsTest, AddedOperandOverlaps) {
  Sample product = plain();
  Operand shifted = product.c.operand();
  ProductArguments arguments = product.arguments();
  shifted.data = static_cast<char *>(shifted.data) + 16;
  arguments.post = {{PostOp::Add, shifted}};
  std::unique_ptr<BlasProduct> made;
  EXPECT_EQ(BlasProduct::make(*blas, arguments, {}, made).message,
            "what is added to the product [3, 5] x [5, 4] f32 overlaps its "
            "result without being it");
  // At the same place, in another order.
  shifted = product.c.operand();
  shifted.strides = {5, 1};
  arguments.post = {{PostOp::Add, shifted}};
  EXPECT_EQ(BlasProduct::make(*blas, arguments, {}, made).message,
            "what is added to the product [3, 5] x [5, 4] f32 overlaps its "
            "result without being it");
  // Windows side by side share no byte.
  shifted.data = static_cast<char *>(product.c.operand().data) + 16;
  arguments.post = {{PostOp::Add, shifted}};
  arguments.c.strides = arguments.post[0].operand.strides = {8, 1};
  EXPECT_TRUE(BlasProduct::make(*blas, arguments, {}, made).ok());
}

TEST_F(RefusalsTest, Alignment) {
  Sample product = plain();
  ProductOptions options;
  options.alignment = ProductAlignment();
  product.a = Tensor(DType::F32, {3, 5}, {}, 1);
  EXPECT_EQ(failure(product, options),
            "a of the product [3, 5] x [5, 4] f32 is not aligned to 256 bytes "
            "as its algorithm wants");
  product = plain();
  product.b = Tensor(DType::F32, {5, 4}, {}, 2);
  EXPECT_EQ(failure(product, options),
            "b of the product [3, 5] x [5, 4] f32 is not aligned to 256 bytes "
            "as its algorithm wants");
  product = plain();
  product.c = Tensor(DType::F32, {3, 4}, {}, 4);
  EXPECT_EQ(failure(product, options),
            "c of the product [3, 5] x [5, 4] f32 is not aligned to 256 bytes "
            "as its algorithm wants");
  product = plain();
  product.bias = Tensor(DType::F32, {4}, {}, 4);
  EXPECT_EQ(failure(product, options),
            "the bias of the product [3, 5] x [5, 4] f32 is not aligned to 256 "
            "bytes as its algorithm wants");
  product = plain();
  product.post = {{PostOp::Add, Tensor(DType::F32, {3, 4}, {}, 4)}};
  EXPECT_EQ(failure(product, options),
            "what is added of the product [3, 5] x [5, 4] f32 is not aligned "
            "to 256 bytes as its algorithm wants");
}

TEST_F(RefusalsTest, Algorithms) {
  std::vector<uint8_t> bytes(5);
  EXPECT_EQ(failure(plain(), {}, &bytes),
            "an algorithm of the product [3, 5] x [5, 4] f32 has 80 bytes, not "
            "5");
  std::unique_ptr<BlasProduct> made;
  ASSERT_TRUE(BlasProduct::make(*blas, plain().arguments(), {}, made).ok());
  EXPECT_EQ(made->run(nullptr, workspace).message,
            "the product [3, 5] x [5, 4] f32 runs before an algorithm is "
            "chosen for it");
  ASSERT_TRUE(made->choose(bytes).ok());
  bytes[0] ^= 4; // the version, 130100 = 0x1fc34
  Status status = made->use(bytes);
  EXPECT_EQ(status.kind, runtime::ErrorKind::User);
  EXPECT_EQ(status.message,
            "ranks have cuBLASLt 13.0.96 and 13.1.0, which compute other bits; "
            "install one of them everywhere");
}

TEST_F(RefusalsTest, AlgorithmOfAnotherProduct) {
  std::vector<uint8_t> bytes;
  std::unique_ptr<BlasProduct> made;
  Sample other = sample(DType::F32, DType::F32, {}, 3, 4, 6);
  ASSERT_TRUE(BlasProduct::make(*blas, other.arguments(), {}, made).ok());
  ASSERT_TRUE(made->choose(bytes).ok());
  EXPECT_EQ(failure(plain(), {}, &bytes),
            "cublasLtMatmulAlgoCheck of cuBLASLt 13.1.0 failed for [3, 5] x "
            "[5, 4] f32: an unsupported value or parameter was passed to the "
            "function");
  EXPECT_EQ(takeFindings(), "cublasLtMatmulAlgoCheck: the algorithm was chosen "
                            "for another product\n");
}

TEST_F(RefusalsTest, AlgorithmsWithALargeWorkspace) {
  // Nothing is computed, so the addresses are those of no memory.
  void *place = reinterpret_cast<void *>(4096);
  ProductArguments product{{place, DType::F32, {2100, 5}, {5, 1}},
                           {place, DType::F32, {5, 2100}, {2100, 1}},
                           {place, DType::F32, {2100, 2100}, {2100, 1}},
                           {},
                           {}};
  struct {
    uint64_t version, loopsOverBatch;
    BlasAlgorithm algorithm;
  } chosen = {library.version, 0, {}};
  std::optional<BlasAlgorithm> found;
  BlasObjects objects(*blas, "a large one");
  ASSERT_TRUE(objects.make(formOf(product), BlasCompute32F, BlasF32).ok());
  ASSERT_TRUE(objects.choose({4, 4, 4, 4}, 1 << 30, found).ok());
  ASSERT_TRUE(found.has_value());
  chosen.algorithm = *found;
  std::vector<uint8_t> bytes(sizeof chosen);
  std::memcpy(bytes.data(), &chosen, sizeof chosen);
  std::unique_ptr<BlasProduct> made;
  ASSERT_TRUE(BlasProduct::make(*blas, product, {}, made).ok());
  EXPECT_EQ(made->use(bytes).message,
            "the algorithm of the product [2100, 5] x [5, 2100] f32 wants a "
            "workspace of 35280000 bytes here, more than 33554432");
  EXPECT_TRUE(made->choose(bytes).ok());
  EXPECT_TRUE(made->use(bytes).ok());
}

TEST_F(RefusalsTest, TheDriverFails) {
  driver.memsetD8Async = [](DeviceAddress, unsigned char, size_t,
                            Stream) -> Result { return IllegalAddress; };
  EXPECT_EQ(failure(sample(DType::F32, DType::F32, {}, 3, 4, 0), {}),
            "cuMemsetD8Async failed for the product [3, 0] x [0, 4] f32: 700");
}
