//===- SchedOps.td - the directives of a schedule, as written -------------===//

#ifndef HOCKET_SCHED_OPS
#define HOCKET_SCHED_OPS

include "dialects/Nn/NnAttrs.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::hocket::sched";
  let summary = "the directives of a schedule, as written";
  let dependentDialects = ["::hocket::nn::NnDialect"];
  let description = [{
    A `sched.schedule` lists directives in the order of the text. `at` blocks
    and `use`d functions are expanded: every pattern is absolute, in the
    language's own syntax. The location of an op is the schedule line (a call
    site location where it came through `use`). Placement consumes them all.
  }];
}

class Sched_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sched_Dialect, mnemonic, traits>;

// A directive about what a pattern matches.
class Sched_Directive<string mnemonic>
    : Sched_Op<mnemonic, [HasParent<"ScheduleOp">]> {
  dag common = (ins StrAttr:$pattern);
}

def Sched_ScheduleOp : Sched_Op<"schedule", [NoTerminator, SingleBlock,
                                             NoRegionArguments]> {
  let summary = "a schedule: a mesh and directives";
  let arguments = (ins StrAttr:$sym_name, Nn_MeshAttr:$mesh);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $mesh $body attr-dict";
}

def Sched_AtOp : Sched_Directive<"at"> {
  let summary = "the head of an `at` block: its pattern must match";
  let description = [{`count`: how many matches were stated. `optional`: no
    match is no error.}];
  let arguments = !con(common, (ins OptionalAttr<I64Attr>:$count,
                                    UnitAttr:$isOptional));
  let assemblyFormat = "$pattern attr-dict";
}

def Sched_ShardOp : Sched_Directive<"shard"> {
  let summary = "a parameter or input is split: axis names a dim or factor";
  let description = [{
    `cuts`: how the axes cut, where that is said: dictionaries of `over`, the
    axes that it is about, `kind`, and `values`. `sizes`: of all parts that they
    make; `weights`: what the parts are proportional to; `aligned`: parts begin
    at multiples of the one value. So too of the other directives that split.
  }];
  let arguments = !con(common, (ins StrAttr:$axis, StrArrayAttr:$over,
                                    OptionalAttr<ArrayAttr>:$cuts,
                                    UnitAttr:$isOverride,
                                    UnitAttr:$isOptional));
  let assemblyFormat = "$pattern `axis` $axis `over` $over attr-dict";
}

def Sched_ReplicateOp : Sched_Directive<"replicate"> {
  let summary = "a parameter or input is whole on every rank of the axes";
  let arguments = !con(common, (ins StrArrayAttr:$over, UnitAttr:$isOverride,
                                    UnitAttr:$isOptional));
  let assemblyFormat = "$pattern `over` $over attr-dict";
}

def Sched_SyncOp : Sched_Directive<"sync"> {
  let summary = "a redistribution at a module's argument or result";
  let description = [{
    `moment`: fwd_pre, fwd_post; bwd_pre, bwd_post, of the gradient. `kind`:
    all_reduce, reduce_scatter, all_gather, all_to_all, repartition, slice,
    broadcast. `reduction`: that of the partial value, where the line says it.
    `axis` and `to` name dims or factors of the value in its own scope. `hook`: the
    declaration of the user's own function that does it.
  }];
  let arguments = !con(common, (ins StrAttr:$moment,
                                    Nn_RedistributeKindAttr:$kind,
                                    OptionalAttr<StrAttr>:$axis,
                                    OptionalAttr<StrAttr>:$to,
                                    StrArrayAttr:$over,
                                    OptionalAttr<ArrayAttr>:$cuts,
                                    OptionalAttr<I64Attr>:$root,
                                    OptionalAttr<StrAttr>:$reduction,
                                    OptionalAttr<DictionaryAttr>:$hook,
                                    UnitAttr:$isOverride,
                                    UnitAttr:$isOptional));
  let assemblyFormat = "$pattern $moment `` $kind `over` $over attr-dict";
}

def Sched_DeferOp : Sched_Directive<"defer"> {
  let summary = "reduce_scatter after `pattern`, all_gather after `until`";
  let arguments = !con(common, (ins StrAttr:$until, StrAttr:$axis,
                                    StrArrayAttr:$over,
                                    OptionalAttr<ArrayAttr>:$cuts,
                                    UnitAttr:$isOverride,
                                    UnitAttr:$isOptional));
  let assemblyFormat =
      "$pattern `until` $until `axis` $axis `over` $over attr-dict";
}

def Sched_FsdpOp : Sched_Directive<"fsdp"> {
  let summary = "what is left of parameters is split again over the axes";
  let description = [{
    `stage` 3: a parameter is stored split and gathered where it is used, in the
    forward and again in the backward; its gradient is scattered. 2: stored
    whole, its gradient and what the optimizer keeps are split, and the updated
    parameter is gathered. 1: as 2, but the gradient is reduced whole first.
    (ZeRO, arXiv 1910.02054.) (C1) stage is 1, 2 or 3.
  }];
  let arguments = !con(common, (ins StrArrayAttr:$over, I64Attr:$stage,
                       UnitAttr:$isOptional));
  let assemblyFormat = "$pattern `over` $over attr-dict";
}

