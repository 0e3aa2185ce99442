//===- stuck.c - a rank that does not come back in time -------------------===//
//
// Every call of its program gives the error from then on; another program, and
// the process, go on, also when the rank wakes up after all is unloaded.
//
//===----------------------------------------------------------------------===//

#include "hocket/hocket.h"
#include <stdio.h>
#include <unistd.h>

static void show(hocket_status status) {
  printf("%d: %s\n", status, status ? hocket_error() : "");
}

int main(void) {
  hocket_program *program, *other;
  hocket_options options = {sizeof options, 1, 0.5, 0};
  float good[8] = {1, 2, 3, 4, 5, 6, 7, 8}, bad[8] = {1, 2, 3, 4, -5}, out[8];
  const void *in[] = {good}, *wrong[] = {bad};
  void *made[] = {out};
  show(hocket_load("./libstuck.so", &options, &program));
  show(hocket_load("./libstuck.so", &options, &other));
  show(hocket_run(program, in, made));
  show(hocket_run(program, wrong, made));
  show(hocket_run(program, in, made));
  hocket_unload(program);
  show(hocket_run(other, in, made));
  printf("%g\n", out[7]);
  sleep(3);
  hocket_unload(other);
  return 0;
}
