//===- Registration.h - the dialects and passes of the compiler -*- C++ -*-===//
//
// For tools that read IR from text or build pass pipelines from flags.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PIPELINE_REGISTRATION_H
#define HOCKET_PIPELINE_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace hocket {

/// Every dialect that a stage's IR may hold.
void registerDialects(mlir::DialectRegistry &registry);

/// The compiler's passes under their flags, `--hocket-NAME`.
void registerPasses();

} // namespace hocket

#endif // HOCKET_PIPELINE_REGISTRATION_H
