//===- AttentionDocumentsTest.cpp - attention of packed documents ---------===//

#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using Shape = AttentionShape;

namespace {

class CudaAttentionDocuments : public OfAttentionTypes {};
INSTANTIATE_TEST_SUITE_P(Types, CudaAttentionDocuments, attentionTypes,
                         OfAttentionTypes::nameOf);

/// Documents of `length` tokens, one after the other; those of the second batch
/// entry are shorter.
std::function<int64_t(int64_t, int64_t)> packed(int64_t length) {
  return [length](int64_t b, int64_t i) { return i / (length - 7 * b) - 1; };
}

Shape shapeOf(int64_t length) {
  Shape shape;
  shape.batch = 2;
  shape.heads = shape.kvHeads = 1;
  shape.queries = shape.keys = 150;
  shape.depth = shape.width = 32;
  shape.queryDocument = shape.keyDocument = packed(length);
  return shape;
}

TEST_P(CudaAttentionDocuments, Packed) {
  Shape shape = shapeOf(40);
  expectBothRight(shape);
  shape.causal = true;
  shape.documentType = DType::I64;
  expectBothRight(shape);
}

/// Documents of whole tiles, of which nothing is hidden, and one of all.
TEST_P(CudaAttentionDocuments, WholeTiles) {
  Shape shape = shapeOf(64);
  shape.batch = 1;
  expectBothRight(shape);
  shape.queryDocument = shape.keyDocument = packed(1000);
  expectBothRight(shape);
}

/// Numbers in no order, as large as there are, of which some differ in the high
/// half alone; queries that see nothing.
TEST_P(CudaAttentionDocuments, AnyNumbers) {
  Shape shape = shapeOf(40);
  shape.documentType = DType::I64;
  shape.queryDocument = [](int64_t b, int64_t i) {
    return i * 7 % 5 * ((int64_t(1) << 32) - b) - (int64_t(1) << 33);
  };
  shape.keyDocument = [=](int64_t b, int64_t j) {
    return j > 90 ? int64_t(1) << 62 : shape.queryDocument(b, j * j % 4);
  };
  expectBothRight(shape);
}

TEST_P(CudaAttentionDocuments, MasksBesides) {
  Shape shape = shapeOf(50);
  shape.keys = 100;
  shape.queries = 90;
  shape.padding = true;
  shape.before = 30;
  shape.after = 10;
  shape.keyOffset = 20;
  shape.heads = 2;
  shape.group = 2;
  expectBothRight(shape);
  shape = shapeOf(40);
  shape.keys = shape.queries = 96;
  shape.layoutBlocks = 6;
  shape.layout = plan::BlockLayout();
  shape.layout->kind = plan::LayoutKind::BigBird;
  shape.layout->window = 1;
  shape.layout->random = 1;
  shape.layout->perHead = true;
  shape.causal = true;
  expectBothRight(shape);
}

/// Every kernel.
TEST_P(CudaAttentionDocuments, Dropout) {
  Shape shape = shapeOf(30);
  shape.batch = 1;
  shape.queries = 30;
  shape.keys = 70;
  for (int64_t depth : {24, 64, 100, 256})
    for (double dropout : {0.0, 0.3}) {
      shape.depth = shape.width = depth;
      shape.dropout = dropout;
      expectBothRight(shape);
    }
}

/// Tiles of other documents are not computed: of 4 documents a quarter is,
/// besides what each block does once.
TEST_F(CudaKernels, TilesOfOtherDocumentsAreLeftOut) {
  auto instructions = [](int64_t length) {
    Shape shape = shapeOf(length);
    shape.type = DType::F16;
    shape.batch = shape.heads = shape.kvHeads = 1;
    shape.queries = shape.keys = 512;
    AttentionCase attention(shape);
    uint64_t forward = attention.run().total.warps;
    return std::pair(forward, attention.runGradient().total.warps);
  };
  auto [forward, gradient] = instructions(128);
  auto [all, allGradient] = instructions(512);
  EXPECT_LT(double(forward), 0.5 * double(all));
  EXPECT_LT(double(gradient), 0.5 * double(allGradient));
}

} // namespace
