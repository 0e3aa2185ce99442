//===- Lookalike.h - what other look-alikes ask of the driver's -*- C -*-===//
//
// Look-alikes of cublasLt, cudnn and nccl are libraries of their own. A call of
// theirs that works on a device is an operation of a stream, as a kernel is: it
// runs when the stream comes to it, it is captured into graphs, and races with
// other operations are found by the bytes it says it touches.
//
// The functions are found in libcuda.so.1 by dlsym; they take the lock of the
// driver and must not be called from the callbacks of an operation.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_DRIVER_LOOKALIKE_H
#define HOCKET_TEST_GPU_DRIVER_LOOKALIKE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;
struct CUfunc_st;

/* Bytes at an address of a device. */
typedef struct HocketLookalikeRange {
  unsigned long long address;
  unsigned long long bytes;
} HocketLookalikeRange;

/* The memory of devices while an operation runs. Places are valid until its
 * `run` returns; null follows a finding, and then `run` just returns. */
typedef struct HocketLookalikeMemory {
  void *execution;
  /* Bytes within one of the operation's `reads`. All of them must have values:
   * where rows have gaps, each row is read by itself. */
  const void *(*read)(void *execution, unsigned long long address,
                      unsigned long long bytes);
  /* Bytes within one of the operation's `writes`, all of which `run` fills. */
  void *(*write)(void *execution, unsigned long long address,
                 unsigned long long bytes);
  /* Bytes within one of the operation's `writes` that lose their values. */
  void (*forget)(void *execution, unsigned long long address,
                 unsigned long long bytes);
  /* A finding: "<name> (operation 3 in stream 1) <what>". */
  void (*find)(void *execution, const char *what);
} HocketLookalikeMemory;

typedef struct HocketLookalikeOperation {
  const char *name; /* "cublasLtMatmul", as findings and counts call it */
  /* What it touches; a part that a gap leaves out may be named. A range in
   * both lists is read and written. The lists are copied. */
  const HocketLookalikeRange *reads;
  size_t readCount;
  const HocketLookalikeRange *writes;
  size_t writeCount;
  /* Null, or whether it can run now; asked again and again with the lock held,
   * at least every millisecond while a thread waits. An operation that waits
   * for a peer is two: the first gives the peer its bytes, the second is ready
   * when the peer's are there. */
  int (*isReady)(void *data);
  /* Null, or called when it is put into a stream: once, or once a launch of
   * the graph that it is captured into, for whose operations it is called in
   * the order of the capture. */
  void (*issued)(void *data);
  /* Called once a launch: more than once if it was captured. */
  void (*run)(void *data, const HocketLookalikeMemory *memory);
  /* Null, or called when it will not run again. */
  void (*release)(void *data);
  void *data;
  /* 1: issued for a thread whose current context does not matter. */
  int isOfAnyContext;
} HocketLookalikeOperation;

/* Issues an operation; `function` is the name of the call in findings. Returns
 * the driver's codes, after which the operation is released: 0, InvalidHandle
 * for a default stream or one that does not exist or is of another device than
 * the current context, codes of an invalid capture, and sticky errors. */
int hocketLookalikeEnqueue(const char *function, struct CUstream_st *stream,
                           const HocketLookalikeOperation *operation);

/* Counts a call, under the name in the counts of the driver, and fails it as
 * HOCKET_LOOKALIKE_FAIL asks: 0, or the code given there. */
int hocketLookalikeCall(const char *function);

/* A finding about a call that the program should not have made. */
void hocketLookalikeFind(const char *sentence);

/* The device of the current context; -1 without one. */
int hocketLookalikeDevice(void);

/* 1 if the stream is being captured, 0 if not or if there is no such one. */
int hocketLookalikeIsCapturing(struct CUstream_st *stream);

/* Something has changed that operations may be waiting for: threads that wait
 * look at once. Takes no lock. */
void hocketLookalikeWake(void);

/* Runs an operation, as a device does while nobody waits: 1, 0 where none can
 * run, -1 after an error that destroys the context. */
int hocketLookalikeStep(void);

/* 1 after an error that destroys the context. */
int hocketLookalikeHasFailed(void);

/* 1 if the bytes are within one allocation that is not released. */
int hocketLookalikeIsAllocated(unsigned long long address,
                               unsigned long long bytes);

/* The address of a byte of a device that look-alikes keep for themselves until
 * the process ends: operations that name it must have an order. Findings call
 * it `name`. */
unsigned long long hocketLookalikeKeep(int device, const char *name);

/* Bytes of each parameter of a kernel, of the first `most`, and how many it
 * has; 0 if there is no such function. */
size_t hocketLookalikeParameters(struct CUfunc_st *function, size_t *bytes,
                                 size_t most);

/* What is found at the end of the process, now, and a driver as it is at the
 * beginning, with the environment of this moment. For tests of look-alikes. */
void hocketLookalikeRestart(void);

#ifdef __cplusplus
}
#endif

#endif /* HOCKET_TEST_GPU_DRIVER_LOOKALIKE_H */
