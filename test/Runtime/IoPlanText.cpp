//===- IoPlanText.cpp - plans as JSON and CBOR, and what is refused -------===//

#include "FullPlan.h"
#include "hocket/Plan/Check.h"
#include "hocket/Plan/Summary.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace hocket::plan;
using nlohmann::json;

namespace {

TEST(PlanText, JsonRoundTrip) {
  std::string text = toJson(fullPlan()), error;
  Plan back;
  ASSERT_TRUE(fromJson(text, back, error)) << error;
  EXPECT_EQ(toJson(back), text);
  EXPECT_EQ(back.classes[1].budget.weightBytes, 192);
  EXPECT_EQ(std::get<Fill>(back.classes[0].load[3].body).value, -INFINITY);
}

TEST(PlanText, CborRoundTrip) {
  std::vector<uint8_t> bytes = toCbor(fullPlan());
  Plan back;
  std::string error;
  ASSERT_TRUE(fromCbor(bytes.data(), bytes.size(), back, error)) << error;
  EXPECT_EQ(toCbor(back), bytes);
}

TEST(PlanText, IsReadable) {
  std::string text = toJson(samplePlan());
  EXPECT_NE(text.find("     \"kind\": \"all_reduce\",\n"
                      "     \"id\": 0,\n"
                      "     \"axes\": [0],\n"
                      "     \"pairs\": [{\"src\":[2,0,[3,6],[6,1]],"
                      "\"dst\":[3,0,[3,6],[6,1]]}]\n"),
            std::string::npos)
      << text;
}

TEST(PlanText, ErrorLeavesThePlanAlone) {
  Plan plan;
  plan.model = "before";
  std::string error;
  EXPECT_FALSE(fromJson("{\"version\": 2}", plan, error));
  EXPECT_EQ(plan.model, "before");
}

TEST(PlanText, EveryTruncatedCborIsRefused) {
  std::vector<uint8_t> bytes = toCbor(samplePlan());
  Plan plan;
  std::string error;
  for (size_t size = 0; size < bytes.size(); ++size) {
    error.clear();
    EXPECT_FALSE(fromCbor(bytes.data(), size, plan, error)) << size;
    EXPECT_NE(error.find("plan: CBOR is malformed at byte "),
              std::string::npos);
  }
}

TEST(PlanText, DeepNestingIsRefused) {
  std::vector<uint8_t> bytes(1 << 20, 0x81);
  Plan plan;
  std::string error;
  EXPECT_FALSE(fromCbor(bytes.data(), bytes.size(), plan, error));
  EXPECT_EQ(error, "plan: CBOR is nested more than 32 deep");
  EXPECT_FALSE(fromJson(std::string(1 << 20, '['), plan, error));
  EXPECT_EQ(error, "plan: JSON is nested more than 32 deep");
}

struct BadPlan {
  const char *pointer; // of the value to replace; a final "-name" removes
  const char *value;
  const char *sentence;
};

class BadPlanText : public testing::TestWithParam<BadPlan> {};

TEST_P(BadPlanText, IsRefused) {
  json document = json::parse(toJson(samplePlan()));
  const BadPlan &bad = GetParam();
  if (*bad.value)
    document[json::json_pointer(bad.pointer)] = json::parse(bad.value);
  else
    document = document.patch({{{"op", "remove"}, {"path", bad.pointer}}});
  Plan plan;
  std::string error;
  EXPECT_FALSE(fromJson(document.dump(), plan, error));
  EXPECT_EQ(error, bad.sentence);
  std::vector<uint8_t> bytes = json::to_cbor(document);
  EXPECT_FALSE(fromCbor(bytes.data(), bytes.size(), plan, error));
  EXPECT_EQ(error, bad.sentence);
}

const BadPlan badFields[] = {
    {"/version", "1", "plan: version 1 is not known, expected 5"},
    {"/version", "", "plan: field 'version' is missing"},
    {"/mesh", "", "plan: field 'mesh' is missing"},
    {"/mesh", "7", "plan: mesh: expected an array, found number"},
    {"/mesh/0/size", "", "plan: mesh[0]: field 'size' is missing"},
    {"/mesh/0/size", "\"2\"",
     "plan: mesh[0].size: expected an integer, found string"},
    {"/mesh/0/size", "18446744073709551615",
     "plan: mesh[0].size: integer 18446744073709551615 does not fit in 64 "
     "bits"},
    {"/mesh/0/colour", "1", "plan: mesh[0]: unknown field 'colour'"},
    {"/classes/0/step/0/op", "\"jump\"",
     "plan: classes[0].step[0]: unknown instruction 'jump'"},
    {"/classes/0/step/0/a", "[4, 0]",
     "plan: classes[0].step[0].a: expected a view, [buffer, offset, shape, "
     "strides, terms?], found an array of 2"},
    {"/classes/0/step/1/kind", "\"gather\"",
     "plan: classes[0].step[1].kind: expected one of all_reduce, "
     "reduce_scatter, all_gather, all_to_all, broadcast, halo_exchange, "
     "halo_reduce, found 'gather'"},
    {"/classes/0/step/0/a/4/0", "[0, -1, 1]",
     "plan: classes[0].step[0].a[4][0]: table -1 does not exist"},
    {"/classes/0/step/0/has_bias", "1",
     "plan: classes[0].step[0].has_bias: expected true or false, found number"},
    {"/classes/0/step/0/source", "4294967296",
     "plan: classes[0].step[0].source: integer 4294967296 does not fit in 32 "
     "bits"},
    {"/classes/0/step/0/a/4/0", "[0, 1]",
     "plan: classes[0].step[0].a[4][0]: expected an integer or [constant, "
     "table, scale], found an array of 2"},
    {"/classes/0/step/2",
     "{\"op\": \"fill\", \"dst\": [5,0,[1],[1]], \"value\": \"none\"}",
     "plan: classes[0].step[2].value: expected a number, \"inf\", \"-inf\" or "
     "\"nan\", found string"},
    {"/inputs/0/type", "\"f8\"",
     "plan: inputs[0].type: expected one of f32, f64, f16, bf16, i32, i64, "
     "bool, found 'f8'"},
};
INSTANTIATE_TEST_SUITE_P(Fields, BadPlanText, testing::ValuesIn(badFields));

const BadPlan badMeanings[] = {
    {"/mesh/0/size", "0",
     "plan: mesh axis 'tp' has size 0, expected 1 to 1048576"},
    {"/tables/0/values", "[0, 1, 2]",
     "plan: table 0: has 3 values, its axes have 2 coordinates"},
    {"/tables/1/axes", "[3]",
     "plan: table 1: mesh axis 3 does not exist, the mesh has 1"},
    {"/inputs/0/shape", "[2, 6]",
     "plan: input 'x': factors [2, 6] do not multiply to the shape [3, 4]"},
    {"/parameters/0/cuts/0/size", "9",
     "plan: parameter 'proj.weight': table 9 does not exist"},
    {"/parameters/0/cuts/0/dim", "1",
     "plan: class 0, load 0 (read_parameter, proj): dst has 6 elements, "
     "'proj.weight' on rank 0 has 4"},
    {"/tables/1/values", "[1, 4]",
     "plan: parameter 'proj.weight': cut [1, 5) leaves the extent 4"},
    {"/parameters/1/name", "\"proj.weight\"",
     "plan: parameter 'proj.weight': appears twice"},
    {"/outputs/0/replicated_over", "[]",
     "plan: output 'y': ranks write 36 of 18 elements"},
    {"/classes/1/ranks", "[0]", "plan: class 1: rank 0 is in class 0 already"},
    {"/classes/1/ranks", "[2]",
     "plan: class 1: rank 2 does not exist, the mesh has 2"},
    {"/classes/1", "", "plan: rank 1 is in no class"},
    {"/classes/0/buffers/2/offset", "32",
     "plan: class 0, buffer 2: offset 32 is not a multiple of 64"},
    {"/classes/0/buffers/2/bytes", "260",
     "plan: class 0, buffer 2: ends at byte 260 of 256 arena bytes"},
    {"/classes/0/buffers/4/offset", "1",
     "plan: class 0, buffer 4: input 1 does not exist"},
    {"/classes/0/buffers/4/bytes", "44",
     "plan: class 0, buffer 4: has 44 bytes, 'x' on rank 0 has 48"},
    {"/classes/0/step/0/source", "2",
     "plan: class 0, step 0 (matmul): source 2 does not exist, there are 2"},
    {"/classes/0/step/0/b/0", "6",
     "plan: class 0, step 0 (matmul, proj): b: buffer 6 does not exist, there "
     "are 6"},
    {"/classes/0/step/0/a/4/0/1", "5",
     "plan: class 0, step 0 (matmul, proj): a: table 5 does not exist, there "
     "are 2"},
    // Rank 1 starts at element 1 * 4 of x: inside for [3, 3]; scaled by 2 not.
    {"/classes/1/step/0/a/4/0/2", "2",
     "plan: class 1, step 0 (matmul, proj): a reaches elements 2 to 12 of "
     "buffer 4, which has 12, on rank 1"},
    {"/classes/0/step/0/a/1", "-1",
     "plan: class 0, step 0 (matmul, proj): a reaches elements -1 to 7 of "
     "buffer 4, which has 12, on rank 0"},
    {"/classes/0/step/0/b/2", "[2, 3]",
     "plan: class 0, step 0 (matmul, proj): b reaches elements 0 to 8 of "
     "buffer 0, which has 6, on rank 0"},
    {"/classes/0/step/0/bias", "",
     "plan: class 0, step 0 (matmul, proj): bias is missing"},
    {"/classes/0/step/0/packed_weight", "0",
     "plan: class 0, step 0 (matmul, proj): packed weight 0 was never packed"},
    {"/classes/0/step/0/c/0", "4",
     "plan: class 0, step 0 (matmul, proj): c reaches elements 0 to 17 of "
     "buffer 4, which has 12, on rank 0"},
    {"/classes/0/load/0/tensor", "2",
     "plan: class 0, load 0 (read_parameter, proj): parameter 2 does not "
     "exist, there are 2"},
    {"/classes/0/load/1/dst/0", "5",
     "plan: class 0, load 1 (read_parameter, proj): dst is an input or "
     "output, which load does not have"},
    {"/classes/0/step/1/pairs/0/dst/2", "[2, 6]",
     "plan: class 0, step 1 (collective, proj): dst has shape [2, 6], "
     "expected [3, 6]"},
    {"/classes/0/step/1/axes", "[]",
     "plan: class 0, step 1 (collective, proj): has no axes"},
    {"/classes/1/step/1/id", "4",
     "plan: class 1, step: does not run collective 0, in which ranks of class "
     "0 "
     "would wait for it"},
    {"/classes/1/step/1/reduction", "\"max\"",
     "plan: class 1, collective 0: reduction is max, in class 0 it is sum"},
    {"/classes/1/step/1", "",
     "plan: class 1, step: does not run collective 0, in which ranks of class "
     "0 "
     "would wait for it"},
};
INSTANTIATE_TEST_SUITE_P(Meanings, BadPlanText, testing::ValuesIn(badMeanings));

TEST(PlanText, Summary) {
  json report = json::parse(summary(samplePlan()).dump());
  EXPECT_EQ(report["ranks"], 2);
  ASSERT_EQ(report["collectives"].size(), 1u);
  auto &entry = report["collectives"][0];
  EXPECT_EQ(entry["kind"], "all_reduce");
  EXPECT_EQ(entry["axes"], json::array({"tp"}));
  EXPECT_EQ(entry["schedule"], "schedules.hkt:4:3");
  EXPECT_EQ(entry["bytes_per_rank"], json::array({72, 72}));
  EXPECT_EQ(entry["ranks_by_peers"], json({{"1", 2}}));
  EXPECT_EQ(report["totals"]["step"]["all_reduce"]["calls"], 1);
  EXPECT_EQ(report["totals"]["step"]["all_reduce"]["ranks_by_peers"],
            json({{"1", 2}}));
  EXPECT_EQ(report["totals"]["load"]["all_reduce"]["ranks_by_peers"],
            json({{"0", 2}}));
  EXPECT_EQ(report["totals"]["load"]["all_reduce"]["calls"], 0);
  EXPECT_EQ(report["arena_bytes"], json::array({200, 200}));
}

} // namespace