def Sched_HookOp : Sched_Directive<"hook"> {
  let summary = "a module is computed by a user's own function";
  let description = [{
    `hook` is the declaration, as of nn.hook.
  }];
  let arguments = !con(common, (ins DictionaryAttr:$hook, UnitAttr:$isOptional));
  let assemblyFormat = "$pattern attr-dict";
}

def Sched_FuseOp : Sched_Op<"fuse", [HasParent<"ScheduleOp">]> {
  let summary = "what these paths compute is to be one kernel";
  let arguments = (ins StrArrayAttr:$patterns, UnitAttr:$isOptional);
  let assemblyFormat = "$patterns attr-dict";
}

def Sched_RecomputeOp : Sched_Directive<"recompute"> {
  let summary = "the backward computes a module or value again, not kept";
  let arguments = !con(common, (ins UnitAttr:$isOptional));
  let assemblyFormat = "$pattern attr-dict";
}

def Sched_SaveOp : Sched_Directive<"save"> {
  let summary = "how the backward keeps what a sync has gathered";
  let description = [{
    `form`: sharded (as before the gather, gathered again: the default) or
    gathered (as the forward uses it).
  }];
  let arguments = !con(common, (ins StrAttr:$form, UnitAttr:$isOptional));
  let assemblyFormat = "$pattern $form attr-dict";
}

def Sched_StatisticsOp : Sched_Directive<"statistics"> {
  let summary = "licence for reductions inside an op over split dims";
  let arguments = !con(common, (ins StrArrayAttr:$over, UnitAttr:$isOptional));
  let assemblyFormat = "$pattern `over` $over attr-dict";
}

def Sched_HaloOp : Sched_Directive<"halo"> {
  let summary = "licence for windows that reach beyond a part of a dim";
  let description = [{
    `axis` names the dim that the windows slide over. `reach`: how many
    positions they read before and after a part at most, which is checked;
    absent, as many as they need. `strategy`: neighbors (also where absent),
    all_to_all or all_gather moves them. `overlaps`: what needs no margin is
    computed while they travel. `layers`: as many operations, one behind the
    other, have one exchange, and compute again what lies in its margins.
  }];
  let arguments = !con(common, (ins StrAttr:$axis, StrArrayAttr:$over,
                                    OptionalAttr<DenseI64ArrayAttr>:$reach,
                                    OptionalAttr<StrAttr>:$strategy,
                                    UnitAttr:$overlaps,
                                    OptionalAttr<I64Attr>:$layers,
                                    UnitAttr:$isOptional));
  let assemblyFormat = "$pattern `axis` $axis `over` $over attr-dict";
}

def Sched_AttentionOp : Sched_Directive<"attention"> {
  let summary = "how attention over a split sequence is computed";
  let description = [{
    `strategy`: heads (all_to_all to a split by heads, and back), sequence (a
    halo of keys and values, under a window), all_gather (of keys and values),
    ring (the parts of keys and values that others have, one after another).
    `from`: the path, from each match on, of what is exchanged instead of keys
    and values; these are made of it in its margins too.
  }];
  let arguments = !con(common, (ins StrAttr:$strategy, StrArrayAttr:$over,
                                    OptionalAttr<StrAttr>:$from,
                                    UnitAttr:$isOptional));
  let assemblyFormat = "$pattern $strategy `over` $over attr-dict";
}

def Sched_ExpectOp : Sched_Op<"expect", [HasParent<"ScheduleOp">]> {
  let summary = "a fact that must hold of the compiled program";
  let description = [{
    `what`: forward, backward (counts of collectives; with `pattern`, for each
    match), bytes (received by each rank), memory (weights and arena).
    `comparison`: ==, <, <=, >, >=. `counts` for forward and backward, `limit`
    (bytes) for the others.
  }];
  let arguments = (ins StrAttr:$what, OptionalAttr<StrAttr>:$pattern,
                       StrAttr:$comparison,
                       OptionalAttr<DictionaryAttr>:$counts,
                       OptionalAttr<F64Attr>:$limit);
  let assemblyFormat = "$what $comparison attr-dict";
}

def Sched_BucketOp : Sched_Op<"bucket", [HasParent<"ScheduleOp">]> {
  let summary = "collectives over these axes, gathered until they are `bytes`";
  let description = [{
    `what`: gradients (all_reduces and reduce_scatters of the backward) or
    parameters (all_gathers of what fsdp splits).
  }];
  let arguments = (ins StrAttr:$what, F64Attr:$bytes, StrArrayAttr:$over);
  let assemblyFormat = "$what $bytes `over` $over attr-dict";
}

def Sched_AutoReshardOp : Sched_Op<"auto_reshard", [HasParent<"ScheduleOp">]> {
  let summary = "insert the cheapest redistribution where placements don't meet";
  let arguments = (ins);
  let assemblyFormat = "attr-dict";
}

#endif // HOCKET_SCHED_OPS
