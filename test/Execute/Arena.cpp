//===- Arena.cpp - plans a program and reads its budget -------------------===//

#include "Arena.h"
#include "hocket/Pipeline/Compiler.h"
#include "test/Paths.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace hocket;

int64_t hocket::test::arenaOf(const ArenaProgram &which) {
  frontend::ElaborateOptions options;
  options.schedule = which.schedule;
  options.train = which.train;
  options.training = true;
  for (const auto &[name, value] : which.defines)
    options.defines.push_back({"", name, std::to_string(value)});
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  static codegen::KernelCache cache;
  Compiler compiler(stream, &cache);
  compiler.skipReport();
  CompileSource source;
  source.path = test::sourcePath("") + which.file;
  source.elaborate = options;
  source.gradients = which.train.empty();
  std::optional<CompiledProgram> program;
  if (compiler.load(source))
    program = compiler.makeProgram();
  EXPECT_TRUE(program) << errors;
  int64_t most = 0;
  if (program)
    for (const plan::RankClass &rankClass : program->plan.classes)
      most = std::max(most, rankClass.budget.arenaBytes);
  return most;
}
