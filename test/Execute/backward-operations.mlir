// Operations of the backward, compiled and split, against the reference: grouped
// heads, causal, padding, repeated ids, uneven sizes, sums over leading dims.
// A dump has one schedule: that whose name begins its lines below.
// DEFINE: %{schedule} =
// DEFINE: %{verify} = sed -e "s|^// %{schedule}: ||" %s > %t.mlir && hocket verify %t.mlir --from=model
// REDEFINE: %{schedule} = one
// RUN: %{verify} | FileCheck %s --check-prefix=ONE
// ONE: verified: 2 ranks, 0 collectives a step
// REDEFINE: %{schedule} = heads
// RUN: %{verify} | FileCheck %s --check-prefix=HEADS
// HEADS: verified: 2 ranks, 0 collectives a step
// REDEFINE: %{schedule} = groups
// RUN: %{verify} | FileCheck %s --check-prefix=GROUPS
// GROUPS: verified: 4 ranks, 1 collectives a step
// REDEFINE: %{schedule} = queries
// RUN: %{verify} | FileCheck %s --check-prefix=QUERIES
// QUERIES: verified: 2 ranks, 2 collectives a step
// REDEFINE: %{schedule} = batch
// RUN: %{verify} | FileCheck %s --check-prefix=BATCH
// BATCH: verified: 2 ranks, 2 collectives a step
// REDEFINE: %{schedule} = width
// RUN: %{verify} | FileCheck %s --check-prefix=WIDTH
// WIDTH: verified: 2 ranks, 1 collectives a step
// REDEFINE: %{schedule} = vocabulary
// RUN: %{verify} | FileCheck %s --check-prefix=VOCABULARY
// VOCABULARY: verified: 2 ranks, 2 collectives a step

!q = tensor<3x8x5x8xf32, #nn.layout<[batch=3] [heads=8] [seq=5] [d=8]>>
!k = tensor<3x2x6x8xf32, #nn.layout<[batch=3] [heads=2] [keys=6] [d=8]>>
!v = tensor<3x2x6x4xf32, #nn.layout<[batch=3] [heads=2] [keys=6] [width=4]>>
!lse = tensor<3x8x5xf32, #nn.layout<[batch=3] [heads=8] [seq=5]>>
!o = tensor<3x8x5x4xf32, #nn.layout<[batch=3] [heads=8] [seq=5] [width=4]>>
!keep = tensor<3x6xi1, #nn.layout<[batch=3] [keys=6]>>
!ids = tensor<3x7xi32, #nn.layout<[batch=3] [seq=7]>>
!dy = tensor<3x7x10xf32, #nn.layout<[batch=3] [seq=7] [hidden=10]>>
!table = tensor<5x10xf32, #nn.layout<[vocab=5] [hidden=10]>>
!logits = tensor<3x7x9xf32, #nn.layout<[batch=3] [seq=7] [vocab=9]>>
!rows = tensor<3x7xf32, #nn.layout<[batch=3] [seq=7]>>
!bias = tensor<10xf32, #nn.layout<[hidden=10]>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
nn.func @forward(
    %q: !q {nn.name = "q"},
    %k: !k {nn.name = "k"},
    %v: !v {nn.name = "v"},
    %dout: !o {nn.name = "dout"},
    %keep: !keep {nn.name = "keep"},
    %ids: !ids {nn.name = "ids"},
    %dy: !dy {nn.name = "dy"},
    %logits: !logits {nn.name = "logits"})
    -> (!q, !k, !v, !table, !rows, !q, !bias)
    attributes {buffers = [], outputs = ["dq", "dk", "dv", "table", "rows", "turned", "bias"]} {
  %o, %lse = nn.attention %q, %k, %v, %keep {causal = true, scale = 0.3 : f64}
      : (!q, !k, !v, !keep) -> (!o, !lse)
  %g:3 = nn.attention_grad %q, %k, %v, %dout, %o, %lse, %keep {causal = true, scale = 0.3 : f64}
      : (!q, !k, !v, !o, !o, !lse, !keep) -> (!q, !k, !v)
  %dq = nn.value result "dq" %g#0 : (!q) -> !q
  %dk = nn.value result "dk" %g#1 : (!k) -> !k
  %dv = nn.value result "dv" %g#2 : (!v) -> !v
  %t = nn.embedding_grad %ids, %dy : (!ids, !dy) -> !table
  %table = nn.value result "table" %t : (!table) -> !table
  %l = nn.log_sum_exp %logits {dim = 2 : i64} : (!logits) -> !rows
  %rows = nn.value result "rows" %l : (!rows) -> !rows
  %r = nn.rotary %q {dim = 2 : i64, base = 100.0 : f64, style = #nn.rotary_style<half>, inverse = true} : (!q) -> !q
  %turned = nn.value result "turned" %r : (!q) -> !q
  %s = nn.reduce sum %dy {dims = array<i64: 0, 1>, keepdim = false} : (!dy) -> !bias
  %bias = nn.value result "bias" %s : (!bias) -> !bias
  nn.return %dq, %dk, %dv, %table, %rows, %turned, %bias : !q, !k, !v, !table, !rows, !q, !bias
}
// one: sched.schedule "one" #nn.mesh<tp=2> {
// one: }
// heads: sched.schedule "heads" #nn.mesh<tp=2> {
// heads:   sched.shard "q" axis "heads" over ["tp"]
// heads:   sched.shard "k" axis "heads" over ["tp"]
// heads:   sched.shard "v" axis "heads" over ["tp"]
// heads:   sched.shard "dout" axis "heads" over ["tp"]
// heads: }
// groups: sched.schedule "groups" #nn.mesh<tp=4> {
// groups:   sched.shard "q" axis "heads" over ["tp"]
// groups:   sched.shard "dout" axis "heads" over ["tp"]
// groups:   sched.sync "dk" "fwd_post" all_reduce over ["tp"]
// groups:   sched.sync "dv" "fwd_post" all_reduce over ["tp"]
// groups: }
// queries: sched.schedule "queries" #nn.mesh<sp=2> {
// queries:   sched.shard "q" axis "seq" over ["sp"]
// queries:   sched.shard "dout" axis "seq" over ["sp"]
// queries:   sched.shard "dy" axis "hidden" over ["sp"]
// queries:   sched.sync "dk" "fwd_post" all_reduce over ["sp"]
// queries:   sched.sync "dv" "fwd_post" all_reduce over ["sp"]
// queries:   sched.sync "table" "fwd_post" all_gather over ["sp"] {axis = "hidden"}
// queries: }
// batch: sched.schedule "batch" #nn.mesh<dp=2> {
// batch:   sched.shard "*" axis "batch" over ["dp"]
// batch:   sched.sync "table" "fwd_post" all_reduce over ["dp"]
// batch:   sched.sync "bias" "fwd_post" all_reduce over ["dp"]
// batch:   sched.sync "dq" "fwd_post" all_gather over ["dp"] {axis = "batch"}
// batch: }
// width: sched.schedule "width" #nn.mesh<tp=2> {
// width:   sched.shard "v" axis "width" over ["tp"]
// width:   sched.shard "dout" axis "width" over ["tp"]
// width:   sched.sync "dq" "fwd_post" all_reduce over ["tp"]
// width:   sched.sync "dk" "fwd_post" all_reduce over ["tp"]
// width: }
// vocabulary: sched.schedule "vocabulary" #nn.mesh<tp=2> {
// vocabulary:   sched.shard "logits" axis "vocab" over ["tp"]
// vocabulary:   sched.statistics "rows" over ["tp"]
// vocabulary: }
}
