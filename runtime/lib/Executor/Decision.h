//===- Decision.h - whether a step may change anything ---------*- C++ -*-===//
//
// A step that trains computes its loss and the norm of its gradients before it
// changes what lives from step to step. Between the two every rank can see
// whether they are finite. They are the same numbers on all ranks, so that all
// decide alike, without communication.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_EXECUTOR_DECISION_H
#define HOCKET_LIB_EXECUTOR_DECISION_H

#include "hocket/Runtime/Call.h"
#include "hocket/Runtime/Status.h"
#include <optional>

namespace hocket::runtime {

struct Decision {
  /// A number that has to be finite, and where it lies.
  struct Watched {
    std::string name;
    plan::View view;
  };
  size_t at = 0; // the first instruction of the step that changes a state
  std::vector<Watched> watched;
};

/// Of a class's step. Watched are `loss` and `grad_norm`, which under a loss
/// scale has to be infinite now and then. Nothing is watched where the plan
/// changes nothing. An error: a state that changes before they are known.
Status findDecision(const plan::Plan &plan, const plan::RankClass &rankClass,
                    Decision &decision);

/// The first element that is not finite, if there is one.
std::optional<double> firstNotFinite(const Operand &operand);

/// The first element as a number.
double numberAt(const Operand &operand);

/// "nan", "inf" or "-inf"
const char *spellNotFinite(double value);

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_DECISION_H
