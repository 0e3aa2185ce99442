// RUN: hocket-opt %s --split-input-file --hocket-combine | FileCheck %s

#n = #nn.layout<>
#v = #nn.layout<[rows=4]>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // The second does not need the first, and is of its kind; what uses the first
  // comes after both.
  // CHECK-LABEL: spmd.func @independent
  // CHECK:      %[[HALF:.*]] = nn.unary neg %[[B:.*]] :
  // CHECK-NEXT: %[[SUMS:.*]]:2 = spmd.all_reduce_many sum %[[A:.*]], %[[HALF]] over ["dp"] {id = 0 : i64, spmd.origins = 
  // CHECK-NEXT: %[[USE:.*]] = nn.unary exp %[[SUMS]]#0
  // CHECK-NEXT: return %[[USE]], %[[SUMS]]#1
  spmd.func @independent(
      %a: tensor<4xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=4]>>},
      %b: tensor<f32, #n> {nn.name = "b", spmd.cuts = #spmd.box<<>>})
      -> (tensor<4xf32, #v> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<f32, #n> {nn.name = "y1", spmd.cuts = #spmd.box<<>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1, 2, 3>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %e = nn.unary exp %s : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %h = nn.unary neg %b : (tensor<f32, #n>) -> tensor<f32, #n>
    %t = spmd.all_reduce sum %h over ["dp"] {id = 1 : i64} : (tensor<f32, #n>) -> tensor<f32, #n>
    nn.return %e, %t : tensor<4xf32, #v>, tensor<f32, #n>
  }
}

// -----

