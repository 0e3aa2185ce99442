//===- ScheduleTest.cpp - every statement of a schedule -------------------===//

#include "Parsing.h"

using namespace hocket::syntax;

TEST(Schedule, hasStructure) {
  EXPECT_EQ(scheduleOf(R"(
  mesh (dp = 2, tp = n)
  let n = 2 * tp
  at h.* (count layers) { use f(tp, (a, b), k = 3) }
  at a (optional) {
    at b (count 2, optional) { }
  }
  use f() at h.*.{a,b} (count 3)
  def g(ax: mesh_axis, n: int = 1) {
    auto reshard
  }
)"),
            R"(  mesh dp=2 tp=n
  let n (* 2 tp)
  at h.* (count layers)
    use f tp (tuple a b) k=3
  at a optional
    at b (count 2) optional
  use f at h.*.{a,b} (count 3)
  def g (ax:mesh_axis n:int=1)
    auto reshard
)");
}

TEST(Schedule, hasTopLevelDefs) {
  EXPECT_EQ(dumpOf("hocket 1\ndef f(ax: mesh_axis) {\n  replicate . over ax\n"
                   "}\nschedule s(tp: int = 2) for M { }\n"),
            "hocket 1\ndef f (ax:mesh_axis)\n  replicate . over ax\n"
            "schedule s (tp:int=2) for M\n");
}

TEST(Schedule, hasPlacements) {
  EXPECT_EQ(scheduleOf(R"(
  shard self.{query,key}.{weight,bias} axis heads over ax
  shard x axis 1 over (r zigzag, u)
  shard x axis seq over cp zigzag aligned 2 override
  shard x axis seq over cp striped
  shard x axis seq over cp sizes (3, 5)
  shard x axis seq over cp weights (1, 2 * n)
  sync y fwd_post slice axis seq over (r sizes (3, 5), u) override
  sync y fwd_pre all_to_all axis 0 to seq over cp aligned 2
  defer y until z axis seq over cp weights (1, 2)
  shard axis axis axis over over
  replicate wte.weight over tp override
)"),
            R"(  shard self.{query,key}.{weight,bias} axis heads over ax
  shard x axis 1(position) over (r zigzag, u)
  shard x axis seq over cp (zigzag) (aligned 2) override
  shard x axis seq over cp (striped)
  shard x axis seq over cp (sizes 3 5)
  shard x axis seq over cp (weights 1 (* 2 n))
  sync y fwd_post slice axis seq over (r sizes (3, 5), u) override
  sync y fwd_pre all_to_all axis 0(position) to seq over cp (aligned 2)
  defer y until z axis seq over cp (weights 1 2)
  shard axis axis axis over over
  replicate wte.weight over tp override
)");
}

TEST(Schedule, hasSyncs) {
  EXPECT_EQ(scheduleOf(R"(
  sync a fwd_post all_reduce over tp
  sync a fwd_post all_reduce over (dp, tp) op max override
  sync a fwd_pre all_gather axis seq over tp
  sync a fwd_post reduce_scatter axis seq over tp op sum
  sync a bwd_pre slice axis seq over tp
  sync a bwd_post all_to_all axis seq to heads over tp
  sync a fwd_post broadcast over tp root 1
  sync a fwd_pre hook mine axis seq over tp
  sync . fwd_pre hook mine over tp
  defer mlp.c_proj until mlp.dropout axis seq over tp override
)"),
            R"(  sync a fwd_post all_reduce over tp
  sync a fwd_post all_reduce over (dp, tp) op max override
  sync a fwd_pre all_gather axis seq over tp
  sync a fwd_post reduce_scatter axis seq over tp op sum
  sync a bwd_pre slice axis seq over tp
  sync a bwd_post all_to_all axis seq to heads over tp
  sync a fwd_post broadcast over tp root 1
  sync a fwd_pre hook mine axis seq over tp
  sync . fwd_pre hook mine over tp
  defer mlp.c_proj until mlp.dropout axis seq over tp override
)");
}

