//===- Compiler.cpp - runs the stages -------------------------------------===//

#include "hocket/Pipeline/Compiler.h"
#include "Aliases.h"
#include "DumpCheck.h"
#include "ExpectedCosts.h"
#include "Messages.h"
#include "PlanDump.h"
#include "PrintDiagnostics.h"
#include "dialects/Buffers/Buffers.h"
#include "dialects/Nn/Program.h"
#include "dialects/Spmd/Func.h"
#include "hocket/Io/OutputFiles.h"
#include "hocket/Io/TextFile.h"
#include "hocket/Pipeline/Registration.h"
#include "hocket/Transforms/Bufferize.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Transforms/Partition.h"
#include "hocket/Transforms/Precision.h"
#include "hocket/Transforms/Train.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>

using namespace mlir;
using namespace hocket;

struct Compiler::State {
  State(llvm::raw_ostream &errors, codegen::KernelCache *cache)
      : errors(errors), cache(cache), context(registry()),
        handler(sourceManager, &context, errors, messages),
        diagnostics(sources) {
    context.loadAllAvailableDialects();
    // Users know lines and paths, not operations.
    context.printOpOnDiagnostic(false);
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    addAliases(registry);
    return registry;
  }

  bool fail(const std::string &text) {
    errors << "error: " << text << "\n";
    messages.push_back({Message::Severity::Error, std::nullopt, text, {}});
    return false;
  }

  llvm::raw_ostream &errors;
  codegen::KernelCache *cache;
  std::vector<Message> messages;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  llvm::SourceMgr sourceManager;
  DiagnosticPrinter handler;
  syntax::SourceManager sources;
  syntax::DiagnosticEngine diagnostics;
  OwningOpRef<ModuleOp> module;
  OwningOpRef<ModuleOp> validation; // of the model stage, null without
  advice::Source source;            // of a text
  advice::Proposals reading;        // for what could not be read
  int stage = 0;
  std::optional<PlanDump> plan; // what was read, instead of a module
  EngineOptions engines;
};

Compiler::Compiler(llvm::raw_ostream &errors, codegen::KernelCache *cache)
    : state(std::make_unique<State>(errors, cache)) {}
Compiler::~Compiler() = default;

ModuleOp Compiler::module() { return *state->module; }
MLIRContext *Compiler::context() { return &state->context; }
StringRef Compiler::stage() const {
  return state->plan ? kPlanStage : stages()[state->stage].name;
}

std::vector<Message> Compiler::messages() const {
  std::map<std::string, StringRef> texts;
  for (size_t i = 0; i < state->sources.getNumFiles(); ++i)
    texts[state->sources.getName(i)] = state->sources.getText(i);
  for (unsigned i = 1; i <= state->sourceManager.getNumBuffers(); ++i) {
    const llvm::MemoryBuffer *buffer = state->sourceManager.getMemoryBuffer(i);
    texts.insert({buffer->getBufferIdentifier().str(), buffer->getBuffer()});
  }
  std::vector<Message> messages = state->messages;
  auto finish = [&](Message &message) {
    if (message.place && message.place->endLine == 0)
      findEnd(texts[message.place->file], *message.place);
  };
  for (Message &message : messages) {
    finish(message);
    llvm::for_each(message.notes, finish);
  }
  // Errors come in the same order, among others that offer nothing.
  auto next = messages.begin();
  for (const ReportedError &error : errors()) {
    auto found =
        std::find_if(next, messages.end(), [&](const Message &message) {
          return message.text == error.text;
        });
    if (found == messages.end())
      continue;
    found->waysOut = waysOut(error.proposals, state->source.texts);
    next = found + 1;
  }
  return messages;
}

/// What a module of a stage must have, so that a dump of another stage is
/// refused instead of misread.
static bool isAtStage(ModuleOp module, StringRef stage) {
  bool isPlaced = bool(nn::placementOf(module));
  auto functions = module.getOps<FunctionOpInterface>();
  if (functions.empty() || isPlaced == (stage == "model"))
    return false;
  return llvm::all_of(functions, [&](FunctionOpInterface func) {
    bool isOfKind =
        isOfClasses(stage) ? isa<spmd::FuncOp>(func) : isa<nn::FuncOp>(func);
    Region &body = func.getFunctionBody();
    bool hasBuffers = llvm::any_of(body.getOps(), [](Operation &op) {
      return isa<buffers::LoadedOp>(op);
    });
    return isOfKind && hasBuffers == (stage == "buffers");
  });
}

