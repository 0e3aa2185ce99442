//===- BytesTest.cpp - what placement says that a move receives -----------===//
//
// The bytes beside a proposal are estimated from placed types; a plan counts
// them. Of one move both are the same, whatever its parts.
//
//===----------------------------------------------------------------------===//

#include "Follow.h"
#include "PlannedBytes.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::advice;

/// A schedule of 7 ranks, or of 2 by 3, whose last line moves something. Rows
/// are 10, columns 17: no parts are even.
static std::string textOf(const std::string &lines) {
  return R"(hocket 1
model Net(rows: int = 10, cols: int = 17, out: int = 5) {
  a = Linear(cols, out, bias = false)
  forward(x: f32[rows, cols]) -> f32[rows, out] { return a(x) }
}
schedule s for Net {
  )" + lines +
         "\n}\n";
}

static void expectAsPlanned(const std::string &lines) {
  SCOPED_TRACE(lines);
  syntax::Texts texts{{"moves.hkt", textOf(lines)}};
  frontend::ElaborateOptions options;
  options.schedule = "s";
  int64_t planned = plannedBytes("moves.hkt", texts, options);
  EXPECT_GT(planned, 0);
  EXPECT_EQ(receivedBytes("moves.hkt", texts, options), planned);
}

static const std::string kSeven = "mesh (t = 7)\n  ";
static const std::string kSix = "mesh (d = 2, t = 3)\n  ";

TEST(Bytes, GathersAreAsPlanned) {
  for (const char *parts : {"", " sizes (0, 4, 1, 1, 1, 1, 2)"})
    expectAsPlanned(kSeven + "shard x axis rows over t" + parts +
                    "\n  sync x fwd_pre all_gather axis rows over t");
  // 10 in 5 and 5, each of these in 2, 2 and 1; or the other way round.
  expectAsPlanned(kSix + "shard x axis rows over (d, t)\n  "
                         "sync x fwd_pre all_gather axis rows over t");
  expectAsPlanned(kSix + "shard x axis cols over (t, d)\n  "
                         "sync x fwd_pre all_gather axis cols over (t, d)");
  expectAsPlanned(kSix + "shard x axis rows over d\n  "
                         "sync x fwd_pre slice axis cols over t\n  "
                         "sync x fwd_pre all_gather axis cols over t");
}

TEST(Bytes, SumsAreAsPlanned) {
  const std::string partial = "shard a.weight axis in over t\n  "
                              "shard x axis cols over t\n  ";
  for (const std::string &mesh : {kSeven, kSix}) {
    expectAsPlanned(mesh + partial + "sync a fwd_post all_reduce over t");
    expectAsPlanned(mesh + partial +
                    "sync a fwd_post reduce_scatter axis rows over t");
  }
  expectAsPlanned(kSeven + partial +
                  "sync a fwd_post reduce_scatter axis rows over t "
                  "sizes (5, 0, 0, 1, 1, 1, 2)");
  expectAsPlanned(kSix + partial +
                  "shard x axis rows over d\n  "
                  "sync a fwd_post all_reduce over t");
}

TEST(Bytes, ExchangesAreAsPlanned) {
  const std::string rows = "shard x axis rows over t\n  ";
  const std::string toOut =
      "sync a fwd_post all_to_all axis rows to out over t";
  for (const std::string &mesh : {kSeven, kSix})
    expectAsPlanned(mesh + rows + toOut);
  expectAsPlanned(kSeven + rows + toOut + " sizes (1, 1, 0, 0, 0, 0, 3)");
  expectAsPlanned(kSix + "shard x axis rows over (d, t)\n  " + toOut);
  expectAsPlanned(kSix + rows + "shard a.weight axis out over d\n  " + toOut);
  expectAsPlanned(kSeven + rows +
                  "sync x fwd_pre repartition axis rows over t "
                  "sizes (1, 2, 2, 2, 2, 1, 0)");
  expectAsPlanned(kSeven + "sync x fwd_pre broadcast over t");
}
