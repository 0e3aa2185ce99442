//===- SchedDialect.cpp - registers the sched dialect ---------------------===//

#include "dialects/Sched/Sched.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hocket::sched;

#include "dialects/Sched/SchedDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Sched/SchedOps.cpp.inc"

void SchedDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Sched/SchedOps.cpp.inc"
      >();
}
