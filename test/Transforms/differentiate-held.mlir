// What ranks hold of gradients, in their types: of what the forward holds in
// margins they have terms, until these are added where they belong.
// RUN: hocket-opt %s --hocket-differentiate | hocket-opt | FileCheck %s

// Keys are made in margins of one position on each side; queries, and what is
// returned, are what a rank owns.
!own = tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
!held = tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), held(2.0: [0:3] [1:4])>>
module {
  nn.model "M" target cpu gradients all {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <s=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !own {nn.name = "x"}) -> (!own, !own) attributes {buffers = [], outputs = ["k", "y"]} {
    %0 = nn.exchange %x {dim = 2 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !held
    // CHECK: %[[K:.*]] = nn.unary tanh
    %k = nn.unary tanh %0 : (!held) -> !held
    // CHECK: %[[OWN:.*]] = nn.hold
    %1 = nn.hold %0 : (!held) -> !own
    %q = nn.unary sin %1 : (!own) -> !own
    %y = nn.attention %q, %k, %k {after = 1 : i64, before = 1 : i64, scale = 1.0 : f64} : (!own, !held, !held) -> !own
    %2 = nn.hold %k : (!held) -> !own
    nn.return %2, %y : !own, !own
  }
  // CHECK: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = nn.attention_grad
  // CHECK-SAME: -> (tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>, tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), terms(2.0: [0:3] [1:4])>>
  // Queries read what their rank owns, and so do their gradients.
  // CHECK: nn.unary cos %[[OWN]]
  // CHECK: %[[OFQUERIES:.*]] = nn.binary mul %[[DQ]]
  // A gradient that is whole already counts once.
  // CHECK: %[[PLACED:.*]] = nn.hold %{{.*}} : (tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>)
  // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), terms(2.0: [0:3] [1:4])>>
  // CHECK: nn.binary add %[[PLACED]], %[[DK]]
  // What a term is multiplied by is there in margins too.
  // CHECK: nn.binary mul %[[K]], %[[K]]
  // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), held(2.0: [0:3] [1:4])>>
  // CHECK: %[[OFKEYS:.*]] = nn.binary mul
  // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0), terms(2.0: [0:3] [1:4])>>
  // CHECK: %[[BOTH:.*]] = nn.hold %[[OFQUERIES]]
  // CHECK: %[[ALL:.*]] = nn.binary add %[[BOTH]], %[[OFKEYS]]
  // CHECK: nn.exchange %[[ALL]] {after = 1 : i64, back = true, before = 1 : i64, border = #nn.border<zero>, dim = 2 : i64, nn.backward, overlap = false, strategy = "neighbors"}
  // CHECK-SAME: -> tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
}
