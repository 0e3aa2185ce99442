// In which type each kind of operation is computed: lib/Transforms/Precision,
// a row of the table each, then how values get from one to another.
// RUN: hocket-opt %s -split-input-file --hocket-precision | FileCheck %s

// A product of narrow operands, in f32 where nothing asks for less.
!x = tensor<2x4xf32, #nn.layout<[rows=2] [hidden=4]>>
!w = tensor<4x4xf32, #nn.layout<[out=4] [in=4]>>
!b = tensor<4xf32, #nn.layout<[out=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "w" : tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.parameter "b" : tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.cast %arg0 : (tensor<2x4xf32{{.*}}) -> tensor<2x4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.cast %[[V0]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.cast %[[V1]] : (tensor<4xf32{{.*}}) -> tensor<4xbf16{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.linear %[[V2]], %[[V3]], %[[V4]] : (tensor<2x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}, tensor<4xbf16{{.*}}) -> tensor<2x4xf32{{.*}}
// CHECK-NEXT: return %[[V5]] : tensor<2x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %w = nn.parameter "w" : !w
  %b = nn.parameter "b" : !b
  %y = nn.linear %x, %w, %b : (!x, !w, !b) -> !x
  nn.return %y : !x
}
}
// -----

// A chain of products is narrow, and so is what only scales between them.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.cast %arg0 : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %[[V0]], %[[V0]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.unary gelu %[[V1]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.binary add %[[V2]], %[[V1]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.matmul %[[V3]], %[[V0]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: return %[[V4]] : tensor<4x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %a = nn.matmul %x, %x : (!x, !x) -> !x
  %g = nn.unary gelu %a : (!x) -> !x
  %s = nn.binary add %g, %a : (!x, !x) -> !x
  %z = nn.matmul %s, %x : (!x, !x) -> !x
  nn.return %z : !x
}
}
// -----

// Rotary embeddings and lookups are narrow, integers are left alone.
!ids = tensor<2x4xi32, #nn.layout<[batch=2] [seq=4]>>
!t = tensor<7x4xf32, #nn.layout<[vocab=7] [hidden=4]>>
!x = tensor<2x4x4xf32, #nn.layout<[batch=2] [seq=4] [hidden=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = f16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "t" : tensor<7x4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.cast %[[V0]] : (tensor<7x4xf32{{.*}}) -> tensor<7x4xf16{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V1]], %arg0 : (tensor<7x4xf16{{.*}}, tensor<2x4xi32{{.*}}) -> tensor<2x4x4xf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.rotary %[[V2]]{{.*}} : (tensor<2x4x4xf16{{.*}}) -> tensor<2x4x4xf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.cast %[[V3]] : (tensor<2x4x4xf16{{.*}}) -> tensor<2x4x4xf32{{.*}}
// CHECK-NEXT: return %[[V4]] : tensor<2x4x4xf32{{.*}}
nn.func @forward(%ids: !ids {nn.name = "ids"}) -> !x
    attributes {buffers = [], outputs = ["output"]} {
  %t = nn.parameter "t" : !t
  %x = nn.embedding %t, %ids : (!t, !ids) -> !x
  %y = nn.rotary %x {dim = 1 : i64, base = 10000.0 : f64, style = #nn.rotary_style<half>} : (!x) -> !x
  nn.return %y : !x
}
}
// -----

// Norms, and on a CPU attention, compute in f32 and give narrow results.
!x = tensor<1x2x4x4xf32, #nn.layout<[batch=1] [heads=2] [seq=4] [hidden=4]>>
!w = tensor<4xf32, #nn.layout<[hidden=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "w" : tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.layer_norm %arg0, %[[V0]], %[[V0]]{{.*}} : (tensor<1x2x4x4xf32{{.*}}, tensor<4xf32{{.*}}, tensor<4xf32{{.*}}) -> tensor<1x2x4x4xf32{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.rms_norm %[[V1]], %[[V0]]{{.*}} : (tensor<1x2x4x4xf32{{.*}}, tensor<4xf32{{.*}}) -> tensor<1x2x4x4xf32{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.attention %[[V2]], %[[V2]], %[[V2]]{{.*}} : (tensor<1x2x4x4xf32{{.*}}, tensor<1x2x4x4xf32{{.*}}, tensor<1x2x4x4xf32{{.*}}) -> tensor<1x2x4x4xf32{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.cast %[[V3]] : (tensor<1x2x4x4xf32{{.*}}) -> tensor<1x2x4x4xbf16{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.matmul %[[V4]], %[[V4]] : (tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}) -> tensor<1x2x4x4xf32{{.*}}
// CHECK-NEXT: return %[[V5]] : tensor<1x2x4x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %w = nn.parameter "w" : !w
  %n = nn.layer_norm %x, %w, %w {eps = 1.0e-5 : f64} : (!x, !w, !w) -> !x
  %r = nn.rms_norm %n, %w {eps = 1.0e-5 : f64} : (!x, !w) -> !x
  %a = nn.attention %r, %r, %r {scale = 0.5 : f64} : (!x, !x, !x) -> !x
  %y = nn.matmul %a, %a : (!x, !x) -> !x
  nn.return %y : !x
}
}
// -----

