//===- DeviceLibrary.cpp - functions that a chip does not have ------------===//

#include "DeviceLibrary.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace hocket::codegen {

/// The C function that an intrinsic computes and the chip has no instruction
/// for; empty: it has one.
static StringRef functionOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::cos:
    return "cos";
  case Intrinsic::exp:
    return "exp";
  case Intrinsic::log:
    return "log";
  case Intrinsic::pow:
    return "pow";
  case Intrinsic::sin:
    return "sin";
  case Intrinsic::tanh:
    return "tanh";
  default:
    return "";
  }
}

/// Makes calls, of sinf, exp, ..., of the intrinsics that are functions.
static void callFunctions(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = functionOf(function.getIntrinsicID());
    if (name.empty())
      continue;
    std::string called = name.str();
    if (function.getReturnType()->isFloatTy())
      called += 'f';
    FunctionCallee callee =
        module.getOrInsertFunction(called, function.getFunctionType());
    function.replaceAllUsesWith(callee.getCallee());
    function.eraseFromParent();
  }
}

/// sinf of C in OpenCL C, where functions are told apart by their operands:
/// _Z3sinf.
static std::string openClName(const Function &function) {
  StringRef name = function.getName();
  bool isFloat = function.getReturnType()->isFloatTy();
  if (isFloat)
    name.consume_back("f");
  std::string operands(function.arg_size(), isFloat ? 'f' : 'd');
  return ("_Z" + Twine(name.size()) + name + operands).str();
}

/// Calls `function` as the library does; false: it has none.
static bool nameAsIn(const Module &library, Function &function) {
  for (const std::string &name :
       {"__nv_" + function.getName().str(), openClName(function)}) {
    const Function *found = library.getFunction(name);
    if (!found || found->isDeclaration())
      continue;
    function.setName(name);
    return true;
  }
  return false;
}

/// A call costs a stack: even slow paths, which are marked not to be, are
/// inlined. What the library says of chips and frames would make others of
/// them.
static void inlineAll(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration() || !function.hasLocalLinkage())
      continue;
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("frame-pointer");
    function.addFnAttr(Attribute::AlwaysInline);
  }
}

bool linkDeviceLibrary(Module &module, const std::string &path,
                       std::string &error) {
  callFunctions(module);
  SmallVector<Function *> called;
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      called.push_back(&function);
  if (called.empty())
    return true;
  if (path.empty()) {
    error = "calls " + called.front()->getName().str() +
            ", which libdevice.10.bc of the CUDA toolkit and nvptx64--.bc of "
            "libclc have, and no path of either was given";
    return false;
  }
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> library =
      getLazyIRFileModule(path, diagnostic, module.getContext());
  if (!library) {
    error = path + ": " + diagnostic.getMessage().str();
    return false;
  }
  for (Function *function : called)
    if (!nameAsIn(*library, *function)) {
      error = path + " has no " + function->getName().str();
      return false;
    }
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  bool failed = Linker::linkModules(
      module, std::move(library), Linker::LinkOnlyNeeded,
      [](Module &linked, const StringSet<> &names) {
        internalizeModule(linked, [&](const GlobalValue &value) {
          return !value.hasName() || !names.count(value.getName());
        });
      });
  if (failed) {
    error = path + " cannot be linked";
    return false;
  }
  inlineAll(module);
  return true;
}

} // namespace hocket::codegen
