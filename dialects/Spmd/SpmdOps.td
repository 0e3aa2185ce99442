//===- SpmdOps.td - operations of one rank's program ----------------------===//

#ifndef HOCKET_SPMD_OPS
#define HOCKET_SPMD_OPS

include "dialects/Nn/NnAttrs.td"
include "dialects/Spmd/SpmdAttrs.td"
include "dialects/Spmd/SpmdInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- Collectives ---------------------------------------------------------===//

// A collective among the ranks that differ only on `axes`; members are ordered
// row-major over `axes`. All have the id, and none is Pure: the order among
// them is the order of the program. `hook` is as of nn.redistribute.
class Spmd_CollectiveOp<string mnemonic, dag specific, dag hook = (ins)>
    : Spmd_Op<mnemonic, [DeclareOpInterfaceMethods<Spmd_Collective,
        ["getReceivedElements"]>]> {
  let arguments = !con((ins AnyRankedTensor:$x, StrArrayAttr:$axes), specific,
                       (ins I64Attr:$id), hook);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $x `over` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// The user's own function that does it instead, if any.
defvar Spmd_Hook = (ins OptionalAttr<DictionaryAttr>:$hook);

class Spmd_ReducingOp<string mnemonic, dag specific>
    : Spmd_CollectiveOp<mnemonic,
                        !con((ins Spmd_ReductionAttr:$reduction), specific),
                        Spmd_Hook> {
  let assemblyFormat = [{
    `` $reduction $x `over` $axes attr-dict `:`
    functional-type(operands, results)
  }];
}

def Spmd_AllReduceOp : Spmd_ReducingOp<"all_reduce", (ins)> {
  let summary = "result = reduce_j x_j";
  let description = [{
    ```mlir
    %y = spmd.all_reduce sum %x over ["tp"] {id = 0 : i64}
        : (tensor<4x96xf32, #nn.layout<[4] [96]>>) -> tensor<4x96xf32, #nn.layout<[4] [96]>>
    ```
    (C1) operand and result have the same element type and factor sizes.
  }];
}

def Spmd_ReduceScatterOp : Spmd_ReducingOp<"reduce_scatter",
    (ins I64Attr:$dim, I64Attr:$factor, Spmd_TableAttr:$offsets,
         Spmd_TableAttr:$sizes)> {
  let summary = "result = reduce_j x_j[factor: offsets[i], sizes[i]] on member i";
  let description = [{
    `dim` and `factor` name the factor that is cut; offsets are local to x.
    ```mlir
    %y = spmd.reduce_scatter sum %x over ["tp"]
        {dim = 1 : i64, factor = 0 : i64, id = 1 : i64,
         offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>}
        : (tensor<4x96xf32, #nn.layout<[4] [96]>>) -> tensor<4x24xf32, #nn.layout<[4] [24]>>
    ```
    (C1) same element type and factor sizes except the cut factor, where the
    result has sizes[i]. (C2) sizes cut x's factor from end to end.
  }];
}

def Spmd_AllGatherOp : Spmd_CollectiveOp<"all_gather",
    (ins I64Attr:$dim, I64Attr:$factor, Spmd_TableAttr:$offsets,
         Spmd_TableAttr:$sizes), Spmd_Hook> {
  let summary = "result[factor: offsets[j], sizes[j]] = x_j";
  let description = [{
    ```mlir
    %y = spmd.all_gather %x over ["tp"]
        {dim = 1 : i64, factor = 0 : i64, id = 2 : i64,
         offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>}
        : (tensor<4x24xf32, #nn.layout<[4] [24]>>) -> tensor<4x96xf32, #nn.layout<[4] [96]>>
    ```
    (C1) same element type and factor sizes except the cut factor, where x has
    sizes[i] on member i. (C2) sizes cut the result's factor from end to end.
  }];
}

def Spmd_AllToAllOp : Spmd_CollectiveOp<"all_to_all",
    (ins I64Attr:$dim, I64Attr:$factor, Spmd_TableAttr:$offsets,
         Spmd_TableAttr:$sizes, I64Attr:$toDim, I64Attr:$toFactor,
         Spmd_TableAttr:$toOffsets, Spmd_TableAttr:$toSizes)> {
  let summary = "what was split on one factor becomes split on another";
  let description = [{
    result[factor: offsets[j], sizes[j]] = x_j[toFactor: toOffsets[i], toSizes[i]]
    on member i.
    ```mlir
    %y = spmd.all_to_all %x over ["tp"]
        {dim = 0 : i64, factor = 0 : i64, id = 3 : i64,
         offsets = #spmd.table<tp: [0, 2]>, sizes = #spmd.table<2>,
         toDim = 1 : i64, toFactor = 0 : i64,
         toOffsets = #spmd.table<tp: [0, 3]>, toSizes = #spmd.table<3>}
        : (tensor<2x6xf32, #nn.layout<[2] [6]>>) -> tensor<4x3xf32, #nn.layout<[4] [3]>>
    ```
    (C1) as all_gather and reduce_scatter. (C2) parts cover each factor, and may
    overlap: what several j have is the sum of theirs, in the order of members.
  }];
  let extraClassDeclaration = [{
    /// What each member has of the factor that was split, and gets of the one
    /// that becomes split.
    CutAttr getCut();
    CutAttr getToCut();
  }];
}

def Spmd_BroadcastOp : Spmd_CollectiveOp<"broadcast", (ins I64Attr:$root)> {
  let summary = "result = x of member `root`";
  let description = [{
    ```mlir
    %y = spmd.broadcast %x over ["tp"] {id = 4 : i64, root = 0 : i64}
        : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4]>>
    ```
    (C1) operand and result have the same element type and factor sizes.
    (C2) root is a member.
  }];
}

//===-- Margins of a cut dim ---------------------------------------------------===//

// Moves several tensors at once. (C1) operand and result number i are as of the
// op that moves one. (C2) all have one element type.
class Spmd_ManyOp<string mnemonic, dag specific>
    : Spmd_Op<mnemonic, [DeclareOpInterfaceMethods<Spmd_Collective,
        ["getReceivedElements", "getSource", "getDestination", "getKind"]>]> {
  let arguments = !con((ins Variadic<AnyRankedTensor>:$xs, StrArrayAttr:$axes),
                       specific, (ins I64Attr:$id));
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $xs `over` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// A factor of `extent` is cut: member i owns [offsets[i], offsets[i] + sizes[i])
// of it, and holds with its margins [heldOffsets[i], heldOffsets[i] +
// heldSizes[i]), which may reach beyond both ends into the border, over several
// members, or be less than what it owns. `axes` may be empty: one member. With
// `rows`, a list for each member, it holds what that lists instead.
// (C1) same element type and factor sizes except the cut factor. (C2) sizes cut
// [0, extent) from end to end. (C3) the tables have sizes that a member has.
// (C4) what is held lies within the border's reach: extent - 1 for reflect,
// extent for circular. (C5) lists of rows rise, are of [0, extent), as long as
// heldSizes, and have what is owned from offsets[i] - heldOffsets[i] on.
//
// Of tensors that are cut alike: `dims` and `factors` name what is cut of each.
// `isStarted`: a spmd.start with this id has begun it.
class Spmd_HaloOp<string mnemonic> : Spmd_ManyOp<mnemonic,
    (ins DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$factors,
         Spmd_TableAttr:$offsets, Spmd_TableAttr:$sizes,
         Spmd_TableAttr:$heldOffsets, Spmd_TableAttr:$heldSizes,
         I64Attr:$extent, Nn_BorderAttr:$border,
         DefaultValuedAttr<Spmd_HaloStrategyAttr, "HaloStrategy::Neighbors">:$strategy,
         UnitAttr:$isStarted, OptionalAttr<ArrayAttr>:$rows)>;

def Spmd_HaloExchangeOp : Spmd_HaloOp<"halo_exchange"> {
  let summary = "result[e - heldOffsets[i]] = x_owner[p - offsets[owner]]";
  let description = [{
    for each position e that member i holds, where p is the place in [0, extent)
    that e shows: e itself, or by `border` zero none (a zero), reflect -e or
    2 (extent - 1) - e, replicate the nearest, circular e + extent or e - extent.
    ```mlir
    %y = spmd.halo_exchange %x over ["h"]
        {dims = array<i64: 0>, factors = array<i64: 0>, id = 5 : i64,
         offsets = #spmd.table<h: [0, 4]>, sizes = #spmd.table<4>,
         heldOffsets = #spmd.table<h: [-1, 3]>, heldSizes = #spmd.table<6>,
         extent = 8 : i64, border = #nn.border<reflect>}
        : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<6xf32, #nn.layout<[6]>>
    ```
  }];
}

def Spmd_HaloReduceOp : Spmd_HaloOp<"halo_reduce"> {
  let summary = "the transpose of halo_exchange";
  let description = [{
    result[p - offsets[i]] = the sum, over members j in their order and positions
    e that j holds and that show p, of x_j[e - heldOffsets[j]].
    ```mlir
    %y = spmd.halo_reduce %x over ["h"]
        {dims = array<i64: 0>, factors = array<i64: 0>, id = 6 : i64,
         offsets = #spmd.table<h: [0, 4]>, sizes = #spmd.table<4>,
         heldOffsets = #spmd.table<h: [-1, 3]>, heldSizes = #spmd.table<6>,
         extent = 8 : i64, border = #nn.border<zero>}
        : (tensor<6xf32, #nn.layout<[6]>>) -> tensor<4xf32, #nn.layout<[4]>>
    ```
  }];
}

// What collectives of one kind that need not wait for each other are combined to.
class Spmd_ReducingManyOp<string mnemonic, dag specific>
    : Spmd_ManyOp<mnemonic,
                  !con((ins Spmd_ReductionAttr:$reduction), specific)> {
  let assemblyFormat = [{
    `` $reduction $xs `over` $axes attr-dict `:`
    functional-type(operands, results)
  }];
}

def Spmd_AllReduceManyOp : Spmd_ReducingManyOp<"all_reduce_many", (ins)> {
  let summary = "several all_reduces at once";
  let description = [{
    ```mlir
    %t, %n = spmd.all_reduce_many sum %a, %b over ["dp"] {id = 4 : i64}
        : (tensor<f32, #nn.layout<>>, tensor<f32, #nn.layout<>>) -> (tensor<f32, #nn.layout<>>, tensor<f32, #nn.layout<>>)
    ```
  }];
}

def Spmd_CutArrayAttr : TypedArrayAttrBase<Spmd_CutAttr, "a cut each">;

def Spmd_ReduceScatterManyOp
    : Spmd_ReducingManyOp<"reduce_scatter_many", (ins Spmd_CutArrayAttr:$cuts)> {
  let summary = "several reduce_scatters at once";
  let description = [{
    (C3) a cut for each operand: the factor and what each member gets of it.
    ```mlir
    %t, %n = spmd.reduce_scatter_many sum %a, %b over ["dp"]
        {cuts = [#spmd.cut<0, 0, offset = <dp: [0, 2]>, size = <2>>,
                 #spmd.cut<1, 0, offset = <dp: [0, 3]>, size = <3>>], id = 4 : i64}
        : (tensor<4xf32, #nn.layout<[4]>>, tensor<2x6xf32, #nn.layout<[2] [6]>>)
        -> (tensor<2xf32, #nn.layout<[2]>>, tensor<2x3xf32, #nn.layout<[2] [3]>>)
    ```
  }];
}

def Spmd_AllGatherManyOp
    : Spmd_ManyOp<"all_gather_many", (ins Spmd_CutArrayAttr:$cuts)> {
  let summary = "several all_gathers at once";
  let description = [{
    (C3) a cut for each operand: the factor and what each member has of it.
    ```mlir
    %t, %n = spmd.all_gather_many %a, %b over ["dp"]
        {cuts = [#spmd.cut<0, 0, offset = <dp: [0, 2]>, size = <2>>,
                 #spmd.cut<1, 0, offset = <dp: [0, 3]>, size = <3>>], id = 4 : i64}
        : (tensor<2xf32, #nn.layout<[2]>>, tensor<2x3xf32, #nn.layout<[2] [3]>>)
        -> (tensor<4xf32, #nn.layout<[4]>>, tensor<2x6xf32, #nn.layout<[2] [6]>>)
    ```
  }];
}

def Spmd_AllToAllManyOp
    : Spmd_ManyOp<"all_to_all_many", (ins Spmd_CutArrayAttr:$cuts,
                                          Spmd_CutArrayAttr:$toCuts)> {
  let summary = "several all_to_alls at once";
  let description = [{
    (C3) two cuts for each operand: of the factor that was split, what each
    member has of it, and of the one that becomes split, what each gets of it.
    ```mlir
    %q, %k = spmd.all_to_all_many %a, %b over ["cp"]
        {cuts = [#spmd.cut<0, 0, offset = <cp: [0, 2]>, size = <2>>,
                 #spmd.cut<0, 0, offset = <cp: [0, 2]>, size = <2>>], id = 4 : i64,
         toCuts = [#spmd.cut<1, 0, offset = <cp: [0, 3]>, size = <3>>,
                   #spmd.cut<1, 0, offset = <cp: [0, 1]>, size = <1>>]}
        : (tensor<2x6xf32, #nn.layout<[2] [6]>>, tensor<2x2xf32, #nn.layout<[2] [2]>>)
        -> (tensor<4x3xf32, #nn.layout<[4] [3]>>, tensor<4x1xf32, #nn.layout<[4] [1]>>)
    ```
  }];
}

def Spmd_StartOp : Spmd_Op<"start"> {
  let summary = "begins the halo exchange or reduction with this id";
  let description = [{
    From here on other members may read xs: what the exchange sends, or the
    margins that the reduction sends. What stands before the exchange or
    reduction itself, which waits, does not need what it receives.
    ```mlir
    spmd.start %x over ["h"] {id = 5 : i64} : tensor<4xf32, #nn.layout<[4]>>
    ```
    (C1) the next collective is the halo_exchange or halo_reduce with this id,
    over these axes, and `isStarted`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$xs, StrArrayAttr:$axes,
                       I64Attr:$id);
  let assemblyFormat =
      "($xs^)? `over` $axes attr-dict (`:` type($xs)^)?";
  let hasVerifier = 1;
}

include "dialects/Spmd/SpmdLocal.td"
include "dialects/Spmd/SpmdParts.td"
include "dialects/Spmd/SpmdAttention.td"

//===-- Kernel groups -----------------------------------------------------------===//

def Spmd_KernelOp : Spmd_Op<"kernel", [
    IsolatedFromAbove, SingleBlock,
    SingleBlockImplicitTerminator<"::hocket::spmd::YieldOp">,
    RecursiveMemoryEffects]> {
  let summary = "operations that become one generated kernel";
  let description = [{
    The body holds element-wise and reduction operations of `nn`, and
    `spmd.keep_first` and `spmd.iota` where the rank matters. Made when fusing.
    ```mlir
    %y = spmd.kernel(%x) : (tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>> {
    ^bb0(%a: tensor<8xf32, #nn.layout<[8]>>):
      %b = nn.unary exp %a : (tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>>
      spmd.yield %b : tensor<8xf32, #nn.layout<[8]>>
    }
    ```
    (C1) the body's arguments have the types of the inputs. (C2) what it yields
    has the types of the results. (C3) no parameter, collective, contraction
    (linear, matmul, attention) or other kernel in it.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body
  }];
  let hasVerifier = 1;
}

def Spmd_YieldOp : Spmd_Op<"yield", [Pure, Terminator, ReturnLike,
                                     HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
}

#endif // HOCKET_SPMD_OPS
