//===- Values.h - paths, placements, and where values come from -*- C++ -*-===//

#ifndef HOCKET_NN_VALUES_H
#define HOCKET_NN_VALUES_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnValues.h.inc"

#endif // HOCKET_NN_VALUES_H
