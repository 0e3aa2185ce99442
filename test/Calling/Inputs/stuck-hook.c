//===- stuck-hook.c - a function that may not come back in time -----------===//

#include "hocket/Hook.h"
#include <unistd.h>

HOCKET_HOOK(sleepy) {
  const hocket_tensor *x = &call->inputs[0], *y = &call->outputs[0];
  if (call->rank == 1 && *(const float *)x->data < 0)
    return sleep(2), 1;
  for (int64_t i = 0; i < x->shape[0]; ++i)
    for (int64_t j = 0; j < x->shape[1]; ++j)
      ((float *)y->data)[i * y->strides[0] + j * y->strides[1]] =
          ((const float *)x->data)[i * x->strides[0] + j * x->strides[1]];
  return 0;
}