StringRef hocket::writtenStage(StringRef text) {
  if (text.starts_with("{\n \"version\": "))
    return kPlanStage;
  StringRef line = text.split('\n').first;
  return line.consume_front("// stage ") ? line.split(':').first : "";
}

/// As the loader writes it: without `.` or inner `..` components.
static std::string normalPath(const std::string &path) {
  return std::filesystem::path(path).lexically_normal().generic_string();
}

syntax::Program hocket::loadProgram(const CompileSource &source,
                                    syntax::SourceManager &sources,
                                    syntax::DiagnosticEngine &diagnostics) {
  std::string name = normalPath(source.path);
  auto reader = [&](const std::string &path,
                    std::string &why) -> std::optional<std::string> {
    if (source.text && path == name)
      return source.text;
    if (auto text = source.others.find(path); text != source.others.end())
      return text->second;
    return syntax::readFromDisk(path, why);
  };
  return syntax::loadProgram(name, sources, diagnostics, reader);
}

bool Compiler::load(const CompileSource &source) {
  if (source.text)
    return loadRead(source);
  std::string why;
  CompileSource read = source;
  read.text = syntax::readFromDisk(source.path, why);
  if (read.text)
    runtime::noteRead("source '" + source.path + "'", source.path);
  else
    state->fail("cannot read '" + source.path + "': " + why);
  return read.text && loadRead(read);
}

static nn::Target targetOf(plan::Target target) {
  return target == plan::Target::Cuda ? nn::Target::Cuda : nn::Target::Cpu;
}
static plan::Target targetOf(nn::Target target) {
  return target == nn::Target::Cuda ? plan::Target::Cuda : plan::Target::Cpu;
}

bool Compiler::loadRead(const CompileSource &source) {
  state->engines = source.engines;
  if (source.from == kPlanStage)
    return readPlan(source);
  // The dump that is read may stand in the same folder.
  if (!clearDumps(source.from.empty() ? 0 : findStage(source.from) + 1))
    return false;
  if (!source.from.empty())
    return readDump(source);
  if (std::string written = writtenStage(*source.text).str(); !written.empty())
    return state->fail("'" + source.path + "' is a dump of stage '" + written +
                       "'; write --from " + written);
  syntax::Program program =
      loadProgram(source, state->sources, state->diagnostics);
  for (size_t i = 0; i < state->sources.getNumFiles(); ++i) {
    const std::string &name = state->sources.getName(i);
    runtime::noteRead("source '" + name + "'", name);
  }
  // Errors about placement show lines of this text.
  state->sourceManager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(*source.text,
                                           normalPath(source.path)),
      llvm::SMLoc());
  keepSource(program, {source.path, {}, source.elaborate, source.gradients});
  if (!state->diagnostics.hasErrors())
    state->module =
        frontend::elaborate(program, state->sources, state->diagnostics,
                            &state->context, source.elaborate);
  if (state->diagnostics.hasErrors())
    adviseReading(program);
  state->errors << state->diagnostics.render();
  addMessages(state->diagnostics, state->messages);
  if (state->module && source.gradients)
    nn::computeAllGradients(*state->module);
  if (state->module && source.target)
    nn::modelOf(*state->module).setTarget(targetOf(*source.target));
  return state->module && dump();
}

/// Whether the text does not say that it is of another stage.
bool Compiler::checkWritten(const CompileSource &source) {
  std::string written = writtenStage(*source.text).str();
  if (!written.empty() && written != source.from)
    return state->fail("'" + source.path + "' is a dump of stage '" + written +
                       "', not of '" + source.from + "'; write --from " +
                       written);
  return true;
}

bool Compiler::loadTexts(const std::string &path, const syntax::Texts &texts,
                         const frontend::ElaborateOptions &options) {
  CompileSource source;
  source.path = path;
  source.others = texts;
  source.elaborate = options;
  if (auto text = texts.find(path); text != texts.end())
    source.text = text->second;
  return load(source);
}

