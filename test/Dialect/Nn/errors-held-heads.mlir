// What the types of exchanged kv heads refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect

!seq = tensor<1x2x4x2xf32, #nn.layout<[1] [2] [4] [2], u: S(2.0)>>
!terms = tensor<1x2x4x2xf32, #nn.layout<[1] [2] [4] [2], u: S(1.0 sizes [1, 1]), terms(1.0: [0:1] [0:2])>>
nn.func @func_c4_turn(%x: !seq {nn.name = "x"}) -> !seq attributes {buffers = [], outputs = ["y"]} {
  // expected-error@below {{moves what is owned, and changes nothing of what is held}}
  %0 = nn.redistribute all_to_all %x over ["u"] : (!seq) -> !terms
  %1 = nn.redistribute all_to_all %0 over ["u"] : (!terms) -> !seq
  nn.return %1 : !seq
}

// -----

// Of four query heads over three ranks the second reads both kv heads.
!seq = tensor<1x2x4x2xf32, #nn.layout<[1] [2] [4] [2], u: S(2.0)>>
!q = tensor<1x4x4x2xf32, #nn.layout<[1] [4] [4] [2], u: S(1.0)>>
!k = tensor<1x2x4x2xf32, #nn.layout<[1] [2] [4] [2], u: S(1.0), held(1.0: [0:1] [1:2] [1:2])>>
!v = tensor<1x2x4x2xf32, #nn.layout<[1] [2] [4] [2], u: S(1.0), held(1.0: [0:1] [0:2] [1:2])>>
nn.func @func_c4_picks(%q: !q {nn.name = "q"}, %x: !seq {nn.name = "x"}) -> !q attributes {buffers = [], outputs = ["y"]} {
  %k = nn.redistribute all_to_all %x over ["u"] : (!seq) -> !k
  %v = nn.redistribute all_to_all %x over ["u"] : (!seq) -> !v
  // expected-error@below {{picks from dim 1 what ranks hold alike, as copies of what it reads and as terms of what it makes, but holds otherwise of 'tensor<1x2x4x2xf32, #nn.layout<[1] [2] [4] [2], u: S(1.0), held(1.0: [0:1] [0:2] [1:2])>>'}}
  %y = nn.attention %q, %k, %v {scale = 0.5 : f64} : (!q, !k, !v) -> !q
  nn.return %y : !q
}
