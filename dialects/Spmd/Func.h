//===- Func.h - the function of a class of ranks ---------------*- C++ -*-===//

#ifndef HOCKET_SPMD_FUNC_H
#define HOCKET_SPMD_FUNC_H

#include "dialects/Nn/Func.h"
#include "dialects/Spmd/Spmd.h"

#define GET_OP_CLASSES
#include "dialects/Spmd/SpmdFunc.h.inc"

#endif // HOCKET_SPMD_FUNC_H
