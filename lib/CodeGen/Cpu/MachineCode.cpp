//===- MachineCode.cpp - a kernel through LLVM to an object file ----------===//

#include "MachineCode.h"
#include "LoopEmitter.h"
#include "lib/CodeGen/Lower/LlvmPipeline.h"
#include "lib/CodeGen/Lower/LowerLoops.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace llvm;

namespace hocket::codegen {

ObjectCompiler::ObjectCompiler(const CpuTarget &target, bool optimize)
    : target(target), isOptimized(optimize),
      context(mlir::MLIRContext::Threading::DISABLED) {
  mlir::DialectRegistry registry;
  insertLlvmTranslations(registry);
  context.appendDialectRegistry(registry);
  loadLoopDialects(context);
  Triple triple(target.triple);
  std::string error;
  const Target *found = TargetRegistry::lookupTarget(triple, error);
  TargetOptions options;
  machine.reset(found->createTargetMachine(
      triple, target.cpu, target.features, options, Reloc::PIC_, std::nullopt,
      optimize ? CodeGenOptLevel::Aggressive : CodeGenOptLevel::None));
}

ObjectCompiler::~ObjectCompiler() = default;

/// Whether a loop computes in vectors already, as those that draw words do.
static bool isOfVectors(const Loop &loop) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (instruction.getType()->isVectorTy())
        return true;
  return false;
}

/// Kernel loops gain from more than the two copies that the vectorizer makes by
/// itself: long dependency chains of polynomials overlap.
static void annotateLoops(Function &function, const Graph &graph) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  LLVMContext &context = function.getContext();
  auto hint = [&](const char *name, unsigned value) {
    Type *type = Type::getInt32Ty(context);
    return MDNode::get(
        context, {MDString::get(context, name),
                  ConstantAsMetadata::get(ConstantInt::get(type, value))});
  };
  bool narrow = false;
  auto isNarrow = [](DType type) {
    return type == DType::BF16 || type == DType::F16;
  };
  for (DType type : graph.inputTypes)
    narrow |= isNarrow(type);
  for (DType type : graph.outputTypes)
    narrow |= isNarrow(type);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    SmallVector<Metadata *> list = {nullptr};
    // The cost model picks 4 lanes for the conversions of 16-bit floats.
    if (narrow && !isOfVectors(*loop))
      list.push_back(hint("llvm.loop.vectorize.width", 16));
    list.push_back(hint("llvm.loop.interleave.count", narrow ? 2 : 4));
    MDNode *id = MDNode::getDistinct(context, list);
    id->replaceOperandWith(0, id);
    loop->setLoopID(id);
  }
}

/// void symbol(void *const *args, const int64_t *scalars, begin, end): loads
/// the addresses and calls the loops, whose pointers do not alias: an output
/// that lies where an input does is reached by the input's.
static void wrap(Module &module, Function &loops, StringRef symbol,
                 const Graph &graph) {
  LLVMContext &context = module.getContext();
  loops.setName(symbol + ".loops");
  loops.setLinkage(GlobalValue::InternalLinkage);
  loops.addFnAttr(Attribute::NoInline);
  loops.addFnAttr(Attribute::NoUnwind);
  for (auto [input, output] : graph.inPlace)
    loops.getArg(graph.inputTypes.size() + output)
        ->replaceAllUsesWith(loops.getArg(input));
  Type *pointer = PointerType::getUnqual(context);
  Type *i64 = Type::getInt64Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {pointer, pointer, i64, i64}, false);
  auto *entry =
      Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  entry->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", entry));
  unsigned count = graph.inputTypes.size() + graph.outputs.size();
  std::vector<Value *> values;
  for (unsigned i = 0; i < count + graph.scalars; ++i) {
    bool isPointer = i < count;
    Type *element = isPointer ? pointer : i64;
    Value *place = builder.CreateConstInBoundsGEP1_64(
        element, entry->getArg(isPointer ? 0 : 1), isPointer ? i : i - count);
    values.push_back(builder.CreateLoad(element, place));
    if (isPointer) {
      loops.addParamAttr(i, Attribute::NoAlias);
      loops.addParamAttr(
          i, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
    }
  }
  values.push_back(entry->getArg(2));
  values.push_back(entry->getArg(3));
  builder.CreateCall(&loops, values);
  builder.CreateRetVoid();
}

static bool holdsF16(const Graph &graph) {
  auto isF16 = [](DType type) { return type == DType::F16; };
  return any_of(graph.inputTypes, isF16) || any_of(graph.outputTypes, isF16) ||
         any_of(graph.nodes, [](const Node &node) {
           return node.kind == NodeKind::Compute &&
                  node.function == ScalarOp::RoundF16;
         });
}

std::string ObjectCompiler::compile(StringRef symbol, const Graph &graph,
                                    const Schedule &schedule,
                                    std::string &error) {
  if (!target.hasF16 && holdsF16(graph)) {
    error = "cpu '" + target.cpu +
            "' has no instructions for f16 (F16C), which the program stores; "
            "write --cpu=x86-64-v3 or newer, or let it compute in bf16 or f32";
    return {};
  }
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        error += (error.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  emitLoops(*module, symbol, graph, schedule);
  LLVMContext llvmContext;
  std::unique_ptr<Module> code =
      toLlvm(*module, !target.hasBf16, symbol, *machine, llvmContext);
  if (!code)
    return {};
  Function &loops = *code->getFunction(symbol);
  annotateLoops(loops, graph);
  wrap(*code, loops, symbol, graph);
  for (Function &function : *code) {
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    if (target.wideVectors)
      function.addFnAttr("prefer-vector-width", "512");
  }
  if (isOptimized)
    optimize(*code, *machine, /*byHand=*/false);
  return emitFile(*code, *machine, CodeGenFileType::ObjectFile, error);
}

} // namespace hocket::codegen
