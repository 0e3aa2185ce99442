//===- Bench.cpp - trying changed texts -----------------------------------===//

#include "Bench.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Nn.h"
#include "dialects/Nn/Program.h"
#include "hocket/Transforms/Differentiate.h"
#include "mlir/IR/Diagnostics.h"

using namespace hocket;
using namespace hocket::advice;

static constexpr size_t kMostTrials = 500;

Bench::Bench(const Source &source, mlir::MLIRContext *context,
             const Effort &effort)
    : source(source), context(context), effort(effort) {
  this->source.elaborate.mostElements = effort.elements;
}

std::shared_ptr<Trial> Bench::run(const syntax::Texts &texts) {
  ++trials;
  auto reading = std::make_shared<Reading>();
  auto reader = [&](const std::string &path,
                    std::string &why) -> std::optional<std::string> {
    auto found = texts.find(path);
    if (found != texts.end())
      return found->second;
    return syntax::readFromDisk(path, why);
  };
  reading->program = syntax::loadProgram(source.path, reading->sources,
                                         reading->diagnostics, reader);
  if (reading->diagnostics.hasErrors())
    return nullptr;
  mlir::ScopedDiagnosticHandler silent(
      context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      frontend::elaborate(reading->program, reading->sources,
                          reading->diagnostics, context, source.elaborate);
  if (!module || reading->diagnostics.hasErrors())
    return nullptr;
  if (source.gradients)
    nn::computeAllGradients(*module);
  if (limit == 1) {
    size_t operations = 0;
    module->walk([&](mlir::Operation *) { ++operations; });
    limit = std::clamp(effort.operations / std::max<size_t>(operations, 1),
                       effort.fewest, kMostTrials);
  }
  auto trial = std::make_shared<Trial>();
  trial->texts = texts;
  trial->reading = std::move(reading);
  trial->outcome = placement::judge(*module);
  return trial;
}
