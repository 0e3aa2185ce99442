//===- FromPlan.cpp - a plan that was printed becomes a program -----------===//
//
// The plan itself has been checked when it was read. What is left are its calls
// of code: a kernel has sizes and strides compiled in, so that it reaches the
// same elements from each address that it is called with. These must be those
// of the call, which have been checked to lie in their buffer.
//
//===----------------------------------------------------------------------===//

#include "PlanTables.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "hocket/Plan/Alignment.h"
#include "hocket/Planning/Planning.h"
#include "hocket/Views/Strided.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

namespace {

/// Sizes and strides, the widest stride first, as few as say the same.
using Reach = std::vector<std::pair<int64_t, int64_t>>;

/// What the code of a launch takes.
struct Operand {
  plan::DType type;
  Reach reach;
  int64_t alignment; // bytes that its address is a multiple of
};
struct Signature {
  std::vector<Operand> inputs, outputs;
  SmallVector<std::pair<unsigned, unsigned>> inPlace;
  size_t scalars = 0;
  int64_t extent = 0, threads = 0, flops = 0;
};

class Linker {
public:
  Linker(const plan::Plan &plan, codegen::KernelCompiler &compiler,
         std::string &why)
      : plan(plan), compiler(compiler), why(why) {}

  bool add(const plan::KernelSource &source, ModuleOp module);
  bool checkCalls(const plan::Plan &part);

private:
  bool fail(const std::string &text) {
    why = text;
    return false;
  }
  bool readStrides(const plan::KernelSource &source, spmd::KernelOp op,
                   codegen::KernelRequest &request);
  void addSignature(spmd::KernelOp op, const codegen::KernelRequest &request,
                    const codegen::KernelInfo &info);
  bool checkCall(const plan::Plan &part, const plan::RankClass &rankClass,
                 const plan::Kernel &call);
  bool checkHook(const std::string &name);

  const plan::Plan &plan;
  codegen::KernelCompiler &compiler;
  std::string &why;
  std::map<std::string, Signature> signatures;
};

} // namespace

static spmd::KernelOp kernelIn(ModuleOp module) {
  SmallVector<spmd::KernelOp> found;
  module.walk([&](spmd::KernelOp op) { found.push_back(op); });
  return found.size() == 1 ? found.front() : spmd::KernelOp();
}

static bool readLists(const std::vector<std::vector<int64_t>> &lists,
                      ValueRange values,
                      SmallVector<SmallVector<int64_t>> &strides) {
  if (lists.size() != values.size())
    return false;
  for (auto [list, value] : llvm::zip(lists, values)) {
    constexpr int64_t most = int64_t(1) << 48;
    if (list.size() != factorSizes(nn::layoutOf(value)).size() ||
        llvm::any_of(list, [](int64_t s) { return s < 0 || s > most; }))
      return false;
    strides.emplace_back(list.begin(), list.end());
  }
  return true;
}

/// Of all operands, or of none: a power of two up to that of all memory.
static bool readAlignments(const std::vector<int64_t> &list, size_t operands,
                           SmallVector<int64_t> &alignments) {
  constexpr int64_t most = plan::bufferAlignment;
  alignments.assign(list.begin(), list.end());
  return list.empty() ||
         (list.size() == operands && llvm::all_of(list, [](int64_t bytes) {
            return bytes > 0 && most % bytes == 0;
          }));
}

bool Linker::readStrides(const plan::KernelSource &source, spmd::KernelOp op,
                         codegen::KernelRequest &request) {
  if (!readLists(source.inputStrides, op.getInputs(), request.inputStrides) ||
      !readLists(source.outputStrides, op.getOutputs(), request.outputStrides))
    return fail("kernel '" + source.symbol +
                "' does not have a stride for each factor of its inputs and "
                "outputs");
  if (!readAlignments(source.inputAlignments, op.getInputs().size(),
                      request.inputAlignments) ||
      !readAlignments(source.outputAlignments, op.getNumResults(),
                      request.outputAlignments))
    return fail("kernel '" + source.symbol +
                "' does not have an alignment of 1 to 64 bytes, a power of "
                "two, for each of its inputs and outputs");
  for (const std::vector<int64_t> &pair : source.inPlace) {
    if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0 ||
        pair[0] >= int64_t(op.getInputs().size()) ||
        pair[1] >= int64_t(op.getNumResults()))
      return fail("kernel '" + source.symbol +
                  "' is in place of an input or output that it does not have");
    request.inPlace.push_back({pair[0], pair[1]});
  }
  return true;
}

