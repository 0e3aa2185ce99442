//===- Shape.h - reductions, and elements in another order ------*- C++ -*-===//

#ifndef HOCKET_NN_SHAPE_H
#define HOCKET_NN_SHAPE_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnShape.h.inc"

#endif // HOCKET_NN_SHAPE_H