// Exponentials, sums, powers and roots are f32, and so is what comes of them
// up to the next product.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4]>>
!r = tensor<4x1xf32, #nn.layout<[rows=4] [1]>>
!l = tensor<4xf32, #nn.layout<[rows=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.cast %arg0 : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %[[V0]], %[[V0]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.unary relu %[[V1]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.cast %[[V2]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.reduce mean %[[V3]]{{.*}} : (tensor<4x4xf32{{.*}}) -> tensor<4x1xf32{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.cast %[[V2]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V6:.*]] = nn.binary sub %[[V5]], %[[V4]] : (tensor<4x4xf32{{.*}}, tensor<4x1xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V7:.*]] = nn.softmax %[[V6]]{{.*}} : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V8:.*]] = nn.cast %[[V2]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V9:.*]] = nn.unary exp %[[V8]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V10:.*]] = nn.binary mul %[[V7]], %[[V9]] : (tensor<4x4xf32{{.*}}, tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V11:.*]] = nn.cast %[[V10]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V12:.*]] = nn.matmul %[[V11]], %[[V1]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V13:.*]] = nn.log_sum_exp %[[V12]]{{.*}} : (tensor<4x4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: return %[[V12]], %[[V13]] : tensor<4x4xf32{{.*}}, tensor<4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> (!x, !l)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %a = nn.matmul %x, %x : (!x, !x) -> !x
  %g = nn.unary relu %a : (!x) -> !x
  %m = nn.reduce mean %g {dims = array<i64: 1>, keepdim = true} : (!x) -> !r
  %d = nn.binary sub %g, %m : (!x, !r) -> !x
  %s = nn.softmax %d {dim = 1 : i64} : (!x) -> !x
  %e = nn.unary exp %g : (!x) -> !x
  %p = nn.binary mul %s, %e : (!x, !x) -> !x
  %z = nn.matmul %p, %a : (!x, !x) -> !x
  %l = nn.log_sum_exp %z {dim = 1 : i64} : (!x) -> !l
  nn.return %z, %l : !x, !l
}
}
// -----

// The largest of narrow values is one of them; constants are what meets them,
// unless they would be infinite.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4]>>
!m = tensor<4x4xi1, #nn.layout<[rows=4] [hidden=4]>>
!r = tensor<4x1xf32, #nn.layout<[rows=4] [1]>>
!s = tensor<f32, #nn.layout<>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = f16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.fill {value = 5.000000e-01 : f64} : () -> tensor<f32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.fill {value = -1.000000e+09 : f64} : () -> tensor<f32{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.cast %arg1 : (tensor<4x4xi1{{.*}}) -> tensor<4x4xf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.cast %arg0 : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.matmul %[[V3]], %[[V2]] : (tensor<4x4xf16{{.*}}, tensor<4x4xf16{{.*}}) -> tensor<4x4xf16{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.reduce max %[[V4]]{{.*}} : (tensor<4x4xf16{{.*}}) -> tensor<4x1xf16{{.*}}
// CHECK-NEXT: %[[V6:.*]] = nn.binary sub %[[V4]], %[[V5]] : (tensor<4x4xf16{{.*}}, tensor<4x1xf16{{.*}}) -> tensor<4x4xf16{{.*}}
// CHECK-NEXT: %[[V7:.*]] = nn.fill {value = 5.000000e-01 : f64} : () -> tensor<f16{{.*}}
// CHECK-NEXT: %[[V8:.*]] = nn.binary mul %[[V6]], %[[V7]] : (tensor<4x4xf16{{.*}}, tensor<f16{{.*}}) -> tensor<4x4xf16{{.*}}
// CHECK-NEXT: %[[V9:.*]] = nn.cast %[[V8]] : (tensor<4x4xf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V10:.*]] = nn.where %arg1, %[[V9]], %[[V1]] : (tensor<4x4xi1{{.*}}, tensor<4x4xf32{{.*}}, tensor<f32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V11:.*]] = nn.matmul %[[V8]], %[[V3]] : (tensor<4x4xf16{{.*}}, tensor<4x4xf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: return %[[V11]], %[[V10]] : tensor<4x4xf32{{.*}}, tensor<4x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}, %m: !m {nn.name = "m"}) -> (!x, !x)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %half = nn.fill {value = 0.5 : f64} : () -> !s
  %low = nn.fill {value = -1.0e9 : f64} : () -> !s
  %f = nn.cast %m : (!m) -> !x
  %a = nn.matmul %x, %f : (!x, !x) -> !x
  %r = nn.reduce max %a {dims = array<i64: 1>, keepdim = true} : (!x) -> !r
  %d = nn.binary sub %a, %r : (!x, !r) -> !x
  %h = nn.binary mul %d, %half : (!x, !s) -> !x
  %w = nn.where %m, %h, %low : (!m, !x, !s) -> !x
  %y = nn.matmul %h, %x : (!x, !x) -> !x
  nn.return %y, %w : !x, !x
}
}
// -----

