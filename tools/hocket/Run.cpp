//===- Run.cpp - hocket run -----------------------------------------------===//

#include "Options.h"
#include "Terminal.h"
#include "hocket/Launcher/Main.h"
#include "llvm/Support/raw_ostream.h"

using namespace hocket;
using namespace hocket::tool;

int tool::runRun(const Options &options) {
  Compiler compiler(errors());
  std::optional<Progress> progress(std::in_place, "hocket run", compiler);
  compiler.dumpTo(options.dumpFolder);
  compiler.skipReport();
  if (!compiler.load(options.source))
    return kUserError;
  codegen::CodeGenOptions codegen;
  codegen.cpu = options.cpu;
  codegen.chips = options.chips;
  std::optional<CompiledProgram> program = compiler.makeProgram(codegen);
  if (!program)
    return kUserError;
  progress.reset();
  return runtime::runPlan("hocket run", program->plan, program->kernels.data(),
                          program->kernels.size(), runtime::openDevices,
                          options.programArguments);
}
