//===- NnAttrs.td - layouts: factors of dims and placements ---------------===//

#ifndef HOCKET_NN_ATTRS
#define HOCKET_NN_ATTRS

include "dialects/Nn/NnDialect.td"
include "dialects/Nn/NnKinds.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Nn_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Nn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Nn_Reduction : I32EnumAttr<"Reduction", "how partial terms combine", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::hocket::nn";
  let genSpecializedAttr = 0;
}

def Nn_FactorAttr : Nn_Attr<"Factor", "factor"> {
  let summary = "one factor of a dim: a name (may be empty) and a size";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let assemblyFormat = "`<` $name `,` $size `>`";
  let genVerifyDecl = 1;
}

def Nn_DimAttr : Nn_Attr<"Dim", "dim"> {
  let summary = "an ordered list of factors, major first";
  let parameters = (ins ArrayRefParameter<"FactorAttr">:$factors);
  let description = [{(C1) there is at least one factor; a dim of size 1 has
    one factor of size 1.}];
  let assemblyFormat = "`<` $factors `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getSize() const;
    /// The name of a dim of one factor; of a product, the names joined.
    std::string getDisplayName() const;
  }];
}

def Nn_Order : I32EnumAttr<"Order", "which elements a part has", [
    I32EnumAttrCase<"Contiguous", 0, "contiguous">,
    I32EnumAttrCase<"Zigzag", 1, "zigzag">,
    I32EnumAttrCase<"Striped", 2, "striped">]> {
  let cppNamespace = "::hocket::nn";
  let genSpecializedAttr = 0;
}

