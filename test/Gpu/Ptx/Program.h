//===- Program.h - a kernel as it is run -----------------------*- C++ -*-===//
//
// Each statement becomes a Step once: the function that runs it and the places
// of its operands. Running it looks at no text.
//
// A warp holds each register of its 32 lanes side by side. Numbers, addresses
// of variables and what is the same in all blocks are registers too, in a bank
// that all warps share, so that a step never asks of what kind an operand is.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_PTX_PROGRAM_H
#define HOCKET_TEST_GPU_PTX_PROGRAM_H

#include "test/Gpu/Ptx/Memory.h"
#include "test/Gpu/Ptx/Syntax.h"

namespace hocket::ptx {

constexpr unsigned lanesOfWarp = 32;

class Warp;
struct Step;

/// Runs a step for the lanes of the mask.
using Handler = void (*)(Warp &warp, const Step &step, uint32_t active);

/// What instructions are counted as.
enum class Class : uint8_t {
  Move,
  Integer,
  Float32,
  Float64,
  Half, ///< f16, bf16 and pairs of them
  Convert,
  Approximate, ///< ex2, lg2, sin, cos, tanh, rsqrt, and rcp, sqrt, div
  Compare,
  Branch,
  Memory,
  Atomic,
  AsyncCopy,
  Matrix, ///< mma, ldmatrix
  Barrier,
  Exchange, ///< shfl, vote, match, redux
};
constexpr unsigned classCount = 15;
const char *nameOf(Class kind);

/// A register of a warp: which lanes have a value, and the values. A predicate
/// is one bit a lane of `bits`.
struct alignas(32) Register {
  uint32_t defined;
  uint32_t bits;
  template <typename T> T *lanes() {
    return reinterpret_cast<T *>(reinterpret_cast<std::byte *>(this) + 32);
  }
};

/// Offset of a register in its bank; the highest bit is set in the shared one.
using Slot = uint32_t;
constexpr Slot sharedBank = Slot(1) << 31;

enum class Space : uint8_t { Generic, Global, Shared, Local, Param, Const };

struct Step {
  Handler run = nullptr;
  const Slot *operands = nullptr; ///< destinations, then sources
  uint8_t destinations = 0, sources = 0;
  bool copies = false; ///< values without definition pass; the handler says so
  bool isGuarded = false, guardNegated = false;
  Class kind = Class::Move;
  Slot guard = 0;
  uint32_t index = 0;  ///< in the kernel
  uint32_t target = 0; ///< of a branch
  /// What a handler needs besides, as the function that decodes it says.
  Space space = Space::Generic;
  uint8_t width = 0; ///< bytes of an element of memory
  uint8_t count = 1; ///< elements of a vector
  uint8_t option = 0;
  bool flag = false;
  bool wide = false; ///< the address is of 64 bits
  int64_t offset = 0;
};

/// What a lane finds in a special register that differs between warps.
enum class Special : uint8_t { TidX, TidY, TidZ, CtaidX, CtaidY, CtaidZ, Warp };

/// Of the launch, the same for all warps.
enum class Common : uint8_t {
  NtidX,
  NtidY,
  NtidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Warps,
  DynamicShared,
  TotalShared,
};

/// A variable of the block's shared memory, or of a thread's local memory.
struct Placed {
  std::string name;
  uint64_t offset = 0, size = 0;
};

struct Kernel {
  std::string file, name;
  const Function *function = nullptr;
  std::vector<Step> steps;
  std::vector<const Statement *> statements; ///< by step
  std::vector<Slot> operands;
  std::vector<size_t> firstOperands; ///< by step
  uint32_t registerBytes = 0;
  std::vector<Slot> registers;      ///< of a warp
  std::vector<std::byte> constants; ///< the shared bank
  std::vector<std::pair<Special, Slot>> specials;
  std::vector<std::pair<Common, Slot>> commons;
  std::vector<std::vector<uint32_t>> tables; ///< of brx.idx
  std::vector<Placed> shared, local;
  std::map<std::string, uint64_t> parameters; ///< offsets
  uint64_t sharedBytes = 0; ///< of variables; dynamic memory comes after
  uint64_t localBytes = 0, parameterBytes = 0;
};

/// A module whose variables lie in a memory.
class Program {
public:
  Program(Module module, Memory &memory);

  /// The entry of this name, decoded when it is first asked for. Throws
  /// PtxError for what the interpreter does not support.
  const Kernel &kernel(const std::string &name);

  const Module &module() const { return parsed; }
  Memory &memory() const { return device; }

  /// Where a variable of .global or .const lies; 0 if there is none.
  uint64_t address(const std::string &name) const;

private:
  Module parsed;
  Memory &device;
  std::map<std::string, uint64_t> addresses;
  std::map<std::string, Kernel> kernels;
};

/// Addresses of shared, local and parameter memory in the generic space.
constexpr uint64_t sharedWindow = uint64_t(1) << 56;
constexpr uint64_t localWindow = uint64_t(2) << 56;
constexpr uint64_t parameterWindow = uint64_t(3) << 56;
constexpr uint64_t windowMask = uint64_t(0xff) << 56;

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_PROGRAM_H
