// RUN: hocket-opt %s -split-input-file --hocket-precision | FileCheck %s

// On a GPU attention and its gradient take narrow operands. lse is f32, also
// where it is seen as something else on the way.
!x = tensor<1x2x4x4xf32, #nn.layout<[batch=1] [heads=2] [seq=4] [hidden=4]>>
!l = tensor<1x2x4xf32, #nn.layout<[batch=1] [heads=2] [seq=4]>>
module { nn.model "M" target cuda gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}} nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.unary exp %arg0 : (tensor<1x2x4x4xf32{{.*}}) -> tensor<1x2x4x4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.cast %[[V0]] : (tensor<1x2x4x4xf32{{.*}}) -> tensor<1x2x4x4xbf16{{.*}}
// CHECK-NEXT: %[[OUT:.*]], %[[LSE:.*]] = nn.attention %[[V1]], %[[V1]], %[[V1]]{{.*}} : (tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}) -> (tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4xf32{{.*}})
// CHECK-NEXT: %[[SEEN:.*]] = nn.value{{ +}}result "a" %[[LSE]] : (tensor<1x2x4xf32{{.*}}) -> tensor<1x2x4xf32{{.*}}
// CHECK-NEXT: %[[DOUT:.*]] = nn.cast %arg0 : (tensor<1x2x4x4xf32{{.*}}) -> tensor<1x2x4x4xbf16{{.*}}
// CHECK-NEXT: %[[DQ:.*]], %{{.*}}, %{{.*}} = nn.attention_grad %[[V1]], %[[V1]], %[[V1]], %[[DOUT]], %[[OUT]], %[[SEEN]]{{.*}} : (tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4xf32{{.*}}) -> (tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}}, tensor<1x2x4x4xbf16{{.*}})
// CHECK-NEXT: %[[V2:.*]] = nn.cast %[[DQ]] : (tensor<1x2x4x4xbf16{{.*}}) -> tensor<1x2x4x4xf32{{.*}}
// CHECK-NEXT: return %[[V2]]
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %e = nn.unary exp %x : (!x) -> !x
  %a, %lse = nn.attention %e, %e, %e {scale = 0.5 : f64} : (!x, !x, !x) -> (!x, !l)
  %seen = nn.value result "a" %lse : (!l) -> !l
  %dq, %dk, %dv = nn.attention_grad %e, %e, %e, %x, %a, %seen {scale = 0.5 : f64} : (!x, !x, !x, !x, !x, !l) -> (!x, !x, !x)
  nn.return %dq : !x
}
}
