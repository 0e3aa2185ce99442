//===- PrecisionSetting.h - `precision` of a recipe or variant -*- C++ -*-===//
//
//   precision bf16 master f32 reduce f32
//   precision f16 master f32 reduce f32 scale dynamic
//
// becomes `precision` of nn.model (hocket/Transforms/Precision.h), without
// `scale`, which belongs to a recipe.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_PRECISIONSETTING_H
#define HOCKET_FRONTEND_ELABORATE_PRECISIONSETTING_H

#include "Elaborator.h"

namespace hocket::frontend {

struct PrecisionSetting {
  mlir::FloatType compute, reduce;
  /// What losses are multiplied by; 1 where nothing asks for it.
  double scale = 1;
  bool isDynamic = false;

  bool isNarrow() const { return !compute.isF32(); }
  mlir::DictionaryAttr attribute() const;
};

/// Nothing after reported errors.
std::optional<PrecisionSetting>
readPrecision(Elaborator &elaborator, const syntax::Setting &setting,
              const Scope &scope, mlir::MLIRContext *context, bool isRecipe);

/// The setting of a variant, into the module. False after reported errors.
bool emitPrecision(Elaborator &elaborator, const syntax::VariantDecl &variant,
                   const Scope &scope, mlir::ModuleOp module);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_PRECISIONSETTING_H
