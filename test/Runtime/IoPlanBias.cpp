//===- IoPlanBias.cpp - biases of bad plans -------------------------------===//

#include "BadPlan.h"
#include "hocket/Plan/Check.h"

using namespace hocket::plan;

namespace {

const BadEdit badBiases[] = {
    {STEP "4 (attention, proj): bias has shape [1, 2, 3, 8], expected "
          "[1, 2, 4, 8]",
     [](Plan &p) { step<Attention>(p, 4).bias.shape[2] = 3; }},
    {STEP "4 (attention, proj): bias has shape [1, 8], expected [1, 2, 4, 8]",
     [](Plan &p) {
       View &bias = step<Attention>(p, 4).bias;
       bias.shape = {1, 8}, bias.strides = {0, 1};
     }},
    {STEP "4 (attention, proj): bias is bool, expected f32",
     [](Plan &p) {
       Attention &attention = step<Attention>(p, 4);
       attention.bias.buffer = attention.keep.buffer;
     }},
    {STEP "4 (attention, proj): the bias of rank 0 has 3 keys, not those that "
          "the rank holds",
     [](Plan &p) { step<Attention>(p, 4).bias.shape[3] = 3; }},
    {STEP "11 (attention_grad, proj): dbias has shape [1, 2, 1, 8], expected "
          "[1, 2, 4, 8]",
     [](Plan &p) { step<AttentionGrad>(p, 11).dbias.shape[2] = 1; }},
    {STEP "11 (attention_grad, proj): gives the gradient of a bias that it "
          "does not have",
     [](Plan &p) { step<AttentionGrad>(p, 11).forward.bias = {}; }},
};

INSTANTIATE_TEST_SUITE_P(Biases, BadPlanEdit, testing::ValuesIn(badBiases));

} // namespace
