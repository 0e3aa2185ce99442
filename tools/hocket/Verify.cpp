//===- Verify.cpp - hocket verify -----------------------------------------===//

#include "hocket/Verify/Verify.h"
#include "Options.h"
#include "RunnerPath.h"
#include "Terminal.h"
#include "hocket/Io/OutputFiles.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace hocket;
using namespace hocket::tool;

static void printReport(const VerifyReport &report, double tolerance,
                        bool json) {
  bool passed = report.worst() <= tolerance;
  if (json) {
    nlohmann::ordered_json outputs;
    for (const OutputError &output : report.outputs)
      outputs[output.name] = {{"relative_error", output.relative},
                              {"largest", output.largest}};
    std::cout << nlohmann::ordered_json{{"passed", passed},
                                        {"ranks", report.ranks},
                                        {"collectives", report.collectives},
                                        {"outputs", outputs}}
                     .dump(1)
              << "\n";
    return;
  }
  for (const OutputError &output : report.outputs)
    std::printf("%s: relative error %.2e (largest value %.3g)%s\n",
                output.name.c_str(), output.relative, output.largest,
                output.isWithin(tolerance) ? "" : ", too large");
  std::printf("%s: %lld rank%s, %lld collectives a step\n",
              passed ? "verified" : "NOT verified",
              static_cast<long long>(report.ranks),
              report.ranks == 1 ? "" : "s",
              static_cast<long long>(report.collectives));
}

/// What `--program` names, and its stage. False after a printed error.
static bool readDump(const std::string &path, CompileSource &dump) {
  std::string why;
  dump.path = path;
  dump.text = syntax::readFromDisk(path, why);
  if (!dump.text) {
    std::cerr << "error: cannot read '" << path << "': " << why << "\n";
    return false;
  }
  dump.from = writtenStage(*dump.text).str();
  if (dump.from.empty())
    std::cerr << "error: '" << path
              << "' is no dump of a stage: its first line names none\n";
  return !dump.from.empty();
}

/// What `--keep` writes.
static runtime::Status keep(const Verification &verification, double tolerance,
                            const Options &options) {
  const std::string &folder = options.keep;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return runtime::Status::userError("cannot make the folder '" + folder +
                                      "': " + error.message());
  runtime::OutputFile program{"program '" + folder + "/program'",
                              folder + "/program",
                              runtime::OutputKind::Program};
  runtime::Status status = runtime::checkOutputs({program}, options.force);
  if (status.ok())
    status = writeVerification(verification, tolerance, folder);
  const CompiledProgram &compiled = verification.program;
  if (status.ok())
    status =
        runtime::packExecutable(runnerPath(compiled.plan.target),
                                compiled.kernels, compiled.plan, program.path);
  return status;
}

/// Ends a command with what it has failed of, if the compiler has not said it.
static int failed(const runtime::Status &status) {
  if (status.ok())
    return kUserError;
  std::cerr << "error: " << status.message << "\n";
  return status.exitStatus();
}

int tool::runVerify(const Options &options) {
  if (options.float64 && !options.source.elaborate.train.empty()) {
    std::cerr << "error: --float64 does not go with --train: optimizers "
                 "compute in f32; verify the gradients with --grad\n";
    return kUsage;
  }
  Compiler compiler(errors());
  std::optional<Progress> progress(std::in_place, "hocket verify", compiler);
  if (!compiler.load(options.source))
    return kUserError;
  if (options.float64)
    widenToFloat64(compiler.module());
  double tolerance = options.tolerance.value_or(
      options.float64 ? kFloat64Tolerance
                      : roundingTolerance(compiler.module()));
  VerifyOptions verifying;
  verifying.open = runtime::openDevices;
  verifying.seed = options.seed;
  verifying.codegen.cpu = options.cpu;
  verifying.codegen.chips = options.chips;
  Compiler edited(errors());
  if (!options.program.empty()) {
    CompileSource dump;
    dump.engines = options.source.engines;
    if (!readDump(options.program, dump) || !edited.load(dump))
      return kUserError;
    verifying.program = &edited;
  }
  runtime::Status status;
  if (!options.keep.empty()) {
    auto made = prepareVerification(compiler, verifying, status);
    if (made)
      status = keep(*made, tolerance, options);
    return made && status.ok() ? kOk : failed(status);
  }
  VerifyReport report;
  if (!verify(compiler, verifying, report, status))
    return failed(status);
  progress.reset();
  printReport(report, tolerance, options.json);
  return report.worst() <= tolerance ? kOk : kRunFailure;
}
