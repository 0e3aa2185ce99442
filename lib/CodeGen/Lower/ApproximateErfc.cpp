//===- ApproximateErfc.cpp - erfc of f32 without a call -------------------===//
//
// For z >= 0 and t = 1 / (1 + c z), log(erfc(z)) + z^2 - log(t) is smooth on
// (0, 1], so erfc(z) = t exp(p(t) - z^2) with a polynomial p, and erfc(-z) =
// 2 - erfc(z). p is the minimax polynomial of degree 7 for c = 0.47 up to z =
// 9.5, where erfc leaves f32; its error is 4.2e-7. Unlike 1 - erf(z) this keeps
// the relative accuracy of the tail, which gelu of negative numbers needs.
//
//===----------------------------------------------------------------------===//

#include "ApproximateErfc.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace hocket::codegen {

static constexpr float slope = 0.47f;

/// Highest power first.
static constexpr float coefficients[] = {
    -0.2043542334f, 0.9016500391f, -1.413436067f, 0.8046974492f,
    -0.2160282602f, 0.4633939342f, 0.9910083723f, -1.326931647f};

namespace {
struct ErfcOfF32 : OpRewritePattern<math::ErfcOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfcOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Type type = x.getType();
    if (!type.isF32())
      return failure();
    Location loc = op.getLoc();
    auto number = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    auto fma = [&](Value a, Value b, Value c) -> Value {
      return math::FmaOp::create(rewriter, loc, a, b, c);
    };
    Value one = number(1), zero = number(0);
    Value z = math::AbsFOp::create(rewriter, loc, x);
    Value t =
        arith::DivFOp::create(rewriter, loc, one, fma(z, number(slope), one));
    Value sum = number(coefficients[0]);
    for (float coefficient : ArrayRef(coefficients).drop_front())
      sum = fma(sum, t, number(coefficient));
    Value minus = arith::NegFOp::create(rewriter, loc, z);
    Value power = math::ExpOp::create(rewriter, loc, fma(minus, z, sum));
    Value tail = arith::MulFOp::create(rewriter, loc, t, power);
    Value other = arith::SubFOp::create(rewriter, loc, number(2), tail);
    Value negative = arith::CmpFOp::create(rewriter, loc,
                                           arith::CmpFPredicate::OLT, x, zero);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, negative, other, tail);
    return success();
  }
};
} // namespace

void populateErfcPattern(RewritePatternSet &patterns) {
  patterns.add<ErfcOfF32>(patterns.getContext());
}

} // namespace hocket::codegen
