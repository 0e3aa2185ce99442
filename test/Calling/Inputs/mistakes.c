//===- mistakes.c - each error of a call, and that the next call works ----===//
//
//   mistakes FOLDER
//
// with what test/Calling/mistakes.test puts there.
//
//===----------------------------------------------------------------------===//

#include "hocket/hocket.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prints the status and the text of a call that fails. */
static void show(hocket_status status) {
  if (status == HOCKET_OK)
    printf("no error\n");
  else
    printf("%d: %s\n", status, hocket_error());
  fflush(stdout);
}

static void need(hocket_status status) {
  if (status != HOCKET_OK) {
    show(status);
    exit(1);
  }
}

static void loadMistakes(void) {
  hocket_program *program;
  hocket_options options = {0};
  printf("-- load\n");
  show(hocket_load("missing.so", NULL, &program));
  show(hocket_load("text", NULL, &program));
  show(hocket_load(NULL, NULL, &program));
  show(hocket_load("cut.so", NULL, &program));
  show(hocket_load("changed.so", NULL, &program));
  show(hocket_load("gpu", NULL, &program));
  show(hocket_load("trains", NULL, &program));
  show(hocket_load("liblinear.so", &options, &program));
  options.size = sizeof options;
  options.threads = -1;
  show(hocket_load("liblinear.so", &options, &program));
  show(hocket_load("liblinear.so", NULL, NULL));
  show(hocket_run(NULL, NULL, NULL));
}

static const int64_t two[] = {2}, three[] = {3}, three_four[] = {3, 4},
                     two_four[] = {2, 4}, two_three[] = {2, 3},
                     below[] = {2, -4};
static float numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, out[6];

static hocket_array f32(const char *name, int32_t dims, const int64_t *shape,
                        float *data) {
  hocket_array array = {name, HOCKET_ELEMENT_F32, dims, shape, data};
  return array;
}

static void weightMistakes(hocket_program *program) {
  const char *missing[] = {"missing.safetensors"}, *other[] = {"in.npy"},
             *good[] = {"w.safetensors"}, *rename[] = {"a*=b"},
             *unused[] = {"a.**=b.**"};
  hocket_array weights[] = {f32("lin.weight", 2, three_four, numbers),
                            f32("lin.bias", 1, two, numbers),
                            f32("lin.bias", 1, three, numbers)};
  printf("-- weights\n");
  show(hocket_run(program, NULL, NULL));
  show(hocket_load_weights(program, missing, 1, NULL, 0));
  show(hocket_load_weights(program, other, 1, NULL, 0));
  show(hocket_load_weights(program, good, 1, rename, 1));
  show(hocket_load_weights(program, good, 1, unused, 1));
  show(hocket_take_weights(program, weights, 1));
  show(hocket_take_weights(program, weights, 2));
  show(hocket_take_weights(program, weights, 3));
  weights[1] = f32("lin.extra", 1, two, numbers);
  show(hocket_take_weights(program, weights, 3));
  weights[1] = f32("old.thing", 1, two, numbers);
  show(hocket_load_weights(program, good, 1, NULL, 0));
  show(hocket_take_weights(program, weights, 3));
}

static void runMistakes(hocket_program *program) {
  hocket_array in = f32("x", 2, two_four, numbers),
               made = f32("output", 2, two_three, out);
  const void *none[] = {NULL};
  printf("-- run\n");
  show(hocket_run(program, none, NULL));
  show(hocket_run_arrays(program, NULL, 1, &made, 1));
  show(hocket_run_arrays(program, &in, 0, &made, 1));
  in.name = "y";
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in.name = NULL;
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in = f32("x", 2, two_three, numbers);
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in = f32("x", 2, below, numbers);
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in = f32("x", 2, two_four, NULL);
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in = f32("x", 2, two_four, numbers);
  in.element = HOCKET_ELEMENT_I16;
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in.element = 99;
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  in.element = HOCKET_ELEMENT_F32;
  made.name = "outptu";
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  made = f32("output", 2, two_four, out);
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  made = f32("output", 2, two_three, out);
  hocket_array twice[] = {made, made};
  show(hocket_run_arrays(program, &in, 1, twice, 2));
  show(hocket_run_arrays(program, &in, 1, &made, 1));
  printf("%g\n", out[0]);
}

/* An id that is no row of a table is found by a rank while it runs. */
static void idMistakes(void) {
  hocket_program *program;
  need(hocket_load("libids.so", NULL, &program));
  need(hocket_draw_weights(program, 1));
  int64_t good[6] = {0, 1, 2, 3, 4, 5}, bad[6] = {0, 1, 2, 3, 4, 50};
  uint64_t large[6] = {0, 1, 2, 3, 4, (uint64_t)1 << 63};
  float first[12], again[12];
  const int64_t shape[] = {6}, rows[] = {6, 2};
  const void *in[] = {good}, *wrong[] = {bad};
  void *made[] = {first}, *later[] = {again};
  hocket_array wide = {"ids", HOCKET_ELEMENT_U64, 1, shape, large},
               to = f32("output", 2, rows, again);
  printf("-- ids\n");
  need(hocket_run(program, in, made));
  show(hocket_run(program, wrong, later));
  show(hocket_run_arrays(program, &wide, 1, &to, 1));
  need(hocket_run(program, in, later));
  printf("%s\n", memcmp(first, again, sizeof first) ? "other bits" : "same");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    show(hocket_run(program, in, later));
    hocket_unload(program);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  hocket_unload(program);
}

int main(int argc, char **argv) {
  hocket_program *program;
  if (argc < 2 || chdir(argv[1]))
    return 2;
  printf("before: '%s'\n", hocket_error());
  loadMistakes();
  need(hocket_load("liblinear.so", NULL, &program));
  weightMistakes(program);
  runMistakes(program);
  idMistakes();
  hocket_unload(program);
  hocket_unload(NULL);
  return 0;
}
