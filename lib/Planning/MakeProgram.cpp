//===- MakeProgram.cpp - all classes of a module as one plan --------------===//

#include "Arena.h"
#include "ClassPlanner.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Program.h"
#include "hocket/Plan/Check.h"
#include "hocket/Planning/Planning.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

static void addInterface(spmd::FuncOp func, nn::MeshAttr mesh,
                         PlanTables &tables) {
  plan::Plan &plan = tables.plan;
  auto element = [](Type type) {
    if (auto view = dyn_cast<buffers::ViewType>(type))
      return view.getElementType();
    return cast<buffers::InputType>(type).getElementType();
  };
  for (BlockArgument argument : func.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = nn::argumentName(func, number);
    auto box = func.getArgAttrOfType<spmd::BoxAttr>(number, spmd::kCuts);
    plan.inputs.push_back(
        tables.tensor(name.getValue(), element(argument.getType()), box));
  }
  for (auto [number, type] : llvm::enumerate(func.getResultTypes())) {
    auto name = nn::resultName(func, number);
    auto box = func.getResultAttrOfType<spmd::BoxAttr>(number, spmd::kCuts);
    plan.outputs.push_back(tables.tensor(name.getValue(), element(type), box));
    if (auto axes =
            func.getResultAttrOfType<ArrayAttr>(number, spmd::kReplicatedOver))
      plan.outputs.back().replicatedOver = tables.axes(axes);
  }
}

static void readRun(DictionaryAttr run, plan::Recipe &recipe) {
  auto text = [&](StringRef key, std::string &value) {
    if (auto given = run.getAs<StringAttr>(key))
      value = given.str();
  };
  auto number = [&](StringRef key, int64_t &value) {
    if (auto given = run.getAs<IntegerAttr>(key))
      value = given.getInt();
  };
  text("data", recipe.data);
  text("token_type", recipe.tokenType);
  text("weights", recipe.weights);
  text("checkpoints", recipe.checkpoints);
  number("save_every", recipe.saveEvery);
  number("keep", recipe.keep);
  text("validation_data", recipe.validationData);
  number("validate_every", recipe.validateEvery);
  number("validation_batches", recipe.validationBatches);
  number("steps", recipe.steps);
  number("seed", recipe.seed);
}

static plan::Target targetOf(ModuleOp module) {
  return nn::targetOf(module) == nn::Target::Cuda ? plan::Target::Cuda
                                                  : plan::Target::Cpu;
}

static void readModel(nn::ModelOp model, plan::Plan &plan) {
  plan.model = model.getModel().str();
  for (StringRef pattern : model.getIgnore().getAsValueRange<StringAttr>())
    plan.ignored.push_back(pattern.str());
  for (StringRef prefix : model.getPrefixes().getAsValueRange<StringAttr>())
    plan.prefixes.push_back(prefix.str());
  readRun(model.getRun(), plan.recipe);
}

/// Each class was planned alone: nobody may wait for who never comes.
static LogicalResult proveOrder(ModuleOp module, const plan::Plan &plan) {
  std::string problem;
  if (plan::checkOrder(plan, problem))
    return success();
  return module.emitError("the plan cannot be run: ") << problem;
}

static LogicalResult planModule(ModuleOp module,
                                codegen::KernelCompiler &compiler,
                                const EngineOptions &engines, plan::Plan &plan,
                                KernelSources *sources) {
  nn::ModelOp model = nn::modelOf(module);
  nn::PlacementOp placement = nn::placementOf(module);
  assert(model && placement && "dumps that lack one are not read");
  readModel(model, plan);
  plan.schedule = placement.getSchedule().str();
  plan.target = targetOf(module);
  nn::MeshAttr mesh = placement.getMesh();
  for (nn::MeshAxisAttr axis : mesh.getAxes())
    plan.mesh.push_back({axis.getName().str(), axis.getSize()});
  PlanTables tables(plan, mesh);
  tables.kernelSources = sources;
  bool isFirst = true;
  std::vector<std::vector<Life>> lives; // by class
  for (auto func : module.getOps<spmd::FuncOp>()) {
    if (isFirst)
      addInterface(func, mesh, tables);
    isFirst = false;
    plan::RankClass rankClass;
    ClassPlanner planner(func, tables, compiler, engines, rankClass);
    if (failed(planner.plan()))
      return failure();
    lives.push_back(planner.getLives());
    plan.classes.push_back(std::move(rankClass));
  }
  placeArenas(plan, lives);
  return proveOrder(module, plan);
}

static LogicalResult planBoth(ModuleOp module, ModuleOp validation,
                              codegen::KernelCompiler &compiler,
                              const EngineOptions &engines, plan::Plan &plan,
                              KernelSources *sources = nullptr) {
  if (failed(planModule(module, compiler, engines, plan, sources)))
    return failure();
  return success(!validation || succeeded(planModule(
                                    validation, compiler, engines,
                                    plan.validation.emplace_back(), sources)));
}

FailureOr<plan::Plan> hocket::makePlan(ModuleOp module, ModuleOp validation,
                                       bool keepsKernels,
                                       const EngineOptions &engines) {
  codegen::CodeGenOptions options;
  options.target = targetOf(module);
  options.machineCode = false;
  codegen::KernelCompiler compiler(options);
  plan::Plan plan;
  KernelSources sources(plan);
  if (failed(planBoth(module, validation, compiler, engines, plan,
                      keepsKernels ? &sources : nullptr)))
    return failure();
  return plan;
}

FailureOr<CompiledProgram> hocket::makeProgram(ModuleOp module,
                                               codegen::CodeGenOptions options,
                                               codegen::KernelCache *cache,
                                               ModuleOp validation,
                                               const EngineOptions &engines) {
  CompiledProgram program;
  options.target = targetOf(module);
  codegen::KernelCompiler compiler(options, cache);
  if (failed(planBoth(module, validation, compiler, engines, program.plan)))
    return failure();
  std::string problem;
  auto object = compiler.finish(problem);
  if (!object)
    return module.emitError("cannot compile the kernels: ") << problem;
  program.kernels = std::move(*object);
  return program;
}
