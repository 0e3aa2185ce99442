//===- Neighborhood.h - neighborhood attention ------------------*- C++ -*-===//

#ifndef HOCKET_NN_NEIGHBORHOOD_H
#define HOCKET_NN_NEIGHBORHOOD_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnNeighborhood.h.inc"

#endif // HOCKET_NN_NEIGHBORHOOD_H