void Compiler::keepSource(const syntax::Program &program,
                          advice::Source source) {
  for (const auto &file : program.files)
    source.texts[file->path] = state->sources.getText(file->ast.id);
  if (!program.files.empty())
    source.path = program.files.front()->path; // as locations have it
  state->source = std::move(source);
  report.advise = [this](placement::Problems &problems) {
    if (advises)
      advice::advise(problems, state->source, &state->context);
  };
}

void Compiler::adviseReading(const syntax::Program &program) {
  state->reading = advice::adviseReading(program, state->diagnostics,
                                         state->source, &state->context);
  for (auto &[number, proposal] : state->reading)
    state->diagnostics.getDiagnostic(number).note(syntax::textOf({proposal}));
}

const syntax::Texts &Compiler::texts() const { return state->source.texts; }

std::vector<ReportedError> Compiler::errors() const {
  std::vector<ReportedError> errors;
  size_t number = 0;
  for (const syntax::Diagnostic &diagnostic :
       state->diagnostics.getDiagnostics()) {
    auto found = state->reading.find(number++);
    errors.push_back({diagnostic.text, {}});
    if (found != state->reading.end())
      errors.back().proposals.push_back(found->second);
  }
  for (const placement::ReportedError &error : report.errors)
    errors.push_back({error.text, error.proposals});
  return errors;
}

/// Of a dump that is made for another target than the one that is wanted.
static std::string otherTarget(const CompileSource &source, plan::Target made) {
  auto word = [](plan::Target target) {
    return std::string(target == plan::Target::Cuda ? "cuda" : "cpu");
  };
  return "'" + source.path + "' is made for " + word(made) + ", not for " +
         word(*source.target) + "; write --target=" + word(made) +
         ", or go on from a stage before kernels";
}

/// Gives the program of the dump the target that is wanted.
bool Compiler::setTarget(const CompileSource &source) {
  if (!source.target)
    return true;
  nn::ModelOp model = nn::modelOf(*state->module);
  plan::Target made = targetOf(model.getTarget());
  if (made != *source.target && findStage(source.from) >= findStage("kernels"))
    return state->fail(otherTarget(source, made));
  model.setTarget(targetOf(*source.target));
  return true;
}

bool Compiler::readDump(const CompileSource &source) {
  if (!checkWritten(source))
    return false;
  state->sourceManager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(*source.text, source.path),
      llvm::SMLoc());
  state->stage = findStage(source.from);
  state->module =
      parseSourceFile<ModuleOp>(state->sourceManager, &state->context);
  if (!state->module)
    return false;
  if (!isAtStage(*state->module, source.from))
    return state->fail("'" + source.path +
                       "' does not hold a module of stage '" + source.from +
                       "'");
  if (!nn::modelOf(*state->module))
    return state->fail("'" + source.path + "' has no nn.model");
  if (!setTarget(source))
    return false;
  if (failed(checkDump(*state->module, source.from)))
    return false;
  // An edit may have made ranks disagree, which would wait for each other.
  if (isOfClasses(source.from) && failed(checkClasses(*state->module)))
    return false;
  if (source.from == "buffers" && failed(checkBuffers(*state->module)))
    return false;
  return dump();
}

bool Compiler::readPlan(const CompileSource &source) {
  if (!dumpFolder.empty())
    return state->fail(
        "--dump-stages writes the stages before the plan, and '" + source.path +
        "' is one");
  if (!checkWritten(source))
    return false;
  std::string why;
  state->plan = PlanDump::read(source.path, *source.text, &state->context, why);
  if (!state->plan)
    return !why.empty() && state->fail(why);
  plan::Target made = state->plan->plan.target;
  return !source.target || *source.target == made ||
         state->fail(otherTarget(source, made));
}

static std::string dumpPath(StringRef folder, int stage) {
  return llvm::formatv("{0}/{1,0+2}.{2}.mlir", folder, stage,
                       stages()[stage].name);
}

bool Compiler::reportDump(const std::string &path, const std::string &why) {
  return state->fail("cannot write '" + path + "': " + why);
}

