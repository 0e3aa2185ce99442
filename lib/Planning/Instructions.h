//===- Instructions.h - an instruction for each operation -------*- C++ -*-===//
//
// One function for each kind of operation, which reads the operation and where
// its operands and results lie, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLANNING_INSTRUCTIONS_H
#define HOCKET_LIB_PLANNING_INSTRUCTIONS_H

#include "Call.h"
#include "Constants.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Windows.h"

namespace hocket::planning {

Body instructionOf(spmd::ParameterOp op, Call &call, PlanTables &tables);
Body instructionOf(spmd::IotaOp op, Call &call, PlanTables &tables);

/// A linear or matmul, and what follows it in its compute as its epilogue.
Body productOf(mlir::Operation &op, Call &call);

Body instructionOf(spmd::AttentionOp op, Call &call, PlanTables &tables);
Body instructionOf(spmd::NeighborhoodAttentionOp op, Call &call,
                   PlanTables &tables);
Body instructionOf(spmd::AttentionGradOp op, Call &call, PlanTables &tables);
Body instructionOf(spmd::NeighborhoodAttentionGradOp op, Call &call,
                   PlanTables &tables);

Body instructionOf(spmd::EmbeddingOp op, Call &call, PlanTables &tables);
Body instructionOf(spmd::EmbeddingGradOp op, Call &call, PlanTables &tables);

/// Along edges, whose ends are constants.
Body instructionOf(nn::GatherOp op, Call &call, Constants &constants);
Body instructionOf(nn::ScatterSumOp op, Call &call, Constants &constants);

Body convolutionOf(mlir::Operation &op, Call &call);
Body instructionOf(spmd::PoolOp op, Call &call, PlanTables &tables);
Body instructionOf(spmd::PoolGradOp op, Call &call, PlanTables &tables);

Body instructionOf(nn::HookOp op, Call &call);
plan::Collective collectiveOf(spmd::CollectiveOp op, Call &call,
                              PlanTables &tables);

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_INSTRUCTIONS_H
