//===- MlpTest.cpp - every way to split two linears over one axis ---------===//
//
// A weight [out, in] is whole (R), split by its outputs (column) or by its
// inputs (row). Two linears have nine combinations; without the one that
// splits nothing there are eight:
//
//   (R, column) (R, row) (column, R) (column, column) (column, row)
//   (row, R) (row, column) (row, row)
//
// Each is legal once the activations meet it: a column split takes a whole
// input and gives its columns, a row split takes columns and gives a sum. Each
// is run twice: with activations that are whole at both ends, and with
// activations that are split by rows (the sequence) at both ends.
//
//===----------------------------------------------------------------------===//

#include "CompiledRun.h"
#include <cmath>
#include <sstream>

using namespace hocket::test;

namespace {

struct Scheme {
  const char *name;      // up_down, a schedule
  const char *up, *down; // which axis of the weight is split; "" for none
  std::vector<const char *> whole, byRows; // the syncs
};

const std::vector<Scheme> schemes = {
    {"R_column",
     "",
     "out",
     {"down fwd_post all_gather axis wide"},
     {"down.x fwd_pre all_gather axis rows",
      "down fwd_post all_to_all axis wide to rows"}},
    {"R_row",
     "",
     "in",
     {"down.x fwd_pre slice axis inner", "down fwd_post all_reduce"},
     {"down.x fwd_pre all_to_all axis rows to inner",
      "down fwd_post reduce_scatter axis rows"}},
    {"column_R",
     "out",
     "",
     {"down.x fwd_pre all_gather axis inner"},
     {"up.x fwd_pre all_gather axis rows",
      "down.x fwd_pre all_to_all axis inner to rows"}},
    {"column_column",
     "out",
     "out",
     {"down.x fwd_pre all_gather axis inner",
      "down fwd_post all_gather axis wide"},
     {"up.x fwd_pre all_gather axis rows",
      "down.x fwd_pre all_gather axis inner",
      "down fwd_post all_to_all axis wide to rows"}},
    {"column_row",
     "out",
     "in",
     {"down fwd_post all_reduce"},
     {"up.x fwd_pre all_gather axis rows",
      "down fwd_post reduce_scatter axis rows"}},
    {"row_R",
     "in",
     "",
     {"up.x fwd_pre slice axis wide", "up fwd_post all_reduce"},
     {"up.x fwd_pre all_to_all axis rows to wide",
      "up fwd_post reduce_scatter axis rows"}},
    {"row_column",
     "in",
     "out",
     {"up.x fwd_pre slice axis wide", "up fwd_post all_reduce",
      "down fwd_post all_gather axis wide"},
     {"up.x fwd_pre all_to_all axis rows to wide", "up fwd_post all_reduce",
      "down fwd_post all_to_all axis wide to rows"}},
    {"row_row",
     "in",
     "in",
     {"up.x fwd_pre slice axis wide", "up fwd_post reduce_scatter axis inner",
      "down fwd_post all_reduce"},
     {"up.x fwd_pre all_to_all axis rows to wide",
      "up fwd_post reduce_scatter axis inner",
      "down fwd_post reduce_scatter axis rows"}},
};

std::string scheduleText(const Scheme &scheme, bool byRows) {
  std::ostringstream text;
  text << "schedule " << scheme.name << (byRows ? "_by_rows" : "")
       << "(tp: int = 1) for Mlp {\n  mesh (tp = tp)\n";
  for (auto [layer, axis] :
       {std::pair<const char *, std::string>{"up", scheme.up},
        {"down", scheme.down}})
    if (!axis.empty()) // only the outputs of a linear have a bias to split
      text << "  shard " << layer
           << (axis == "out" ? ".{weight,bias}" : ".weight") << " axis " << axis
           << " over tp\n";
  if (byRows)
    text << "  shard x axis rows over tp\n";
  for (const char *sync : byRows ? scheme.byRows : scheme.whole)
    text << "  sync " << sync << " over tp\n";
  text << "}\n";
  return text.str();
}

std::string programText() {
  std::string text = R"(hocket 1
model Mlp(rows: int = 8, wide: int = 12, inner: int = 16) {
  up   = Linear(wide, inner)
  down = Linear(inner, wide)
  forward(x: f32[rows, wide]) -> f32[rows, wide] { return down(gelu(up(x))) }
}
schedule one_device for Mlp { }
)";
  for (const Scheme &scheme : schemes)
    text += scheduleText(scheme, false) + scheduleText(scheme, true);
  return text;
}

