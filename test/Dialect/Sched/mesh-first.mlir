// A mesh is an attribute of nn, which a file that begins with it does not name.
// RUN: hocket-opt %s | FileCheck %s

// CHECK: sched.schedule "s" <tp=2> {
sched.schedule "s" <tp=2> {
}
