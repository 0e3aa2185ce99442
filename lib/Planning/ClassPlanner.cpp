//===- ClassPlanner.cpp - translates a class function ---------------------===//

#include "ClassPlanner.h"
#include "Instructions.h"
#include "OnGpu.h"
#include "hocket/Plan/Workspace.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

ClassPlanner::ClassPlanner(spmd::FuncOp func, PlanTables &tables,
                           codegen::KernelCompiler &compiler,
                           const EngineOptions &engines,
                           plan::RankClass &rankClass)
    : func(func), tables(tables), compiler(compiler), engines(engines),
      rankClass(rankClass), memory(rankClass), addresses(tables, memory),
      constants(rankClass, memory, tables) {}

LogicalResult ClassPlanner::plan() {
  ArrayRef<int64_t> ranks = func.getRanks();
  rankClass.ranks.assign(ranks.begin(), ranks.end());
  addInputsAndOutputs();
  for (Operation &op : func.getBody().front())
    if (failed(planOp(op)))
      return failure();
  memory.assignWeights();
  return success();
}

void ClassPlanner::emit(plan::Instruction instruction) {
  (isLoaded ? rankClass.step : rankClass.load)
      .push_back(std::move(instruction));
  memory.next();
}

void ClassPlanner::emit(Location loc, Body body) {
  emit({tables.source(loc), std::move(body)});
}

plan::View ClassPlanner::view(Value view) {
  return addresses.view(Strided::of(view.getDefiningOp<buffers::ViewOp>()));
}

LogicalResult ClassPlanner::planOp(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](buffers::ComputeOp op) { return planCompute(op); })
      .Default([&](Operation *op) {
        TypeSwitch<Operation *>(op)
            .Case([&](buffers::BufferOp op) { addBuffer(op); })
            .Case([&](buffers::StateOp op) { addState(op); })
            .Case([&](buffers::PackOp op) { addPack(op); })
            .Case([&](buffers::WaitOp op) { planWait(op); })
            .Case([&](buffers::CopyOp op) {
              plan::View source = view(op.getSource());
              emit(op.getLoc(), plan::Copy{source, view(op.getTarget())});
            })
            .Case([&](buffers::FillOp op) {
              emit(op.getLoc(), plan::Fill{view(op.getTarget()),
                                           op.getValue().convertToDouble()});
            })
            .Case([&](buffers::ReleaseOp op) {
              memory.release(addresses.numberOf(op.getBuffer()));
            })
            .Case([&](buffers::LoadedOp op) {
              isLoaded = true;
              memory.beginStep();
            });
        return success();
      });
}

//===-- Memory ------------------------------------------------------------===//

static plan::DType typeOf(Value memory) {
  return dtypeOf(buffers::elementTypeOf(memory));
}

void ClassPlanner::addInputsAndOutputs() {
  auto add = [&](const Strided &at, plan::Region region, int64_t number) {
    addresses.add(at.buffer, memory.addTensor(region, number, typeOf(at.buffer),
                                              buffers::elementsOf(at.buffer)));
    if (!at.isDenseRowMajor())
      rankClass.buffers.back().strides.assign(at.strides.begin(),
                                              at.strides.end());
  };
  for (BlockArgument argument : func.getArguments())
    add(Strided::whole(argument), plan::Region::Input, argument.getArgNumber());
  Operation *terminator = func.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(terminator->getOperands()))
    add(Strided::of(result.getDefiningOp<buffers::ViewOp>()),
        plan::Region::Output, number);
}

void ClassPlanner::addBuffer(buffers::BufferOp op) {
  if (op.getRegion() == buffers::Region::Output)
    return; // has its number as a result
  auto region = op.getRegion() == buffers::Region::Weights
                    ? plan::Region::Weights
                    : plan::Region::Arena;
  addresses.add(op, memory.add(region, typeOf(op), buffers::elementsOf(op)));
}

/// Axes of more than one rank that no cut depends on.
static std::vector<int> replicatedOver(const plan::Plan &plan,
                                       const plan::GlobalTensor &tensor) {
  std::vector<int> axes;
  for (int axis = 0, e = plan.mesh.size(); axis < e; ++axis) {
    bool cuts = llvm::any_of(tensor.cuts, [&](const plan::Cut &cut) {
      return llvm::is_contained(plan.tables[cut.offset].axes, axis);
    });
    if (!cuts && plan.mesh[axis].size > 1)
      axes.push_back(axis);
  }
  return axes;
}

/// Every class stores the same tensors in the same order.
void ClassPlanner::addState(buffers::StateOp op) {
  int buffer = memory.addState(typeOf(op), elementsOf(op));
  addresses.add(op, buffer);
  plan::Plan &plan = tables.plan;
  if (rankClass.states.size() == plan.states.size()) {
    plan.states.push_back(tables.tensor(
        op.getName(), op.getType().getElementType(), op.getCuts()));
    plan.states.back().replicatedOver =
        replicatedOver(plan, plan.states.back());
  }
  rankClass.states.push_back(buffer);
}

