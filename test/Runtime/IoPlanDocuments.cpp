//===- IoPlanDocuments.cpp - documents of bad plans -----------------------===//

#include "BadPlan.h"
#include "hocket/Plan/Check.h"

using namespace hocket::plan;

namespace {

const BadEdit badDocuments[] = {
    {STEP "4 (attention, proj): query_documents has shape [1, 3], expected "
          "[1, 4]",
     [](Plan &p) { step<Attention>(p, 4).queryDocuments.shape[1] = 3; }},
    {STEP "4 (attention, proj): key_documents has shape [1, 3], expected "
          "[1, 4]",
     [](Plan &p) { step<Attention>(p, 4).keyDocuments.shape[1] = 3; }},
    {STEP "4 (attention, proj): has documents of queries or of keys alone, "
          "expected both or none",
     [](Plan &p) { step<Attention>(p, 4).queryDocuments = {}; }},
    {STEP "11 (attention_grad, proj): has documents of queries or of keys "
          "alone, expected both or none",
     [](Plan &p) { step<AttentionGrad>(p, 11).forward.keyDocuments = {}; }},
    {STEP "4 (attention, proj): its documents are f32, expected i32 or i64",
     [](Plan &p) {
       Attention &attention = step<Attention>(p, 4);
       attention.keyDocuments.buffer = attention.q.buffer;
     }},
    {STEP "4 (attention, proj): query_documents is f32, expected i32",
     [](Plan &p) {
       Attention &attention = step<Attention>(p, 4);
       attention.queryDocuments.buffer = attention.q.buffer;
     }},
};

INSTANTIATE_TEST_SUITE_P(Documents, BadPlanEdit,
                         testing::ValuesIn(badDocuments));

} // namespace
