//===- Edges.h - gather and scatter along the edges of a graph --*- C++ -*-===//

#ifndef HOCKET_NN_EDGES_H
#define HOCKET_NN_EDGES_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnEdges.h.inc"

#endif // HOCKET_NN_EDGES_H
