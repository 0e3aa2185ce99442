//===- Stages.cpp - the table of stages -----------------------------------===//

#include "hocket/Pipeline/Stages.h"
#include "WrapLines.h"
#include "hocket/Transforms/Bufferize.h"
#include "hocket/Transforms/Combine.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Transforms/Fuse.h"
#include "hocket/Transforms/Partition.h"
#include "hocket/Transforms/Precision.h"
#include "hocket/Transforms/Train.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;

static LogicalResult runPlace(ModuleOp module,
                              placement::PlacementReport *report) {
  return placement::place(module, report);
}

static LogicalResult runDifferentiate(ModuleOp module,
                                      placement::PlacementReport *) {
  return failure(failed(differentiate(module)) ||
                 failed(applyPrecision(module)) || failed(train(module)));
}

static LogicalResult runPartition(ModuleOp module,
                                  placement::PlacementReport *) {
  return partition(module);
}

static LogicalResult runFuse(ModuleOp module, placement::PlacementReport *) {
  return failure(failed(combine(module)) || failed(fuse(module)));
}

static LogicalResult runBufferize(ModuleOp module,
                                  placement::PlacementReport *) {
  return bufferize(module);
}

ArrayRef<Stage> hocket::stages() {
  static const Stage table[] = {
      {"model",
       "whole-tensor operations of the model, the schedule's directives as "
       "written",
       nullptr},
      {"placed", "every value's type says what each rank holds of it",
       runPlace},
      {"differentiated",
       "the backward follows the forward, placed as well, with the casts of a "
       "narrower precision and the optimizer",
       runDifferentiate},
      {"spmd",
       "one function a rank class, on local tensors, collectives "
       "between ranks",
       runPartition},
      {"kernels", "element-wise and reducing operations gathered in kernels",
       runFuse},
      {"buffers",
       "where every value lies: buffers with their ends, views of them, and "
       "what is computed between views",
       runBufferize},
  };
  return table;
}

bool hocket::isOfClasses(StringRef stage) {
  return findStage(stage) >= findStage("spmd");
}

int hocket::findStage(StringRef name) {
  for (auto [index, stage] : llvm::enumerate(stages()))
    if (stage.name == name)
      return index;
  return -1;
}

std::string hocket::printStage(ModuleOp module, const Stage &stage) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "// stage " << stage.name << ": " << stage.holds << "\n";
  OpPrintingFlags flags;
  flags.enableDebugInfo(true, /*prettyForm=*/false);
  flags.printNameLocAsPrefix(true);
  module->print(stream, flags);
  return wrapLines(text);
}
