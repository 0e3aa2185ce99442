//===- PlannedBytes.h - what a plan says that is received ------*- C++ -*-===//

#ifndef HOCKET_TEST_ADVICE_PLANNEDBYTES_H
#define HOCKET_TEST_ADVICE_PLANNEDBYTES_H

#include "hocket/Frontend/Edit.h"
#include "hocket/Frontend/Elaborate.h"

namespace hocket::advice {

/// What the rank that receives most receives in a step, by the plan; -1 where
/// the texts do not compile.
int64_t plannedBytes(const std::string &path, const syntax::Texts &texts,
                     const frontend::ElaborateOptions &options);

} // namespace hocket::advice

#endif // HOCKET_TEST_ADVICE_PLANNEDBYTES_H
