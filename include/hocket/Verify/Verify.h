//===- Verify.h - a compiled program against the reference ------*- C++ -*-===//
//
// Runs a program on all ranks with random weights and inputs and compares with
// the float64 evaluation of the model, made without any schedule. Also checks
// that what the ranks counted is what the plan said.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_VERIFY_VERIFY_H
#define HOCKET_VERIFY_VERIFY_H

#include "hocket/Io/RandomTensors.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Reference/Evaluate.h"
#include "hocket/Verify/OutputError.h"

namespace hocket {

struct VerifyOptions {
  uint64_t seed = 1;
  codegen::CodeGenOptions codegen;
  /// What programs for GPUs need to run is linked only where this is
  /// runtime::openDevices.
  runtime::DeviceOpener open = runtime::openCpuDevices;
  /// The program that is run, if it is not the model's own: an edited stage.
  Compiler *program = nullptr;
};

struct VerifyReport {
  std::vector<OutputError> outputs;
  int64_t ranks = 1;
  int64_t collectives = 0; // in a step
  plan::Plan plan;         // what ran
  uint64_t digest = 0;     // equal where all outputs have the same bits
  /// The largest relative error; of gradients, over kGradientTolerance.
  double worst() const;
  /// Whether nothing in the reference is infinite or undefined.
  bool isFinite() const;
};

/// The relative error that rounding explains in a model with its least precise
/// float, that of the precision included: 1e-5 with f32 and f64, 2e-3 with f16,
/// 2e-2 with bf16.
double roundingTolerance(mlir::ModuleOp model);

/// Makes float64 of every float32 of a model, of parameters and constants too:
/// in such a program next to nothing is rounded.
void widenToFloat64(mlir::ModuleOp model);
inline constexpr double kFloat64Tolerance = 1e-12;

/// A program, what it reads, and what it is to compute.
struct Verification {
  CompiledProgram program;
  runtime::RandomTensors weights, inputs;
  std::vector<reference::Tensor> expected; // of the plan's outputs
};

/// Takes `compiler` from its model stage to a program. Errors as of `verify`.
std::optional<Verification> prepareVerification(Compiler &compiler,
                                                const VerifyOptions &options,
                                                runtime::Status &status);

/// Writes what a program is verified with, to be run elsewhere: into a folder
/// weights, inputs and expected.safetensors, whose tensors are float64 and
/// whose metadata says by how much outputs (`tolerance`) and gradients
/// (`gradient_tolerance`) may differ.
runtime::Status writeVerification(const Verification &verification,
                                  double tolerance, const std::string &folder);

/// Takes `compiler` from its model stage to a program and runs it. Errors of
/// the compiler have been printed; `status` says what else went wrong. False on
/// any error.
bool verify(Compiler &compiler, const VerifyOptions &options,
            VerifyReport &report, runtime::Status &status);

/// What a model makes of rounding, whatever computes it: how far the reference
/// moves when each float of weights and inputs moves by half a unit in the last
/// place of float32. isFinite: of outputs that float32 has, too. As `verify`.
bool sensitivity(Compiler &compiler, const VerifyOptions &options,
                 VerifyReport &report, runtime::Status &status);

} // namespace hocket

#endif // HOCKET_VERIFY_VERIFY_H
