//===- Commands.cpp - compile, stages -------------------------------------===//

#include "Options.h"
#include "RunnerPath.h"
#include "Terminal.h"
#include "hocket/Io/OutputFiles.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Pipeline/PrintPath.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

int tool::runStages(const Options &) {
  auto print = [](std::string name, const char *holds) {
    name.resize(16, ' ');
    std::cout << name << holds << "\n";
  };
  for (const Stage &stage : stages())
    print(stage.name.str(), stage.holds.str().c_str());
  print("plan", "flat instructions a rank class, tables a coordinate, "
                "addresses; JSON");
  return kOk;
}

/// What is made where no stage is printed.
static std::string productOf(const Options &options) {
  return options.isShared ? "shared library" : "executable";
}

/// Before the long work: what -o names must not be read, nor hold something
/// else.
static runtime::Status checkOutput(const Options &options) {
  const std::string &path = options.output;
  if (path.empty() || path == "-")
    return runtime::Status::success();
  bool isProgram = options.emit.empty();
  return runtime::checkOutputs(
      {{(isProgram ? productOf(options) : "output") + " '" + path + "'", path,
        isProgram ? runtime::OutputKind::Program
                  : runtime::OutputKind::Listing}},
      options.force);
}

/// What is at a path, or the error that nothing is.
static int writePath(const std::optional<std::string> &text,
                     const std::string &why, const Options &options) {
  if (text)
    return writeText(options.output, *text);
  std::cerr << "error: " << why << "\n";
  return kUserError;
}

static int writeStage(mlir::ModuleOp module, const Options &options) {
  if (options.positional.empty())
    return writeText(options.output,
                     printStage(module, stages()[findStage(options.emit)]));
  std::string why;
  auto text = printPath(module, options.positional[0], why);
  return writePath(text, why, options);
}

static int writePlan(const plan::Plan &plan, const Options &options) {
  if (options.positional.empty())
    return writeText(options.output, plan::toJson(plan) + "\n");
  std::string why;
  auto text = printPath(plan, options.positional[0], why);
  return writePath(text, why, options);
}

static bool checkProgramOutput(const Options &options) {
  const char *fault = nullptr;
  if (options.output.empty())
    fault = options.isShared ? "--emit=shared needs -o libAPP.so"
                             : "-o APP or --emit STAGE is needed";
  else if (options.output == "-")
    fault = options.isShared
                ? "a shared library cannot go to standard output; write -o "
                  "libAPP.so"
                : "an executable cannot go to standard output; write -o APP, "
                  "or print a stage with --emit";
  if (fault)
    std::cerr << "hocket compile: error: " << fault << "\n";
  return !fault;
}

/// Whether a shared library can be made of it.
static runtime::Status checkCallable(const plan::Plan &plan) {
  if (plan.target != plan::Target::Cpu)
    return runtime::Status::userError(
        "a shared library runs on cores, and the program is for GPUs; make an "
        "executable, or leave out --target=cuda");
  if (!plan.states.empty())
    return runtime::Status::userError(
        "a shared library has no data and checkpoints to train with; make an "
        "executable, or leave out --train");
  return runtime::Status::success();
}

static int writeProgram(Compiler &compiler, const Options &options) {
  codegen::CodeGenOptions codegen;
  codegen.cpu = options.cpu;
  codegen.chips = options.chips;
  std::optional<CompiledProgram> program = compiler.makeProgram(codegen);
  if (!program)
    return kUserError;
  runtime::Status status;
  if (options.isShared)
    status = checkCallable(program->plan);
  if (status.ok())
    status = runtime::packExecutable(
        options.isShared ? libraryPath() : runnerPath(program->plan.target),
        program->kernels, program->plan, options.output, productOf(options));
  if (!status.ok())
    std::cerr << "error: " << status.message << "\n";
  return status.exitStatus();
}

int tool::runCompile(const Options &options) {
  if (!options.positional.empty() && options.emit.empty()) {
    std::cerr << "hocket compile: error: unexpected '" << options.positional[0]
              << "'; a path goes with --emit STAGE\n";
    return kUsage;
  }
  if (options.emit.empty() && !checkProgramOutput(options))
    return kUsage;
  Compiler compiler(errors());
  Progress progress("hocket compile", compiler);
  compiler.dumpTo(options.dumpFolder);
  compiler.skipReport();
  if (!compiler.load(options.source))
    return kUserError;
  if (runtime::Status status = checkOutput(options); !status.ok()) {
    std::cerr << "error: " << status.message << "\n";
    return status.exitStatus();
  }
  bool emitsPlan = options.emit == "plan";
  if (!options.emit.empty() && !emitsPlan) {
    if (compiler.stage() == kPlanStage ||
        findStage(options.emit) < findStage(compiler.stage())) {
      std::cerr << "hocket compile: error: the input is at stage '"
                << compiler.stage().str() << "', past '" << options.emit
                << "'\n";
      return kUsage;
    }
    if (!compiler.runTo(options.emit))
      return kUserError;
    return writeStage(compiler.module(), options);
  }
  if (emitsPlan) {
    std::optional<plan::Plan> plan = compiler.makePlan(/*keepsKernels=*/true);
    return plan ? writePlan(*plan, options) : kUserError;
  }
  return writeProgram(compiler, options);
}
