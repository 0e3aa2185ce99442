//===- Launch.h - runs a kernel and says what was wrong --------*- C++ -*-===//
//
//   Memory memory;
//   Program program(parse(text, "scale.ptx"), memory);
//   uint64_t x = memory.upload(values, "x");
//   Report report = launch(program, "scale", {{4}, {128}, 0,
//                          Arguments().add(x).add(2.0f)});
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_PTX_LAUNCH_H
#define HOCKET_TEST_GPU_PTX_LAUNCH_H

#include "test/Gpu/Ptx/Extents.h"
#include "test/Gpu/Ptx/Program.h"
#include <set>

namespace hocket::ptx {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// The bytes of the parameters, each aligned as its type is.
class Arguments {
public:
  template <typename T> Arguments &add(T value) {
    bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    bytes.resize(bytes.size() + sizeof(T));
    std::memcpy(&bytes[bytes.size() - sizeof(T)], &value, sizeof(T));
    return *this;
  }
  std::vector<std::byte> bytes;
};

struct Configuration {
  Dim3 grid, block;
  uint64_t dynamicShared = 0;
  Arguments arguments = {};
  /// Instructions of warps after which the launch is taken to have no end.
  uint64_t mostSteps = uint64_t(1) << 28;
  /// Numbers of the blocks that run, x first; empty: all.
  std::vector<uint64_t> onlyBlocks = {};
};

enum class FindingKind {
  OutOfBounds,
  Misaligned,
  AfterRelease,
  WriteToConstant,
  UndefinedRegister,
  UndefinedMemory,
  Race,
  PendingCopy, ///< an access to bytes that cp.async may still write
  DivergentBarrier,
  MissingThreads, ///< a barrier or an exchange waits for who never comes
  BadExchange,    ///< a lane reads from one that takes no part
  NoEnd,
  Trap,
};
/// "OutOfBounds", ...
const char *nameOf(FindingKind kind);

/// What is wrong at one instruction; told once, for the first thread.
struct Finding {
  FindingKind kind = FindingKind::OutOfBounds;
  unsigned line = 0;
  std::string sentence; ///< "k.ptx:12: st.global.f32 [%rd1], %f1: ..."
  uint64_t times = 1;
};

/// Of one instruction, or of several. Sectors are 32 bytes of global memory;
/// ideal ones are as many as the distinct bytes would fill. A way is one pass
/// over the banks of shared memory; ideal ones are as many as the accesses
/// would take without conflicts.
struct Counts {
  uint64_t warps = 0;                      ///< instructions of warps
  uint64_t threads = 0;                    ///< instructions of threads
  uint64_t loads = 0, stores = 0;          ///< of warps, in global memory
  uint64_t loadBytes = 0, storeBytes = 0;  ///< asked for by threads
  uint64_t loadedOnce = 0, storedOnce = 0; ///< by warps, each byte once
  uint64_t loadSectors = 0, storeSectors = 0;
  uint64_t idealLoadSectors = 0, idealStoreSectors = 0;
  uint64_t sharedAccesses = 0, sharedBytes = 0;
  uint64_t sharedWays = 0, idealSharedWays = 0;

  Counts &operator+=(const Counts &other);

  /// 1 where nothing is wasted, and where nothing is accessed.
  double sectorsPerIdeal() const {
    return ratio(loadSectors + storeSectors,
                 idealLoadSectors + idealStoreSectors);
  }
  double waysPerIdeal() const { return ratio(sharedWays, idealSharedWays); }

private:
  static double ratio(uint64_t count, uint64_t ideal) {
    return ideal ? double(count) / double(ideal) : 1;
  }
};

struct Report {
  std::vector<Finding> findings;
  Counts total;
  Counts byClass[classCount];
  std::map<unsigned, Counts> byLine;
  std::map<uint64_t, Touched> touched; ///< global memory, by allocation's base
  /// Of instructions that touch one allocation, by its base.
  std::map<uint64_t, Counts> byAllocation;
  uint64_t barriers = 0;  ///< times that a barrier of a block opened
  uint64_t divergent = 0; ///< instructions run for a part of a warp's lanes
  bool finished = true;   ///< false: given up at the last finding

  /// The lines that ran.
  std::set<unsigned> lines() const;
  const Counts &of(Class kind) const {
    return byClass[static_cast<unsigned>(kind)];
  }
  /// All sentences, one a line; for a test's message.
  std::string text() const;
};

/// Runs all blocks, one after the other. Throws PtxError if the kernel is not
/// supported, or cannot be launched so.
Report launch(Program &program, const std::string &entry,
              const Configuration &how);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_LAUNCH_H
