//===- WindowCases.h - convolutions and attention under windows -*- C++ -*-===//
//
// Held against differences and against PyTorch alike.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_GRADIENTS_WINDOWCASES_H
#define HOCKET_TEST_UNIT_GRADIENTS_WINDOWCASES_H

#include "GradientProgram.h"

namespace hocket::test {

inline const GradientCase windowCases[] = {
    {"conv_1d", "up = Conv1d(3, 4, kernel = 3, stride = 2, padding = 1)",
     "x: f32[2, 3, 9]", "return up(x)", "f32[2, 4, 5]"},
    {"conv_2d_circular",
     "up = Conv2d(2, 4, kernel = 3, padding = 1, border = (zero, circular))",
     "x: f32[2, 2, 5, 6]", "return up(x)", "f32[2, 4, 5, 6]"},
    {"conv_2d_groups",
     "up = Conv2d(4, 6, kernel = (2, 3), stride = (1, 2), dilation = (2, 1), "
     "padding = ((0, 1), (2, 0)), groups = 2)",
     "x: f32[2, 4, 7, 8]", "return up(x)", "f32[2, 6, 6, 4]"},
    {"conv_2d_borders",
     "up = Conv2d(2, 2, kernel = (4, 3), padding = ((2, 1), (1, 2)), "
     "border = (reflect, replicate))",
     "x: f32[1, 2, 5, 4]", "return up(x)", "f32[1, 2, 5, 5]"},
    {"conv_3d", "up = Conv3d(2, 3, kernel = 2, stride = (1, 2, 1))",
     "x: f32[1, 2, 3, 4, 3]", "return up(x)", "f32[1, 3, 2, 2, 2]"},
    {"conv_transpose_2d",
     "up = ConvTranspose2d(4, 3, kernel = 4, stride = 2, padding = 1, "
     "output_padding = 1)",
     "x: f32[2, 4, 3, 4]", "return up(x)", "f32[2, 3, 7, 9]"},
    {"conv_transpose_1d",
     "up = ConvTranspose1d(4, 6, kernel = 3, stride = 3, dilation = 2, "
     "groups = 2)",
     "x: f32[2, 4, 5]", "return up(x)", "f32[2, 6, 17]"},
    {"attention_window_1", "",
     "q: f32[2, 2, 7, 4], k: f32[2, 2, 7, 4], v: f32[2, 2, 7, 6]",
     "return attention(q, k, v, mask = window(2, 1))", "f32[2, 2, 7, 6]"},
    {"attention_window_0", "",
     "q: f32[2, 6, 7, 4], k: f32[2, 2, 7, 4], v: f32[2, 2, 7, 6]",
     "return attention(q, k, v, mask = causal * window(3))", "f32[2, 6, 7, 6]"},
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_GRADIENTS_WINDOWCASES_H
