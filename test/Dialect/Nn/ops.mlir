// Every operation and attribute of nn, parsed, printed, parsed again.
// RUN: hocket-opt %s --verify-roundtrip --allow-unregistered-dialect | FileCheck %s

#ids = #nn.layout<[batch=4] [seq=96]>
#hidden = #nn.layout<[batch=4] [seq=96] [hidden=384]>
#heads = #nn.layout<[batch=4] [heads=12] [seq=96] [head_dim=32]>
#kv = #nn.layout<[batch=4] [kv=4] [keys=96] [head_dim=32]>
#bias = #nn.layout<[1] [heads=12] [seq=96] [keys=96]>
#lse = #nn.layout<[batch=4] [heads=12] [seq=96]>

// CHECK-LABEL: func.func @layouts
// CHECK-SAME: tensor<f32, #nn.layout<>>
// CHECK-SAME: tensor<3x12xf32, #nn.layout<[3] [3 4]>>
// CHECK-SAME: tensor<4x384xf32, #nn.layout<[batch=4] [heads=12 head_dim=32], tp: S(1.0), cp: S(1.0), dp: P(sum)>>
// CHECK-SAME: tensor<4xf32, #nn.layout<[4], a: P(max), b: P(min)>>
// CHECK-SAME: tensor<1xf32, #nn.layout<[1 1 1 1 1 1 1 1 1 1 1], x: S(0.10)>>
// CHECK-SAME: tensor<f32, #nn.layout<tp: P(sum)>>
// CHECK-SAME: tensor<2xf32, #nn.layout<["a b"=2], "2x": S(0.0)>>
// CHECK-SAME: tensor<12xf32, #nn.layout<[12], dp: S(0.0 sizes [5, 7]), tp: S(0.0 sizes [5, 0, 1, 6])>>
// CHECK-SAME: tensor<7xf32, #nn.layout<[7], dp: S(0.0), tp: S(0.0)>>
// CHECK-SAME: tensor<5xf32, #nn.layout<[5], h: S(0.0 sizes [4, 1] bounds [7] / 2)>>
// CHECK-SAME: tensor<5xf32, #nn.layout<[5], h: S(0.0 bounds [5] / 2)>>
// CHECK-SAME: tensor<9xf32, #nn.layout<[9], h: S(0.0 sizes [6, 3])>>
func.func @layouts(%0: tensor<f32, #nn.layout<>>,
    %1: tensor<3x12xf32, #nn.layout<[3] [3 4]>>,
    %2: tensor<4x384xf32, #nn.layout<[batch=4] [heads=12 head_dim=32],
                                     dp: P(sum), tp: S(1.0), cp: S(1.0)>>,
    %3: tensor<4xf32, #nn.layout<[4], b: P(min), a: P(max)>>,
    %4: tensor<1xf32, #nn.layout<[1 1 1 1 1 1 1 1 1 1 1], x: S(0.10)>>,
    %5: tensor<f32, #nn.layout<tp: P(sum)>>,
    %6: tensor<2xf32, #nn.layout<["a b"=2], "2x": S(0.0)>>,
    %7: tensor<12xf32, #nn.layout<[12], dp: S(0.0 sizes [5, 7]),
                                  tp: S(0.0 sizes [5, 0, 1, 6])>>,
    %8: tensor<7xf32, #nn.layout<[7], dp: S(0.0 sizes [4, 3] even),
                                 tp: S(0.0 sizes [2, 2, 2, 1] even)>>,
    %9: tensor<5xf32, #nn.layout<[5], h: S(0.0 sizes [4, 1] bounds [7] / 2)>>,
    %10: tensor<5xf32, #nn.layout<[5], h: S(0.0 sizes [3, 2] bounds [5] / 2)>>,
    %11: tensor<9xf32, #nn.layout<[9], h: S(0.0 sizes [6, 3] bounds [6])>>) {
  return
}

