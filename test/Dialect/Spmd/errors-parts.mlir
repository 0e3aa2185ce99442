// What knows which part of the whole it has: parts that do not fit each other.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!v = tensor<4xf32, #nn.layout<[4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @holds_another_share() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.parameter' op has 4 of factor 0.0, of which its box has 3}}
    %w = spmd.parameter "w" {box = #spmd.box<<[7]>, <0, 0, offset = <tp: [0, 4]>, size = <tp: [4, 3]>>>, onlyFirstOf = []} : !v
    nn.return
  }
  func.func @holds_not_all() {
    // expected-error @+1 {{'spmd.state' op has 4 of factor 0.0, of which its box has all 5}}
    %w = spmd.state "w" {box = #spmd.box<<[5]>>, init = 0.0 : f64} : !v
    return
  }
  spmd.func @holds_outside() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.parameter' op has [5, 9) of factor 0.0, which is not within [0, 8)}}
    %w = spmd.parameter "w" {box = #spmd.box<<[8]>, <0, 0, offset = <tp: [0, 5]>, size = <4>>>, onlyFirstOf = []} : !v
    nn.return
  }
  func.func @holds_other_dims() {
    // expected-error-re @+1 {{'spmd.parameter' op has not the factors of its box: 'tensor<4xf32, #nn.layout<[4]>>' and #spmd.box<{{.*}}[2] [2]{{.*}}}}
    %w = spmd.parameter "w" {box = #spmd.box<<[2] [2]>>, onlyFirstOf = []} : !v
    return
  }
  spmd.func @shares_apart() attributes {ranks = array<i64: 0>} {
    // expected-error @+1 {{'spmd.parameter' op expects shares one after another, one begins at 5 instead of 4}}
    %w = spmd.parameter "w" {box = #spmd.box<<[8]>, <0, 0, offset = <tp: [0, 5]>, size = <4>>>, onlyFirstOf = []} : !v
    nn.return
  }
  spmd.func @shares_of_more() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.parameter' op shares add up to 8 of 9}}
    %w = spmd.parameter "w" {box = #spmd.box<<[9]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>, onlyFirstOf = []} : !v
    nn.return
  }
  func.func @one_value_short() {
    // expected-error @+1 {{'spmd.parameter' op needs 2 values, one for each coordinate, found #spmd.table<tp: [0]>}}
    %w = spmd.parameter "w" {box = #spmd.box<<[8]>, <0, 0, offset = <tp: [0]>, size = <4>>>, onlyFirstOf = []} : !v
    return
  }
  func.func @first_of_no_axis() {
    // expected-error @+1 {{'spmd.parameter' op names axis "dp", which #nn.mesh<tp=2> has not}}
    %w = spmd.parameter "w" {box = #spmd.box<<[4]>>, onlyFirstOf = ["dp"]} : !v
    return
  }
  spmd.func @rank_of_no_mesh() attributes {ranks = array<i64: 2>} {
    // expected-error @+1 {{'spmd.parameter' op is of rank 2, of 2}}
    %w = spmd.parameter "w" {box = #spmd.box<<[8]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>, onlyFirstOf = []} : !v
    nn.return
  }
}

// -----

!v = tensor<4xf32, #nn.layout<[4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @no_dim() {
    // expected-error @+1 {{'spmd.iota' op counts along dim 1 of f32[4]}}
    %i = spmd.iota {dim = 1 : i64, positions = #spmd.positions<<0> of 4>} : () -> !v
    return
  }
  func.func @begins_late() {
    // expected-error @+1 {{'spmd.iota' op has positions of [0, 8) that begin at #spmd.table<tp: [1, 4]>}}
    %i = spmd.iota {dim = 0 : i64, positions = #spmd.positions<<tp: [1, 4]> of 8>} : () -> !v
    return
  }
  spmd.func @runs_beyond_the_end() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.iota' op has positions in runs from 6 to 9, which do not rise in [0, 8)}}
    %i = spmd.iota {dim = 0 : i64, positions = #spmd.positions<<tp: [0, 4]> of 8 runs <begin <tp: [0, 4]>, first <tp: [6, 2]>, length <2>, every <2>>>} : () -> !v
    nn.return
  }
  func.func @rows_in_runs(%table: tensor<4x4xf32, #nn.layout<[4] [4]>>, %ids: tensor<3xi32, #nn.layout<[3]>>) {
    // expected-error @+1 {{'spmd.embedding' op has rows in several runs}}
    %y = spmd.embedding %table, %ids {rows = #spmd.positions<<tp: [0, 4]> of 8 runs <begin <tp: [0, 4]>, first <tp: [0, 2]>, length <2>, every <4>>>} : (tensor<4x4xf32, #nn.layout<[4] [4]>>, tensor<3xi32, #nn.layout<[3]>>) -> tensor<3x4xf32, #nn.layout<[3] [4]>>
    return
  }
  spmd.func @leaves_a_gap() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.iota' op has 4 positions from 0 on, where the next part begins at 5}}
    %i = spmd.iota {dim = 0 : i64, positions = #spmd.positions<<tp: [0, 5]> of 9>} : () -> !v
    nn.return
  }
}

// -----

// expected-error @+1 {{runs have lengths of at least 1, found 0}}
func.func private @no_length() attributes {a = #spmd.runs<begin <0>, first <0>, length <0>, every <4>>}

// -----

!x = tensor<4x8xf32, #nn.layout<[4] [8]>>
!t = tensor<3x8xf32, #nn.layout<[3] [8]>>
!step = tensor<i32, #nn.layout<>>
!ids = tensor<5xi32, #nn.layout<[5]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @rotary_outside(%x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[4] [8]>>})
      attributes {ranks = array<i64: 1>} {
    // expected-error @+1 {{'spmd.rotary' op has positions [5, 9), which are not within [0, 8)}}
    %y = spmd.rotary %x {dim = 0 : i64, base = 1.0e4 : f64, style = #nn.rotary_style<half>, inverse = false, frequencies = array<f64>, positions = #spmd.positions<<tp: [0, 5]> of 8>} : (!x) -> !x
    nn.return
  }
  func.func @rotary_forgets(%x: !x) {
    // expected-error @+1 {{'spmd.rotary' op requires attribute 'positions'}}
    %y = spmd.rotary %x {dim = 0 : i64, base = 1.0e4 : f64, style = #nn.rotary_style<half>, inverse = false, frequencies = array<f64>} : (!x) -> !x
    return
  }
  spmd.func @dropout_of_other_words(
      %x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[4] [8]>>},
      %s: !step {nn.name = "s", spmd.cuts = #spmd.box<<>>})
      attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.dropout' op draws word 33 first, for element 32 of the whole; other ranks of the class draw 0 after the element}}
    %y = spmd.dropout %x, %s {p = 0.1 : f64, draws = #spmd.draws<1, first = <tp: [0, 33]>, of = <<[8] [8]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>>} : (!x, !step) -> !x
    nn.return
  }
  func.func @dropout_of_nothing(%x: !x, %s: !step) {
    // expected-error @+1 {{'spmd.dropout' op takes a p above 0 and below 1, but it is 0}}
    %y = spmd.dropout %x, %s {p = 0.0 : f64, draws = #spmd.draws<1, first = <0>, of = <<[4] [8]>>>} : (!x, !step) -> !x
    return
  }
  func.func @dropout_of_integers(%x: tensor<4xi32, #nn.layout<[4]>>, %s: !step) {
    // expected-error @+1 {{'spmd.dropout' op takes and gives the same floats, found 'tensor<4xi32, #nn.layout<[4]>>' and 'tensor<4xi32, #nn.layout<[4]>>'}}
    %y = spmd.dropout %x, %s {p = 0.1 : f64, draws = #spmd.draws<1, first = <0>, of = <<[4]>>>} : (tensor<4xi32, #nn.layout<[4]>>, !step) -> tensor<4xi32, #nn.layout<[4]>>
    return
  }
  spmd.func @rows_apart(
      %t: !t {nn.name = "t", spmd.cuts = #spmd.box<<[3] [8]>>},
      %i: !ids {nn.name = "i", spmd.cuts = #spmd.box<<[5]>>})
      attributes {ranks = array<i64: 1>} {
    // expected-error @+1 {{'spmd.embedding' op has 3 rows from 4 on, where the next part begins at 8}}
    %y = spmd.embedding %t, %i {rows = #spmd.positions<<tp: [0, 4]> of 8>} : (!t, !ids) -> tensor<5x8xf32, #nn.layout<[5] [8]>>
    nn.return
  }
}

// -----

!x = tensor<1x1x6xf32, #nn.layout<[1] [1] [6]>>
!y = tensor<1x1x4xf32, #nn.layout<[1] [1] [4]>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @reads_what_it_has_not(%x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[1] [1] [6]>>})
      attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'spmd.pool' op reads [3, 8) along spatial dim 0, and has [4, 10)}}
    %y = spmd.pool %x {kind = #nn.pool_kind<max>, taps = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, counts_border = true,
        positions = [#spmd.positions<<h: [-1, 4]> of 8>], windows = [#spmd.positions<<h: [0, 4]> of 8>]} : (!x) -> !y
    nn.return
  }
  func.func @too_many_windows(%x: !x) {
    // expected-error @+1 {{'spmd.pool' op gives 10 results along spatial dim 0, where 8 windows fit}}
    %y = spmd.pool %x {kind = #nn.pool_kind<max>, taps = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, counts_border = true,
        positions = [#spmd.positions<<0> of 8>], windows = [#spmd.positions<<0> of 10>]} : (!x) -> !y
    return
  }
  func.func @no_positions(%x: !x) {
    // expected-error @+1 {{'spmd.pool' op needs taps, a stride and a dilation of at least 1, a low and a high of at least 0, and positions of x and y for each of its 1 spatial dims}}
    %y = spmd.pool %x {kind = #nn.pool_kind<max>, taps = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, counts_border = true,
        positions = [], windows = [#spmd.positions<<0> of 8>]} : (!x) -> !y
    return
  }
  func.func @no_spatial_dim(%x: tensor<1x1xf32, #nn.layout<[1] [1]>>) {
    // expected-error @+1 {{'spmd.pool' op takes floats of 3 to 5 dims and gives as many, of the same batch and channels, found f32[1, 1] and f32[1, 1, 4]}}
    %y = spmd.pool %x {kind = #nn.pool_kind<max>, taps = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, counts_border = true,
        positions = [#spmd.positions<<0> of 8>], windows = [#spmd.positions<<0> of 8>]} : (tensor<1x1xf32, #nn.layout<[1] [1]>>) -> !y
    return
  }
}

// -----

!q = tensor<1x4x2x8xf32, #nn.layout<[1] [4] [2] [8]>>
!k = tensor<1x2x4x8xf32, #nn.layout<[1] [2] [4] [8]>>
!step = tensor<i32, #nn.layout<>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @groups(%q: !q, %k: !k) {
    // expected-error @+1 {{'spmd.attention' op has 8 query heads in groups of 3, for 4 kv heads}}
    %y = spmd.attention %q, %k, %k {block_layout = {}, causal = false, scale = 0.5 : f64, group = 3 : i64, heads = #spmd.positions<<tp: [0, 4]> of 8>, kvHeads = #spmd.positions<<tp: [0, 2]> of 4>, keys = #spmd.positions<<0> of 4>} : (!q, !k, !k) -> !q
    return
  }
  spmd.func @other_heads(
      %q: !q {nn.name = "q", spmd.cuts = #spmd.box<<[1] [4] [2] [8]>>},
      %k: !k {nn.name = "k", spmd.cuts = #spmd.box<<[1] [2] [4] [8]>>})
      attributes {ranks = array<i64: 1>} {
    // expected-error @+1 {{'spmd.attention' op reads kv heads [2, 6), and has [0, 2)}}
    %y = spmd.attention %q, %k, %k {block_layout = {}, causal = false, scale = 0.5 : f64, group = 1 : i64, heads = #spmd.positions<<tp: [0, 2]> of 6>, kvHeads = #spmd.positions<<tp: [2, 0]> of 6>, keys = #spmd.positions<<0> of 4>} : (!q, !k, !k) -> !q
    nn.return
  }
  func.func @all_keys(%q: !q, %k: !k) {
    // expected-error @+1 {{'spmd.attention' op reads keys [0, 5), and has [0, 4)}}
    %y = spmd.attention %q, %k, %k {block_layout = {}, causal = false, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 5>} : (!q, !k, !k) -> !q
    return
  }
  func.func @other_documents(%q: !q, %k: !k, %ids: tensor<1x2xi32, #nn.layout<[1] [2]>>) {
    // expected-error @+1 {{attention takes k and documents of keys with the same number of keys, but k has 4 and documents of keys 2}}
    %y = spmd.attention %q, %k, %k documents %ids, %ids {block_layout = {}, causal = false, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 4>} : (!q, !k, !k, tensor<1x2xi32, #nn.layout<[1] [2]>>, tensor<1x2xi32, #nn.layout<[1] [2]>>) -> !q
    return
  }
  func.func @bias_of_the_rank(%q: !q, %k: !k, %b: tensor<1x1x1x4xf32, #nn.layout<[1] [1] [1] [4]>>, %l: tensor<1x4x2xf32, #nn.layout<[1] [4] [2]>>) {
    // expected-error @+1 {{attention takes a bias for each of 5 keys, but it has 4}}
    %y, %m = spmd.attention %q, %k, %k bias %b {block_layout = {}, causal = false, isTerm, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<1> of 5>} : (!q, !k, !k, tensor<1x1x1x4xf32, #nn.layout<[1] [1] [1] [4]>>) -> (!q, tensor<1x4x2xf32, #nn.layout<[1] [4] [2]>>)
    return
  }
  func.func @term_without_lse(%q: !q, %k: !k) {
    // expected-error @+1 {{'spmd.attention' op is a term, and has no lse to merge it by}}
    %y = spmd.attention %q, %k, %k {block_layout = {}, causal = false, isTerm, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 5>} : (!q, !k, !k) -> !q
    return
  }
  func.func @no_queries(%q: !q, %k: !k) {
    // expected-error @+1 {{'spmd.attention' op needs the positions of its queries if and only if they do not see all keys}}
    %y = spmd.attention %q, %k, %k {block_layout = {}, causal = true, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 4>} : (!q, !k, !k) -> !q
    return
  }
  func.func @no_draws(%q: !q, %k: !k, %s: !step) {
    // expected-error @+1 {{'spmd.attention' op needs `dropout` and `draws` if and only if there is a step}}
    %y = spmd.attention %q, %k, %k step %s {block_layout = {}, causal = false, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 4>, dropout = 0.1 : f64} : (!q, !k, !k, !step) -> !q
    return
  }
  func.func @drops_all(%q: !q, %k: !k, %s: !step) {
    // expected-error @+1 {{'spmd.attention' op takes a dropout above 0 and below 1, but it is 1}}
    %y = spmd.attention %q, %k, %k step %s {block_layout = {}, causal = false, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 4>, dropout = 1.0 : f64, draws = #spmd.draws<1, first = <0>, of = <<[1] [4] [2] [4]>>>} : (!q, !k, !k, !step) -> !q
    return
  }
  func.func @steps(%q: !q, %k: !k, %s: tensor<2xi32, #nn.layout<[2]>>) {
    // expected-error @+1 {{'spmd.attention' op takes a step that is an i32 without dims, found 'tensor<2xi32, #nn.layout<[2]>>'}}
    %y = spmd.attention %q, %k, %k step %s {block_layout = {}, causal = false, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 4>, dropout = 0.1 : f64, draws = #spmd.draws<1, first = <0>, of = <<[1] [4] [2] [4]>>>} : (!q, !k, !k, tensor<2xi32, #nn.layout<[2]>>) -> !q
    return
  }
  func.func @draws_of_other_keys(%q: !q, %k: !k, %s: !step) {
    // expected-error-re @+1 {{'spmd.attention' op draws for weights of 4 keys, found #spmd.box<{{.*}}[5]{{.*}}}}
    %y = spmd.attention %q, %k, %k step %s {block_layout = {}, causal = false, scale = 0.5 : f64, group = 2 : i64, heads = #spmd.positions<<0> of 4>, kvHeads = #spmd.positions<<0> of 2>, keys = #spmd.positions<<0> of 4>, dropout = 0.1 : f64, draws = #spmd.draws<1, first = <0>, of = <<[1] [4] [2] [5]>>>} : (!q, !k, !k, !step) -> !q
    return
  }
}

// -----

!q = tensor<1x1x4x8xf32, #nn.layout<[1] [1] [4] [8]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @other_extents(%q: !q) {
    // expected-error @+1 {{'spmd.neighborhood_attention' op shows each query 3 keys 1 apart along dim 2, where it has 4 queries and 5 keys}}
    %y = spmd.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 0.5 : f64, group = 1 : i64, heads = #spmd.positions<<0> of 1>, kvHeads = #spmd.positions<<0> of 1>, queries = [#spmd.positions<<0> of 4>], keys = [#spmd.positions<<0> of 5>]} : (!q, !q, !q) -> !q
    return
  }
  func.func @no_dims(%q: !q) {
    // expected-error @+1 {{'spmd.neighborhood_attention' op needs the positions of queries and keys along 1 dims}}
    %y = spmd.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 0.5 : f64, group = 1 : i64, heads = #spmd.positions<<0> of 1>, kvHeads = #spmd.positions<<0> of 1>, queries = [], keys = [#spmd.positions<<0> of 4>]} : (!q, !q, !q) -> !q
    return
  }
}

// -----

!v = tensor<4xf32, #nn.layout<[4]>>
func.func @no_extent() {
  // expected-error @+1 {{a dim has no -1 positions}}
  %i = spmd.iota {dim = 0 : i64, positions = #spmd.positions<<0> of -1>} : () -> !v
  return
}
