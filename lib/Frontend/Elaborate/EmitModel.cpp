//===- EmitModel.cpp - the function of a model ----------------------------===//

#include "Elaborator.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static const FunctionItem *findForward(const ModuleDecl &model) {
  for (const ItemPtr &item : model.items)
    if (auto *function = dynAs<FunctionItem>(item))
      if (function->name.text == "forward")
        return function;
  return nullptr;
}

static void setNames(mlir::OpBuilder &builder, mlir::func::FuncOp func,
                     const ModuleDecl &model, const FunctionItem &forward) {
  llvm::SmallVector<llvm::StringRef> ignored, others;
  for (const ItemPtr &item : model.items) {
    if (auto *ignore = dynAs<IgnoreItem>(item))
      for (const IgnoreItem::Entry &entry : ignore->entries)
        ignored.push_back(entry.text);
    // A schedule may place arguments of functions that are not compiled here.
    auto *function = dynAs<FunctionItem>(item);
    if (function && function != &forward)
      for (const FunctionArg &argument : function->args)
        others.push_back(argument.name.text);
  }
  func->setAttr("nn.ignore", builder.getStrArrayAttr(ignored));
  func->setAttr("nn.other_arguments", builder.getStrArrayAttr(others));
  for (size_t i = 0; i < forward.args.size(); ++i)
    func.setArgAttr(i, "nn.name",
                    builder.getStringAttr(forward.args[i].name.text));
}

bool Elaborator::emitModel(mlir::ModuleOp module, const ModuleDecl &model,
                           const VariantDecl *changes,
                           const Scope &parameters) {
  const FunctionItem *forward = findForward(model);
  if (!forward) {
    error(model.name.range,
          "model '" + model.name.text + "' has no forward function");
    return false;
  }
  variant = changes;
  variantScope = &parameters;
  variantHits.assign(changes ? changes->changes.size() : 0, 0);

  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  for (const FunctionArg &argument : forward->args) {
    // Lets of the model may name dims of its inputs: bind them first.
    Scope scope(&parameters);
    for (const ItemPtr &item : model.items)
      if (auto *let = dynAs<LetItem>(item)) {
        MaybeDatum datum = evaluate(*let->value, scope);
        if (!datum)
          return false;
        scope.names[let->name.text] = *datum;
      }
    mlir::RankedTensorType type = evaluateType(argument.type, scope);
    if (!type)
      return false;
    types.push_back(type);
    locations.push_back(locationOf(argument.name.range, argument.name.text));
  }
  builder.setInsertionPointToEnd(module.getBody());
  auto func = mlir::func::FuncOp::create(
      builder, locationOf(forward->name.range, model.name.text), "forward",
      builder.getFunctionType(types, {}));
  mlir::Block *body = func.addEntryBlock();
  for (size_t i = 0; i < locations.size(); ++i)
    body->getArgument(i).setLoc(locations[i]);
  parameterBlock = body;
  builder.setInsertionPointToEnd(body);

  Instance root;
  root.decl = &model;
  root.scope.parent = nullptr;
  root.scope.names = parameters.names;
  if (!addItems(model, root, 0))
    return false;
  builder.setInsertionPointToEnd(body);
  Scope scope(&root.scope);
  for (size_t i = 0; i < forward->args.size(); ++i)
    scope.names[forward->args[i].name.text] =
        Datum(mlir::Value(body->getArgument(i)));
  auto results = runFunction(*forward, root, scope);
  if (!results)
    return false;
  if (!forward->results.empty() && forward->results.size() != results->size()) {
    error(forward->name.range, "'" + model.name.text + "' returns " +
                                   std::to_string(results->size()) +
                                   " values and declares " +
                                   std::to_string(forward->results.size()));
    return false;
  }
  std::vector<mlir::Value> outputs;
  llvm::SmallVector<std::string> outputNames;
  for (size_t i = 0; i < results->size(); ++i) {
    const TensorType *declared =
        i < forward->results.size() ? &forward->results[i] : nullptr;
    outputNames.push_back(results->size() == 1 ? "output"
                                               : "output" + std::to_string(i));
    mlir::Value bound = bindTensor((*results)[i], declared, outputNames.back(),
                                   nn::ValueRole::Result, scope,
                                   forward->name.range, "the model's result");
    if (!bound)
      return false;
    outputs.push_back(bound);
  }
  mlir::func::ReturnOp::create(builder, locationOf(forward->name.range),
                               outputs);
  func.setFunctionType(builder.getFunctionType(
      types, llvm::to_vector(mlir::ValueRange(outputs).getTypes())));
  llvm::SmallVector<llvm::StringRef> refs(outputNames.begin(),
                                          outputNames.end());
  func->setAttr("nn.outputs", builder.getStrArrayAttr(refs));
  setNames(builder, func, model, *forward);
  for (size_t i = 0; i < variantHits.size(); ++i)
    if (!variantHits[i] &&
        changes->changes[i].kind != VariantDecl::Change::Kind::Precision)
      error(changes->changes[i].pattern.range,
            "'" + changes->changes[i].pattern.str() +
                "' matches nothing in model '" + model.name.text + "'");
  return !diagnostics.hasErrors() && !hadShapeError;
}
