//===- MaskOperands.h - masks that are data, and a bias ---------*- C++ -*-===//

#ifndef HOCKET_NN_MASKOPERANDS_H
#define HOCKET_NN_MASKOPERANDS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace hocket::nn {

/// Operands of nn.attention, spmd.attention or their gradients that say which
/// keys are seen, by number: one value may be several of them.
struct MaskOperands {
  std::optional<unsigned> keep, queryDocuments, keyDocuments;

  template <class OpTy> static MaskOperands of(OpTy op) {
    return {numberOf(op.getKeepMutable()),
            numberOf(op.getQueryDocumentsMutable()),
            numberOf(op.getKeyDocumentsMutable())};
  }
  /// That of the bias, which is no mask.
  template <class OpTy> static std::optional<unsigned> biasOf(OpTy op) {
    return numberOf(op.getBiasMutable());
  }
  bool isByKey(unsigned number) const {
    return keep == number || keyDocuments == number;
  }
  bool isMask(unsigned number) const {
    return isByKey(number) || queryDocuments == number;
  }

private:
  static std::optional<unsigned> numberOf(mlir::MutableOperandRange operands) {
    if (operands.empty())
      return std::nullopt;
    return operands.begin()->getOperandNumber();
  }
};

} // namespace hocket::nn

#endif // HOCKET_NN_MASKOPERANDS_H