// Terms of a sum are added across ranks in f32, and the sum is rounded; the
// next gather moves what is rounded. A parameter is rounded before it is
// gathered.
!w = tensor<4x4xf32, #nn.layout<[out=4] [in=4], tp: S(0.0)>>
!g = tensor<4x4xf32, #nn.layout<[out=4] [in=4]>>
!x = tensor<4x4xf32, #nn.layout<[rows=4] [in=4], tp: S(1.0)>>
!v = tensor<4x4xf32, #nn.layout<[out=4] [in=4], tp: S(1.0)>>
!p = tensor<4x4xf32, #nn.layout<[rows=4] [out=4], tp: P(sum)>>
!s = tensor<4x4xf32, #nn.layout<[rows=4] [out=4], tp: S(0.0)>>
!y = tensor<4x4xf32, #nn.layout<[rows=4] [out=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "v" : tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.parameter "w" : tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.cast %arg0 : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.cast %[[V0]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.linear %[[V2]], %[[V3]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.value result "v" %[[V4]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V6:.*]] = nn.redistribute reduce_scatter %[[V5]] over ["tp"] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V7:.*]] = nn.cast %[[V6]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V8:.*]] = nn.unary gelu %[[V7]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V9:.*]] = nn.redistribute all_gather %[[V8]] over ["tp"] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V10:.*]] = nn.cast %[[V1]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V11:.*]] = nn.redistribute all_gather %[[V10]] over ["tp"] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V12:.*]] = nn.linear %[[V9]], %[[V11]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: return %[[V12]] : tensor<4x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
  %v = nn.parameter "v" : !v
  %w = nn.parameter "w" : !w
  %p = nn.linear %x, %v : (!x, !v) -> !p
  %n = nn.value result "v" %p : (!p) -> !p
  %s = nn.redistribute reduce_scatter %n over ["tp"] : (!p) -> !s
  %a = nn.unary gelu %s : (!s) -> !s
  %f = nn.redistribute all_gather %a over ["tp"] : (!s) -> !y
  %g = nn.redistribute all_gather %w over ["tp"] : (!w) -> !g
  %y = nn.linear %f, %g : (!y, !g) -> !y
  nn.return %y : !y
}
}
// -----

// The same with `reduce = bf16`: each rank rounds its term.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [in=4], tp: S(1.0)>>
!v = tensor<4x4xf32, #nn.layout<[out=4] [in=4], tp: S(1.0)>>
!p = tensor<4x4xf32, #nn.layout<[rows=4] [out=4], tp: P(sum)>>
!y = tensor<4x4xf32, #nn.layout<[rows=4] [out=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = bf16}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "v" : tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.cast %arg0 : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.cast %[[V0]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.linear %[[V1]], %[[V2]] : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.redistribute all_reduce %[[V3]] over ["tp"] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.cast %[[V4]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: return %[[V5]] : tensor<4x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
  %v = nn.parameter "v" : !v
  %p = nn.linear %x, %v : (!x, !v) -> !p
  %y = nn.redistribute all_reduce %p over ["tp"] : (!p) -> !y
  nn.return %y : !y
}
}
// -----