def Nn_SplitAttr : Nn_Attr<"Split", "split"> {
  let summary = "a mesh axis and the (dim, factor) that it splits";
  let description = [{
    `sizes`, in units of the factor: of all parts that this axis and the axes
    before it on the factor make, row-major. Without them each part of those
    before is cut evenly, the first parts with one more where it does not
    divide; sizes that say the same are left out (`splitOf`, and layouts where
    they can tell), so that equal splits are equal attributes.

    `bounds`, each divided by `denominator`: of stated parts, where those between
    them are exactly. A part begins there, rounded up, or where else a rank had
    to begin. What is half as long has them at half the places, and what is twice
    as long as that at the first ones again. Without bounds the cut is an even
    one, whatever the sizes: what is half as long is cut evenly, too.

    `order` says which elements of the factor each of P parts has, ascending
    (dialects/Nn/Ordered.h): `contiguous`; `zigzag`, of 2 P chunks, cut evenly,
    number r and number 2 P - 1 - r; `striped`, blocks of `block` elements dealt
    round. Sizes follow from it and are not listed. What nests inside cuts the
    list of elements that it leaves.
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, "int64_t":$dim,
                        "int64_t":$factor,
                        OptionalArrayRefParameter<"int64_t">:$sizes,
                        OptionalArrayRefParameter<"int64_t">:$bounds,
                        DefaultValuedParameter<"int64_t", "1">:$denominator,
                        DefaultValuedParameter<"Order", "Order::Contiguous">:$order,
                        DefaultValuedParameter<"int64_t", "1">:$block);
  let builders = [AttrBuilder<(ins "::mlir::StringAttr":$axis, "int64_t":$dim,
                                   "int64_t":$factor), [{
    return $_get($_ctxt, axis, dim, factor, ArrayRef<int64_t>(),
                 ArrayRef<int64_t>(), 1, Order::Contiguous, 1);
  }]>];
  let assemblyFormat = [{
    `<` $axis `,` $dim `,` $factor (`,` `[` $sizes^ `]`)?
    (`,` `bounds` `[` $bounds^ `]`)? (`in` $denominator^)?
    (`order` $order^)? (`of` $block^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Whether it is of an even cut: an ORDER states no parts.
    bool isEven() const {
      return getSizes().empty() && getBounds().empty() && !isOrdered();
    }
    /// Whether parts are more than one interval of the factor.
    bool isOrdered() const { return getOrder() != Order::Contiguous; }
    /// The same cut of another factor.
    SplitAttr of(int64_t dim, int64_t factor) const {
      return get(getContext(), getAxis(), dim, factor, getSizes(),
                 getBounds(), getDenominator(), getOrder(), getBlock());
    }
  }];
}

def Nn_PartialAttr : Nn_Attr<"Partial", "partial"> {
  let summary = "a mesh axis over which every rank holds one term";
  let parameters = (ins "::mlir::StringAttr":$axis, "Reduction":$reduction);
  let assemblyFormat = "`<` $axis `,` $reduction `>`";
}

def Nn_HeldAttr : Nn_Attr<"Held", "held"> {
  let summary = "what the members of the axes that cut a factor hold of it";
  let description = [{
    Member i, row-major over all of these axes, holds [begins[i], ends[i]) of the
    factor, whatever it owns: positions of the whole. Where that is no interval,
    as of nodes that edges name, it holds the positions that `rows[i]` lists, and
    there are no begins and ends. Copies of what others own, or `terms`: what is
    added up to be the values that their owners have.

    (C1) as many ends as begins, and no part ends before it begins. (C2) `rows`
    has a list of numbers for each member, which rise from 0 on, and there are
    neither begins nor ends. (C3) some list of `rows` is no interval.
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$factor,
                        OptionalArrayRefParameter<"int64_t">:$begins,
                        OptionalArrayRefParameter<"int64_t">:$ends,
                        "bool":$terms,
                        OptionalParameter<"::mlir::ArrayAttr">:$rows);
  let genMnemonicAlias = 0;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getMembers() const {
      return getRows() ? getRows().size() : getBegins().size();
    }
    /// How many positions a member holds.
    int64_t sizeOf(int64_t member) const {
      return getRows() ? rowsOf(member).size()
                       : getEnds()[member] - getBegins()[member];
    }
    /// What a member holds, where that is listed.
    ::llvm::ArrayRef<int64_t> rowsOf(int64_t member) const {
      return ::llvm::cast<::mlir::DenseI64ArrayAttr>(getRows()[member]);
    }
  }];
  let hasCustomAssemblyFormat = 1;
}

def Nn_LayoutAttr : Nn_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the factors of a tensor's dims, and its placement";
  let description = [{
    The encoding of every tensor in `nn`. Sizes are global sizes in the model
    and placed stages and local sizes in the spmd stage.

    ```
    #nn.layout<[batch=4] [seq=96] [heads=12 head_dim=32]>
    #nn.layout<[batch=4] [seq=96] [heads=12 head_dim=32], tp: S(2.0), dp: P(sum)>
    #nn.layout<[n=8], h: S(0.0), held(0.0: [0:5] [3:8])>
    #nn.layout<[nodes=8], h: S(0.0), held(0.0: rows [0, 1, 2, 3, 7] [1, 4, 5, 6, 7])>
    ```
    `S(d.f)` says that the axis splits factor f of dim d, even with remainder:
    the first ranks have one more. `S(d.f sizes [3, 5])` states how much each part
    has, `S(d.f bounds [5] / 2)` that 5 are cut at 2 1/2, in parts of 3 and 2, and
    `S(d.f sizes [4, 2] even)` that the parts are those of an even cut of what
    has two of each; `S(d.f zigzag)` and `S(d.f striped 64)` which elements a
    part has (#nn.split). Several axes
    on one factor nest, the first listed is the major one. An
    axis that is not listed holds the tensor whole (R). A rank holds of a factor
    what it owns, unless `held(d.f: ...)` says what else it has, by member of the
    axes that split it, or `terms(d.f: ...)` of what it has terms (#nn.held). An anonymous factor is
    written as its size alone. However it was built, a layout lists its splits by
    dim and factor, then its partials by axis: equal placements are equal
    attributes.

    (C1) the size of each dim of the tensor is the product of its factors.
    (C2) an axis is listed at most once.
    (C3) a split names an existing factor.
    (C4) sizes are not negative, and add up to the parts that they cut; bounds
    do not fall, are one fewer than sizes, and their denominator is positive.
    (C5) of the splits of a factor the first one alone may have an order; it has
    neither sizes nor bounds, and blocks of at least 1.
    (C6) what is held is of a factor that is split in intervals, said once.
  }];
  let parameters = (ins OptionalArrayRefParameter<"DimAttr">:$dims,
                        OptionalArrayRefParameter<"SplitAttr">:$splits,
                        OptionalArrayRefParameter<"PartialAttr">:$partials,
                        OptionalArrayRefParameter<"HeldAttr">:$held);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isPlaced() const {
      return !getSplits().empty() || !getPartials().empty();
    }
    ::llvm::SmallVector<int64_t> getShape() const;
    /// The same dims, whole on every axis.
    LayoutAttr withoutPlacement() const;
    /// A rank holds what it owns by these.
    LayoutAttr withPlacement(::llvm::ArrayRef<SplitAttr> splits,
                             ::llvm::ArrayRef<PartialAttr> partials) const;
    /// The same placement, of which a rank holds this of the factor that
    /// `held` names.
    LayoutAttr holding(HeldAttr held) const;
    /// The same placement, of which a rank holds what it owns of the factor.
    LayoutAttr owning(int64_t dim, int64_t factor) const;
    /// The same placement, of which a rank holds what it owns.
    LayoutAttr withoutHeld() const;
    /// What is held of a factor; null if it is what is owned.
    HeldAttr heldOf(int64_t dim, int64_t factor) const;
    /// Splits of one factor, major axis first.
    ::llvm::SmallVector<SplitAttr> splitsOf(int64_t dim, int64_t factor) const;
    /// The split or the partial of an axis; null if it holds the tensor whole.
    SplitAttr splitOver(::llvm::StringRef axis) const;
    PartialAttr partialOver(::llvm::StringRef axis) const;

  private:
    /// Leaves out sizes that are those of an even cut.
    static void dropEvenSizes(::llvm::ArrayRef<DimAttr> dims,
                              ::llvm::MutableArrayRef<SplitAttr> splits);

  public:
  }];
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<DimAttr>":$dims,
                                   CArg<"::llvm::ArrayRef<SplitAttr>", "{}">:$splits,
                                   CArg<"::llvm::ArrayRef<PartialAttr>", "{}">:$partials,
                                   CArg<"::llvm::ArrayRef<HeldAttr>", "{}">:$held),
  [{
    // Insertion keeps the order of nested splits.
    SmallVector<SplitAttr> byFactor;
    for (SplitAttr split : splits)
      byFactor.insert(
          llvm::upper_bound(byFactor, split,
                            [](SplitAttr a, SplitAttr b) {
                              return std::pair(a.getDim(), a.getFactor()) <
                                     std::pair(b.getDim(), b.getFactor());
                            }),
          split);
    dropEvenSizes(dims, byFactor);
    SmallVector<PartialAttr> byAxis(partials);
    llvm::sort(byAxis, [](PartialAttr a, PartialAttr b) {
      return a.getAxis().getValue() < b.getAxis().getValue();
    });
    SmallVector<HeldAttr> heldByFactor(held);
    llvm::sort(heldByFactor, [](HeldAttr a, HeldAttr b) {
      return std::pair(a.getDim(), a.getFactor()) <
             std::pair(b.getDim(), b.getFactor());
    });
    return $_get($_ctxt, dims, ArrayRef<SplitAttr>(byFactor),
                 ArrayRef<PartialAttr>(byAxis),
                 ArrayRef<HeldAttr>(heldByFactor));
  }]>];
  let genVerifyDecl = 1;
}

