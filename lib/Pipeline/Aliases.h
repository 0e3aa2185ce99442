//===- Aliases.h - speaking names in printed stages ------------*- C++ -*-===//

#ifndef HOCKET_LIB_PIPELINE_ALIASES_H
#define HOCKET_LIB_PIPELINE_ALIASES_H

#include "mlir/IR/DialectRegistry.h"

namespace hocket {

/// Types with layouts, layouts, tables and boxes are printed as names that
/// stand at the top of a module, and so are places that a line of a schedule
/// is part of:
///
///   !f32_batch_seq_tp_by_seq = tensor<1x512xf32, #batch_seq_tp_by_seq>
///   ... loc(#line_14_of_schedules_hkt)
void addAliases(mlir::DialectRegistry &registry);

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_ALIASES_H
