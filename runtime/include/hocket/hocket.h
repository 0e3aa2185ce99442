//===- hocket.h - calling what Hocket compiles -------------------*- C -*-===//
//
// C99. What `hocket compile --emit=shared` writes is called by these functions,
// which are in it as well as in libhocket.so:
//
//   hocket_program *program;
//   if (hocket_load("libapp.so", NULL, &program) ||
//       hocket_load_weights(program, files, 1, NULL, 0) ||
//       hocket_run(program, inputs, outputs))
//     fprintf(stderr, "error: %s\n", hocket_error());
//   hocket_unload(program);
//
// Arrays hold whole tensors: of the shapes of the model, not of a rank's part,
// dense and row-major, in the byte order of the machine. The ranks of a program
// are threads of this process, made by hocket_load and ended by hocket_unload;
// between two calls they sleep.
//
// Every function may be called from any thread. Calls of one program wait for
// each other; several programs may be loaded, and run, at the same time. What
// is wrong is an error of the call: nothing here ends the process, writes to
// its streams or changes what it does on signals.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_HOCKET_H
#define HOCKET_HOCKET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HOCKET_API __attribute__((visibility("default")))

/* How a call ended: the exit statuses of an executable. */
typedef enum hocket_status {
  HOCKET_OK = 0,
  HOCKET_MISTAKE = 1, /* what the caller gave is wrong; nothing has changed */
  HOCKET_FAILURE = 3  /* a failure while running; the program is to be unloaded
                         if it was one of its ranks */
} hocket_status;

/* Types of elements. A program computes with F64 to BF16, I64, I32 and BOOL;
   others are converted when they are read. */
typedef enum hocket_element {
  HOCKET_ELEMENT_F64 = 0,
  HOCKET_ELEMENT_F32 = 1,
  HOCKET_ELEMENT_F16 = 2,
  HOCKET_ELEMENT_BF16 = 3,
  HOCKET_ELEMENT_I64 = 4,
  HOCKET_ELEMENT_I32 = 5,
  HOCKET_ELEMENT_I16 = 6,
  HOCKET_ELEMENT_I8 = 7,
  HOCKET_ELEMENT_U64 = 8,
  HOCKET_ELEMENT_U32 = 9,
  HOCKET_ELEMENT_U16 = 10,
  HOCKET_ELEMENT_U8 = 11,
  HOCKET_ELEMENT_BOOL = 12 /* a byte, 0 or 1 */
} hocket_element;

/* A whole tensor, or, with null data, what one has to be. */
typedef struct hocket_array {
  const char *name;
  int32_t element; /* hocket_element */
  int32_t dims;
  const int64_t *shape; /* `dims` numbers of elements, the outermost first */
  void *data;           /* not written to where the array is read */
} hocket_array;

/* Of zeros: what an executable does without options. */
typedef struct hocket_options {
  size_t size;      /* sizeof(hocket_options) */
  int64_t threads;  /* of each rank; 0: cores / ranks, of the cores that this
                       process may use */
  double deadline;  /* seconds that a rank waits for another one before the call
                       fails; 0: 60 */
  int32_t unpinned; /* not 0: ranks keep to no cores, also where each thread
                       could have one of its own */
} hocket_options;

typedef struct hocket_program hocket_program;

/* What went wrong in the last call of this thread that failed, in the words of
   the executable without "error: ": one line, or of several mistakes a line
   each. Empty if none has. Valid until the next one does. */
HOCKET_API const char *hocket_error(void);

/* Loads the program in the file `path`, a shared library or an executable that
   `hocket compile` made for CPUs; of null the one in the library that this
   function is in. Allocates all memory that a step needs and starts the ranks;
   a program without parameters can be run at once. `options` may be null. The
   file must stay as it is until hocket_unload. A program that trains is
   refused: it has data and checkpoints, which belong to an executable. */
HOCKET_API hocket_status hocket_load(const char *path,
                                     const hocket_options *options,
                                     hocket_program **program);

/* Ends the ranks and gives all memory back. No other call of the program may
   run or follow. Null is nothing. After a fork() the child cannot run what its
   parent loaded, and this call does nothing there. */
HOCKET_API void hocket_unload(hocket_program *program);

/* Model, schedule, mesh, ranks, inputs, outputs and parameters as JSON, as
   `--describe` prints them. Lives as long as the program. */
HOCKET_API const char *hocket_describe(const hocket_program *program);

/* What the program takes and gives, in the order of the model: `*count` arrays
   with null data, which live as long as the program. */
HOCKET_API const hocket_array *hocket_inputs(const hocket_program *program,
                                             size_t *count);
HOCKET_API const hocket_array *hocket_outputs(const hocket_program *program,
                                              size_t *count);
HOCKET_API const hocket_array *hocket_parameters(const hocket_program *program,
                                                 size_t *count);

/* The bytes of an array of this shape and type; 0 of one that cannot be. */
HOCKET_API int64_t hocket_bytes(const hocket_array *array);

/* Reads the parameters: from `files` of the forms that --weights takes, with
   `renames` as --rename takes them ("transformer.**=**", may be null); from
   arrays, which may be freed when the call returns; or drawn from a seed as
   --random-weights does. Every parameter must be there with its shape, of a
   type that can be converted, and nothing else unless the model ignores it.
   What is loaded a second time replaces the first. */
HOCKET_API hocket_status hocket_load_weights(hocket_program *program,
                                             const char *const *files,
                                             size_t file_count,
                                             const char *const *renames,
                                             size_t rename_count);
HOCKET_API hocket_status hocket_take_weights(hocket_program *program,
                                             const hocket_array *weights,
                                             size_t count);
HOCKET_API hocket_status hocket_draw_weights(hocket_program *program,
                                             uint64_t seed);

/* Runs one step. `inputs` and `outputs` point to an array for each one of
   hocket_inputs and hocket_outputs, in their order, of just that shape and
   type. Each rank reads its part of the inputs once, into its own memory, and
   writes its part of the outputs: one copy of each element. An output must not
   overlap an input or another output; null leaves an output out. After an error
   outputs may be written in part. */
HOCKET_API hocket_status hocket_run(hocket_program *program,
                                    const void *const *inputs,
                                    void *const *outputs);

/* The same with arrays in any order, by their names. Inputs are converted as
   files are; more of them than the program has are left aside. Outputs have the
   shape and the type of the program's; one that is not named is left out. */
HOCKET_API hocket_status hocket_run_arrays(hocket_program *program,
                                           const hocket_array *inputs,
                                           size_t input_count,
                                           const hocket_array *outputs,
                                           size_t output_count);

/* Where the program itself has an output after each run, dense and row-major,
   of the type and shape that hocket_outputs tells; null where no rank has all
   of it in this order. With null in `outputs` of hocket_run nothing is copied.
   The next run overwrites it, hocket_unload takes it away. */
HOCKET_API const void *hocket_whole_output(const hocket_program *program,
                                           size_t output);

#ifdef __cplusplus
}
#endif

#endif /* HOCKET_HOCKET_H */
