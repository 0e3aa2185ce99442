//===- EmitModel.cpp - the function of a model ----------------------------===//

#include "Elaborator.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static void setNames(mlir::OpBuilder &builder, nn::FuncOp func,
                     const ModuleDecl &model, const FunctionItem &compiled,
                     llvm::ArrayRef<std::string> unread) {
  llvm::SmallVector<llvm::StringRef> ignored(unread.begin(), unread.end());
  llvm::SmallVector<llvm::StringRef> prefixes, others;
  for (const ItemPtr &item : model.items) {
    if (auto *ignore = dynAs<IgnoreItem>(item))
      for (const IgnoreItem::Entry &entry : ignore->entries)
        ignored.push_back(entry.text);
    if (auto *prefix = dynAs<PrefixItem>(item))
      for (const IgnoreItem::Entry &entry : prefix->entries)
        prefixes.push_back(entry.text);
    // A schedule may place arguments of functions that are not compiled here.
    auto *function = dynAs<FunctionItem>(item);
    if (function && function != &compiled)
      for (const FunctionArg &argument : function->args)
        others.push_back(argument.name.text);
  }
  nn::ModelOp said = nn::modelOf(func);
  said.setIgnoreAttr(builder.getStrArrayAttr(ignored));
  said.setPrefixesAttr(builder.getStrArrayAttr(prefixes));
  said.setOtherArgumentsAttr(builder.getStrArrayAttr(others));
  for (size_t i = 0; i < compiled.args.size(); ++i)
    func.setArgAttr(i, nn::kName,
                    builder.getStringAttr(compiled.args[i].name.text));
}

std::optional<llvm::SmallVector<mlir::Type>>
Elaborator::inputTypes(const ModuleDecl &model, const FunctionItem &function,
                       const Scope &parameters) {
  llvm::SmallVector<mlir::Type> types;
  for (const FunctionArg &argument : function.args) {
    // Lets of the model may name dims of its inputs: bind them first.
    Scope scope(&parameters);
    for (const ItemPtr &item : model.items)
      if (auto *let = dynAs<LetItem>(item)) {
        MaybeDatum datum = evaluate(*let->value, scope);
        if (!datum)
          return std::nullopt;
        scope.names[let->name.text] = *datum;
      }
    mlir::RankedTensorType type = evaluateType(argument.type, scope);
    if (!type)
      return std::nullopt;
    types.push_back(type);
  }
  return types;
}

bool Elaborator::checkLoss(const FunctionItem &function,
                           llvm::ArrayRef<mlir::Value> outputs) {
  auto isNumber = [](mlir::Value value) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    return type.getRank() == 0 &&
           mlir::isa<mlir::FloatType>(type.getElementType());
  };
  if (outputs.size() == 1 && isNumber(outputs[0]))
    return true;
  error(function.name.range,
        "a loss is one float without dims, found " +
            (outputs.size() == 1 ? nn::describe(outputs[0].getType())
                                 : std::to_string(outputs.size()) + " values"))
      .note("return mean(...), or cross_entropy(logits, targets)");
  return false;
}

bool Elaborator::runModel(const FunctionItem &function, const InstancePtr &root,
                          std::vector<mlir::Value> &outputs,
                          std::vector<std::string> &names) {
  bool isLoss = function.name.text != "forward";
  Scope scope(&root->scope);
  if (isLoss)
    scope.names["forward"] = Datum(root);
  for (const FunctionArg &argument : function.args)
    scope.names[argument.name.text] = Datum(inputs.lookup(argument.name.text));
  currentPath = isLoss ? function.name.text : "";
  auto results = runFunction(function, *root, scope, currentPath);
  if (!results)
    return false;
  if (!function.results.empty() && function.results.size() != results->size()) {
    error(function.name.range, "'" + root->decl->name.text + "' returns " +
                                   std::to_string(results->size()) +
                                   " values and declares " +
                                   std::to_string(function.results.size()));
    return false;
  }
  for (size_t i = 0; i < results->size(); ++i) {
    const TensorType *declared =
        i < function.results.size() ? &function.results[i] : nullptr;
    names.push_back(isLoss ? function.name.text
                           : outputName(i, results->size()));
    outputs.push_back(bindTensor((*results)[i], declared, names.back(),
                                 nn::ValueRole::Result, scope,
                                 function.name.range, "the model's result"));
    if (!outputs.back())
      return false;
  }
  return !isLoss || checkLoss(function, outputs);
}

void Elaborator::checkVariant(const ModuleDecl &model) {
  for (size_t i = 0; i < variantHits.size(); ++i) {
    const VariantDecl::Change &change = variant->changes[i];
    if (!variantHits[i] && change.kind != VariantDecl::Change::Kind::Precision)
      error(change.pattern.range, "'" + change.pattern.str() +
                                      "' matches nothing in model '" +
                                      model.name.text + "'");
  }
}

bool Elaborator::emitModel(mlir::ModuleOp module, const ModuleDecl &model,
                           const VariantDecl *changes, const Scope &parameters,
                           const std::string &name) {
  const FunctionItem *function = findFunction(model, name);
  if (!function) {
    auto &diagnostic =
        error(model.name.range,
              "model '" + model.name.text + "' has no " + name + " function");
    if (name != "forward")
      diagnostic.note("write " + name +
                      "(...) -> f32[] { ... } beside its forward");
    return false;
  }
  variant = changes;
  variantScope = &parameters;
  variantHits.assign(changes ? changes->changes.size() : 0, 0);

  auto types = inputTypes(model, *function, parameters);
  if (!types || (isTraining && !addStep(*function, *types)))
    return false;
  builder.setInsertionPointToEnd(module.getBody());
  auto func = nn::FuncOp::create(
      builder, locationOf(function->name.range, model.name.text), name,
      builder.getFunctionType(*types, {}));
  mlir::Block *body = func.addEntryBlock();
  for (auto [argument, input] :
       llvm::zip(function->args, body->getArguments())) {
    input.setLoc(locationOf(argument.name.range, argument.name.text));
    inputs[argument.name.text] = input;
  }
  if (isTraining) {
    step = body->getArguments().back();
    step.setLoc(locationOf(function->name.range, "step"));
  }
  parameterBlock = body;
  builder.setInsertionPointToEnd(body);

  auto root = std::make_shared<Instance>();
  root->decl = &model;
  root->scope.names = parameters.names;
  if (!addItems(model, *root, 0))
    return false;
  builder.setInsertionPointToEnd(body);
  std::vector<mlir::Value> outputs;
  std::vector<std::string> names;
  if (!runModel(*function, root, outputs, names))
    return false;
  llvm::SmallVector<llvm::StringRef> buffers;
  for (auto &[path, next] : nextBuffers) {
    outputs.push_back(next);
    names.push_back(path + ".next");
    buffers.push_back(path);
  }
  func.setBuffersAttr(builder.getStrArrayAttr(buffers));
  nn::ReturnOp::create(builder, locationOf(function->name.range), outputs);
  func.setFunctionType(builder.getFunctionType(
      *types, llvm::to_vector(mlir::ValueRange(outputs).getTypes())));
  llvm::SmallVector<llvm::StringRef> refs(names.begin(), names.end());
  func.setOutputsAttr(builder.getStrArrayAttr(refs));
  setNames(builder, func, model, *function, unread);
  if (isTraining)
    func.setArgAttr(function->args.size(), nn::kName,
                    builder.getStringAttr("step"));
  checkVariant(model);
  return !diagnostics.hasErrors() && !hadShapeError;
}
