//===- ReportTest.cpp - counted communication, and where it comes from ----===//

#include "ParsedModule.h"
#include "hocket/Plan/Plan.h"
#include "hocket/Transforms/CollectiveReport.h"
#include "hocket/Transforms/Partition.h"

using namespace mlir;
using namespace hocket;

using ReportTest = PartitionTest;

static plan::View viewOf(Value value) {
  plan::View view;
  view.buffer = 0;
  for (nn::DimAttr dim : nn::layoutOf(value).getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      view.shape.push_back(factor.getSize());
  return view;
}

/// The collective as a plan has it; for tensors whose dims have one factor.
static plan::Collective inPlan(spmd::CollectiveOp op, plan::Plan &plan) {
  plan::Collective result;
  result.axes = {0};
  result.pairs = {{viewOf(op.getSource()), viewOf(op.getDestination())}};
  plan::Share share;
  if (auto sizes = op->getAttrOfType<spmd::TableAttr>("sizes")) {
    share.dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
    SmallVector<int64_t> values = sizes.valuesFor(plan.mesh[0].size);
    plan.tables.push_back({{0}, {values.begin(), values.end()}});
    share.size = plan.tables.size() - 1;
  }
  if (isa<spmd::ReduceScatterOp>(op))
    result.kind = plan::ReduceScatter{{share}};
  else if (isa<spmd::AllGatherOp>(op))
    result.kind = plan::AllGather{{share}};
  else if (isa<spmd::AllToAllOp>(op))
    result.kind = plan::AllToAll{{share}, {}};
  else if (auto broadcast = dyn_cast<spmd::BroadcastOp>(*op))
    result.kind = plan::Broadcast{int64_t(broadcast.getRoot())};
  return result;
}

TEST_F(ReportTest, BytesAreThoseOfThePlan) {
  OwningOpRef<ModuleOp> module = parse(R"(
    !s = tensor<4x10xf32, #nn.layout<[4] [10], tp: S(1.0)>>
    !r = tensor<4x10xf32, #nn.layout<[4] [10]>>
    !p = tensor<4x10xf32, #nn.layout<[4] [10], tp: P(sum)>>
    !b = tensor<4x10xf32, #nn.layout<[4] [10], tp: S(0.0)>>
    module {
      nn.placement "s" <tp=3> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
      nn.func @forward(%x: !s {nn.name = "x"}) -> !b
          attributes {buffers = [], outputs = ["y"]} {
        %g = nn.redistribute all_gather %x over ["tp"] : (!s) -> !r
        %m = nn.redistribute mask %g over ["tp"] : (!r) -> !p
        %a = nn.redistribute all_reduce %m over ["tp"] : (!p) -> !r
        %c = nn.redistribute broadcast %a over ["tp"] {root = 1 : i64} : (!r) -> !r
        %n = nn.redistribute mask %c over ["tp"] : (!r) -> !p
        %t = nn.redistribute reduce_scatter %n over ["tp"] : (!p) -> !s
        %u = nn.redistribute all_to_all %t over ["tp"] : (!s) -> !b
        nn.return %u : !b
      }
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(partition(*module))) << messages;
  CollectiveReport report = reportCollectives(*module);
  ASSERT_EQ(report.collectives.size(), 5u);

  plan::Plan plan;
  plan.mesh = {{"tp", 3}};
  plan::RankClass rankClass;
  rankClass.buffers = {{plan::Region::Arena, 0, 160, plan::DType::F32}};
  int64_t compared = 0;
  for (auto func : module->getOps<spmd::FuncOp>())
    func.walk([&](spmd::CollectiveOp op) {
      plan::Collective collective = inPlan(op, plan);
      for (int64_t rank : func.getRanks()) {
        EXPECT_EQ(report.collectives[op.getId()].receivedBytes[rank],
                  plan::receivedBytes(plan, rankClass, collective, rank))
            << op.getKind().str() << " on rank " << rank;
        ++compared;
      }
    });
  EXPECT_EQ(compared, 15);
  // all_gather: a rank of 4 of 10 columns gets the other 6, in 4 rows of f32.
  EXPECT_EQ(report.collectives[0].receivedBytes,
            (std::vector<int64_t>{96, 112, 112}));
  EXPECT_EQ(report.totalBytes().size(), 3u);
  EXPECT_EQ(report.countByKind()["all_to_all"], 1);
}

TEST_F(ReportTest, LocationsTellPathModelAndSchedule) {
  auto parsed = parse(R"(
    !r = tensor<4xf32, #nn.layout<[4]>>
    module {
      nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
      spmd.func @class0(%x: !r {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
          attributes {ranks = array<i64: 0, 1>} {
        %a = spmd.all_reduce sum %x over ["tp"] {id = 0 : i64} : (!r) -> !r
          loc(fused["h.0.attn"("m.hkt":4:5), callsite("s.hkt":9:1 at "s.hkt":20:3)])
        %b = spmd.all_reduce sum %a over ["tp"] {id = 1 : i64} : (!r) -> !r
          loc("h.1"("m.hkt":6:5))
        %c = spmd.all_reduce sum %b over ["tp"] {id = 2 : i64} : (!r) -> !r
          loc("m.hkt":7:5)
        nn.return
      }
    })");
  ASSERT_TRUE(parsed);
  CollectiveReport report = reportCollectives(*parsed);
  ASSERT_EQ(report.collectives.size(), 3u);
  EXPECT_EQ(report.collectives[0].origin.path, "h.0.attn");
  EXPECT_EQ(report.collectives[0].origin.model, "m.hkt:4:5");
  EXPECT_EQ(report.collectives[0].origin.schedule, "s.hkt:9:1");
  EXPECT_EQ(report.collectives[1].origin.schedule, "");
  EXPECT_EQ(report.collectives[2].origin.model, "m.hkt:7:5");
  EXPECT_EQ(report.collectives[2].origin.path, "");
  EXPECT_EQ(report.countByKind("h.0")["all_reduce"], 1);
  EXPECT_EQ(report.countByKind("h")["all_reduce"], 2);
  EXPECT_EQ(report.countByKind("h.0.att").count("all_reduce"), 0u);
}

TEST_F(ReportTest, MarginsCountWhereOthersAreAsked) {
  auto parsed = parse(R"(
    !own = tensor<4x3xf32, #nn.layout<[4] [3]>>
    !held = tensor<6x3xf32, #nn.layout<[6] [3]>>
    !wide = tensor<4x5xf32, #nn.layout<[4] [5]>>
    module {
      nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
      spmd.func @class0(%x: !own {nn.name = "x", spmd.cuts = #spmd.box<<[4] [3]>>})
          attributes {ranks = array<i64: 0, 1>} {
        %a = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>,
          id = 0 : i64, offsets = #spmd.table<h: [0, 4]>,
          sizes = #spmd.table<4>, heldOffsets = #spmd.table<h: [-1, 3]>,
          heldSizes = #spmd.table<6>, extent = 8 : i64, border = #nn.border<zero>}
          : (!own) -> !held
        %b = spmd.halo_reduce %a over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>,
          id = 1 : i64, offsets = #spmd.table<h: [0, 4]>,
          sizes = #spmd.table<4>, heldOffsets = #spmd.table<h: [-1, 2]>,
          heldSizes = #spmd.table<6>, extent = 8 : i64, border = #nn.border<circular>}
          : (!held) -> !own
        %c = spmd.halo_exchange %b over [] {dims = array<i64: 1>, factors = array<i64: 0>,
          id = 2 : i64, offsets = #spmd.table<0>, sizes = #spmd.table<3>,
          heldOffsets = #spmd.table<-1>, heldSizes = #spmd.table<5>,
          extent = 3 : i64, border = #nn.border<reflect>} : (!own) -> !wide
        nn.return
      }
    })");
  ASSERT_TRUE(parsed) << messages;
  CollectiveReport report = reportCollectives(*parsed);
  ASSERT_EQ(report.collectives.size(), 3u);
  // One row of three; two rows, one of them around the end; nothing.
  EXPECT_EQ(report.collectives[0].receivedBytes,
            (std::vector<int64_t>{12, 12}));
  EXPECT_EQ(report.collectives[1].receivedBytes,
            (std::vector<int64_t>{24, 24}));
  EXPECT_EQ(report.collectives[2].receivedBytes, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(report.countByKind()["halo"], 2);
}
