//===- AttentionRule.h - what attention and its gradient share -*- C++ -*-===//

#ifndef HOCKET_NN_OPS_ATTENTIONRULE_H
#define HOCKET_NN_OPS_ATTENTIONRULE_H

#include "dialects/Nn/Ops/RuleBuilder.h"

namespace hocket::nn {

/// Query heads and kv heads. q's heads are the kv heads times a group. Where
/// q's factors have the border between the two, those inside may be split by
/// themselves. Else those inside are left out, and the kv heads stand for all.
void addHeads(RuleBuilder &rule, llvm::ArrayRef<DimOf> queries,
              llvm::ArrayRef<DimOf> keys);

} // namespace hocket::nn

#endif // HOCKET_NN_OPS_ATTENTIONRULE_H
