//===- Program.cpp - what makes what is said of a program well formed -----===//

#include "dialects/Nn/Program.h"
#include "dialects/Nn/Fields.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

#include "dialects/Nn/NnProgramEnums.cpp.inc"

/// They stand at the top of their module, so this looks at few operations.
template <typename OpTy> static OpTy findInModule(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (!module)
    return {};
  auto found = module.getOps<OpTy>();
  return found.empty() ? OpTy() : *found.begin();
}

ModelOp nn::modelOf(Operation *op) { return findInModule<ModelOp>(op); }

PlacementOp nn::placementOf(Operation *op) {
  return findInModule<PlacementOp>(op);
}

MeshAttr nn::meshOf(Operation *op) {
  PlacementOp placement = placementOf(op);
  return placement ? placement.getMesh() : MeshAttr();
}

int64_t nn::seedOf(Operation *op) {
  ModelOp model = modelOf(op);
  return model ? model.getSeed() : 0;
}

Gradients nn::gradientsOf(Operation *op) {
  ModelOp model = modelOf(op);
  return model ? model.getGradients() : Gradients::None;
}

Target nn::targetOf(Operation *op) {
  ModelOp model = modelOf(op);
  return model ? model.getTarget() : Target::Cpu;
}

ModelOp nn::createModel(OpBuilder &builder, Location location, StringRef name) {
  ArrayAttr none = builder.getArrayAttr({});
  DictionaryAttr empty = builder.getDictionaryAttr({});
  return ModelOp::create(builder, location, name, Target::Cpu, Gradients::None,
                         none, none, none, empty, /*seed=*/0, empty, empty);
}

void nn::computeAllGradients(ModuleOp module) {
  modelOf(module).setGradients(Gradients::All);
}

//===-- The model ---------------------------------------------------------===//

static LogicalResult verifyRate(Operation *op, Attribute rate) {
  return verifyFields(op, "the rate of its recipe", rate,
                      {{"kind", isA<StringAttr>},
                       {"max", isA<FloatAttr>},
                       {"min", isA<FloatAttr>},
                       {"warmup", isA<IntegerAttr>},
                       {"steps", isA<IntegerAttr>}});
}

static bool isScale(Attribute scale) {
  return hasFields(scale,
                   {{"dynamic", isA<BoolAttr>}, {"first", isA<FloatAttr>}});
}

static bool areBetas(Attribute betas) {
  return isListOf<FloatAttr>(betas) && cast<ArrayAttr>(betas).size() == 2;
}

static LogicalResult verifyRecipe(Operation *op, DictionaryAttr recipe) {
  constexpr StringLiteral what = "its recipe";
  if (failed(verifyFields(op, what, recipe,
                          {{"name", isA<StringAttr>},
                           {"optimizer", isA<StringAttr>},
                           {"lr", isA<DictionaryAttr>},
                           {"decay", isA<FloatAttr>},
                           {"undecayed", isListOf<StringAttr>},
                           {"frozen", isListOf<StringAttr>},
                           {"clip", isA<FloatAttr>},
                           {"accumulate", isA<IntegerAttr>},
                           {"loss_scale", isScale, true}})) ||
      failed(verifyRate(op, recipe.get("lr"))))
    return failure();
  StringRef optimizer = recipe.getAs<StringAttr>("optimizer").getValue();
  if (optimizer == "adamw")
    return verifyFields(op, what, recipe,
                        {{"betas", areBetas}, {"eps", isA<FloatAttr>}});
  if (optimizer == "sgd")
    return verifyFields(
        op, what, recipe,
        {{"momentum", isA<FloatAttr>}, {"nesterov", isA<BoolAttr>}});
  return op->emitOpError() << "has an optimizer '" << optimizer
                           << "', which is neither adamw nor sgd";
}

static FloatType floatOf(DictionaryAttr precision, StringRef key) {
  auto type = precision.getAs<TypeAttr>(key);
  return type ? dyn_cast<FloatType>(type.getValue()) : FloatType();
}

static LogicalResult verifyPrecision(Operation *op, DictionaryAttr precision) {
  FloatType compute = floatOf(precision, "compute");
  FloatType reduce = floatOf(precision, "reduce");
  bool isNarrow = compute && (compute.isBF16() || compute.isF16());
  if (isNarrow && reduce && (reduce == compute || reduce.isF32()))
    return success();
  return op->emitOpError() << "has a precision {compute = bf16 or f16, reduce "
                              "= f32 or the same}, found "
                           << precision;
}

LogicalResult ModelOp::verify() {
  if (modelOf(*this) != *this) // (C1)
    return emitOpError() << "is the second of its module";
  if (isTrained()) { // (C2)
    if (failed(verifyRecipe(*this, getTrain())))
      return failure();
    if (getGradients() != Gradients::Parameters)
      return emitOpError() << "is trained by the gradients of its parameters, "
                              "and has gradients "
                           << stringifyGradients(getGradients());
  } else if (!getRun().empty()) { // (C4)
    return emitOpError() << "has a run of a recipe, and no recipe";
  }
  return isNarrow() ? verifyPrecision(*this, getPrecision()) // (C3)
                    : success();
}

//===-- The placement -----------------------------------------------------===//

LogicalResult nn::verifyMesh(Operation *op, MeshAttr mesh) {
  constexpr int64_t mostRanks = 1 << 20;
  int64_t ranks = 1;
  for (MeshAxisAttr axis : mesh.getAxes()) {
    if (axis.getSize() < 1 || axis.getSize() > mostRanks / ranks)
      return op->emitOpError()
             << "has a mesh of no rank, or of more than " << mostRanks;
    ranks *= axis.getSize();
  }
  return success();
}

LogicalResult PlacementOp::verify() {
  if (placementOf(*this) != *this) // (C1)
    return emitOpError() << "is the second of its module";
  if (failed(verifyMesh(*this, getMesh()))) // (C2)
    return failure();
  Field line{"line", isA<LocationAttr>, true};
  return failure( // (C3)
      failed(verifyList(*this, "an expectation", getExpectations(),
                        {{"what", isA<StringAttr>},
                         {"comparison", isA<StringAttr>},
                         {"limit", isA<FloatAttr>},
                         line})) ||
      failed(verifyList(*this, "an expectation of the backward",
                        getBackwardExpectations(),
                        {{"root", isA<StringAttr>},
                         {"counts", isA<DictionaryAttr>},
                         {"line", isA<LocationAttr>}})) ||
      failed(verifyList(*this, "a bucket", getBuckets(),
                        {{"of", isA<StringAttr>},
                         {"axes", isListOf<StringAttr>},
                         {"bytes", isA<IntegerAttr>},
                         line})));
}
