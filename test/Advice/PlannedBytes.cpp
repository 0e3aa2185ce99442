//===- PlannedBytes.cpp - what a plan says that is received ---------------===//

#include "PlannedBytes.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Plan/Summary.h"
#include "llvm/Support/raw_ostream.h"
#include <nlohmann/json.hpp>

using namespace hocket;
using namespace hocket::advice;

int64_t advice::plannedBytes(const std::string &path,
                             const syntax::Texts &texts,
                             const frontend::ElaborateOptions &options) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  Compiler compiler(stream);
  codegen::CodeGenOptions codegen;
  codegen.optimize = false;
  if (!compiler.loadTexts(path, texts, options))
    return -1;
  std::optional<CompiledProgram> program = compiler.makeProgram(codegen);
  if (!program)
    return -1;
  nlohmann::ordered_json summary = plan::summary(program->plan);
  std::vector<int64_t> bytes(program->plan.rankCount(), 0);
  for (auto &kind : summary["totals"]["step"])
    for (size_t rank = 0; rank < bytes.size(); ++rank)
      bytes[rank] += kind["bytes_per_rank"][rank].get<int64_t>();
  return *std::max_element(bytes.begin(), bytes.end());
}
