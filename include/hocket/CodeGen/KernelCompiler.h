//===- KernelCompiler.h - fused kernel groups to native code ---*- C++ -*-===//
//
// A kernel is a block of element-wise, reduction and norm operations of `nn`
// on local tensors. KernelCompiler turns each into code that plan::Kernel
// calls: for a CPU into one function, all of them in one shared object; for
// GPUs into launches, all of them in one module of PTX:
//
//   KernelCompiler compiler(options);
//   for (kernel : plan) infos.push_back(*compiler.add(request));
//   std::optional<std::vector<uint8_t>> object = compiler.finish(error);
//
// On a CPU:
//   void symbol(void *const *args, const int64_t *scalars,
//               int64_t begin, int64_t end)
//
// args: inputs, then KernelInfo::tables, then outputs; each the address of
// element 0. Outputs must not overlap inputs or each other (inputs may overlap
// inputs), except by KernelInfo::inPlace. [begin, end) is any part of [0,
// extent): parts may run on several threads at once and write disjoint
// elements. A bool element is a byte, 0 or
// 1. Kernels allocate nothing except at most 1 MiB of stack.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CODEGEN_KERNELCOMPILER_H
#define HOCKET_CODEGEN_KERNELCOMPILER_H

#include "hocket/Plan/Plan.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hocket::codegen {

struct CodeGenOptions {
  plan::Target target = plan::Target::Cpu;
  /// "native" (this machine), "x86-64-v3", "x86-64-v4" or any CPU that LLVM
  /// knows for this machine's architecture.
  std::string cpu = "native";
  /// Of a GPU, the chips for which PTX is assembled as well: 90 is compute
  /// capability 9.0. What is left out the driver assembles.
  std::vector<int> chips;
  /// Compiling threads; 0 is one for each core.
  unsigned threads = 0;
  /// Off: kernels compile several times as fast and run slower, for tests of
  /// many small programs.
  bool optimize = true;
  /// Off: kernels are checked, named and counted, but no code is made of them,
  /// and finish() has nothing to link.
  bool machineCode = true;
};

/// One kernel to make. `body` is read by add() only.
struct KernelRequest {
  /// Arguments are the inputs, operands of the terminator the outputs.
  mlir::Block *body = nullptr;
  /// For each argument and output the strides, in elements, one for each
  /// factor of its layout in row-major factor order (a type without layout: of
  /// each dim). Empty outer list: all dense row-major. Inputs may have strides
  /// 0 and overlap themselves, outputs may not.
  llvm::SmallVector<llvm::SmallVector<int64_t>> inputStrides, outputStrides;
  /// Bytes that the address of each argument and output is a multiple of, for
  /// a GPU's wide accesses. Empty: those of an element.
  llvm::SmallVector<int64_t> inputAlignments, outputAlignments;
  /// (input, output) of which the output would better be written where the
  /// input lies.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace;
};

/// A number that differs from rank to rank, by index in `scalars`.
struct KernelScalar {
  enum class Kind {
    Table,    // attribute: #spmd.table, its value at the rank (iota, rotary)
    Constant, // attribute: an integer. Kernels that differ in it alone are one
              // (half of the key of a dropout)
    IsFirst,  // attribute: array of mesh axes; 1 where the coordinate on every
              // one of them is 0, else 0 (keep_first)
  };
  Kind kind;
  mlir::Attribute attribute;
};

/// What runs for a kernel: on a CPU one function with all operands, on a GPU
/// one launch after the other.
struct KernelLaunch {
  std::string symbol;
  int64_t extent;  // iterations of the outermost parallel loop; blocks
  int64_t threads; // of a block; 0 on a CPU
  int64_t flops;   // of one run: scalar operations, one an element
  /// Numbers among the inputs, then the tables, then the outputs, then the
  /// scratch of the kernel.
  llvm::SmallVector<int> inputs, outputs;
};

/// Memory in which a launch leaves something for a later one.
struct KernelScratch {
  plan::DType type;
  int64_t elements;
};

