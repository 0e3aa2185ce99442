// What is said of a whole program is said by operations that need all of it:
// one attribute less, or one of another kind, is refused.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

module {
  // expected-error @+1 {{'nn.model' op requires attribute 'run'}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], seed = 0 : i64, train = {}}
}

// -----

module {
  // expected-error @+1 {{'nn.model' op requires attribute 'prefixes'}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, run = {}, seed = 0 : i64, train = {}}
}

// -----

module {
  // expected-error @+1 {{'nn.model' op requires attribute 'gradients'}}
  "nn.model"() {model = "M", ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}} : () -> ()
}

// -----

module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  // expected-error @+1 {{'nn.model' op is the second of its module}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
}

// -----

module {
  // expected-error @+1 {{'nn.model' op has no 'lr' in its recipe}}
  nn.model "M" target cpu gradients parameters {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64,
      train = {accumulate = 1 : i64, clip = 0.0, decay = 0.0, frozen = [], momentum = 0.0, name = "r", nesterov = false, optimizer = "sgd", undecayed = []}}
}

// -----

#rate = {kind = "constant", max = 1.0, min = 0.0, steps = 0 : i64, warmup = 0 : i64}
module {
  // expected-error @+1 {{'nn.model' op has no 'nesterov' in its recipe}}
  nn.model "M" target cpu gradients parameters {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64,
      train = {accumulate = 1 : i64, clip = 0.0, decay = 0.0, frozen = [], lr = #rate, momentum = 0.0, name = "r", optimizer = "sgd", undecayed = []}}
}

// -----

#rate = {kind = "constant", max = 1.0, min = 0.0, steps = 0 : i64, warmup = 0 : i64}
module {
  // expected-error @+1 {{'nn.model' op has in its recipe 'betas' of another kind: [9.000000e-01]}}
  nn.model "M" target cpu gradients parameters {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64,
      train = {accumulate = 1 : i64, betas = [0.9], clip = 0.0, decay = 0.0, eps = 0.0, frozen = [], lr = #rate, name = "r", optimizer = "adamw", undecayed = []}}
}

// -----

#rate = {kind = "constant", max = 1.0, min = 0.0, steps = 0 : i64, warmup = 0 : i64}
module {
  // expected-error @+1 {{'nn.model' op has an optimizer 'adam', which is neither adamw nor sgd}}
  nn.model "M" target cpu gradients parameters {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64,
      train = {accumulate = 1 : i64, clip = 0.0, decay = 0.0, frozen = [], lr = #rate, name = "r", optimizer = "adam", undecayed = []}}
}

// -----

#rate = {kind = "constant", max = 1.0, min = 0.0, steps = 0 : i64, warmup = 0 : i64}
module {
  // expected-error @+1 {{'nn.model' op is trained by the gradients of its parameters, and has gradients none}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64,
      train = {accumulate = 1 : i64, clip = 0.0, decay = 0.0, frozen = [], lr = #rate, momentum = 0.0, name = "r", nesterov = false, optimizer = "sgd", undecayed = []}}
}

// -----

module {
  // expected-error @+1 {{'nn.model' op has a run of a recipe, and no recipe}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {steps = 3 : i64}, seed = 0 : i64, train = {}}
}

// -----

module {
  // expected-error @+1 {{'nn.placement' op requires attribute 'buckets'}}
  nn.placement "s" <tp=2> {backwardExpectations = [], expectations = [], moves = []}
}

// -----

module {
  // expected-error @+1 {{'nn.placement' op requires attribute 'mesh'}}
  "nn.placement"() {schedule = "s", backwardExpectations = [], buckets = [], expectations = [], moves = []} : () -> ()
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // expected-error @+1 {{'nn.placement' op is the second of its module}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
}

// -----

module {
  // expected-error @+1 {{'nn.placement' op has no 'limit' in an expectation}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [{comparison = "<", what = "memory"}], moves = []}
}

// -----

module {
  // expected-error @+1 {{'nn.placement' op has no 'counts' in an expectation of the backward}}
  nn.placement "s" <tp=2> {backwardExpectations = [{root = "bwd", line = loc("s":1:1)}], buckets = [], expectations = [], moves = []}
}

// -----

module {
  // expected-error @+1 {{'nn.placement' op has a dictionary for a bucket, found "dp"}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = ["dp"], expectations = [], moves = []}
}

// -----

module {
  // expected-error @+1 {{'nn.placement' op has a mesh of no rank, or of more than 1048576}}
  nn.placement "s" <tp=1048577> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
}