/// One kernel may be made of several texts, whose dims are cut otherwise.
static Reach reachOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  Reach dims, reach;
  for (auto [size, stride] : llvm::zip(shape, strides))
    if (size != 1)
      dims.push_back({size, stride});
  llvm::sort(dims, [](const auto &a, const auto &b) {
    return std::pair(b.second, b.first) < std::pair(a.second, a.first);
  });
  for (auto [size, stride] : dims)
    if (!reach.empty() && reach.back().second == stride * size)
      reach.back() = {reach.back().first * size, stride};
    else
      reach.push_back({size, stride});
  return reach;
}

/// Of a request's values, whose strides and, for a GPU, alignments are said.
static void addOperands(std::vector<Operand> &operands, ValueRange values,
                        ArrayRef<SmallVector<int64_t>> strides,
                        ArrayRef<int64_t> alignments) {
  for (auto [i, value] : llvm::enumerate(values)) {
    auto type = cast<RankedTensorType>(value.getType());
    Numbers sizes = factorSizes(nn::layoutOf(value));
    operands.push_back({dtypeOf(type.getElementType()),
                        reachOf(sizes, strides[i]),
                        alignments.empty() ? 1 : alignments[i]});
  }
}

/// A table or scratch, which code takes to lie where buffers begin.
static Operand denseOperand(plan::DType type, ArrayRef<int64_t> shape) {
  return {type, reachOf(shape, rowMajorStrides(shape)), plan::bufferAlignment};
}

void Linker::addSignature(spmd::KernelOp op,
                          const codegen::KernelRequest &request,
                          const codegen::KernelInfo &info) {
  std::vector<Operand> operands; // as launches number them
  addOperands(operands, op.getInputs(), request.inputStrides,
              request.inputAlignments);
  for (const codegen::KernelTable &table : info.tables) {
    operands.push_back(denseOperand(table.type, table.shape));
    signatures[table.symbol] = {
        {},           {operands.back()}, {},         table.scalar.has_value(),
        table.extent, table.threads,     table.flops};
  }
  int firstOutput = operands.size();
  addOperands(operands, op.getOutputs(), request.outputStrides,
              request.outputAlignments);
  for (const codegen::KernelScratch &scratch : info.scratch)
    operands.push_back(denseOperand(scratch.type, {scratch.elements}));
  for (const codegen::KernelLaunch &launch : info.launches) {
    Signature signature{
        {},          {}, {}, info.scalars.size(), launch.extent, launch.threads,
        launch.flops};
    for (int number : launch.inputs)
      signature.inputs.push_back(operands[number]);
    for (int number : launch.outputs)
      signature.outputs.push_back(operands[number]);
    for (auto [input, output] : info.inPlace) {
      auto from = llvm::find(launch.inputs, int(input));
      auto to = llvm::find(launch.outputs, firstOutput + int(output));
      if (from != launch.inputs.end() && to != launch.outputs.end())
        signature.inPlace.push_back({unsigned(from - launch.inputs.begin()),
                                     unsigned(to - launch.outputs.begin())});
    }
    signatures[launch.symbol] = signature;
  }
}

bool Linker::add(const plan::KernelSource &source, ModuleOp module) {
  spmd::KernelOp op = kernelIn(module);
  if (!op)
    return fail("the text of kernel '" + source.symbol +
                "' is not one spmd.kernel");
  codegen::KernelRequest request;
  request.body = &op.getBody().front();
  if (!readStrides(source, op, request))
    return false;
  FailureOr<codegen::KernelInfo> info = compiler.add(request);
  if (failed(info))
    return false; // emitted
  std::vector<std::string> made{info->symbol}, stated{source.symbol};
  for (const codegen::KernelTable &table : info->tables)
    made.push_back(table.symbol);
  stated.insert(stated.end(), source.tables.begin(), source.tables.end());
  if (made != stated)
    return fail("kernel '" + source.symbol +
                "' has been edited: its text is '" +
                llvm::join(made, "' with the table '") +
                "'; call it so wherever it stands");
  addSignature(op, request, *info);
  return true;
}