/// An input that add() made up: constants computed once at load time by a
/// kernel of their own, e.g. the cosines and sines of nn.rotary. The same
/// (symbol, scalar) is the same table for every kernel.
struct KernelTable {
  std::string symbol;             // args {table}, scalars {scalar, or nothing}
  int64_t extent, threads, flops; // as those of KernelLaunch
  plan::DType type;
  std::vector<int64_t> shape; // dense
  std::optional<KernelScalar> scalar;
};

struct KernelInfo {
  std::string symbol; // "k_" + hash of what is computed and of the strides
  /// One or more; each has all scalars.
  std::vector<KernelLaunch> launches;
  std::vector<KernelScratch> scratch;
  std::vector<KernelScalar> scalars;
  std::vector<KernelTable> tables;
  /// Those of KernelRequest::inPlace that can be: the caller must pass the same
  /// address for both.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace;
};

/// A user's own function, `int name(const hocket_call *)` of hocket/Hook.h, and
/// the source, object or library that it is in.
struct HookFile {
  std::string name, file;
};

/// Machine code by content, kept between compilers: what a process compiled
/// once it need not compile again. Safe to use from several threads.
class KernelCache {
public:
  KernelCache();
  ~KernelCache();

private:
  friend class KernelCompiler;
  struct State;
  std::unique_ptr<State> state;
};

class KernelCompiler {
public:
  /// `cache` may be null, else it must outlive the compiler.
  explicit KernelCompiler(const CodeGenOptions &options,
                          KernelCache *cache = nullptr);
  ~KernelCompiler();

  /// Starts compiling a kernel in the background (from one thread at a time);
  /// an equal kernel (same content and strides) is compiled once. If the block
  /// cannot be one kernel, emits an error at the operation (see whyNotKernel)
  /// and fails.
  llvm::FailureOr<KernelInfo> add(const KernelRequest &request);

  /// Links the user's own function as well, once.
  void addHook(const HookFile &hook);

  /// Waits for all kernels and links them: one ELF shared object that needs
  /// libc and libm only, or what hocket/Cuda/Devices.h packs; equal requests in
  /// equal order give equal bytes. On failure (unknown cpu, linker, ptxas)
  /// returns nothing and says why in `error`.
  std::optional<std::vector<uint8_t>> finish(std::string &error);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Empty if the block can be one kernel, else the reason in words, e.g. "its
/// results do not share one loop". The fuser asks this before it joins groups;
/// the answer does not depend on strides. A single operation can be one kernel,
/// except a concatenation of factored dims.
///
/// What one block may hold: nn.unary, binary, where, cast, fill, iota,
/// broadcast, reduce, softmax, layer_norm, rms_norm, rotary, rearrange, slice,
/// concat, value, dropout (without a step the identity), spmd.keep_first. Any
/// mix of element-wise operations and reductions is one kernel as long as
///  - no computed value meets itself with its dims exchanged (x + transpose(x)
///    of an input x is fine),
///  - one result has all dims that are not reduced,
///  - no large reduction would be done again for each element of another
///    result,
///  - a slice or concatenation of computed values is along a dim of one factor
///    that no reduction before it needs,
///  - what reductions over different dims leave fits in 1 MiB of stack.
///
/// If there is no reason, `extent` becomes the number of iterations that
/// threads could share: a sum over all rows leaves those over columns.
std::string whyNotKernel(mlir::Block &body, int64_t *extent = nullptr);

/// Those of KernelRequest::inPlace that can be: KernelInfo::inPlace of a kernel
/// that is not made yet. Empty for what cannot be one kernel.
llvm::SmallVector<std::pair<unsigned, unsigned>>
inPlaceOf(const KernelRequest &request, plan::Target target);

/// Whether an operation of this kind can be in a kernel at all.
bool isKernelOp(mlir::Operation *op);

} // namespace hocket::codegen

#endif // HOCKET_CODEGEN_KERNELCOMPILER_H
