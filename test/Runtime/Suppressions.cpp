//===- Suppressions.cpp - what the thread sanitizer cannot see ------------===//

/// oneDNN and libgomp are not instrumented: the locks with which they guard
/// their own state (primitive cache, thread pool) are invisible.
extern "C" const char *__tsan_default_suppressions() {
  return "called_from_lib:libdnnl.so\n"
         "called_from_lib:libgomp.so\n"
         "race:libdnnl.so\n"
         "race:libgomp.so\n";
}