// CHECK: "test.mesh"() {a = #nn.mesh<dp=2, tp=4>, b = #nn.mesh<>}
"test.mesh"() {a = #nn.mesh<dp=2, tp=4>, b = #nn.mesh<>} : () -> ()

// CHECK-LABEL: func.func @names
func.func @names(%x: tensor<4x96x384xf32, #hidden>) {
  // CHECK: nn.value argument "h.0.attn.x" %{{.*}} : (tensor<4x96x384xf32, #nn.layout<[batch=4] [seq=96] [hidden=384]>>) -> tensor<4x96x384xf32, #nn.layout<[b=4] [s=96] [e=384]>>
  %0 = nn.value argument "h.0.attn.x" %x : (tensor<4x96x384xf32, #hidden>)
      -> tensor<4x96x384xf32, #nn.layout<[b=4] [s=96] [e=384]>>
  // CHECK: nn.value result "h.0.attn"
  %1 = nn.value result "h.0.attn" %x : (tensor<4x96x384xf32, #hidden>) -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.value binding "h.0.attn.q"
  %2 = nn.value binding "h.0.attn.q" %x : (tensor<4x96x384xf32, #hidden>) -> tensor<4x96x384xf32, #hidden>
  return
}

// CHECK-LABEL: func.func @redistribute
func.func @redistribute(%x: tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: P(sum)>>) {
  // CHECK: nn.redistribute all_reduce %{{.*}} over ["tp"] :
  %0 = nn.redistribute all_reduce %x over ["tp"]
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: P(sum)>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6]>>
  // CHECK: nn.redistribute reduce_scatter
  %1 = nn.redistribute reduce_scatter %x over ["tp"]
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: P(sum)>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: S(0.0)>>
  // CHECK: nn.redistribute all_to_all
  %2 = nn.redistribute all_to_all %1 over ["tp"]
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: S(0.0)>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: S(1.0)>>
  // CHECK: nn.redistribute all_gather
  %3 = nn.redistribute all_gather %2 over ["tp"]
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: S(1.0)>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6]>>
  // CHECK: nn.redistribute broadcast %{{.*}} over ["tp"] {root = 1 : i64}
  %4 = nn.redistribute broadcast %3 over ["tp"] {root = 1 : i64}
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6]>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6]>>
  // CHECK: nn.redistribute mask
  %5 = nn.redistribute mask %4 over ["tp"]
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6]>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6], tp: P(sum)>>
  // CHECK: nn.redistribute slice %{{.*}} over ["dp", "tp"]
  %6 = nn.redistribute slice %4 over ["dp", "tp"]
      : (tensor<8x6xf32, #nn.layout<[a=8] [b=6]>>) -> tensor<8x6xf32, #nn.layout<[a=8] [b=6], dp: S(0.0), tp: S(0.0)>>
  return
}

