//===- DataSources.h - the kinds of data ------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRAINING_DATASOURCES_H
#define HOCKET_LIB_TRAINING_DATASOURCES_H

#include "hocket/Training/Batches.h"

namespace hocket::runtime {

/// Whether a file of tokens may be what the program trains on.
bool takesTokens(const plan::Plan &plan);

/// See openBatches.
Status openTokens(const plan::Plan &plan, const DataOptions &options,
                  std::unique_ptr<Batches> &batches);
Status openExamples(const plan::Plan &plan, const DataOptions &options,
                    std::unique_ptr<Batches> &batches);

} // namespace hocket::runtime

#endif // HOCKET_LIB_TRAINING_DATASOURCES_H
