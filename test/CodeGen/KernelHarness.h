//===- KernelHarness.h - compiles, runs and checks one kernel --*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_CODEGEN_KERNELHARNESS_H
#define HOCKET_TEST_UNIT_CODEGEN_KERNELHARNESS_H

#include "hocket/CodeGen/KernelCompiler.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <string>

namespace hocket::test {

struct RunOptions {
  /// |result - expected| <= tolerance * (|expected| + floor)
  double tolerance = 1e-5, floor = 0.1;
  int64_t coordinate = 0;
  double low = -3, high = 3; // of random inputs
  /// Strides of inputs and outputs by factor; empty: dense.
  llvm::SmallVector<llvm::SmallVector<int64_t>> inputStrides, outputStrides;
  /// Overrides the random element n of input i.
  std::function<double(int i, int64_t n, double random)> element;
  std::string cpu = "native";
  /// Of addresses, for the PTX: at least an element's.
  int64_t alignment = 64;
  /// The PTX gives the bits of the CPU.
  bool samePtx = false;
};

/// A parsed function. `$4x(2,3)xf32` in the text stands for
/// tensor<4x6xf32, #nn.layout<[4] [2 3]>>.
class KernelText {
public:
  explicit KernelText(const std::string &text);
  mlir::Block &body();

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Compiles `func @f(ARGUMENTS) -> ... { BODY }`, runs it whole and cut in
/// parts, and compares both with the naive evaluation.
void check(const std::string &function, const RunOptions &options = {});

/// A shared object in this process.
class LoadedObject {
public:
  explicit LoadedObject(const std::vector<uint8_t> &bytes);
  ~LoadedObject();
  using Entry = void (*)(void *const *, const int64_t *, int64_t, int64_t);
  Entry find(const std::string &symbol) const;

private:
  void *handle = nullptr;
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_CODEGEN_KERNELHARNESS_H