// CHECK-LABEL: func.func @sources
func.func @sources() {
  // CHECK: nn.parameter "h.0.weight" : tensor<384x384xf32,
  %0 = nn.parameter "h.0.weight" : tensor<384x384xf32, #nn.layout<[out=384] [in=384]>>
  // CHECK: nn.fill {value = 5.000000e-01 : f64} : () -> tensor<f32, #nn.layout<>>
  %1 = nn.fill {value = 0.5 : f64} : () -> tensor<f32, #nn.layout<>>
  // CHECK: nn.iota {dim = 0 : i64} : () -> tensor<96xi32,
  %2 = nn.iota {dim = 0} : () -> tensor<96xi32, #nn.layout<[seq=96]>>
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%ids: tensor<4x96xi32, #ids>, %x: tensor<4x96x384xf32, #hidden>,
    %w: tensor<384x384xf32, #nn.layout<[heads=12 head_dim=32] [in=384]>>,
    %bias: tensor<384xf32, #nn.layout<[384]>>, %table: tensor<30522x384xf32, #nn.layout<[30522] [384]>>) {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : (
  %0 = nn.linear %x, %w : (tensor<4x96x384xf32, #hidden>, tensor<384x384xf32, #nn.layout<[heads=12 head_dim=32] [in=384]>>)
      -> tensor<4x96x384xf32, #nn.layout<[batch=4] [seq=96] [heads=12 head_dim=32]>>
  // CHECK: nn.linear %{{.*}}, %{{.*}}, %{{.*}} {transposed = true} : (
  %1 = nn.linear %x, %w, %bias {transposed = true}
      : (tensor<4x96x384xf32, #hidden>, tensor<384x384xf32, #nn.layout<[heads=12 head_dim=32] [in=384]>>, tensor<384xf32, #nn.layout<[384]>>)
      -> tensor<4x96x384xf32, #nn.layout<[batch=4] [seq=96] [in=384]>>
  // CHECK: nn.matmul
  %2 = nn.matmul %x, %w : (tensor<4x96x384xf32, #hidden>, tensor<384x384xf32, #nn.layout<[heads=12 head_dim=32] [in=384]>>)
      -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.embedding
  %3 = nn.embedding %table, %ids : (tensor<30522x384xf32, #nn.layout<[30522] [384]>>, tensor<4x96xi32, #ids>) -> tensor<4x96x384xf32, #hidden>
  return
}
// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<4x12x96x32xf32, #heads>, %k: tensor<4x4x96x32xf32, #kv>, %keep: tensor<4x96xi1, #ids>) {
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} {causal = true, scale = 1.250000e-01 : f64} :
  %0 = nn.attention %q, %k, %k {causal = true, scale = 0.125 : f64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x4x96x32xf32, #kv>, tensor<4x4x96x32xf32, #kv>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {dropout = 1.000000e-01 : f64, scale = 1.250000e-01 : f64} :
  %1 = nn.attention %q, %k, %k, %keep {scale = 0.125 : f64, dropout = 0.1 : f64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x4x96x32xf32, #kv>, tensor<4x4x96x32xf32, #kv>, tensor<4x96xi1, #ids>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.rotary
  %2 = nn.rotary %q {dim = 2, base = 10000.0 : f64, style = #nn.rotary_style<half>}
      : (tensor<4x12x96x32xf32, #heads>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.softmax
  %3 = nn.softmax %q {dim = 3} : (tensor<4x12x96x32xf32, #heads>) -> tensor<4x12x96x32xf32, #heads>
  return
}

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<4x96x384xf32, #hidden>, %w: tensor<384xf32, #nn.layout<[384]>>) {
  // CHECK: nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {eps =
  %0 = nn.layer_norm %x, %w, %w {eps = 1.0e-5 : f64}
      : (tensor<4x96x384xf32, #hidden>, tensor<384xf32, #nn.layout<[384]>>, tensor<384xf32, #nn.layout<[384]>>) -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.layer_norm %{{.*}}, %{{.*}} {eps =
  %1 = nn.layer_norm %x, %w {eps = 1.0e-5 : f64}
      : (tensor<4x96x384xf32, #hidden>, tensor<384xf32, #nn.layout<[384]>>) -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.normalize %{{.*}} {dims = array<i64: 0, 2>, eps =
  %n:3 = nn.normalize %x {dims = array<i64: 0, 2>, eps = 1.0e-5 : f64}
      : (tensor<4x96x384xf32, #hidden>) -> (tensor<4x96x384xf32, #hidden>, tensor<96xf32, #nn.layout<[96]>>, tensor<96xf32, #nn.layout<[96]>>)
  // CHECK: nn.rms_norm
  %2 = nn.rms_norm %x, %w {eps = 1.0e-5 : f64}
      : (tensor<4x96x384xf32, #hidden>, tensor<384xf32, #nn.layout<[384]>>) -> tensor<4x96x384xf32, #hidden>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4x96x384xf32, #hidden>, %b: tensor<384xf32, #nn.layout<[384]>>) {
  // CHECK: nn.unary gelu %{{.*}} :
  %0 = nn.unary gelu %x : (tensor<4x96x384xf32, #hidden>) -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.binary add %{{.*}}, %{{.*}} :
  %1 = nn.binary add %x, %b : (tensor<4x96x384xf32, #hidden>, tensor<384xf32, #nn.layout<[384]>>) -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.binary lt
  %2 = nn.binary lt %x, %b : (tensor<4x96x384xf32, #hidden>, tensor<384xf32, #nn.layout<[384]>>) -> tensor<4x96x384xi1, #hidden>
  // CHECK: nn.where
  %3 = nn.where %2, %x, %b : (tensor<4x96x384xi1, #hidden>, tensor<4x96x384xf32, #hidden>, tensor<384xf32, #nn.layout<[384]>>) -> tensor<4x96x384xf32, #hidden>
  // CHECK: nn.cast
  %4 = nn.cast %x : (tensor<4x96x384xf32, #hidden>) -> tensor<4x96x384xbf16, #hidden>
  // CHECK: nn.dropout %{{.*}} {p = 1.000000e-01 : f64}
  %5 = nn.dropout %x {p = 0.1 : f64} : (tensor<4x96x384xf32, #hidden>) -> tensor<4x96x384xf32, #hidden>
  return
}

// CHECK-LABEL: func.func @random
func.func @random(%q: tensor<4x12x96x32xf32, #heads>, %keep: tensor<4x96xi1, #ids>, %ids: tensor<4x96xi64, #ids>, %bias: tensor<1x12x96x96xf32, #bias>, %lse: tensor<4x12x96xf32, #lse>, %step: tensor<i32, #nn.layout<>>) {
  // CHECK: nn.dropout %{{.*}}, %{{.*}} {p = 1.000000e-01 : f64, stream = -7 : i64} :
  %0 = nn.dropout %q, %step {p = 0.1 : f64, stream = -7 : i64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<i32, #nn.layout<>>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} step %{{.*}} {dropout = 1.000000e-01 : f64, scale = 1.000000e+00 : f64, stream = 7 : i64} :
  %1 = nn.attention %q, %q, %q step %step {scale = 1.0 : f64, dropout = 0.1 : f64, stream = 7 : i64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<i32, #nn.layout<>>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} {scale
  %a = nn.attention %q, %q, %q bias %bias {scale = 1.0 : f64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<1x12x96x96xf32, #bias>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} step %{{.*}} {dropout
  %g:4 = nn.attention_grad %q, %q, %q, %q, %q, %lse bias %bias step %step {scale = 1.0 : f64, dropout = 0.1 : f64, stream = 7 : i64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96xf32, #lse>, tensor<1x12x96x96xf32, #bias>, tensor<i32, #nn.layout<>>)
      -> (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<1x12x96x96xf32, #bias>)
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} documents %[[IDS:.*]], %[[IDS]] {scale
  %d = nn.attention %q, %q, %q documents %ids, %ids {scale = 1.0 : f64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x96xi64, #ids>, tensor<4x96xi64, #ids>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} documents %{{.*}}, %{{.*}} step %{{.*}} {dropout
  %s = nn.attention %q, %q, %q, %keep documents %ids, %ids step %step {scale = 1.0 : f64, dropout = 0.1 : f64, stream = 7 : i64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x96xi1, #ids>, tensor<4x96xi64, #ids>, tensor<4x96xi64, #ids>, tensor<i32, #nn.layout<>>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} step %{{.*}} {dropout
  %2 = nn.attention %q, %q, %q, %keep step %step {scale = 1.0 : f64, dropout = 0.1 : f64, stream = 7 : i64}
      : (tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x12x96x32xf32, #heads>, tensor<4x96xi1, #ids>, tensor<i32, #nn.layout<>>) -> tensor<4x12x96x32xf32, #heads>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<4x96x384xf32, #hidden>) {
  // CHECK: nn.reduce mean %{{.*}} {dims = array<i64: 1>} :
  %0 = nn.reduce mean %x {dims = array<i64: 1>} : (tensor<4x96x384xf32, #hidden>) -> tensor<4x384xf32, #nn.layout<[batch=4] [hidden=384]>>
  // CHECK: nn.reduce max %{{.*}} {dims = array<i64: 1, 2>, keepdim = true} :
  %1 = nn.reduce max %x {dims = array<i64: 1, 2>, keepdim = true} : (tensor<4x96x384xf32, #hidden>) -> tensor<4x1x1xf32, #nn.layout<[batch=4] [1] [1]>>
  // CHECK: nn.rearrange %{{.*}} {order = {{\[\[}}0], [2], [1], [3]], source = #nn.layout<[batch=4] [seq=96] [heads=12 head_dim=32]>} :
  %2 = nn.rearrange %x {source = #nn.layout<[batch=4] [seq=96] [heads=12 head_dim=32]>, order = [[0], [2], [1], [3]]}
      : (tensor<4x96x384xf32, #hidden>) -> tensor<4x12x96x32xf32, #heads>
  // CHECK: nn.slice %{{.*}} {dim = 1 : i64, size = 90 : i64, start = 3 : i64} :
  %3 = nn.slice %x {dim = 1, start = 3, size = 90} : (tensor<4x96x384xf32, #hidden>) -> tensor<4x90x384xf32, #nn.layout<[4] [90] [384]>>
  // CHECK: nn.slice %{{.*}} {dim = 1 : i64, drop = true, size = 1 : i64, start = 0 : i64} :
  %4 = nn.slice %x {dim = 1, start = 0, size = 1, drop = true} : (tensor<4x96x384xf32, #hidden>) -> tensor<4x384xf32, #nn.layout<[4] [384]>>
  // CHECK: nn.concat
  %5 = nn.concat %x, %x {dim = 1} : (tensor<4x96x384xf32, #hidden>, tensor<4x96x384xf32, #hidden>) -> tensor<4x192x384xf32, #nn.layout<[4] [192] [384]>>
  // CHECK: nn.broadcast
  %6 = nn.broadcast %x : (tensor<4x96x384xf32, #hidden>) -> tensor<2x4x96x384xf32, #nn.layout<[2] [4] [96] [384]>>
  return
}

// CHECK-LABEL: func.func @stored
func.func @stored(%x: tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>) {
  // CHECK: nn.parameter "w" {init = #nn.init<normal 2.000000e-02 : f64>} :
  %w = nn.parameter "w" {init = #nn.init<normal 2.0e-2 : f64>} : tensor<4xf32, #nn.layout<[hidden=4], tp: S(0.0)>>
  // CHECK: nn.parameter "b" {init = #nn.init<constant 1.000000e+00 : f64>} :
  %b = nn.parameter "b" {init = #nn.init<constant 1.0 : f64>} : tensor<4xf32, #nn.layout<[4]>>
  // CHECK: nn.state "momentum.w" {init = 0.000000e+00 : f64} :
  %m = nn.state "momentum.w" {init = 0.0 : f64} : tensor<4xf32, #nn.layout<[hidden=4], tp: S(0.0)>>
  // CHECK: nn.assign "momentum.w" %{{.*}} : tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>
  nn.assign "momentum.w" %x : tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>
  // CHECK: nn.assign "w" %{{.*}} :
  nn.assign "w" %m : tensor<4xf32, #nn.layout<[hidden=4], tp: S(0.0)>>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<2x4x9xf32, #nn.layout<[2] [4] [9]>>, %w: tensor<6x2x3xf32, #nn.layout<[6] [2] [3]>>, %b: tensor<6xf32, #nn.layout<[6]>>, %q: tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) {
  // CHECK: nn.conv %{{.*}}, %{{.*}}, %{{.*}} {borders = #nn.borders<circular>, dilations = array<i64: 1>, groups = 2 : i64, highs = array<i64: 1>, lows = array<i64: 1>, strides = array<i64: 2>} :
  %y = nn.conv %x, %w, %b {strides = array<i64: 2>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<circular>, groups = 2 : i64} : (tensor<2x4x9xf32, #nn.layout<[2] [4] [9]>>, tensor<6x2x3xf32, #nn.layout<[6] [2] [3]>>, tensor<6xf32, #nn.layout<[6]>>) -> tensor<2x6x5xf32, #nn.layout<[2] [6] [5]>>
  // CHECK: nn.conv_transpose
  %dx = nn.conv_transpose %y, %w {strides = array<i64: 2>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<circular>, groups = 2 : i64} : (tensor<2x6x5xf32, #nn.layout<[2] [6] [5]>>, tensor<6x2x3xf32, #nn.layout<[6] [2] [3]>>) -> tensor<2x4x9xf32, #nn.layout<[2] [4] [9]>>
  // CHECK: nn.conv_grad_weight
  %dw = nn.conv_grad_weight %x, %y {strides = array<i64: 2>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<circular>, groups = 2 : i64} : (tensor<2x4x9xf32, #nn.layout<[2] [4] [9]>>, tensor<2x6x5xf32, #nn.layout<[2] [6] [5]>>) -> tensor<6x2x3xf32, #nn.layout<[6] [2] [3]>>
  // CHECK: nn.neighborhood_attention %{{.*}}, %{{.*}}, %{{.*}} {causal = array<i1: true>, dilations = array<i64: 1>, kernels = array<i64: 3>, scale = 1.000000e+00 : f64, strides = array<i64: 2>} :
  %n, %lse = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>, causal = array<i1: true>, scale = 1.0 : f64} : (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) -> (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5xf32, #nn.layout<[1] [2] [5]>>)
  // CHECK: nn.neighborhood_attention_grad
  %g:3 = nn.neighborhood_attention_grad %q, %q, %q, %n, %n, %lse {kernels = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>, causal = array<i1: true>, scale = 1.0 : f64} : (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5xf32, #nn.layout<[1] [2] [5]>>) -> (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>)
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} {after = 1 : i64, before = 2 : i64, scale = 1.000000e+00 : f64} :
  %a = nn.attention %q, %q, %q {before = 2 : i64, after = 1 : i64, scale = 1.0 : f64} : (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) -> tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
  return
}

// CHECK: nn.model "Gpt2" target cpu gradients all {ignore = ["h.*.attn.bias"], otherArguments = ["targets"], precision = {compute = bf16, reduce = f32}, prefixes = ["transformer."], run = {}, seed = 7 : i64, train = {}}
// CHECK-NEXT: nn.placement "heads" <dp=2, tp=4> {backwardExpectations = [], buckets = [{axes = ["dp"], bytes = 1024 : i64, of = "gradients"}], expectations = [], moves = []}
module {
  nn.model "Gpt2" target cpu gradients all {
      ignore = ["h.*.attn.bias"], prefixes = ["transformer."],
      otherArguments = ["targets"], seed = 7 : i64, train = {}, run = {},
      precision = {compute = bf16, reduce = f32}}
  nn.placement "heads" <dp=2, tp=4> {
      expectations = [], backwardExpectations = [], moves = [],
      buckets = [{of = "gradients", axes = ["dp"], bytes = 1024 : i64}]}
}

// CHECK-LABEL: nn.func @program
// CHECK-SAME: (%{{.*}}: tensor<4xf32, #nn.layout<[4]>> {nn.name = "x"}) -> (tensor<4xf32, #nn.layout<[4]>>, tensor<4xf32, #nn.layout<[4]>>) attributes {buffers = ["norm.mean"], outputs = ["loss", "norm.mean.next"]} {
nn.func @program(%x: tensor<4xf32, #nn.layout<[4]>> {nn.name = "x"}) -> (tensor<4xf32, #nn.layout<[4]>>, tensor<4xf32, #nn.layout<[4]>>)
    attributes {buffers = ["norm.mean"], outputs = ["loss", "norm.mean.next"]} {
  // CHECK: nn.return %{{.*}}, %{{.*}} : tensor<4xf32, #nn.layout<[4]>>, tensor<4xf32, #nn.layout<[4]>>
  nn.return %x, %x : tensor<4xf32, #nn.layout<[4]>>, tensor<4xf32, #nn.layout<[4]>>
}
