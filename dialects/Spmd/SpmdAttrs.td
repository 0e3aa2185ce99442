//===- SpmdAttrs.td - numbers that differ from rank to rank ---------------===//

#ifndef HOCKET_SPMD_ATTRS
#define HOCKET_SPMD_ATTRS

include "dialects/Nn/NnAttrs.td"
include "dialects/Spmd/SpmdDialect.td"
include "dialects/Spmd/SpmdEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Spmd_Attr<string name, string attrMnemonic> : AttrDef<Spmd_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Spmd_ReductionAttr
    : EnumAttr<Spmd_Dialect, Nn_Reduction, "reduction"> {
  let cppNamespace = "::hocket::spmd";
}

def Spmd_HaloStrategyAttr
    : EnumAttr<Spmd_Dialect, Spmd_HaloStrategy, "halo_strategy"> {
  let cppNamespace = "::hocket::spmd";
  let assemblyFormat = "`<` $value `>`";
}

def Spmd_TableAttr : Spmd_Attr<"Table", "table"> {
  let summary = "a number for each coordinate along some mesh axes";
  let description = [{
    ```
    #spmd.table<tp: [0, 8, 15, 22]>      // one number a coordinate of tp
    #spmd.table<dp, tp: [0, 4, 8, 12]>   // row-major, tp fastest
    #spmd.table<7>                       // the same everywhere
    ```
    Values are listed for all coordinates of the mesh, also for those that no
    rank of the class has.

    (C1) as many values as the axes have coordinates; one where there is none.
    (C2) an axis is listed at most once.
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes,
                        ArrayRefParameter<"int64_t">:$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isConstant() const { return getAxes().empty(); }
    /// Each value and `constant`.
    TableAttr plus(int64_t constant) const;
    /// A number that is the same everywhere.
    static TableAttr constant(::mlir::MLIRContext *context, int64_t value);
    /// The table, or a constant if all values are equal.
    static TableAttr simplified(::mlir::MLIRContext *context,
                                ::mlir::ArrayRef<::mlir::StringAttr> axes,
                                ::mlir::ArrayRef<int64_t> values);
    /// One value for each of `members` coordinates, also of a constant.
    ::mlir::SmallVector<int64_t> valuesFor(int64_t members) const;
    /// The value at `coordinates`, one for each axis of the mesh, in its order.
    int64_t at(::hocket::nn::MeshAttr mesh,
               ::mlir::ArrayRef<int64_t> coordinates) const;
  }];
}

def Spmd_RunsAttr : Spmd_Attr<"Runs", "runs"> {
  let summary = "where the parts of a factor stand that are several runs of it";
  let description = [{
    Parts that follow one another then do so in the list of elements that is in
    their order (dialects/Nn/Ordered.h), which number i of it is at
    `first` + (i - `begin`) / `length` * `every` + (i - `begin`) % `length`.
    ```
    #spmd.runs<begin <cp: [0, 4]>, first <cp: [0, 2]>, length <2>, every <cp: [6, 2]>>
    ```
    are zigzag parts of 8: 0 1 6 7 and 2 3 4 5.

    (C1) lengths are at least 1.
  }];
  let parameters = (ins "TableAttr":$begin, "TableAttr":$first,
                        "TableAttr":$length, "TableAttr":$every);
  let assemblyFormat = [{
    `<` `begin` $begin `,` `first` $first `,` `length` $length `,`
    `every` $every `>`
  }];
  let genVerifyDecl = 1;
}

def Spmd_CutAttr : Spmd_Attr<"Cut", "cut"> {
  let summary = "how one factor of a global tensor is cut";
  let description = [{
    The rank holds [offset, offset + size) of factor `factor` of dim `dim`, in
    the order that `runs` say.
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$factor,
                        "TableAttr":$offset, "TableAttr":$size,
                        OptionalParameter<"RunsAttr">:$runs);
  let builders = [AttrBuilder<(ins "int64_t":$dim, "int64_t":$factor,
                                   "TableAttr":$offset, "TableAttr":$size), [{
    return $_get($_ctxt, dim, factor, offset, size, RunsAttr());
  }]>];
  let assemblyFormat =
      "`<` $dim `,` $factor `,` `offset` `=` $offset `,` "
      "`size` `=` $size (`,` `runs` `=` $runs^)? `>`";
  let genMnemonicAlias = 0;
}

def Spmd_BoxAttr : Spmd_Attr<"Box", "box"> {
  let summary = "which box of a global tensor a rank holds";
  let description = [{
    The layout has the global sizes, without placement; a factor that no cut
    names is held whole.
    ```
    #spmd.box<<[out=384] [heads=12 head_dim=32]>,
      <1, 0, offset = <tp: [0, 3, 6, 9]>, size = <3>>>
    ```
  }];
  let parameters = (ins "::hocket::nn::LayoutAttr":$layout,
                        OptionalArrayRefParameter<"CutAttr">:$cuts);
  let assemblyFormat = "`<` $layout (`,` $cuts^)? `>`";
  let genVerifyDecl = 1;
}

def Spmd_PositionsAttr : Spmd_Attr<"Positions", "positions"> {
  let summary = "which positions of a whole dim a rank has";
  let description = [{
    The interval that begins at `begin`, of the whole dim's [0, extent); how long
    it is says the tensor's type. With margins it may reach beyond both ends.
    With `runs` it is one of the list in their order.
    ```
    #spmd.positions<<tp: [0, 25, 49, 73]> of 97>
    #spmd.positions<<cp: [0, 4]> of 8 runs <begin <cp: [0, 4]>, first <cp: [0, 2]>, length <2>, every <cp: [6, 2]>>>
    ```
  }];
  let parameters = (ins "TableAttr":$begin, "int64_t":$extent,
                        OptionalParameter<"RunsAttr">:$runs);
  let builders = [AttrBuilder<(ins "TableAttr":$begin, "int64_t":$extent), [{
    return $_get($_ctxt, begin, extent, RunsAttr());
  }]>];
  let assemblyFormat = "`<` $begin `of` $extent (`runs` $runs^)? `>`";
  let genVerifyDecl = 1;
}

def Spmd_DrawsAttr : Spmd_Attr<"Draws", "draws"> {
  let summary = "which random words the elements of a rank draw";
  let description = [{
    The words are numbered by the elements of a whole tensor, row-major; the rank
    has the elements in `box` of it, the first of which draws word `first`:
    later ones where a micro-batch comes before. Of a factor that is cut in runs
    `first` counts from number 0 of it. `key` is the seed XOR the
    stream.
    ```
    #spmd.draws<13, first = <dp: [0, 72]>,
                of = <<[6] [24]>, <0, 0, offset = <dp: [0, 3]>, size = <3>>>>
    ```
  }];
  let parameters = (ins "int64_t":$key, "TableAttr":$first, "BoxAttr":$box);
  let assemblyFormat = "`<` $key `,` `first` `=` $first `,` `of` `=` $box `>`";
}

def Spmd_PositionsArrayAttr
    : TypedArrayAttrBase<Spmd_PositionsAttr, "the positions along each dim">;

#endif // HOCKET_SPMD_ATTRS
