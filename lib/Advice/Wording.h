//===- Wording.h - a changed text as a proposal ----------------*- C++ -*-===//

#ifndef HOCKET_LIB_ADVICE_WORDING_H
#define HOCKET_LIB_ADVICE_WORDING_H

#include "Bench.h"

namespace hocket::advice {

/// What was changed from one text to another, as a change of the user's own;
/// they may be further on by changes elsewhere. `error`: where the error
/// stands.
syntax::Proposal describe(const syntax::Texts &own, const syntax::Texts &before,
                          const syntax::Texts &after, mlir::Location error);

} // namespace hocket::advice

#endif // HOCKET_LIB_ADVICE_WORDING_H
