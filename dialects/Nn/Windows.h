//===- Windows.h - convolutions, poolings, borders --------------*- C++ -*-===//

#ifndef HOCKET_NN_WINDOWS_H
#define HOCKET_NN_WINDOWS_H

#include "dialects/Nn/Nn.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnWindows.h.inc"

#endif // HOCKET_NN_WINDOWS_H
