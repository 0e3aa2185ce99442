// What is no model stage is said before anything is placed.
// RUN: hocket-opt %s -split-input-file -hocket-place -verify-diagnostics

// expected-error @+1 {{a model stage has one function, found 2}}
module {
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
  nn.func @backward() attributes {buffers = [], outputs = []} { nn.return }
}

// -----

// expected-error @+1 {{a model stage has at most one schedule, found 2}}
module {
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
  sched.schedule "a" #nn.mesh<tp=2> { }
  sched.schedule "b" #nn.mesh<tp=2> { }
}
