//===- WindowCases.h - what slides windows over positions ------*- C++ -*-===//
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
    {"max_pool_1d", "", "x: f32[2, 3, 9]",
     "return max_pool1d(x, kernel = 3, stride = 2, padding = 1, dilation = 2)",
     "f32[2, 3, 4]"},
    {"max_pool_2d", "pool = MaxPool2d((3, 2), stride = 2, padding = (1, 0))",
     "x: f32[2, 3, 5, 7]", "return pool(x)", "f32[2, 3, 3, 3]"},
    {"max_pool_2d_up", "", "x: f32[1, 2, 5, 6]",
     "return max_pool2d(x, 2, stride = (2, 3), padding = 1, ceil_mode = true)",
     "f32[1, 2, 3, 3]"},
    {"max_pool_3d", "", "x: f32[1, 2, 3, 4, 5]",
     "return max_pool3d(x, kernel = 2)", "f32[1, 2, 1, 2, 2]"},
    {"avg_pool_1d", "pool = AvgPool1d(4, stride = 3, padding = 2)",
     "x: f32[2, 3, 9]", "return pool(x)", "f32[2, 3, 4]"},
    {"avg_pool_2d_data", "", "x: f32[2, 2, 5, 6]",
     "return avg_pool2d(x, (3, 2), stride = (2, 1), padding = (1, 1), "
     "count_include_pad = false)",
     "f32[2, 2, 3, 7]"},
    {"avg_pool_2d_up", "", "x: f32[1, 2, 6, 7]",
     "return avg_pool2d(x, 3, stride = 2, padding = 1, ceil_mode = true)",
     "f32[1, 2, 4, 4]"},
    {"avg_pool_3d", "", "x: f32[1, 2, 3, 4, 5]",
     "return avg_pool3d(x, kernel = (2, 1, 3), stride = 1, padding = (1, 0, "
     "1))",
     "f32[1, 2, 4, 4, 5]"},
    {"pad_value", "", "x: f32[2, 3, 4]",
     "return pad(x, (1, 2), before = (1, 0), after = (0, 2), value = -0.5)",
     "f32[2, 4, 6]"},
    {"pad_zero", "", "x: f32[2, 3]", "return pad(x, 0, 1, after = 2)",
     "f32[5, 3]"},
    {"pad_reflect", "", "x: f32[2, 3, 5]",
     "return pad(x, 2, 3, 4, border = reflect)", "f32[2, 3, 12]"},
    {"pad_circular", "", "x: f32[2, 3, 4, 5]",
     "return pad(x, (2, 3), (2, 0), (1, 5), border = (replicate, circular))",
     "f32[2, 3, 7, 10]"},
    {"crop", "", "x: f32[5, 6, 3], y: f32[2, 4, 3]",
     "return crop(x, (0, 1), (1, 2), (2, 0)) * y + crop_end(x, like = y)",
     "f32[2, 4, 3]"},
    {"neighborhood_1d", "",
     "q: f32[2, 2, 11, 4], k: f32[2, 2, 11, 4], v: f32[2, 2, 11, 6]",
     "return attention(q, k, v, mask = neighborhood(4, stride = 2, "
     "dilation = 2))",
     "f32[2, 2, 11, 6]"},
    {"neighborhood_2d", "",
     "q: f32[2, 4, 7, 6, 4], k: f32[2, 2, 7, 6, 4], v: f32[2, 2, 7, 6, 6]",
     "return attention(q, k, v, mask = neighborhood(kernel = (3, 5), "
     "stride = (1, 3), dilation = (2, 1)))",
     "f32[2, 4, 7, 6, 6]"},
    {"neighborhood_2d_causal", "",
     "q: f32[2, 2, 5, 6, 4], k: f32[2, 2, 5, 6, 4], v: f32[2, 2, 5, 6, 6]",
     "return attention(q, k, v, mask = neighborhood(kernel = (3, 4), "
     "stride = (2, 1), causal = (true, false)))",
     "f32[2, 2, 5, 6, 6]"},
    {"neighborhood_3d", "",
     "q: f32[2, 2, 3, 4, 6, 4], k: f32[2, 2, 3, 4, 6, 4], "
     "v: f32[2, 2, 3, 4, 6, 6]",
     "return attention(q, k, v, mask = neighborhood(kernel = (2, 3, 3), "
     "stride = (1, 2, 2), dilation = (1, 1, 2), causal = (false, true, "
     "false)))",
     "f32[2, 2, 3, 4, 6, 6]"},
};

/// Along the edges of graphs; held against differences alone.
inline const GradientCase edgeCases[] = {
    {"gather", "", "x: f32[2, 5, 3]",
     "let graph = edge_list([4, 0, 0, 2, 4], [0, 1, 1, 2, 3])\n"
     "return gather(x, graph.source, axis = 1) * gather(x, graph.target, "
     "axis = 1)",
     "f32[2, 5, 3]"},
    {"scatter_sum", "", "x: f32[6, 2], y: f32[4, 1]",
     "let graph = edge_list([3, 0, 0, 2, 3, 3], [0, 1, 1, 2, 3, 3])\n"
     "return scatter_sum(x, graph.source, axis = 0, size = 4) * "
     "scatter_sum(x, graph.target, axis = 0, like = y)",
     "f32[4, 2]"},
};

/// With values that are largest more than once.
inline const GradientCase poolingOfEqual{
    "max_pool_2d_equal", "", "x: f32[2, 2, 6, 5]",
    "return max_pool2d(x, 3, stride = 1, padding = 1)", "f32[2, 2, 6, 5]"};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_GRADIENTS_WINDOWCASES_H
