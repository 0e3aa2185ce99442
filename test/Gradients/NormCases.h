//===- NormCases.h - norms over several dims, interpolation ----*- C++ -*-===//
//
// Held against differences and against PyTorch alike.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_GRADIENTS_NORMCASES_H
#define HOCKET_TEST_UNIT_GRADIENTS_NORMCASES_H

#include "GradientProgram.h"

namespace hocket::test {

inline const GradientCase normCases[] = {
    {"group_norm", "up = GroupNorm(2, 6, eps = 1e-3)", "x: f32[2, 6, 3, 4]",
     "return up(x)", "f32[2, 6, 3, 4]"},
    {"group_norm_factors", "up = GroupNorm(4, (a = 2, b = 6))",
     "x: f32[2, (a = 2, b = 6), 3]", "return up(x)", "f32[2, 12, 3]"},
    {"group_norm_of_all", "up = GroupNorm(1, 3, affine = false)",
     "x: f32[2, 3, 5]", "return up(x)", "f32[2, 3, 5]"},
    {"group_norm_rows", "up = GroupNorm(2, 6)", "x: f32[3, 6]", "return up(x)",
     "f32[3, 6]"},
    {"instance_norm_1d", "up = InstanceNorm1d(3)", "x: f32[2, 3, 5]",
     "return up(x)", "f32[2, 3, 5]"},
    {"instance_norm_3d", "up = InstanceNorm3d(2, eps = 1e-2, affine = true)",
     "x: f32[2, 2, 2, 3, 2]", "return up(x)", "f32[2, 2, 2, 3, 2]"},
    {"batch_norm", "up = BatchNorm2d(3, eps = 1e-3)", "x: f32[2, 3, 2, 4]",
     "return up(x)", "f32[2, 3, 2, 4]", 0.3, 2.5},
    {"batch_norm_rows", "up = BatchNorm1d(5, affine = false)", "x: f32[3, 5]",
     "return up(x)", "f32[3, 5]", 0.3, 2.5},
    {"interpolate_nearest", "", "x: f32[2, 3, 4, 6]",
     "return interpolate(x, size = (8, 2))", "f32[2, 3, 8, 2]"},
    {"interpolate_linear", "", "x: f32[2, 3, 5]",
     "return interpolate(x, scale = 3, mode = linear)", "f32[2, 3, 15]"},
    {"interpolate_bilinear", "", "x: f32[2, 2, 3, 8]",
     "return interpolate(x, scale = (2, 0.25), mode = bilinear)",
     "f32[2, 2, 6, 2]"},
    {"interpolate_trilinear", "", "x: f32[1, 2, 2, 3, 9]",
     "return interpolate(x, size = (8, 3, 3), mode = trilinear)",
     "f32[1, 2, 8, 3, 3]"},
    {"interpolate_ratio", "", "x: f32[2, 3, 5, 9]",
     "return interpolate(x, size = (8, 6))", "f32[2, 3, 8, 6]"},
    {"interpolate_between", "", "x: f32[2, 2, 5, 9]",
     "return interpolate(x, size = (7, 6), mode = bilinear)",
     "f32[2, 2, 7, 6]"},
    {"interpolate_corners", "", "x: f32[1, 2, 4, 5, 3]",
     "return interpolate(x, size = (8, 1, 4), mode = trilinear, "
     "align_corners = true)",
     "f32[1, 2, 8, 1, 4]"},
    {"layer_norm_of_dims", "up = LayerNorm([3, 4], eps = 1e-3)",
     "x: f32[2, 3, 4]", "return up(x)", "f32[2, 3, 4]"},
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_GRADIENTS_NORMCASES_H
