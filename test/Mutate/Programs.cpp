//===- Programs.cpp - running what came of a mutation ---------------------===//

#include "Programs.h"
#include "hocket/Launcher/Main.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Training/Train.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>

using namespace hocket;

int mutate::runProgram(const tool::Options &options) {
  Compiler compiler(llvm::errs());
  compiler.skipReport();
  if (!compiler.load(options.source))
    return 1;
  codegen::CodeGenOptions codegen;
  std::optional<CompiledProgram> program = compiler.makeProgram(codegen);
  if (!program)
    return 1;
  const plan::Plan &plan = program->plan;
  std::cout << plan::summary(plan);
  std::vector<std::string> arguments = {"--describe"};
  int status = runtime::runPlan("program", plan, nullptr, 0,
                                runtime::openCpuDevices, arguments);
  if (status != 0 || runtime::isTraining(plan))
    return status;
  arguments = {"--repeat", "1", "--threads", "1", "--deadline", "2"};
  if (!plan.parameters.empty())
    arguments.insert(arguments.end(), {"--random-weights", "1"});
  if (!plan.inputs.empty())
    arguments.insert(arguments.end(), {"--random-input", "1"});
  return runtime::runPlan("program", plan, program->kernels.data(),
                          program->kernels.size(), runtime::openCpuDevices,
                          arguments);
}
