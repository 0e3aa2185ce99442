//===- Elementwise.h - what is computed element by element ------*- C++ -*-===//

#ifndef HOCKET_NN_ELEMENTWISE_H
#define HOCKET_NN_ELEMENTWISE_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnElementwise.h.inc"

#endif // HOCKET_NN_ELEMENTWISE_H
