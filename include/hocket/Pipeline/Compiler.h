//===- Compiler.h - from a file to a program -------------------*- C++ -*-===//
//
// What the command line does, step by step, with errors as text on a stream.
//
//   Compiler compiler(std::cerr);
//   if (!compiler.load(source) || !compiler.runTo("kernels"))
//     return 1;
//   std::optional<CompiledProgram> program = compiler.makeProgram();
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PIPELINE_COMPILER_H
#define HOCKET_PIPELINE_COMPILER_H

#include "hocket/Advice/Advice.h"
#include "hocket/Frontend/Elaborate.h"
#include "hocket/Pipeline/Message.h"
#include "hocket/Pipeline/Stages.h"
#include "hocket/Planning/Planning.h"
#include <functional>
#include <memory>
#include <optional>

namespace llvm {
class raw_ostream;
}

namespace hocket {

struct CompileSource {
  std::string path;
  /// The text, where it has been read already: of standard input.
  std::optional<std::string> text;
  /// Other files that are texts, by their names.
  syntax::Texts others;
  frontend::ElaborateOptions elaborate;
  /// A stage's name: `path` is a dump of that stage. Empty: a .hkt file.
  std::string from;
  /// Compiles the backward as well: all gradients (Differentiate.h).
  bool gradients = false;
  /// What is to run the program; nothing: what the dump says, or a CPU. A dump
  /// of the stage kernels or a later one is made for its target.
  std::optional<plan::Target> target;
  /// What computes attentions on a GPU. A plan says it itself.
  EngineOptions engines;
};

struct ReportedError {
  std::string text;
  std::vector<syntax::Proposal> proposals;
};

/// The stage that a dump's first line names; empty without such a line.
llvm::StringRef writtenStage(llvm::StringRef text);

/// The program of a source that is no dump, with its imports.
syntax::Program loadProgram(const CompileSource &source,
                            syntax::SourceManager &sources,
                            syntax::DiagnosticEngine &diagnostics);

/// What follows the stages of Stages.h: no module, but a document.
inline constexpr llvm::StringLiteral kPlanStage = "plan";

class Compiler {
public:
  explicit Compiler(llvm::raw_ostream &errors,
                    codegen::KernelCache *cache = nullptr);
  ~Compiler();

  /// Reads the source up to its first stage. False after printed errors.
  bool load(const CompileSource &source);
  /// The same where some .hkt files are texts; others are read from the disk.
  bool loadTexts(const std::string &path, const syntax::Texts &texts,
                 const frontend::ElaborateOptions &options);
  /// Writes each stage from now on into `folder`, numbered, where no dump of a
  /// later stage is left that an earlier run wrote.
  void dumpTo(const std::string &folder) { dumpFolder = folder; }
  /// Keeps no report on placement: for who asks for none.
  void skipReport() { report.keepsValues = false; }
  /// Searches no proposals for errors of placement: for who only asks whether
  /// there are any.
  void skipAdvice() { advises = false; }
  /// Has `listener` told each stage, and "plan", before it is made.
  void onStage(std::function<void(llvm::StringRef)> listener) {
    stageListener = std::move(listener);
  }
  /// Runs the stages up to and with `stage`; nothing if it is there already.
  bool runTo(llvm::StringRef stage);
  /// The plan and kernels of the last stage; checks what the schedule expects
  /// of bytes and memory.
  std::optional<CompiledProgram>
  makeProgram(const codegen::CodeGenOptions &options = {});
  /// The plan alone, without machine code; the same checks. `keepsKernels`:
  /// with what kernels are made from, as it is printed.
  std::optional<plan::Plan> makePlan(bool keepsKernels = false);

  mlir::ModuleOp module();
  llvm::StringRef stage() const;
  const placement::PlacementReport &placement() const { return report; }
  /// What has been said so far: all errors and warnings, in order.
  std::vector<Message> messages() const;
  /// The errors of the last step, with what each offers, in order.
  std::vector<ReportedError> errors() const;
  /// The files that were read, by their names.
  const syntax::Texts &texts() const;
  mlir::MLIRContext *context();

private:
  /// Removes the dumps of an earlier run from stage number `first` on.
  bool clearDumps(int first);
  bool dump();
  bool reportDump(const std::string &path, const std::string &why);
  bool loadRead(const CompileSource &source);
  bool finishStages();
  bool checkWritten(const CompileSource &source);
  bool readDump(const CompileSource &source);
  bool setTarget(const CompileSource &source);
  bool readPlan(const CompileSource &source);
  std::optional<CompiledProgram> link(const codegen::CodeGenOptions &options);
  void adviseReading(const syntax::Program &program);
  void keepSource(const syntax::Program &program, advice::Source source);

  struct State;
  std::unique_ptr<State> state;
  placement::PlacementReport report;
  bool advises = true;
  std::string dumpFolder;
  std::function<void(llvm::StringRef)> stageListener;
};

} // namespace hocket

#endif // HOCKET_PIPELINE_COMPILER_H
