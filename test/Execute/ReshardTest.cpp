//===- ReshardTest.cpp - the nine reshards of the last two dims -----------===//
//
// On one axis, a tensor is whole (RR), split by its last dim (RS) or by its
// second last (SR). From each of the three to each: what is received, counted,
// and what comes out, to the bit.
//
//===----------------------------------------------------------------------===//

#include "CompiledRun.h"

using namespace hocket::test;

namespace {

const char *const placements[] = {"RR", "RS", "SR"};

/// The dim of the last two that a placement splits: `c` or `b`, or none.
std::string splitDim(const std::string &placement) {
  return placement == "RS" ? "c" : placement == "SR" ? "b" : "";
}

/// One input and one output for each of the nine, named RR_RS and so on, and
/// the two schedules `whole` and `reshard`.
std::string programText(const std::vector<int64_t> &dims) {
  std::string names = "abc", params, type = "f32[", arguments, returned,
              results, facts;
  names = names.substr(3 - std::min<size_t>(dims.size(), 3));
  if (dims.size() == 4)
    names = "dabc";
  for (size_t i = 0; i < dims.size(); ++i) {
    params += (i ? ", " : "") + std::string(1, names[i]) +
              ": int = " + std::to_string(dims[i]);
    type += (i ? ", " : "") + std::string(1, names[i]);
  }
  type += "]";
  for (std::string from : placements)
    for (std::string to : placements) {
      std::string name = from + "_" + to, comma = arguments.empty() ? "" : ", ";
      arguments += comma + name + ": " + type;
      returned += comma + name;
      results += comma + type;
      if (from != "RR")
        facts += "  shard " + name + " axis " + splitDim(from) + " over tp\n";
      if (from == to)
        continue;
      facts += "  sync " + name + " fwd_pre ";
      if (from == "RR")
        facts += "slice axis " + splitDim(to);
      else if (to == "RR")
        facts += "all_gather axis " + splitDim(from);
      else
        facts += "all_to_all axis " + splitDim(from) + " to " + splitDim(to);
      facts += " over tp\n";
    }
  return "hocket 1\nmodel Nine(" + params + ") {\n  forward(" + arguments +
         ") -> (" + results + ") {\n    return " + returned +
         "\n  }\n}\nschedule whole for Nine { }\n"
         "schedule reshard(tp: int = 1) for Nine {\n  mesh (tp = tp)\n" +
         facts + "}\n";
}

void testReshards(const std::vector<int64_t> &dims, int64_t ranks) {
  std::string text = programText(dims);
  SCOPED_TRACE(text);
  CompiledRun whole(text, "--schedule whole");
  CompiledRun reshard(text,
                      "--schedule reshard -D tp=" + std::to_string(ranks));
  ASSERT_TRUE(whole.done() && reshard.done());
  EXPECT_EQ(whole.outputBytes(), reshard.outputBytes());
  reshard.expectPlanIsRun();

  int64_t b = dims[dims.size() - 2], c = dims.back(), bytes = 4;
  for (int64_t dim : dims)
    bytes *= dim;
  std::map<std::string, Bytes> expected;
  // Only what no collective writes: the input as it is, three times, and the
  // two slices of a whole one.
  Bytes copied;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    int64_t ownB = share(b, ranks, rank), ownC = share(c, ranks, rank);
    copied.push_back(bytes + 2 * (bytes / b * ownB + bytes / c * ownC));
    expected["RS_RR"].push_back(bytes / c * (c - ownC));
    expected["SR_RR"].push_back(bytes / b * (b - ownB));
    // Both all_to_alls are one, as they are small.
    expected["SR_RS"].push_back(bytes / b / c *
                                (ownB * (c - ownC) + ownC * (b - ownB)));
  }
  if (b % ranks == 0 && c % ranks == 0) {
    // (p - 1)/p of V, and twice (1/p - 1/p^2) of V.
    EXPECT_EQ(expected["RS_RR"][0], bytes * (ranks - 1) / ranks);
    EXPECT_EQ(expected["SR_RS"][0], 2 * bytes * (ranks - 1) / (ranks * ranks));
  }
  std::map<std::string, Bytes> found;
  for (const auto &collective : reshard.plan["collectives"])
    found[collective["path"]] = collective["bytes_per_rank"].get<Bytes>();
  EXPECT_EQ(found, expected);
  EXPECT_EQ(reshard.counted["copied_bytes_per_rank"].get<Bytes>(), copied);
}

TEST(Reshard, matrices) {
  testReshards({8, 12}, 4);
  testReshards({7, 10}, 3);
}

TEST(Reshard, threeDims) {
  testReshards({3, 8, 6}, 2);
  testReshards({3, 9, 8}, 5);
}

TEST(Reshard, fourDims) {
  testReshards({2, 3, 8, 4}, 4);
  testReshards({2, 3, 5, 7}, 4);
}

} // namespace