// What each rank sums up for a gradient is rounded as well; what a loss is made
// of is not.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4], dp: S(0.0)>>
!p = tensor<4xf32, #nn.layout<[hidden=4], dp: P(sum)>>
!b = tensor<4xf32, #nn.layout<[hidden=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = bf16}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.reduce sum %arg0{{.*}} : (tensor<4x4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.cast %[[V0]] : (tensor<4xf32{{.*}}) -> tensor<4xbf16{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.redistribute all_reduce %[[V1]] over ["dp"] {nn.backward} : (tensor<4xbf16{{.*}}) -> tensor<4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.redistribute all_reduce %[[V0]] over ["dp"] : (tensor<4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.unary exp %[[V3]] : (tensor<4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.cast %[[V2]] : (tensor<4xbf16{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: return %[[V5]], %[[V4]] : tensor<4xf32{{.*}}, tensor<4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> (!b, !b)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %p = nn.reduce sum %x {dims = array<i64: 0>} : (!x) -> !p
  %g = nn.redistribute all_reduce %p over ["dp"] {nn.backward} : (!p) -> !b
  %m = nn.redistribute all_reduce %p over ["dp"] : (!p) -> !b
  %l = nn.unary exp %m : (!b) -> !b
  nn.return %g, %l : !b, !b
}
}
// -----

// What a rank has no need of is not cast: slices and masks of a parameter come
// first. A value that is kept narrow is widened for each that reads it wide.
!w = tensor<4xf32, #nn.layout<[hidden=4]>>
!h = tensor<4xf32, #nn.layout<[hidden=4], tp: S(0.0)>>
!x = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4], tp: S(1.0)>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "w" : tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.redistribute slice %[[V0]] over ["tp"] : (tensor<4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.cast %arg0 : (tensor<4x4xf32{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.cast %[[V1]] : (tensor<4xf32{{.*}}) -> tensor<4xbf16{{.*}}
// CHECK-NEXT: %[[V4:.*]] = nn.binary mul %[[V2]], %[[V3]] : (tensor<4x4xbf16{{.*}}, tensor<4xbf16{{.*}}) -> tensor<4x4xbf16{{.*}}
// CHECK-NEXT: %[[V5:.*]] = nn.cast %[[V4]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V6:.*]] = nn.unary exp %[[V5]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V7:.*]] = nn.cast %[[V4]] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: %[[V8:.*]] = nn.unary sin %[[V7]] : (tensor<4x4xf32{{.*}}) -> tensor<4x4xf32{{.*}}
// CHECK-NEXT: return %[[V6]], %[[V8]] : tensor<4x4xf32{{.*}}, tensor<4x4xf32{{.*}}
nn.func @forward(%x: !x {nn.name = "x"}) -> (!x, !x)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %w = nn.parameter "w" : !w
  %h = nn.redistribute slice %w over ["tp"] : (!w) -> !h
  %a = nn.binary mul %x, %h : (!x, !h) -> !x
  %e = nn.unary exp %a : (!x) -> !x
  %s = nn.unary sin %a : (!x) -> !x
  nn.return %e, %s : !x, !x
}
}
// -----

// What is compared is not rounded for it.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4]>>
!m = tensor<4x4xi1, #nn.layout<[rows=4] [hidden=4]>>
module { nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[M:.*]] = nn.binary lt %arg0, %arg1 : (tensor<4x4xf32, {{.*}}>, tensor<4x4xf32, {{.*}}>) -> tensor<4x4xi1
// CHECK-NEXT: %[[Y:.*]] = nn.cast %arg1 : {{.*}} -> tensor<4x4xbf16
// CHECK-NEXT: %[[X:.*]] = nn.cast %arg0 : {{.*}} -> tensor<4x4xbf16
// CHECK-NEXT: nn.where %[[M]], %[[Y]], %[[X]] : {{.*}} -> tensor<4x4xbf16
nn.func @forward(%x: !x {nn.name = "x"}, %y: !x {nn.name = "y"}) -> !x
    attributes {buffers = [], outputs = ["output"]} {
  %m = nn.binary lt %x, %y : (!x, !x) -> !m
  %z = nn.where %m, %y, %x : (!m, !x, !x) -> !x
  nn.return %z : !x
}
}
