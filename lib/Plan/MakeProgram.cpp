//===- MakeProgram.cpp - all classes of a module as one plan --------------===//

#include "ClassPlanner.h"
#include "hocket/Plan/Planning.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

static void addInterface(func::FuncOp func, nn::MeshAttr mesh,
                         PlanTables &tables) {
  plan::Plan &plan = tables.plan;
  auto element = [](Type type) {
    return cast<RankedTensorType>(type).getElementType();
  };
  for (BlockArgument argument : func.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = func.getArgAttrOfType<StringAttr>(number, "nn.name");
    auto box = func.getArgAttrOfType<spmd::BoxAttr>(number, spmd::kCuts);
    plan.inputs.push_back(
        tables.tensor(name.getValue(), element(argument.getType()), box));
  }
  for (auto [number, type] : llvm::enumerate(func.getResultTypes())) {
    auto name = func.getResultAttrOfType<StringAttr>(number, "nn.name");
    auto box = func.getResultAttrOfType<spmd::BoxAttr>(number, spmd::kCuts);
    plan.outputs.push_back(tables.tensor(name.getValue(), element(type), box));
    if (auto axes =
            func.getResultAttrOfType<ArrayAttr>(number, spmd::kReplicatedOver))
      plan.outputs.back().replicatedOver = tables.axes(axes);
  }
  if (auto ignored = func->getAttrOfType<ArrayAttr>("nn.ignore"))
    for (Attribute pattern : ignored)
      plan.ignored.push_back(cast<StringAttr>(pattern).str());
}

FailureOr<CompiledProgram>
hocket::makeProgram(ModuleOp module, const codegen::CodeGenOptions &options,
                    codegen::KernelCache *cache) {
  auto mesh = module->getAttrOfType<nn::MeshAttr>("nn.mesh");
  CompiledProgram program;
  plan::Plan &plan = program.plan;
  if (auto name = module->getAttrOfType<StringAttr>("nn.model"))
    plan.model = name.str();
  if (auto name = module->getAttrOfType<StringAttr>("nn.schedule"))
    plan.schedule = name.str();
  for (nn::MeshAxisAttr axis : mesh.getAxes())
    plan.mesh.push_back({axis.getName().str(), axis.getSize()});
  PlanTables tables(plan, mesh);
  codegen::KernelCompiler compiler(options, cache);
  bool isFirst = true;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (isFirst)
      addInterface(func, mesh, tables);
    isFirst = false;
    plan::RankClass rankClass;
    if (failed(ClassPlanner(func, tables, compiler).plan(rankClass)))
      return failure();
    plan.classes.push_back(std::move(rankClass));
  }
  std::string problem;
  auto object = compiler.finish(problem);
  if (!object)
    return module.emitError("cannot compile the kernels: ") << problem;
  program.kernels = std::move(*object);
  return program;
}