TEST(Schedule, hasWindowsAttentionAndStatistics) {
  EXPECT_EQ(scheduleOf(R"(
  halo ** axis height over h reach auto
  halo ** axis width over w reach 2
  halo ** axis width over w using neighbors
  halo ** axis width over w using all_gather reach (1, 2) overlap
  attention h.*.attn using heads over u, ring over r
  attention blocks.* using sequence over (a, b)
  attention blocks.* using sequence over a from lin.qkv
  statistics **.norm over (h, w)
)"),
            R"(  halo ** axis height over h (reach)
  halo ** axis width over w (reach 2)
  halo ** axis width over w (using neighbors)
  halo ** axis width over w (reach 1 2) (using all_gather) overlap
  attention h.*.attn heads over u ring over r
  attention blocks.* sequence over (a, b)
  attention blocks.* sequence over a from lin.qkv
  statistics **.norm over (h, w)
)");
}

TEST(Schedule, hasCostStatements) {
  EXPECT_EQ(scheduleOf(R"(
  recompute .
  save h.*.x gathered
  save h.*.x sharded
  fsdp h.* over dp stage 3
  fsdp ** over dp
  fuse a.b, c
  bucket gradients 25 MiB over dp
  bucket parameters 1000 over dp
  hook h.*.norm with rms
)"),
            R"(  recompute .
  save h.*.x gathered
  save h.*.x sharded
  fsdp h.* over dp stage 3
  fsdp ** over dp
  fuse a.b c
  bucket gradients 26214400 over dp
  bucket parameters 1000 over dp
  hook h.*.norm with rms
)");
}

TEST(Schedule, hasHooks) {
  EXPECT_EQ(dumpOf(R"(hocket 1
hook rms(x: f32[rows, cols], weight: f32[cols]) -> f32[rows, cols] {
  from       "rms.cpp"
  split      [rows]
  derivative rms_grad
}
hook ring {
  from       "ring.o"
  collective all_reduce
}
)"),
            R"(hocket 1
hook rms (x:f32[rows cols] weight:f32[cols]) -> f32[rows cols]
  from "rms.cpp"
  split (list rows)
  derivative rms_grad
hook ring ()
  from "ring.o"
  collective all_reduce
)");
}

TEST(Schedule, hasExpectations) {
  EXPECT_EQ(scheduleOf(R"(
  expect forward at encoder.layer.* == { all_gather: 2, halo: n }
  expect backward == { }
  expect memory < 4 GiB
  expect bytes <= 37.5 MB
  expect bytes == 12
)"),
            R"(  expect forward at encoder.layer.* == all_gather:2 halo:n
  expect backward ==
  expect memory < 4294967296
  expect bytes <= 37500000
  expect bytes == 12
)");
}

TEST(Schedule, keepsRanges) {
  Parsed parsed("hocket 1\nschedule s for M {\n"
                "  sync a.b fwd_post all_gather axis seq over (dp, tp) "
                "override\n}\n");
  File file = parseFile(parsed.sources, parsed.id, parsed.engine);
  auto *schedule = dynAs<ScheduleDecl>(file.decls.at(0));
  auto *sync = dynAs<SyncStmt>(schedule->body.stmts.at(0));
  ASSERT_TRUE(sync);
  auto text = [&](SourceRange range) { return parsed.sources.getText(range); };
  EXPECT_EQ(text(sync->keyword), "sync");
  EXPECT_EQ(text(sync->pattern.range), "a.b");
  EXPECT_EQ(text(sync->pointRange), "fwd_post");
  EXPECT_EQ(text(sync->opRange), "all_gather");
  EXPECT_EQ(text(sync->dim->range), "seq");
  EXPECT_EQ(text(sync->axes.range), "(dp, tp)");
  EXPECT_EQ(text(sync->axes.axes[1].name.range), "tp");
  EXPECT_EQ(text(sync->overrideMark), "override");
  EXPECT_EQ(text(sync->range),
            "sync a.b fwd_post all_gather axis seq over (dp, tp) override");
}
