//===- caller.c - one model on one rank and on two ------------------------===//
//
// The first is the library that this program is linked to, the second one that
// it loads by its path. Both get the same weights, as arrays.
//
//===----------------------------------------------------------------------===//

#include <hocket/hocket.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { values = 3 * 8 };

static void check(hocket_status status) {
  if (status == HOCKET_OK)
    return;
  fprintf(stderr, "error: %s\n", hocket_error());
  exit(1);
}

/* All parameters, with numbers that differ from one to the next. */
static void take_weights(hocket_program *program) {
  size_t count;
  const hocket_array *wanted = hocket_parameters(program, &count);
  hocket_array *weights = calloc(count, sizeof *weights);
  for (size_t i = 0; i < count; ++i) {
    size_t elements = hocket_bytes(&wanted[i]) / sizeof(float);
    float *data = malloc(elements * sizeof *data);
    for (size_t j = 0; j < elements; ++j)
      data[j] = (float)((i + 1) * (j + 3) % 11) / 11 - 0.5f;
    weights[i] = wanted[i];
    weights[i].data = data;
  }
  check(hocket_take_weights(program, weights, count));
  for (size_t i = 0; i < count; ++i)
    free(weights[i].data);
  free(weights);
}

static void run(const char *path, const float *x, float *y) {
  hocket_program *program;
  const void *inputs[] = {x};
  void *outputs[] = {y};
  check(hocket_load(path, NULL, &program));
  take_weights(program);
  check(hocket_run(program, inputs, outputs));
  hocket_unload(program);
}

int main(void) {
  float x[values], one[values], two[values], farthest = 0, largest = 0;
  for (int i = 0; i < values; ++i)
    x[i] = (float)i / values;
  run(NULL, x, one);
  run(MLP_TWO, x, two);
  for (int i = 0; i < values; ++i) {
    largest = fmaxf(largest, fabsf(one[i] - x[i]));
    farthest = fmaxf(farthest, fabsf(one[i] - two[i]));
  }
  printf("moved by up to %.3f, two ranks within 1e-6: %s\n", largest,
         farthest < 1e-6f ? "yes" : "no");
  return farthest < 1e-6f && largest > 0 ? 0 : 1;
}