def Nn_MeshAxisAttr : Nn_Attr<"MeshAxis", "axis"> {
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let assemblyFormat = "`<` $name `,` $size `>`";
}

def Nn_MeshAttr : Nn_Attr<"Mesh", "mesh"> {
  let summary = "the named axes of a device mesh, major first";
  let description = [{
    `#nn.mesh<dp=2, tp=4>`; the empty mesh, `#nn.mesh<>`, is one device.

    (C1) sizes are at least 1. (C2) names differ.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getRankCount() const;
    /// Size of the axis, or 0 if the mesh has none of that name.
    int64_t getSize(::llvm::StringRef axis) const;
    /// Position of the axis in the mesh, or -1.
    int64_t getIndex(::llvm::StringRef axis) const;
  }];
  let genVerifyDecl = 1;
}

def Nn_InitKind : I32EnumAttr<"InitKind", "what a new parameter holds", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"Normal", 1, "normal">]> {
  let cppNamespace = "::hocket::nn";
  let genSpecializedAttr = 0;
}

def Nn_InitAttr : Nn_Attr<"Init", "init"> {
  let summary = "what a new parameter holds";
  let description = [{
    `#nn.init<constant 1.0 : f64>`: that number; `#nn.init<normal 0.02 : f64>`:
    normal around 0 with that standard deviation.
  }];
  let parameters = (ins EnumParameter<Nn_InitKind>:$kind,
                        "::mlir::FloatAttr":$value);
  let assemblyFormat = "`<` $kind $value `>`";
}

def Nn_BorderAttr : Nn_Attr<"Border", "border"> {
  let summary = "what stands beyond the ends of a dim";
  let description = [{`#nn.border<zero>`; or reflect, replicate, circular.}];
  let parameters = (ins "::hocket::plan::Border":$value);
  let hasCustomAssemblyFormat = 1;
}

def Nn_BordersAttr : Nn_Attr<"Borders", "borders"> {
  let summary = "what stands beyond the ends of some dims";
  let description = [{`#nn.borders<zero, reflect>`; `#nn.borders<>` of none.}];
  let parameters = (ins ArrayRefParameter<"::hocket::plan::Border">:$value);
  let hasCustomAssemblyFormat = 1;
}

// Every tensor of the dialect: a ranked tensor that carries its layout.
def Nn_Tensor
    : Type<CPred<"::mlir::isa<::mlir::RankedTensorType>($_self) && "
                 "::mlir::isa_and_nonnull<::hocket::nn::LayoutAttr>("
                 "::mlir::cast<::mlir::RankedTensorType>($_self)"
                 ".getEncoding())">,
           "tensor with a #nn.layout", "::mlir::RankedTensorType">;

def Nn_ValueRole : I32EnumAttr<"ValueRole", "what a path names", [
    I32EnumAttrCase<"Argument", 0, "argument">,
    I32EnumAttrCase<"Result", 1, "result">,
    I32EnumAttrCase<"Binding", 2, "binding">]> {
  let cppNamespace = "::hocket::nn";
  let genSpecializedAttr = 0;
}

def Nn_ValueRoleAttr : EnumAttr<Nn_Dialect, Nn_ValueRole, "role">;

#endif // HOCKET_NN_ATTRS
