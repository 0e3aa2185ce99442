//===- Names.h - names that are declared twice ----------------------------===//

#ifndef HOCKET_LIB_FRONTEND_NAMES_H
#define HOCKET_LIB_FRONTEND_NAMES_H

#include "hocket/Frontend/Loader.h"

namespace hocket::syntax {

/// Reports what has the name of another thing where both are visible:
/// declarations of a file and its imports, items of a module, lets and defs of
/// a schedule.
void checkNames(const Program &program, DiagnosticEngine &engine);

} // namespace hocket::syntax

#endif // HOCKET_LIB_FRONTEND_NAMES_H