void ClassPlanner::addPack(buffers::PackOp op) {
  int number = rankClass.packs++;
  addresses.add(op, number);
  emit(op.getLoc(),
       plan::PackWeight{number, view(op.getWeight()), int64_t(op.getRows())});
}

//===-- What computes -----------------------------------------------------===//

FailureOr<Body> ClassPlanner::bodyOf(buffers::ComputeOp compute, Call &call) {
  Operation &computed = compute.getComputed();
  using Result = FailureOr<Body>;
  return TypeSwitch<Operation *, Result>(&computed)
      .Case<spmd::ParameterOp, spmd::IotaOp, spmd::AttentionOp,
            spmd::AttentionGradOp, spmd::NeighborhoodAttentionOp,
            spmd::NeighborhoodAttentionGradOp, spmd::EmbeddingOp,
            spmd::EmbeddingGradOp, spmd::PoolOp, spmd::PoolGradOp>(
          [&](auto op) -> Result { return instructionOf(op, call, tables); })
      .Case<nn::GatherOp, nn::ScatterSumOp>(
          [&](auto op) -> Result { return instructionOf(op, call, constants); })
      .Case<nn::LinearOp, nn::MatMulOp>(
          [&](auto op) -> Result { return productOf(*op, call); })
      .Case<nn::ConvOp, nn::ConvTransposeOp, nn::ConvGradWeightOp>(
          [&](auto op) -> Result { return convolutionOf(*op, call); })
      .Case([&](spmd::KernelOp) { return kernelOf(compute, call); })
      .Case([&](nn::HookOp op) -> Result {
        if (failed(addHook(*op, op.getHook())))
          return failure();
        return instructionOf(op, call);
      })
      .Case([&](spmd::CollectiveOp op) -> Result {
        DictionaryAttr hook = op.getHookAttr();
        if (hook && failed(addHook(*op, hook)))
          return failure();
        return Body(collectiveOf(op, call, tables));
      })
      .Default([&](Operation *other) -> Result {
        return other->emitError("not supported yet: '")
               << other->getName() << "' in a compiled program";
      });
}

std::string ClassPlanner::planOnGpu(plan::Instruction &instruction) {
  chooseEngine(engines, tables.plan, rankClass, instruction);
  std::string why = whyNotOnGpu(instruction.body, tables.plan, rankClass);
  if (!why.empty() || !plan::takesWorkspace(instruction))
    return why;
  int64_t bytes = 0;
  why = workspaceOnGpu(instruction, tables.plan, rankClass, bytes);
  if (why.empty())
    instruction.workspace = {memory.addWorkspace(bytes), 0, {}, {bytes}, {1}};
  return why;
}

LogicalResult ClassPlanner::planCompute(buffers::ComputeOp op) {
  Call call(op, addresses);
  FailureOr<Body> body = bodyOf(op, call);
  if (failed(body))
    return failure();
  if (const std::optional<Strided> &at = call.getProblem()) {
    InFlightDiagnostic error = op.getComputed().emitError("'");
    error << op.getComputed().getName()
          << "' cannot be computed where its operands and results lie: one has "
             "sizes [";
    llvm::interleaveComma(at->sizes, error);
    error << "] and strides [";
    llvm::interleaveComma(at->strides, error);
    return error << "]";
  }
  plan::Instruction instruction{tables.source(op.getComputed().getLoc()),
                                std::move(*body)};
  if (tables.plan.target == plan::Target::Cuda)
    if (std::string why = planOnGpu(instruction); !why.empty())
      return op.getComputed().emitError("not supported yet on a GPU: ")
             << why << "; compile it with --target=cpu";
  if (Value token = op.getStarted()) {
    auto &collective = std::get<plan::Collective>(instruction.body);
    collective.isStarted = true;
    started[token] = collective.id;
  }
  emit(std::move(instruction));
  return success();
}

void ClassPlanner::planWait(buffers::WaitOp op) {
  emit(op.getLoc(), plan::Wait{started.lookup(op.getStarted())});
}

LogicalResult ClassPlanner::addHook(Operation &op, DictionaryAttr hook) {
  bool isOnGpu = tables.plan.target == plan::Target::Cuda;
  std::string name = hook.getAs<StringAttr>("name").str();
  auto file = hook.getAs<StringAttr>(isOnGpu ? "cuda" : "file");
  if (!file) {
    InFlightDiagnostic error = op.emitError("hook '")
                               << name << "' has no file for "
                               << (isOnGpu ? "GPUs" : "a CPU");
    error.attachNote() << "write '" << (isOnGpu ? "cuda" : "from") << " \""
                       << name << (isOnGpu ? ".cu" : ".cpp")
                       << "\"' where it is declared, or compile with --target="
                       << (isOnGpu ? "cpu" : "cuda");
    return error;
  }
  compiler.addHook({name, file.str()});
  if (tables.kernelSources)
    tables.kernelSources->addHook(name, file.str());
  return success();
}
