//===- BuffersTypes.td - buffers, inputs, views, packs, terms of offsets --===//

#ifndef HOCKET_BUFFERS_TYPES
#define HOCKET_BUFFERS_TYPES

include "dialects/Buffers/BuffersDialect.td"
include "dialects/Buffers/BuffersEnums.td"
include "dialects/Spmd/SpmdAttrs.td"
include "dialects/Spmd/SpmdMemory.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Buffers_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Buffers_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Buffers_BufferType : Buffers_Type<"Buffer", "buffer"> {
  let summary = "memory for so many elements";
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$elements);
  let assemblyFormat = "`<` $elementType ` ` `[` $elements `]` `>`";
  let genVerifyDecl = 1;
}

def Buffers_InputType : Buffers_Type<"Input", "input", [Spmd_MemoryType]> {
  let summary = "memory that is filled with an input before each step";
  let description = [{
    The type of an argument. Sizes and strides say in which order the elements
    lie, as those of a view: who fills it turns them, so that no step does.
    ```mlir
    !buffers.input<f32 [1, 64, 512, 1024] by [33554432, 1, 65536, 64]>
    ```
    (C1) a stride for each size. (C2) no element lies where another one does,
    and between them is nothing.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        OptionalArrayRefParameter<"int64_t">:$sizes,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat =
      "`<` $elementType (` ` `[` $sizes^ `]` ` ` `by` ` ` `[` $strides `]`)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getElements() const;
  }];
}

def Buffers_ViewType : Buffers_Type<"View", "view", [Spmd_MemoryType]> {
  let summary = "elements of a buffer, in the order of a tensor's";
  let description = [{
    Sizes, outermost first, and the stride of each in elements: element number
    i0 size_1 size_2 + i1 size_2 + i2 of the tensor lies at
    i0 stride_0 + i1 stride_1 + i2 stride_2 behind the offset. Mostly a size for
    each factor of the tensor's layout. A stride of 0 repeats what is there.

    (C1) a stride for each size, none negative.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        OptionalArrayRefParameter<"int64_t">:$sizes,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat =
      "`<` $elementType (` ` `[` $sizes^ `]` ` ` `by` ` ` `[` $strides `]`)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getElements() const;
  }];
}

def Buffers_PackType : Buffers_Type<"Pack", "pack"> {
  let summary = "a matrix in the form in which a library multiplies with it";
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$in,
                        "int64_t":$out);
  let assemblyFormat = "`<` $elementType ` ` `[` $in `,` $out `]` `>`";
}

def Buffers_StartedType : Buffers_Type<"Started", "started"> {
  let summary = "a collective that has begun and is waited for once";
  let assemblyFormat = "";
}

def Buffers_TermAttr : AttrDef<Buffers_Dialect, "Term"> {
  let mnemonic = "term";
  let summary = "a number by coordinate times a stride";
  let parameters = (ins "::hocket::spmd::TableAttr":$table, "int64_t":$scale);
  let assemblyFormat = "`<` $table `*` $scale `>`";
}

def Buffers_RegionAttr : EnumAttr<Buffers_Dialect, Buffers_Region, "region">;

#endif // HOCKET_BUFFERS_TYPES
