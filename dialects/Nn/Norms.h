//===- Norms.h - norms, softmax and rotary embeddings -----------*- C++ -*-===//

#ifndef HOCKET_NN_NORMS_H
#define HOCKET_NN_NORMS_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnNorms.h.inc"

#endif // HOCKET_NN_NORMS_H