static bool fits(const plan::Plan &part, const plan::RankClass &rankClass,
                 const std::vector<plan::View> &views,
                 const std::vector<Operand> &operands) {
  if (views.size() != operands.size())
    return false;
  for (auto [view, operand] : llvm::zip(views, operands))
    if (reachOf(view.shape, view.strides) != operand.reach ||
        rankClass.buffers[view.buffer].type != operand.type ||
        plan::alignmentOf(view, part, rankClass) % operand.alignment != 0)
      return false;
  return true;
}

static bool areOne(const plan::View &a, const plan::View &b) {
  auto key = [](const plan::Scalar &term) {
    return std::tuple(term.constant, term.table, term.scale);
  };
  bool isOne = a.buffer == b.buffer && a.offset == b.offset &&
               a.terms.size() == b.terms.size();
  for (size_t i = 0; isOne && i < a.terms.size(); ++i)
    isOne = key(a.terms[i]) == key(b.terms[i]);
  return isOne;
}

bool Linker::checkCall(const plan::Plan &part, const plan::RankClass &rankClass,
                       const plan::Kernel &call) {
  auto found = signatures.find(call.symbol);
  if (found == signatures.end())
    return fail("kernel '" + call.symbol + "' is not among those of the plan");
  const Signature &kernel = found->second;
  bool isGood = fits(part, rankClass, call.inputs, kernel.inputs) &&
                fits(part, rankClass, call.outputs, kernel.outputs) &&
                call.scalars.size() == kernel.scalars &&
                call.extent == kernel.extent && call.threads == kernel.threads;
  for (auto [input, output] : kernel.inPlace)
    isGood = isGood && areOne(call.inputs[input], call.outputs[output]);
  if (!isGood)
    return fail("kernel '" + call.symbol +
                "' is called with other operands than it is made for");
  return call.flops == kernel.flops ||
         fail("kernel '" + call.symbol + "' has " + std::to_string(call.flops) +
              " flops, expected " + std::to_string(kernel.flops) +
              ", as its text computes");
}

bool Linker::checkHook(const std::string &name) {
  bool isThere = llvm::any_of(plan.hooks, [&](const plan::HookSource &hook) {
    return hook.name == name;
  });
  return isThere || fail("no file is said for hook '" + name + "'");
}

bool Linker::checkCalls(const plan::Plan &part) {
  auto check = [&](const plan::RankClass &rankClass,
                   const plan::Instruction &instruction) {
    if (auto *call = std::get_if<plan::Kernel>(&instruction.body))
      return checkCall(part, rankClass, *call);
    if (auto *hook = std::get_if<plan::Hook>(&instruction.body))
      return checkHook(hook->name);
    auto *collective = std::get_if<plan::Collective>(&instruction.body);
    return !collective || collective->hook.empty() ||
           checkHook(collective->hook);
  };
  for (size_t number = 0; number < part.classes.size(); ++number) {
    const plan::RankClass &rankClass = part.classes[number];
    for (auto [list, word] : {std::pair(&rankClass.load, "load"),
                              std::pair(&rankClass.step, "step")})
      for (size_t i = 0; i < list->size(); ++i)
        if (!check(rankClass, (*list)[i]))
          return fail("class " + std::to_string(number) + ", " + word + " " +
                      std::to_string(i) + ": " + why);
  }
  return true;
}

std::optional<CompiledProgram>
hocket::makeProgram(plan::Plan plan, ArrayRef<ModuleOp> kernels,
                    codegen::CodeGenOptions options,
                    codegen::KernelCache *cache, std::string &why) {
  options.target = plan.target;
  codegen::KernelCompiler compiler(options, cache);
  Linker linker(plan, compiler, why);
  for (auto [source, module] : llvm::zip(plan.kernels, kernels))
    if (!linker.add(source, module))
      return std::nullopt;
  if (!linker.checkCalls(plan) ||
      !llvm::all_of(plan.validation, [&](const plan::Plan &part) {
        return linker.checkCalls(part);
      }))
    return std::nullopt;
  for (const plan::HookSource &hook : plan.hooks)
    compiler.addHook({hook.name, hook.file});
  CompiledProgram program;
  auto object = compiler.finish(why);
  if (!object)
    return std::nullopt;
  program.kernels = std::move(*object);
  plan.kernels.clear();
  plan.hooks.clear();
  program.plan = std::move(plan);
  return program;
}
