// What layouts, meshes, nn.value and nn.redistribute refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect

// expected-error@below {{a factor has size -1; sizes are not negative}}
func.func private @factor_c1() attributes {a = #nn.layout<[-1]>}

// -----

// expected-error@below {{a dim has no factor; a dim of size 1 is [1]}}
func.func private @dim_c1() attributes {a = #nn.layout<[]>}

// -----

// expected-error@below {{the tensor has 1 dims, its layout 2}}
func.func private @layout_c1_rank(tensor<4xf32, #nn.layout<[4] [1]>>)

// -----

// expected-error@below {{dim 1 has size 12, but its factors make 15}}
func.func private @layout_c1_size(tensor<4x12xf32, #nn.layout<[4] [3 5]>>)

// -----

// expected-error@below {{axis "tp" is listed twice}}
func.func private @layout_c2() attributes {a = #nn.layout<[4], tp: S(0.0), tp: P(sum)>}

// -----

// expected-error@below {{axis "tp" splits dim 1 of a tensor of 1 dims}}
func.func private @layout_c3_dim() attributes {a = #nn.layout<[4], tp: S(1.0)>}

// -----

// expected-error@below {{axis "tp" splits factor 2 of dim 0, which has 2}}
func.func private @layout_c3_factor() attributes {a = #nn.layout<[2 2], tp: S(0.2)>}

// -----

// expected-error@below {{axis "tp" splits factor 0 of dim 0 in parts of negative size}}
func.func private @layout_c4_negative() attributes {a = #nn.layout<[4], tp: S(0.0 sizes [5, -1])>}

// -----

// expected-error@below {{axis "tp" splits 4 of factor 0 of dim 0 in parts of 5 together}}
func.func private @layout_c4_sum() attributes {a = #nn.layout<[4], tp: S(0.0 sizes [2, 3])>}

// -----

// expected-error@below {{axis "tp" splits 3 of factor 0 of dim 0 in parts of 2 together}}
func.func private @layout_c4_inner() attributes {a = #nn.layout<[4], dp: S(0.0 sizes [3, 1]), tp: S(0.0 sizes [1, 1, 1, 1])>}

// -----

// expected-error@below {{axis "tp" splits 2 parts of factor 0 of dim 0, and lists 3 sizes}}
func.func private @layout_c4_count() attributes {a = #nn.layout<[4], dp: S(0.0 sizes [3, 1]), tp: S(0.0 sizes [1, 2, 1])>}

// -----

// expected-error@below {{expected the numbers of a dim and of its factor, as in S(2.0)}}
func.func private @split_without_factor() attributes {a = #nn.layout<[4], tp: S(0.)>}

// -----

// expected-error@below {{axis "tp" has bounds that fall}}
func.func private @layout_c4_bounds_fall() attributes {a = #nn.layout<[4], tp: S(0.0 sizes [1, 1, 2] bounds [2, 1] / 2)>}

// -----

// expected-error@below {{axis "tp" lists 1 bounds between 3 sizes}}
func.func private @layout_c4_bounds_count() attributes {a = #nn.layout<[4], tp: S(0.0 sizes [1, 1, 2] bounds [1] / 2)>}

// -----

// expected-error@below {{axis "tp" has bounds in parts of 1 / 0}}
func.func private @layout_c4_denominator() attributes {a = #nn.layout<[4], tp: S(0.0 bounds [1] / 0)>}

// -----

// expected-error@below {{expected S(dim.factor) or P(sum|max|min), found 'Q'}}
func.func private @unknown_placement() attributes {a = #nn.layout<[4], tp: Q(0.0)>}

// -----

// expected-error@below {{expected sum, max or min, found 'mean'}}
func.func private @unknown_reduction() attributes {a = #nn.layout<[4], tp: P(mean)>}

// -----

// expected-error@below {{mesh axis "tp" has size 0; an axis has at least 1 rank}}
func.func private @mesh_c1() attributes {a = #nn.mesh<tp=0>}

// -----

// expected-error@below {{mesh axis "tp" is declared twice}}
func.func private @mesh_c2() attributes {a = #nn.mesh<tp=2, tp=2>}

// -----

func.func @tensor_without_layout(%x: tensor<4xf32>) {
  // expected-error@below {{'nn.unary' op operand #0 must be tensor with a #nn.layout, but got 'tensor<4xf32>'}}
  %0 = nn.unary exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @value_c1(%x: tensor<12xf32, #nn.layout<[heads=3 head_dim=4]>>) {
  // expected-error@below {{'nn.value' op is the identity, but x is f32[(heads 3, head_dim 4)] and the result f32[12]}}
  %0 = nn.value binding "q" %x : (tensor<12xf32, #nn.layout<[heads=3 head_dim=4]>>) -> tensor<12xf32, #nn.layout<[12]>>
  return
}

// -----

func.func @redistribute_kind(%x: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{custom op 'nn.redistribute' expected ::hocket::nn::RedistributeKind to be one of: all_reduce, reduce_scatter, all_gather, all_to_all, repartition, slice, broadcast, mask}}
  // expected-error@below {{custom op 'nn.redistribute' failed to parse Nn_RedistributeKindAttr parameter 'value' which is to be a `::hocket::nn::RedistributeKind`}}
  %0 = nn.redistribute gather %x over ["tp"] : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @redistribute_repartition_c2(%x: tensor<4x4xf32, #nn.layout<[4] [4], tp: S(0.0)>>) {
  // expected-error@below {{'nn.redistribute' op splits the same factor over 'tp', but x and the result are split by others}}
  %0 = nn.redistribute repartition %x over ["tp"] : (tensor<4x4xf32, #nn.layout<[4] [4], tp: S(0.0)>>) -> tensor<4x4xf32, #nn.layout<[4] [4], tp: S(1.0)>>
  return
}

// -----

func.func @redistribute_all_to_all_c2_parts(%x: tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>) {
  // expected-error@below {{'nn.redistribute' op splits another factor over 'tp', but x and the result are split alike}}
  %0 = nn.redistribute all_to_all %x over ["tp"] : (tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>) -> tensor<4xf32, #nn.layout<[4], tp: S(0.0 sizes [1, 3])>>
  return
}

// -----

func.func @redistribute_c1(%x: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{'nn.redistribute' op keeps element type and factors, but x is f32[4] and the result f32[5]}}
  %0 = nn.redistribute slice %x over ["tp"] : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<5xf32, #nn.layout<[5], tp: S(0.0)>>
  return
}

// -----

func.func @redistribute_no_axis(%x: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{'nn.redistribute' op needs an axis}}
  %0 = nn.redistribute slice %x over [] : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @redistribute_axis_twice(%x: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{'nn.redistribute' op names axis 'tp' twice}}
  %0 = nn.redistribute slice %x over ["tp", "tp"] : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>
  return
}

// -----

func.func @redistribute_c2_from(%x: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{'nn.redistribute' op goes from P to R over 'tp', but x is R and the result R there}}
  %0 = nn.redistribute all_reduce %x over ["tp"] : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @redistribute_c2_to(%x: tensor<4xf32, #nn.layout<[4], tp: P(sum)>>) {
  // expected-error@below {{'nn.redistribute' op goes from P to S over 'tp', but x is P and the result R there}}
  %0 = nn.redistribute reduce_scatter %x over ["tp"] : (tensor<4xf32, #nn.layout<[4], tp: P(sum)>>) -> tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @redistribute_c2_alike(%x: tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>) {
  // expected-error@below {{'nn.redistribute' op splits another factor over 'tp', but x and the result are split alike}}
  %0 = nn.redistribute all_to_all %x over ["tp"] : (tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>) -> tensor<4xf32, #nn.layout<[4], tp: S(0.0)>>
  return
}

// -----

func.func @redistribute_c2_mask(%x: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{'nn.redistribute' op makes a P(sum) over 'tp', but the result is P(max) there}}
  %0 = nn.redistribute mask %x over ["tp"] : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4], tp: P(max)>>
  return
}

// -----

func.func @redistribute_c2_elsewhere(%x: tensor<4x4xf32, #nn.layout<[a=4] [b=4], dp: S(0.0), tp: P(sum)>>) {
  // expected-error@below {{'nn.redistribute' op changes the placement from S(a) over dp, P(sum) over tp to S(b) over dp, not only over its axes}}
  %0 = nn.redistribute all_reduce %x over ["tp"] : (tensor<4x4xf32, #nn.layout<[a=4] [b=4], dp: S(0.0), tp: P(sum)>>) -> tensor<4x4xf32, #nn.layout<[a=4] [b=4], dp: S(1.0)>>
  return
}

// -----

func.func @redistribute_root(%x: tensor<4xf32, #nn.layout<[4], tp: P(sum)>>) {
  // expected-error@below {{'nn.redistribute' op has a root, which only a broadcast has}}
  %0 = nn.redistribute all_reduce %x over ["tp"] {root = 0 : i64} : (tensor<4xf32, #nn.layout<[4], tp: P(sum)>>) -> tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @redistribute_c3_operand(%x: tensor<8xf32, #nn.layout<[8], tp: S(0.0), dp: S(0.0)>>) {
  // expected-error@below {{'nn.redistribute' op moves axis "tp", inside of which "dp" splits the same factor of x; the axes that move must be the inner ones}}
  %0 = nn.redistribute all_gather %x over ["tp"] : (tensor<8xf32, #nn.layout<[8], tp: S(0.0), dp: S(0.0)>>) -> tensor<8xf32, #nn.layout<[8], dp: S(0.0)>>
  return
}

// -----

func.func @redistribute_c3_result(%x: tensor<8xf32, #nn.layout<[8], dp: S(0.0)>>) {
  // expected-error@below {{'nn.redistribute' op moves axis "tp", inside of which "dp" splits the same factor of the result; the axes that move must be the inner ones}}
  %0 = nn.redistribute slice %x over ["tp"] : (tensor<8xf32, #nn.layout<[8], dp: S(0.0)>>) -> tensor<8xf32, #nn.layout<[8], tp: S(0.0), dp: S(0.0)>>
  return
}

// -----

// expected-error@below {{axis "h" is in zigzag order, which says its sizes}}
func.func private @split_c5_sizes() attributes {a = #nn.layout<[8], h: S(0.0 zigzag sizes [3, 5])>}