bool Compiler::clearDumps(int first) {
  for (int i = first, e = stages().size(); i < e && !dumpFolder.empty(); ++i) {
    std::string path = dumpPath(dumpFolder, i);
    if (!llvm::sys::fs::is_regular_file(path))
      continue;
    runtime::Status status = runtime::checkOutputs(
        {{"dump '" + path + "'", path, runtime::OutputKind::Dump}}, false);
    if (!status.ok())
      return state->fail(status.message);
    if (std::error_code error = llvm::sys::fs::remove(path))
      return reportDump(path, error.message());
  }
  return true;
}

bool Compiler::dump() {
  if (dumpFolder.empty())
    return true;
  std::string path = dumpPath(dumpFolder, state->stage), why;
  // The dump that was read stays as it is, its user's edits and comments too.
  if (!runtime::checkNotRead({"", path, runtime::OutputKind::Dump}).ok())
    return true;
  if (auto error = llvm::sys::fs::create_directories(dumpFolder))
    return reportDump(path, error.message());
  const Stage &now = stages()[state->stage];
  return runtime::writeTextFile(path, printStage(*state->module, now), why) ||
         reportDump(path, why);
}

/// A stage that a module without gradients passes as it is, and undumped.
static bool isEmptyStage(ModuleOp module, const Stage &stage) {
  return stage.name == "differentiated" &&
         nn::gradientsOf(module) == nn::Gradients::None &&
         !nn::modelOf(module).isNarrow();
}

/// What a stage leaves is verified: a mistake of the compiler is an error, not
/// a wrong answer.
static LogicalResult runStage(const Stage &stage, ModuleOp module,
                              placement::PlacementReport *report) {
  return failure(failed(stage.run(module, report)) || failed(verify(module)));
}

bool Compiler::runTo(StringRef name) {
  int target = findStage(name);
  if (state->stage == 0 && target > 0)
    state->validation = validationOf(*state->module);
  while (state->stage < target) {
    ++state->stage;
    if (isEmptyStage(*state->module, stages()[state->stage]))
      continue;
    if (stageListener)
      stageListener(stages()[state->stage].name);
    if (failed(runStage(stages()[state->stage], *state->module, &report)) ||
        !dump())
      return false;
  }
  return true;
}

/// All stages of what a recipe validates with, which nobody dumps.
static LogicalResult finishValidation(ModuleOp module) {
  for (const Stage &stage : stages().drop_front())
    if (!isEmptyStage(module, stage) &&
        failed(runStage(stage, module, nullptr)))
      return failure();
  return success();
}

/// All stages, and those of what a recipe validates with.
bool Compiler::finishStages() {
  return runTo(stages().back().name) &&
         (!state->validation ||
          succeeded(finishValidation(*state->validation)));
}

/// Of a plan that was read.
std::optional<CompiledProgram>
Compiler::link(const codegen::CodeGenOptions &options) {
  std::string why;
  auto program = state->plan->compile(options, state->cache, why);
  if (!program && !why.empty())
    state->fail("the plan cannot be compiled: " + why);
  return program;
}

std::optional<plan::Plan> Compiler::makePlan(bool keepsKernels) {
  if (state->plan) {
    codegen::CodeGenOptions options;
    options.machineCode = false;
    std::optional<CompiledProgram> program = link(options);
    if (!program)
      return std::nullopt;
    return keepsKernels ? state->plan->plan : program->plan;
  }
  if (!finishStages())
    return std::nullopt;
  FailureOr<plan::Plan> plan = hocket::makePlan(
      *state->module, state->validation ? *state->validation : ModuleOp(),
      keepsKernels, state->engines);
  if (failed(plan) || failed(checkExpectedCosts(*state->module, *plan)))
    return std::nullopt;
  return std::move(*plan);
}

std::optional<CompiledProgram>
Compiler::makeProgram(const codegen::CodeGenOptions &options) {
  if (state->plan)
    return link(options);
  if (!finishStages())
    return std::nullopt;
  if (stageListener)
    stageListener(kPlanStage);
  FailureOr<CompiledProgram> program = hocket::makeProgram(
      *state->module, options, state->cache,
      state->validation ? *state->validation : ModuleOp(), state->engines);
  if (failed(program) ||
      failed(checkExpectedCosts(*state->module, program->plan)))
    return std::nullopt;
  return std::move(*program);
}
