//===- FunctionCases.h - functions made of other operations -----*- C++ -*-===//
//
// What the language has for PyTorch's broadcast_to, chunk, roll, flip,
// index_select, gather, softplus, cumsum, argmax and topk, and its tensors that
// are written out; and scaled rotary embeddings. Test/Data/gradients has the
// same cases by name.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_GRADIENTS_FUNCTIONCASES_H
#define HOCKET_TEST_UNIT_GRADIENTS_FUNCTIONCASES_H

#include "GradientProgram.h"

namespace hocket::test {

#define ROTARY(name, arguments)                                                \
  GradientCase{name, "", "x: f32[2, 3, 5, 16]",                                \
               "return rotary(x, axis = 2, " arguments ")",                    \
               "f32[2, 3, 5, 16]"}

inline const GradientCase functionCases[] = {
    ROTARY("rotary_linear", "scaling = linear(4.0)"),
    ROTARY("rotary_ntk", "scaling = ntk(2.0, original = 4)"),
    ROTARY("rotary_ntk_short", "scaling = ntk(2.0, original = 64)"),
    ROTARY("rotary_yarn", "scaling = yarn(4.0, original = 64)"),
    ROTARY("rotary_yarn_smooth",
           "base = 500.0, scaling = yarn(8.0, original = 90, fast = 4, "
           "slow = 2, attention = 1.5, truncate = false)"),
    ROTARY("rotary_llama3",
           "base = 500.0, scaling = llama3(8.0, original = 64)"),
    ROTARY("rotary_frequencies",
           "frequencies = [1, 0.5, 0.25, 1e-3, 0, 2, 3, 0.125]"),
    {"broadcast", "", "x: f32[n, 1]", "return broadcast(x, (2, n, 3))",
     "f32[2, n, 3]"},
    {"chunk", "", "x: f32[2, 7, 3]",
     "a, b, c = chunk(x, 3, axis = 1)\n"
     "return concat(a * b, c * 2.0, axis = 1)",
     "f32[2, 4, 3]"},
    {"roll", "", "x: f32[2, n, 5]", "return roll(x, 1, axis = 1) * 2.0",
     "f32[2, n, 5]"},
    {"roll_two", "", "x: f32[2, n, 5]",
     "return roll(x, (-1, 8), axis = (1, 2)) * x", "f32[2, n, 5]"},
    {"flip", "", "x: f32[2, n, 5]", "return flip(x, axis = (0, 2)) * x",
     "f32[2, n, 5]"},
    {"take", "", "x: f32[2, n, 5]", "return take(x, [3, 0, -1, 3], axis = 1)",
     "f32[2, 4, 5]"},
    {"take_by_data", "", "x: f32[2, 4, 3], at: i64[5, 2]",
     "return take(x, at, axis = 1)", "f32[2, 5, 2, 3]"},
    {"take_along_one", "", "x: f32[2, n, 3], at: i64[2]",
     "return take_along(x, at, axis = 1)", "f32[2, 3]"},
    {"take_along_some", "", "x: f32[2, n, 3], at: i64[2, 5]",
     "return take_along(x, at, axis = n)", "f32[2, 5, 3]"},
    {"take_along_each", "", "x: f32[2, n, 3], at: i64[2, 2, 3]",
     "return take_along(x, at, axis = 1) * 2", "f32[2, 2, 3]"},
    {"take_along_wide", "", "x: f32[2, n, 3], at: i64[1, 3, 1]",
     "return take_along(x, at, axis = 1)", "f32[2, 3, 3]"},
    {"take_along_last", "", "x: f32[2, n, 3], at: i64[2, n]",
     "return take_along(x, at, axis = -1) * x[:, :, 0]", "f32[2, n]"},
    {"softplus", "", "x: f32[n, 5]", "return softplus(x)", "f32[n, 5]"},
    {"softplus_beta", "", "x: f32[n, 5]", "return softplus(x, beta = 2.5)",
     "f32[n, 5]"},
    {"cumsum", "", "x: f32[2, 7, 3]", "return cumsum(x, axis = 1)",
     "f32[2, 7, 3]"},
    {"cumsum_of_ints", "", "x: f32[2, 7], at: i64[2, 7]",
     "return x * f32(cumsum(at, axis = 1))", "f32[2, 7]"},
    {"argmax", "", "x: f32[2, n, 5]",
     "return sum(x, axis = 1) * f32(argmax(x, axis = 1))", "f32[2, 5]"},
    {"argmax_equal", "", "x: f32[2, n, 5]",
     "return x + f32(argmax(x, axis = 2, keepdim = true))", "f32[2, n, 5]"},
    {"topk", "", "x: f32[2, 6, 3]",
     "v, i = topk(x, 4, axis = 1)\nreturn v * (f32(i) + 1)", "f32[2, 4, 3]"},
    {"constant", "", "x: f32[2, n, 3]",
     "return x * constant([[0.5, -1, 2.25], [1, 0.5, 3], [0, 0, 1], [7, 8, 9]])"
     " + f32(constant([3, -1, 3]))",
     "f32[2, n, 3]"},
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_GRADIENTS_FUNCTIONCASES_H
