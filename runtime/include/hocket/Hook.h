//===- Hook.h - a user's own kernel or collective --------------*- C++ -*-===//
//
// What a `hook` of the language is written in: C, C++ or CUDA C++, one function
// of the host for the part that one rank holds. Nothing else of Hocket's is
// needed.
//
//   HOCKET_HOOK(twice) {
//     const hocket_tensor *x = &call->inputs[0], *y = &call->outputs[0];
//     ...
//     return 0;
//   }
//
// On a GPU the tensors are addresses of the device, and the function launches
// what it does on a stream:
//
//   HOCKET_HOOK(twice) {
//     ...
//     kernel<<<blocks, threads, 0, cudaStream_t(call->stream)>>>(x, y, size);
//     return cudaGetLastError();
//   }
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_HOOK_H
#define HOCKET_HOOK_H

#include <stdint.h>

#define HOCKET_HOOK_ABI 2

#ifdef __cplusplus
#define HOCKET_EXTERN extern "C"
#else
#define HOCKET_EXTERN extern
#endif

enum hocket_type {
  HOCKET_F32 = 0,
  HOCKET_F64 = 1,
  HOCKET_F16 = 2,
  HOCKET_BF16 = 3,
  HOCKET_I32 = 4,
  HOCKET_I64 = 5,
  HOCKET_BOOL = 6 /* a byte, 0 or 1 */
};

enum hocket_reduction { HOCKET_SUM = 0, HOCKET_MAX = 1, HOCKET_MIN = 2 };

/* A rank's part of a tensor: element (i0, i1, ...) lies i0 * strides[0] +
   i1 * strides[1] + ... elements behind `data`. Strides may be 0 in inputs. */
typedef struct hocket_tensor {
  void *data;
  int32_t type; /* enum hocket_type */
  int32_t dims;
  const int64_t *shape;
  const int64_t *strides;
} hocket_tensor;

/* What one call is told. All of it stays where it is from call to call. */
typedef struct hocket_call {
  int32_t abi;     /* HOCKET_HOOK_ABI */
  int32_t threads; /* that this rank may use */
  int64_t rank, ranks;
  int32_t input_count, output_count;
  const hocket_tensor *inputs; /* not to be written to */
  const hocket_tensor *outputs;

  /* Of a collective only; else there is one member and no communicator. Input
     and output 0 are what it moves. An all_reduce gives all members the
     reduction of all inputs; a reduce_scatter gives member i that of
     [offsets[i], offsets[i] + sizes[i]) along `dim`; an all_gather writes the
     input of member i to that range of the output. All members must get the
     same bits where they get the same elements. */
  int64_t member, members;
  int32_t reduction; /* enum hocket_reduction */
  int32_t dim;
  const int64_t *offsets, *sizes;
  void *communicator;
  /* Writes `bytes` of each member, one after the other, to `dst`. All members
     call these in the same order with the same sizes. Anything but 0 is a
     failure, and the hook is to return. On a GPU both are put into `stream`,
     and `src` and `dst` are apart: tensors, or memory of `scratch`. */
  int (*all_gather)(void *communicator, const void *src, void *dst,
                    int64_t bytes);
  /* `src` holds `bytes` for each member, `dst` receives as many from each. */
  int (*all_to_all)(void *communicator, const void *src, void *dst,
                    int64_t bytes);

  /* Of a GPU only, else null; since version 2. All that the hook does to
     tensors it launches on `stream`, a cudaStream_t, or on streams that wait
     for it and that it waits for; it synchronises with nothing, for `stream`
     may be recorded: what one call launches is a part of a graph, which is run
     again without a call. */
  void *stream;
  /* Memory of the device, a multiple of 256, that the hook may use until it
     returns, and what it launched until that has run. The first of a call has
     one place in all steps, the second another, and so on. Null is a failure,
     and the hook is to return. */
  void *(*scratch)(void *device, int64_t bytes);
  void *device;
} hocket_call;

typedef int hocket_function(const hocket_call *call);

/* Begins the definition of a hook: a function that returns 0, or another number
   for a failure, which ends the run. It may be called by several ranks at the
   same time, each on a thread of its own, must not depend on what earlier calls
   left, and must not throw. The second symbol tells the linker that this is a
   hook, and of which version. */
#define HOCKET_HOOK(name)                                                      \
  HOCKET_EXTERN const int32_t name##_hocket_abi;                               \
  const int32_t name##_hocket_abi = HOCKET_HOOK_ABI;                           \
  HOCKET_EXTERN int name(const hocket_call *call);                             \
  int name(const hocket_call *call)

#endif /* HOCKET_HOOK_H */
