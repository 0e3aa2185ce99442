//===- Sched.h - the sched dialect: directives of a schedule ---*- C++ -*-===//

#ifndef HOCKET_SCHED_SCHED_H
#define HOCKET_SCHED_SCHED_H

#include "dialects/Nn/Nn.h"
#include "mlir/IR/RegionKindInterface.h"

#include "dialects/Sched/SchedDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Sched/SchedOps.h.inc"

#endif // HOCKET_SCHED_SCHED_H
