// What a program's function lacks or says otherwise than its results is refused.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op requires attribute 'outputs'}}
nn.func @no_outputs(%x: !t {nn.name = "x"}) -> !t attributes {buffers = []} {
  nn.return %x : !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op requires attribute 'buffers'}}
nn.func @no_buffers(%x: !t {nn.name = "x"}) -> !t attributes {outputs = ["y"]} {
  nn.return %x : !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op lacks the attribute 'nn.name' of argument 1, or has it of another kind}}
nn.func @no_name(%x: !t {nn.name = "x"}, %z: !t) -> !t attributes {buffers = [], outputs = ["y"]} {
  nn.return %x : !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op lacks the attribute 'nn.name' of argument 0, or has it of another kind}}
nn.func @number_for_name(%x: !t {nn.name = 1 : i64}) -> !t attributes {buffers = [], outputs = ["y"]} {
  nn.return %x : !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op has 'outputs' that name 1 results of 2}}
nn.func @one_output(%x: !t {nn.name = "x"}) -> (!t, !t) attributes {buffers = [], outputs = ["y"]} {
  nn.return %x, %x : !t, !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op names 2 buffers of 1 outputs}}
nn.func @two_buffers(%x: !t {nn.name = "x"}) -> !t attributes {buffers = ["a", "b"], outputs = ["a.next"]} {
  nn.return %x : !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
// expected-error @+1 {{'nn.func' op returns 'b.next' where the next value of the buffer 'a' belongs}}
nn.func @other_order(%x: !t {nn.name = "x"}) -> (!t, !t)
    attributes {buffers = ["a", "b"], outputs = ["b.next", "a.next"]} {
  nn.return %x, %x : !t, !t
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
nn.func @other_result(%x: !t {nn.name = "x"}) -> (!t, !t) attributes {buffers = [], outputs = ["y", "z"]} {
  // expected-error @+1 {{'nn.return' op returns ('tensor<4xf32, #nn.layout<[4]>>') from a function of ('tensor<4xf32, #nn.layout<[4]>>', 'tensor<4xf32, #nn.layout<[4]>>')}}
  nn.return %x : !t
}

// -----

func.func @of_another_dialect() {
  // expected-error @+1 {{'nn.return' op ends neither an nn.func nor an spmd.func}}
  nn.return
}

// -----

// expected-error @+1 {{'nn.func' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
nn.func @no_body() attributes {buffers = [], outputs = []}