struct Sizes {
  int64_t ranks, rows, wide, inner;

  int64_t of(const std::string &dim) const {
    return dim == "rows" ? rows : dim == "wide" ? wide : inner;
  }
  std::string options() const {
    return " -D rows=" + std::to_string(rows) +
           " -D wide=" + std::to_string(wide) +
           " -D inner=" + std::to_string(inner);
  }
};

/// What each rank receives in a sync: the formulas of the reference.
Bytes expectedBytes(const std::string &sync, const Sizes &sizes) {
  std::istringstream words(sync);
  std::string path, point, kind, word, dim, to;
  words >> path >> point >> kind >> word >> dim >> word >> to;
  bool isInner = path == "up" || path == "down.x";
  int64_t bytes = 4 * sizes.rows * (isInner ? sizes.inner : sizes.wide);
  Bytes result;
  for (int64_t rank = 0; rank < sizes.ranks; ++rank) {
    auto own = [&](const std::string &name) {
      return share(sizes.of(name), sizes.ranks, rank);
    };
    if (kind == "all_gather")
      result.push_back(bytes / sizes.of(dim) * (sizes.of(dim) - own(dim)));
    else if (kind == "reduce_scatter")
      result.push_back(bytes / sizes.of(dim) * own(dim) * (sizes.ranks - 1));
    else if (kind == "all_to_all")
      result.push_back(bytes / sizes.of(dim) / sizes.of(to) * own(to) *
                       (sizes.of(dim) - own(dim)));
    else
      result.push_back(2 * bytes * (sizes.ranks - 1) / sizes.ranks);
  }
  return result;
}

void expectBytes(const Bytes &found, const Bytes &expected,
                 const std::string &sync) {
  if (sync.find("all_reduce") == std::string::npos) {
    EXPECT_EQ(found, expected) << sync;
    return;
  }
  // Where ranks do not divide the elements, chunks differ by one element.
  ASSERT_EQ(found.size(), expected.size());
  for (size_t rank = 0; rank < found.size(); ++rank)
    EXPECT_NEAR(found[rank], expected[rank], 4 * found.size()) << sync;
}

void testScheme(const Scheme &scheme, bool byRows, const Sizes &sizes,
                const hocket::dev::FileTensor &expected) {
  std::string name = scheme.name + std::string(byRows ? "_by_rows" : "");
  SCOPED_TRACE(name);
  CompiledRun run(programText(), "--schedule " + name + sizes.options() +
                                     " -D tp=" + std::to_string(sizes.ranks));
  ASSERT_TRUE(run.done());
  run.expectPlanIsRun();
  double largest = 0;
  for (double value : expected.values)
    largest = std::max(largest, std::fabs(value));
  EXPECT_LE(hocket::dev::farthest(run.output(), expected), 1e-5 * largest);

  size_t n = 0;
  for (std::string sync : byRows ? scheme.byRows : scheme.whole) {
    if (sync.find("slice") != std::string::npos)
      continue; // sends nothing
    ASSERT_LT(n, run.collectives());
    EXPECT_NE(sync.find(run.kind(n)), std::string::npos) << sync;
    expectBytes(run.planned(n++), expectedBytes(sync, sizes), sync);
  }
  EXPECT_EQ(run.collectives(), n);
}

void testSchemes(const Sizes &sizes) {
  CompiledRun one(programText(), "--schedule one_device" + sizes.options());
  ASSERT_TRUE(one.done());
  for (const Scheme &scheme : schemes)
    for (bool byRows : {false, true})
      testScheme(scheme, byRows, sizes, one.output());
}

TEST(Mlp, eightSchemesEven) { testSchemes({4, 8, 12, 16}); }

TEST(Mlp, eightSchemesUneven) { testSchemes({3, 7, 10, 11}); }

} // namespace
