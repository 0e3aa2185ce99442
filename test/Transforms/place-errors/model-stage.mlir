// What is no model stage is said before anything is placed.
// RUN: hocket-opt %s -split-input-file -hocket-place -verify-diagnostics

// expected-error @+1 {{a model stage has one function, found 2}}
module {
  func.func @forward() { return }
  func.func @backward() { return }
}

// -----

// expected-error @+1 {{a model stage has at most one schedule, found 2}}
module {
  func.func @forward() { return }
  sched.schedule "a" #nn.mesh<tp=2> { }
  sched.schedule "b" #nn.mesh<tp=2> { }
}

// -----

// expected-error @+1 {{the function of a model stage is one block}}
module {
  func.func private @forward()
}
