//===- Products.h - products, lookups and attention -------------*- C++ -*-===//

#ifndef HOCKET_NN_PRODUCTS_H
#define HOCKET_NN_PRODUCTS_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnProducts.h.inc"

#endif // HOCKET_NN_PRODUCTS_H
