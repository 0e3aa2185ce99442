//===- same.c - one step by call, to be compared with the executable's ----===//
//
//   same LIBRARY OUT [SEED]
//
// draws weights from SEED (1), makes inputs, writes each to NAME.npy and the
// bytes of all outputs, one after the other, to OUT. It runs three times, into
// arrays that held something else. Prints how many outputs one rank has whole,
// which must be the same there.
//
//===----------------------------------------------------------------------===//

#include "hocket/hocket.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "error: %s: %s\n", what, hocket_error());
  exit(1);
}

static void fill(const hocket_array *array, void *data) {
  int64_t bytes = hocket_bytes(array);
  if (array->element == HOCKET_ELEMENT_F32)
    for (int64_t i = 0; i < bytes / 4; ++i)
      ((float *)data)[i] = (float)(i * 37 % 101) / 50 - 1;
  else if (array->element == HOCKET_ELEMENT_I32)
    for (int64_t i = 0; i < bytes / 4; ++i)
      ((int32_t *)data)[i] = (int32_t)(i * 5 % 7);
  else if (array->element == HOCKET_ELEMENT_I64)
    for (int64_t i = 0; i < bytes / 8; ++i)
      ((int64_t *)data)[i] = i * 5 % 7;
  else
    for (int64_t i = 0; i < bytes; ++i)
      ((char *)data)[i] = i % 3 != 0;
}

/* Version 1.0: a text of 118 bytes behind ten. */
static void writeNpy(const hocket_array *array, const void *data) {
  const char *type = array->element == HOCKET_ELEMENT_F32   ? "<f4"
                     : array->element == HOCKET_ELEMENT_I32 ? "<i4"
                     : array->element == HOCKET_ELEMENT_I64 ? "<i8"
                                                            : "|b1";
  char path[256], header[200], shape[100] = "";
  for (int i = 0; i < array->dims; ++i)
    sprintf(shape + strlen(shape), "%lld, ", (long long)array->shape[i]);
  snprintf(path, sizeof path, "%s.npy", array->name);
  int size =
      sprintf(header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s)}",
              type, shape);
  memset(header + size, ' ', 117 - size);
  header[117] = '\n';
  FILE *file = fopen(path, "wb");
  fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file);
  fwrite(header, 1, 118, file);
  fwrite(data, 1, hocket_bytes(array), file);
  fclose(file);
}

int main(int argc, char **argv) {
  hocket_program *program;
  if (hocket_load(argv[1], NULL, &program))
    fail("load");
  if (hocket_draw_weights(program, argc > 3 ? atoi(argv[3]) : 1))
    fail("draw_weights");
  size_t inputs, outputs;
  const hocket_array *input = hocket_inputs(program, &inputs);
  const hocket_array *output = hocket_outputs(program, &outputs);
  const void **given = calloc(inputs, sizeof *given);
  void **made = calloc(outputs, sizeof *made);
  for (size_t i = 0; i < inputs; ++i) {
    void *data = malloc(hocket_bytes(&input[i]));
    fill(&input[i], data);
    writeNpy(&input[i], data);
    given[i] = data;
  }
  for (size_t i = 0; i < outputs; ++i)
    made[i] = malloc(hocket_bytes(&output[i]));
  for (int run = 0; run < 3; ++run) {
    for (size_t i = 0; i < outputs; ++i)
      memset(made[i], 0x5a, hocket_bytes(&output[i]));
    if (hocket_run(program, given, made))
      fail("run");
  }
  if (hocket_run(program, given, NULL))
    fail("run without outputs");
  int whole = 0;
  for (size_t i = 0; i <= outputs; ++i) {
    const void *place = hocket_whole_output(program, i);
    if (place &&
        (i == outputs || memcmp(place, made[i], hocket_bytes(&output[i]))))
      return 1;
    whole += place != NULL;
  }
  printf("%d whole outputs\n", whole);
  FILE *file = fopen(argv[2], "wb");
  for (size_t i = 0; i < outputs; ++i)
    fwrite(made[i], 1, hocket_bytes(&output[i]), file);
  fclose(file);
  hocket_unload(program);
  return 0;
}
