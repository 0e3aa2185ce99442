//===- KernelMemory.h - the arguments of a kernel as they lie --*- C++ -*-===//

#ifndef HOCKET_TEST_CODEGEN_KERNELMEMORY_H
#define HOCKET_TEST_CODEGEN_KERNELMEMORY_H

#include "KernelHarness.h"
#include "NaiveEvaluator.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hocket::test {

/// The elements of one argument as they lie in memory.
struct Memory {
  mlir::Type element;
  std::vector<int64_t> factors, strides;
  std::vector<uint8_t> bytes; // with room for elements behind the last

  /// Dense if `wanted` is empty.
  Memory(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> wanted);
  /// Bytes up to the last element.
  int64_t size() const;
  int64_t place(int64_t n) const;
  void put(int64_t n, double value);
  double get(int64_t n) const;
};

/// A function with its arguments in memory: random inputs, then outputs.
struct KernelCase {
  KernelCase(const std::string &function, const RunOptions &options);
  /// To bytes that are none of the results.
  void clearOutputs();

  codegen::KernelRequest request;
  std::vector<Tensor> inputs;
  std::vector<Memory> memory;

private:
  KernelText text;
};

/// The number that a rank with this coordinate has.
int64_t valueOf(const codegen::KernelScalar &scalar, int64_t coordinate);

/// Fails the test at the first element that differs; `how` says who computed.
void compare(const Tensor &expected, const Memory &actual,
             const RunOptions &options, const char *how);

} // namespace hocket::test

#endif // HOCKET_TEST_CODEGEN_KERNELMEMORY_H