#v = #nn.layout<[rows=4]>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // What needs another's result, reduces otherwise or over other axes stays.
  // CHECK-LABEL: spmd.func @dependent
  // CHECK: spmd.all_reduce max %{{.*}} over ["dp"] {id = 0 : i64}
  // CHECK: spmd.all_reduce sum %{{.*}} over ["dp"] {id = 1 : i64}
  // CHECK: spmd.all_reduce sum %{{.*}} over ["tp"] {id = 2 : i64}
  // CHECK: spmd.all_reduce sum %{{.*}} over ["dp"] {id = 3 : i64}
  spmd.func @dependent(%a: tensor<4xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (tensor<4xf32, #v> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1, 2, 3>} {
    %m = spmd.all_reduce max %a over ["dp"] {id = 0 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %s = spmd.all_reduce sum %a over ["dp"] {id = 1 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %d = nn.binary sub %m, %s : (tensor<4xf32, #v>, tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %t = spmd.all_reduce sum %d over ["tp"] {id = 2 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %u = spmd.all_reduce sum %t over ["dp"] {id = 3 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    nn.return %u : tensor<4xf32, #v>
  }
}

// -----

#v = #nn.layout<[rows=65536]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // 256 kB each: more than is gathered without a bucket.
  // CHECK-LABEL: spmd.func @large
  // CHECK-COUNT-2: spmd.all_reduce sum
  // CHECK-NOT: all_reduce_many
  spmd.func @large(
      %a: tensor<65536xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=65536]>>},
      %b: tensor<65536xf32, #v> {nn.name = "b", spmd.cuts = #spmd.box<<[rows=65536]>>})
      -> (tensor<65536xf32, #v> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=65536]>>, spmd.replicated_over = []},
          tensor<65536xf32, #v> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=65536]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (tensor<65536xf32, #v>) -> tensor<65536xf32, #v>
    %t = spmd.all_reduce sum %b over ["dp"] {id = 1 : i64} : (tensor<65536xf32, #v>) -> tensor<65536xf32, #v>
    nn.return %s, %t : tensor<65536xf32, #v>, tensor<65536xf32, #v>
  }
}

// -----

#v = #nn.layout<[rows=65536]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [{of = "gradients", axes = ["dp"], bytes = 600000 : i64}], expectations = [], moves = []}
  // Two fit into a bucket of 600 kB, the third begins another, past a
  // collective over which it waits.
  // CHECK-LABEL: spmd.func @buckets
  // CHECK: spmd.all_reduce max %{{.*}} over ["dp"] {id = 0 : i64}
  // CHECK: spmd.all_reduce_many sum %{{.*}}, %{{.*}} over ["dp"] {id = 1 : i64, spmd.origins = 
  // CHECK: spmd.all_reduce sum %{{.*}} over ["dp"] {id = 2 : i64}
  spmd.func @buckets(
      %a: tensor<65536xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=65536]>>},
      %b: tensor<65536xf32, #v> {nn.name = "b", spmd.cuts = #spmd.box<<[rows=65536]>>},
      %c: tensor<65536xf32, #v> {nn.name = "c", spmd.cuts = #spmd.box<<[rows=65536]>>})
      -> (tensor<65536xf32, #v> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=65536]>>, spmd.replicated_over = []},
          tensor<65536xf32, #v> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=65536]>>, spmd.replicated_over = []},
          tensor<65536xf32, #v> {nn.name = "y2", spmd.cuts = #spmd.box<<[rows=65536]>>, spmd.replicated_over = []},
          tensor<65536xf32, #v> {nn.name = "y3", spmd.cuts = #spmd.box<<[rows=65536]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (tensor<65536xf32, #v>) -> tensor<65536xf32, #v>
    %m = spmd.all_reduce max %a over ["dp"] {id = 1 : i64} : (tensor<65536xf32, #v>) -> tensor<65536xf32, #v>
    %t = spmd.all_reduce sum %b over ["dp"] {id = 2 : i64} : (tensor<65536xf32, #v>) -> tensor<65536xf32, #v>
    %u = spmd.all_reduce sum %c over ["dp"] {id = 3 : i64} : (tensor<65536xf32, #v>) -> tensor<65536xf32, #v>
    nn.return %s, %m, %t, %u : tensor<65536xf32, #v>, tensor<65536xf32, #v>, tensor<65536xf32, #v>, tensor<65536xf32, #v>
  }
}

// -----

#v = #nn.layout<[rows=3]>
#w = #nn.layout<[rows=2]>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // In one class the second needs the first, so in none they are one: ranks of
  // both classes meet in them.
  // CHECK-LABEL: spmd.func @class0
  // CHECK-NOT: all_reduce_many
  // CHECK-LABEL: spmd.func @class1
  // CHECK-NOT: all_reduce_many
  spmd.func @class0(
      %a: tensor<3xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=3]>>},
      %b: tensor<3xf32, #v> {nn.name = "b", spmd.cuts = #spmd.box<<[rows=3]>>})
      -> (tensor<3xf32, #v> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=3]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 2>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (tensor<3xf32, #v>) -> tensor<3xf32, #v>
    %t = spmd.all_reduce sum %b over ["dp"] {id = 1 : i64} : (tensor<3xf32, #v>) -> tensor<3xf32, #v>
    nn.return %t : tensor<3xf32, #v>
  }
  spmd.func @class1(
      %a: tensor<2xf32, #w> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=2]>>},
      %b: tensor<2xf32, #w> {nn.name = "b", spmd.cuts = #spmd.box<<[rows=2]>>})
      -> (tensor<2xf32, #w> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=2]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 1, 3>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (tensor<2xf32, #w>) -> tensor<2xf32, #w>
    %t = spmd.all_reduce sum %s over ["dp"] {id = 1 : i64} : (tensor<2xf32, #w>) -> tensor<2xf32, #w>
    nn.return %t : tensor<2xf32, #w>
  }
}

// -----

#r = #nn.layout<[rows=4]>
#h = #nn.layout<[rows=2]>
#c = #nn.layout<[rows=2] [cols=6]>
#d = #nn.layout<[rows=2] [cols=3]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // Gathers of stored parameters of one unit are done where the first is, each
  // along its own dim, over what they wait for otherwise.
  // CHECK-LABEL: spmd.func @units
  // CHECK:      %[[A:.*]] = nn.parameter "a"
  // CHECK-NEXT: %[[B:.*]] = nn.parameter "b"
  // CHECK-NEXT: %[[G:.*]]:2 = spmd.all_gather_many %[[A]], %[[B]] over ["dp"]
  // CHECK-SAME: cuts = [#spmd.cut<0, 0, offset = <dp: [0, 2]>, size = <2>>, #spmd.cut<1, 0, offset = <dp: [0, 3]>, size = <3>>], id = 0 : i64
  // CHECK:      spmd.all_reduce sum %{{.*}} {id = 1 : i64}
  // CHECK:      spmd.all_gather %{{.*}} id = 2 : i64
  spmd.func @units(%x: tensor<4xf32, #r> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (tensor<4xf32, #r> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<2x6xf32, #c> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=2] [cols=6]>>, spmd.replicated_over = []},
          tensor<4xf32, #r> {nn.name = "y2", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %a = nn.parameter "a" : tensor<2xf32, #h>
    %g = spmd.all_gather %a over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64, nn.unit = "h.0", offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %p = nn.binary mul %x, %g : (tensor<4xf32, #r>, tensor<4xf32, #r>) -> tensor<4xf32, #r>
    %s = spmd.all_reduce sum %p over ["dp"] {id = 1 : i64} : (tensor<4xf32, #r>) -> tensor<4xf32, #r>
    %b = nn.parameter "b" : tensor<2x3xf32, #d>
    %h = spmd.all_gather %b over ["dp"] {dim = 1 : i64, factor = 0 : i64, id = 2 : i64, nn.unit = "h.0", offsets = #spmd.table<dp: [0, 3]>, sizes = #spmd.table<3>} : (tensor<2x3xf32, #d>) -> tensor<2x6xf32, #c>
    %e = nn.parameter "e" : tensor<2xf32, #h>
    %k = spmd.all_gather %e over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 3 : i64, nn.unit = "h.1", offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    nn.return %s, %h, %k : tensor<4xf32, #r>, tensor<2x6xf32, #c>, tensor<4xf32, #r>
  }
}

// -----

#r = #nn.layout<[rows=4]>
#h = #nn.layout<[rows=2]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [{of = "parameters", axes = ["dp"], bytes = 32 : i64}], expectations = [], moves = []}
  // Two of 16 bytes fill a bucket of parameters, whatever their units; what is
  // computed is not gathered with them.
  // CHECK-LABEL: spmd.func @sized
  // CHECK: spmd.all_gather_many %{{.*}}, %{{.*}} over ["dp"]
  // CHECK-COUNT-2: spmd.all_gather %
  // CHECK-NOT: all_gather
  spmd.func @sized(%x: tensor<2xf32, #h> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=2]>>})
      -> (tensor<4xf32, #r> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<4xf32, #r> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<4xf32, #r> {nn.name = "y2", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<4xf32, #r> {nn.name = "y3", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %a = nn.parameter "a" : tensor<2xf32, #h>
    %b = nn.parameter "b" : tensor<2xf32, #h>
    %c = nn.parameter "c" : tensor<2xf32, #h>
    %f = spmd.all_gather %a over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64, nn.unit = "h.0", offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %g = spmd.all_gather %b over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 1 : i64, nn.unit = "h.1", offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %h = spmd.all_gather %c over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 2 : i64, nn.unit = "h.1", offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %k = spmd.all_gather %x over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 3 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    nn.return %f, %g, %h, %k : tensor<4xf32, #r>, tensor<4xf32, #r>, tensor<4xf32, #r>, tensor<4xf32, #r>
  }
}

// -----

#v = #nn.layout<[rows=4]>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [{of = "gradients", axes = ["dp"], bytes = 1 : i64}, {of = "parameters", axes = ["dp", "tp"], bytes = 1 : i64}], expectations = [], moves = []}
  // A bucket is for what it names, and over its axes, not over more.
  // CHECK-LABEL: spmd.func @others
  // CHECK: spmd.all_reduce_many sum %{{.*}}, %{{.*}} over ["dp", "tp"]
  spmd.func @others(
      %a: tensor<4xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=4]>>},
      %b: tensor<4xf32, #v> {nn.name = "b", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (tensor<4xf32, #v> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<4xf32, #v> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1, 2, 3>} {
    %s = spmd.all_reduce sum %a over ["dp", "tp"] {id = 0 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %t = spmd.all_reduce sum %b over ["dp", "tp"] {id = 1 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    nn.return %s, %t : tensor<4xf32, #v>, tensor<4xf32, #v>
  }
}

// -----

#v = #nn.layout<[rows=4]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // Elements of two types are not moved together.
  // CHECK-LABEL: spmd.func @types
  // CHECK-NOT: all_reduce_many
  spmd.func @types(
      %a: tensor<4xf32, #v> {nn.name = "a", spmd.cuts = #spmd.box<<[rows=4]>>},
      %b: tensor<4xbf16, #v> {nn.name = "b", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (tensor<4xf32, #v> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<4xbf16, #v> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (tensor<4xf32, #v>) -> tensor<4xf32, #v>
    %t = spmd.all_reduce sum %b over ["dp"] {id = 1 : i64} : (tensor<4xbf16, #v>) -> tensor<4xbf16, #v>
    nn.return %s, %t : tensor<4xf32, #v>, tensor<4xbf16, #v>
  }
}

// -----

#r = #nn.layout<[rows=4]>
#h = #nn.layout<[rows=2]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // Of what is computed, gathers and the scatters of a forward stay alone.
  // CHECK-LABEL: spmd.func @computed
  // CHECK-NOT: _many
  // CHECK: return
  spmd.func @computed(
      %x: tensor<2xf32, #h> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=2]>>},
      %y: tensor<4xf32, #r> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (tensor<4xf32, #r> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<4xf32, #r> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<2xf32, #h> {nn.name = "y2", spmd.cuts = #spmd.box<<[rows=2]>>, spmd.replicated_over = []},
          tensor<2xf32, #h> {nn.name = "y3", spmd.cuts = #spmd.box<<[rows=2]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %f = spmd.all_gather %x over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %g = spmd.all_gather %x over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 1 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %s = spmd.reduce_scatter sum %y over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 2 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<4xf32, #r>) -> tensor<2xf32, #h>
    %t = spmd.reduce_scatter sum %y over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 3 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<4xf32, #r>) -> tensor<2xf32, #h>
    nn.return %f, %g, %s, %t : tensor<4xf32, #r>, tensor<4xf32, #r>, tensor<2xf32, #h>, tensor<2xf32, #h>
  }
}

// -----

#r = #nn.layout<[rows=4]>
#h = #nn.layout<[rows=2]>
#s = #nn.layout<[rows=6]>
#k = #nn.layout<[rows=3]>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [{of = "parameters", axes = ["dp"], bytes = 32 : i64}], expectations = [], moves = []}
  // A bucket of 16 bytes that the next one, of 24, did not fit into is full:
  // the third, of 16, is not gathered before the second.
  // CHECK-LABEL: spmd.func @full
  // CHECK-NOT: all_gather_many
  // CHECK: return
  spmd.func @full()
      -> (tensor<4xf32, #r> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []},
          tensor<6xf32, #s> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=6]>>, spmd.replicated_over = []},
          tensor<4xf32, #r> {nn.name = "y2", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %a = nn.parameter "a" : tensor<2xf32, #h>
    %b = nn.parameter "b" : tensor<3xf32, #k>
    %c = nn.parameter "c" : tensor<2xf32, #h>
    %f = spmd.all_gather %a over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    %g = spmd.all_gather %b over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 1 : i64, offsets = #spmd.table<dp: [0, 3]>, sizes = #spmd.table<3>} : (tensor<3xf32, #k>) -> tensor<6xf32, #s>
    %h = spmd.all_gather %c over ["dp"] {dim = 0 : i64, factor = 0 : i64, id = 2 : i64, offsets = #spmd.table<dp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, #h>) -> tensor<4xf32, #r>
    nn.return %f, %g, %h : tensor<4xf32, #r>, tensor<6xf32, #s>, tensor<4xf32, #r>
  }
}
