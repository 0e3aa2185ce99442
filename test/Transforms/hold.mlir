// What ranks hold of each value, in its type: from an exchange to what reads its
// margins, and back.
// RUN: hocket-opt %s --hocket-hold | hocket-opt | FileCheck %s

// Keys and values are made in margins of one position on each side; queries, and
// what is returned, are what a rank owns. Of the gradients of keys ranks have
// terms, until they are added where they belong.
!t = tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
!lse = tensor<1x1x4xf32, #nn.layout<[1] [1] [4], s: S(2.0)>>
module {
  nn.placement "s" <s=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(
      %x: !t {nn.name = "x"},
      %dy: !t {nn.name = "dy"},
      %dk: !t {nn.name = "dk"},
      %lse: !lse {nn.name = "lse"})
      -> (!t, !t, !t)
      attributes {buffers = [], outputs = ["k", "y", "grad"]} {
    // CHECK: %[[X:.*]] = nn.exchange %{{.*}} {after = 1 : i64, before = 1 : i64, dim = 2 : i64, strategy = "neighbors"}
    // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), held(2.0: [0:3] [1:4])>>
    %0 = nn.exchange %x {dim = 2 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors"} : (!t) -> !t
    // CHECK: %[[K:.*]] = nn.unary tanh %[[X]]
    // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), held(2.0: [0:3] [1:4])>>
    %k = nn.unary tanh %0 : (!t) -> !t
    // CHECK: %[[OWN:.*]] = nn.hold %[[X]]
    // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
    // CHECK: %[[Q:.*]] = nn.unary sin %[[OWN]]
    %q = nn.unary sin %0 : (!t) -> !t
    // CHECK: %[[Y:.*]] = nn.attention %[[Q]], %[[K]], %[[K]]
    %y = nn.attention %q, %k, %k {after = 1 : i64, before = 1 : i64, scale = 1.0 : f64, nn.halo_from, nn.halos = 1 : i64}
        : (!t, !t, !t) -> !t
    // CHECK: %{{.*}}, %[[DK:.*]], %[[DV:.*]] = nn.attention_grad
    // CHECK-SAME: terms(2.0: [0:3] [1:4])
    %dq, %dk0, %dv0 = nn.attention_grad %q, %k, %k, %dy, %dy, %lse {after = 1 : i64, before = 1 : i64, scale = 1.0 : f64, nn.halo_from, nn.halos = 1 : i64}
        : (!t, !t, !t, !t, !t, !lse) -> (!t, !t, !t)
    // CHECK: %[[BOTH:.*]] = nn.binary add %[[DK]], %[[DV]]
    %1 = nn.binary add %dk0, %dv0 : (!t, !t) -> !t
    // A gradient that is whole already counts once.
    // CHECK: %[[PLACED:.*]] = nn.hold %{{.*}} : (tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>)
    // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), terms(2.0: [0:3] [1:4])>>
    // CHECK: %[[ALL:.*]] = nn.binary add %[[BOTH]], %[[PLACED]]
    %2 = nn.binary add %1, %dk : (!t, !t) -> !t
    // CHECK: nn.exchange %[[ALL]] {after = 1 : i64, back = true, before = 1 : i64, dim = 2 : i64, strategy = "neighbors"}
    // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
    %3 = nn.exchange %2 {dim = 2 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", back = true} : (!t) -> !t
    // CHECK: %[[RETURNED:.*]] = nn.hold %[[K]]
    // CHECK: nn.return %[[RETURNED]], %[[Y]], %{{.*}}
    nn.return %k, %y, %3 : !t, !t, !t
  }
}
