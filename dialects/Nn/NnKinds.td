//===- NnKinds.td - the kinds that operations are of ----------------------===//

#ifndef HOCKET_NN_KINDS
#define HOCKET_NN_KINDS

include "dialects/Nn/NnDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Nn_Kind<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hocket::nn";
  let genSpecializedAttr = 0;
}

// Between other attributes it is written #nn.pool_kind<max>.
class Nn_KindAttr<EnumAttrInfo kind, string mnemonic>
    : EnumAttr<Nn_Dialect, kind, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Nn_UnaryKind : Nn_Kind<"UnaryKind", "a function of one element", [
    I32EnumAttrCase<"Gelu", 0, "gelu">,
    I32EnumAttrCase<"GeluTanh", 1, "gelu_tanh">,
    I32EnumAttrCase<"Silu", 2, "silu">,
    I32EnumAttrCase<"Relu", 3, "relu">,
    I32EnumAttrCase<"Sigmoid", 4, "sigmoid">,
    I32EnumAttrCase<"Tanh", 5, "tanh">,
    I32EnumAttrCase<"Exp", 6, "exp">,
    I32EnumAttrCase<"Log", 7, "log">,
    I32EnumAttrCase<"Sqrt", 8, "sqrt">,
    I32EnumAttrCase<"Rsqrt", 9, "rsqrt">,
    I32EnumAttrCase<"Erf", 10, "erf">,
    I32EnumAttrCase<"Abs", 11, "abs">,
    I32EnumAttrCase<"Neg", 12, "neg">,
    I32EnumAttrCase<"Not", 13, "not">,
    I32EnumAttrCase<"Sin", 14, "sin">,
    I32EnumAttrCase<"Cos", 15, "cos">]>;

def Nn_BinaryKind : Nn_Kind<"BinaryKind", "a function of two elements", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Div", 3, "div">,
    I32EnumAttrCase<"Pow", 4, "pow">,
    I32EnumAttrCase<"Maximum", 5, "maximum">,
    I32EnumAttrCase<"Minimum", 6, "minimum">,
    I32EnumAttrCase<"And", 7, "and">,
    I32EnumAttrCase<"Or", 8, "or">,
    I32EnumAttrCase<"Eq", 9, "eq">,
    I32EnumAttrCase<"Ne", 10, "ne">,
    I32EnumAttrCase<"Lt", 11, "lt">,
    I32EnumAttrCase<"Le", 12, "le">,
    I32EnumAttrCase<"Gt", 13, "gt">,
    I32EnumAttrCase<"Ge", 14, "ge">]>;

def Nn_ReduceKind : Nn_Kind<"ReduceKind", "a reduction over dims", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">]>;

def Nn_RedistributeKind
    : Nn_Kind<"RedistributeKind", "a change of placement", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
    I32EnumAttrCase<"ReduceScatter", 1, "reduce_scatter">,
    I32EnumAttrCase<"AllGather", 2, "all_gather">,
    I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
    I32EnumAttrCase<"Repartition", 4, "repartition">,
    I32EnumAttrCase<"Slice", 5, "slice">,
    I32EnumAttrCase<"Broadcast", 6, "broadcast">,
    I32EnumAttrCase<"Mask", 7, "mask">]>;

def Nn_PoolKind : Nn_Kind<"PoolKind", "a pooling", [
    I32EnumAttrCase<"Max", 0, "max">,
    I32EnumAttrCase<"Average", 1, "average">,
    I32EnumAttrCase<"MaxIndex", 2, "max_index">]>;

def Nn_RotaryStyle : Nn_Kind<"RotaryStyle", "which elements are a pair", [
    I32EnumAttrCase<"Half", 0, "half">,
    I32EnumAttrCase<"Interleaved", 1, "interleaved">]>;

// Where the format of an operation names them, words alone.
def Nn_UnaryKindAttr : EnumAttr<Nn_Dialect, Nn_UnaryKind, "unary_kind">;
def Nn_BinaryKindAttr : EnumAttr<Nn_Dialect, Nn_BinaryKind, "binary_kind">;
def Nn_ReduceKindAttr : EnumAttr<Nn_Dialect, Nn_ReduceKind, "reduce_kind">;
def Nn_RedistributeKindAttr
    : EnumAttr<Nn_Dialect, Nn_RedistributeKind, "redistribute_kind">;
def Nn_PoolKindAttr : Nn_KindAttr<Nn_PoolKind, "pool_kind">;
def Nn_RotaryStyleAttr : Nn_KindAttr<Nn_RotaryStyle, "rotary_style">;

#endif // HOCKET_NN_KINDS
