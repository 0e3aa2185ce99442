//===- PrecisionSetting.cpp - `precision ...` of a recipe or variant ------===//

#include "PrecisionSetting.h"
#include "dialects/Nn/Program.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// As PyTorch's GradScaler begins.
static constexpr double kFirstScale = 65536;

namespace {
class Reader {
public:
  Reader(Elaborator &elaborator, const Setting &setting, const Scope &scope,
         mlir::MLIRContext *context, bool isRecipe)
      : elaborator(elaborator), setting(setting), scope(scope),
        builder(context), isRecipe(isRecipe) {}

  std::optional<PrecisionSetting> read();

private:
  mlir::FloatType typeOf(const Expr &written);
  bool readClause(const Setting::Clause &clause);
  bool readReduce(const Expr &written);
  bool readScale(const Setting::Clause &clause);

  Elaborator &elaborator;
  const Setting &setting;
  const Scope &scope;
  mlir::Builder builder;
  bool isRecipe;
  PrecisionSetting result;
};
} // namespace

mlir::FloatType Reader::typeOf(const Expr &written) {
  auto *name = dynAs<NameExpr>(&written);
  std::string text = name ? name->name : "";
  if (text == "f32")
    return builder.getF32Type();
  if (text == "bf16")
    return builder.getBF16Type();
  return text == "f16" ? builder.getF16Type() : mlir::FloatType();
}

std::optional<PrecisionSetting> Reader::read() {
  result.compute = typeOf(*setting.value);
  result.reduce = builder.getF32Type();
  if (!result.compute) {
    elaborator
        .error(setting.value->range,
               "a program computes in f32, bf16 or f16, "
               "found '" +
                   elaborator.textOf(setting.value->range) + "'")
        .note("write: precision bf16 master f32 reduce f32");
    return std::nullopt;
  }
  if (result.compute.isF16() && isRecipe) {
    result.isDynamic = true;
    result.scale = kFirstScale;
  }
  llvm::StringMap<SourceRange> seen;
  for (const Setting::Clause &clause : setting.clauses) {
    auto [first, isNew] = seen.try_emplace(clause.key.text, clause.key.range);
    if (!isNew) {
      elaborator
          .error(clause.key.range, "'" + clause.key.text + "' is set twice")
          .note(first->second, "set here first");
      return std::nullopt;
    }
    if (!readClause(clause))
      return std::nullopt;
  }
  return result;
}

bool Reader::readClause(const Setting::Clause &clause) {
  const std::string &key = clause.key.text;
  if (key == "reduce")
    return readReduce(*clause.value);
  if (key == "scale")
    return readScale(clause);
  if (key == "master") {
    mlir::FloatType type = typeOf(*clause.value);
    if (type && type.isF32())
      return true;
    elaborator
        .error(clause.value->range, "weights are kept in f32, found '" +
                                        elaborator.textOf(clause.value->range) +
                                        "'")
        .note("write: master f32");
    return false;
  }
  std::vector<std::string> keys = {"master", "reduce"};
  if (isRecipe)
    keys.push_back("scale");
  elaborator.error(clause.key.range, "'precision' has no clause '" + key + "'")
      .note(isRecipe ? "there is: precision bf16 master f32 reduce f32, and "
                       "with f16 scale dynamic"
                     : "there is: precision bf16 master f32 reduce f32")
      .suggest(key, keys);
  return false;
}

bool Reader::readReduce(const Expr &written) {
  result.reduce = typeOf(written);
  if (result.reduce &&
      (result.reduce.isF32() || result.reduce == result.compute))
    return true;
  std::string compute = elaborator.textOf(setting.value->range);
  elaborator
      .error(written.range,
             "sums over ranks are made in f32" +
                 (result.isNarrow() ? " or " + compute : std::string()) +
                 " where a program computes in " + compute + ", found '" +
                 elaborator.textOf(written.range) + "'")
      .note("write: reduce f32");
  return false;
}

bool Reader::readScale(const Setting::Clause &clause) {
  if (!isRecipe) {
    elaborator
        .error(clause.key.range,
               "'scale' belongs to a recipe, found it in a variant")
        .note("write it there: precision f16 scale dynamic");
    return false;
  }
  if (!result.compute.isF16()) {
    elaborator
        .error(clause.key.range, "'scale' goes with f16, found it with " +
                                     elaborator.textOf(setting.value->range))
        .note("it keeps gradients above the least number of f16; the other "
              "types reach as far as f32");
    return false;
  }
  auto *name = dynAs<NameExpr>(clause.value);
  if (name && name->name == "dynamic")
    return true;
  auto scale = elaborator.evaluateFloat(*clause.value, scope);
  if (!scale)
    return false;
  result.isDynamic = false;
  result.scale = *scale;
  if (*scale >= 1)
    return true;
  elaborator
      .error(clause.value->range, "'scale' is dynamic or at least 1, found '" +
                                      elaborator.textOf(clause.value->range) +
                                      "'")
      .note("write: scale dynamic");
  return false;
}

mlir::DictionaryAttr PrecisionSetting::attribute() const {
  mlir::Builder builder(compute.getContext());
  if (!isNarrow())
    return builder.getDictionaryAttr({});
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("compute", mlir::TypeAttr::get(compute)),
       builder.getNamedAttr("reduce", mlir::TypeAttr::get(reduce))});
}

std::optional<PrecisionSetting>
frontend::readPrecision(Elaborator &elaborator, const Setting &setting,
                        const Scope &scope, mlir::MLIRContext *context,
                        bool isRecipe) {
  return Reader(elaborator, setting, scope, context, isRecipe).read();
}

bool frontend::emitPrecision(Elaborator &elaborator, const VariantDecl &variant,
                             const Scope &scope, mlir::ModuleOp module) {
  const Setting *first = nullptr;
  for (const VariantDecl::Change &change : variant.changes) {
    if (change.kind != VariantDecl::Change::Kind::Precision)
      continue;
    if (first) {
      elaborator.error(change.range, "'precision' is set twice")
          .note(first->range, "set here first");
      return false;
    }
    first = &*change.setting;
    auto precision =
        readPrecision(elaborator, *first, scope, module.getContext(), false);
    if (!precision)
      return false;
    nn::modelOf(module).setPrecisionAttr(precision->attribute());
  }
  return true;
}
