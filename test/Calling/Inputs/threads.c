//===- threads.c - several threads call two programs at once --------------===//
//
//   threads A B
//
// Each thread has inputs of its own, and each call must give the bits that the
// same inputs gave before, when nothing else ran.
//
//===----------------------------------------------------------------------===//

#include "hocket/hocket.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { callers = 4, calls = 50 };

typedef struct caller {
  hocket_program *program;
  float input[8], expected[6];
  int wrong;
} caller;

static void check(hocket_status status) {
  if (status == HOCKET_OK)
    return;
  fprintf(stderr, "error: %s\n", hocket_error());
  exit(1);
}

static void *call(void *argument) {
  caller *self = argument;
  for (int i = 0; i < calls; ++i) {
    float output[6];
    const void *in[] = {self->input};
    void *out[] = {output};
    if (hocket_run(self->program, in, out) ||
        memcmp(output, self->expected, sizeof output))
      ++self->wrong;
    hocket_program *none; /* errors are of a thread's own calls */
    if (hocket_load("missing.so", NULL, &none) != HOCKET_MISTAKE ||
        !strstr(hocket_error(), "missing.so"))
      ++self->wrong;
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  hocket_program *programs[2];
  static caller all[callers];
  pthread_t threads[callers];
  int wrong = 0;
  for (int i = 0; i < 2; ++i) {
    check(hocket_load(argv[1 + i], NULL, &programs[i]));
    check(hocket_draw_weights(programs[i], 1 + i));
  }
  for (int i = 0; i < callers; ++i) {
    all[i].program = programs[i % 2];
    for (int j = 0; j < 8; ++j)
      all[i].input[j] = (float)(i + 1) / (float)(j + 1);
    const void *in[] = {all[i].input};
    void *out[] = {all[i].expected};
    check(hocket_run(all[i].program, in, out));
  }
  for (int i = 0; i < callers; ++i)
    pthread_create(&threads[i], NULL, call, &all[i]);
  for (int i = 0; i < callers; ++i) {
    pthread_join(threads[i], NULL);
    wrong += all[i].wrong;
  }
  for (int i = 0; i < 2; ++i)
    hocket_unload(programs[i]);
  printf("%d calls, %d wrong\n", callers * calls, wrong);
  return wrong != 0;
}
