//===- NormsTest.cpp - norms, softmax and rotary embedding ----------------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hocket::test;

// F.layer_norm(wave(2, 4), (4,), wave(4, phase=1), wave(4, phase=2), 1e-5)
TEST(ReferenceNorms, LayerNorm) {
  expectClose(evaluateOp("nn.layer_norm %0, %1, %2 {eps = 1.0e-05 : f64}",
                         {"2x4xf32", "4xf32", "4xf32"}, "2x4xf32",
                         {wave({2, 4}), wave({4}, 1), wave({4}, 2)}),
              {-0.470650772913489, 0.482174234279002, 0.388286443870847,
               -0.792018746382856, 2.20512819280175, 0.649418397494615,
               -0.779390348500493, -0.859372234426845});
}

// Mean 2, variance 1: (x - 2) / sqrt(1 + 3) * weight.
TEST(ReferenceNorms, LayerNormWithoutBias) {
  expectClose(evaluateOp("nn.layer_norm %0, %1 {eps = 3.0 : f64}",
                         {"1x2xf32", "2xf32"}, "1x2xf32",
                         {{{1, 2}, {1, 3}}, {{2}, {10, 20}}}),
              {-5, 10});
}

// F.rms_norm(wave(2, 4), (4,), wave(4, phase=1), 1e-5)
TEST(ReferenceNorms, RmsNorm) {
  expectClose(evaluateOp("nn.rms_norm %0, %1 {eps = 1.0e-05 : f64}",
                         {"2x4xf32", "4xf32"}, "2x4xf32",
                         {wave({2, 4}), wave({4}, 1)}),
              {0, 0.875196259332275, 0.911893376985941, 0.0491717261342008,
               0.402672942389652, -0.496921263057982, -0.840989722080742,
               -0.0583561825174836});
}

// F.softmax(wave(2, 2, 2), 1)
TEST(ReferenceNorms, SoftmaxAlongAnInnerDim) {
  expectClose(evaluateOp("nn.softmax %0 {dim = 1}", {"2x2x2xf32"}, "2x2x2xf32",
                         {wave({2, 2, 2})}),
              {0.271811777481931, 0.445469833043447, 0.728188222518069,
               0.554530166956553, 0.769690410142462, 0.652867893735519,
               0.230309589857538, 0.347132106264481});
}

TEST(ReferenceNorms, SoftmaxOfLargeNumbers) {
  expectClose(evaluateOp("nn.softmax %0 {dim = 0}", {"3xf32"}, "3xf32",
                         {{{3}, {5000, -INFINITY, 5000}}}),
              {0.5, 0, 0.5});
}

// x = wave(3, 2, 4), positions on dim 0; the pairs as complex numbers times
// torch.polar(1, p * 100 ** (-2 i / 4)).
TEST(ReferenceRotary, Half) {
  expectClose(evaluateOp("nn.rotary %0 {dim = 0, base = 100.0 : f64, style = "
                         "#nn.rotary_style<half>}",
                         {"3x2x4xf32"}, "3x2x4xf32", {wave({3, 2, 4})}),
              {0,
               0.644217687237691,
               0.98544972998846,
               0.863209366648874,
               0.334988150155905,
               -0.35078322768962,
               -0.871575772413588,
               -0.982452612624333,
               -0.893909980289533,
               -0.0819223099933047,
               -0.176221185234564,
               0.984910097835558,
               0.770123314435652,
               0.405327232998702,
               0.521110666217435,
               -0.843444265589487,
               0.376908364083517,
               -0.738838500803025,
               -0.904355914258458,
               0.533418059034273,
               -0.687862859145248,
               0.904794075286197,
               0.774614974268846,
               -0.206431469365272});
}

TEST(ReferenceRotary, Interleaved) {
  expectClose(evaluateOp("nn.rotary %0 {dim = 0, base = 100.0 : f64, "
                         "style = #nn.rotary_style<interleaved>}",
                         {"3x2x4xf32"}, "3x2x4xf32", {wave({3, 2, 4})}),
              {0,
               0.644217687237691,
               0.98544972998846,
               0.863209366648874,
               0.334988150155905,
               -0.35078322768962,
               -0.871575772413588,
               -0.982452612624333,
               -0.355223229459071,
               -0.522107970244461,
               0.555052191247235,
               1.04882072554432,
               0.193229747415797,
               0.891529765780901,
               -0.276825226765431,
               -0.911887808952204,
               0.969552199986329,
               -0.633127985712479,
               -0.100070151749593,
               0.662902813752711,
               -1.18127353463699,
               0.548801851228036,
               0.37298204334449,
               -0.314235105244114});
}

// At position p, (1, 0) becomes (cos p, sin p); heads stand before positions.
TEST(ReferenceRotary, PositionsOnAnInnerDim) {
  expectClose(evaluateOp("nn.rotary %0 {dim = 1, base = 100.0 : f64, style = "
                         "#nn.rotary_style<half>}",
                         {"2x2x2xf32"}, "2x2x2xf32",
                         {{{2, 2, 2}, {1, 0, 1, 0, 1, 0, 1, 0}}}),
              {1, 0, std::cos(1), std::sin(1), 1, 0, std::cos(1), std::sin(1)});
}
