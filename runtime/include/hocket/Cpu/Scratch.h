//===- Scratch.h - cutting a call's scratch in pieces ----------*- C++ -*-===//

#ifndef HOCKET_CPU_SCRATCH_H
#define HOCKET_CPU_SCRATCH_H

#include <cstdint>

namespace hocket::runtime {

/// Bytes that a piece takes: whole cache lines.
constexpr int64_t pieceBytes(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Gives pieces of scratch one after the other; without memory it only counts.
class ScratchPieces {
public:
  explicit ScratchPieces(char *scratch) : scratch(scratch) {}

  char *take(int64_t size) {
    char *piece = scratch ? scratch + taken : nullptr;
    taken += pieceBytes(size);
    return piece;
  }
  float *takeFloats(int64_t count) {
    return reinterpret_cast<float *>(take(count * sizeof(float)));
  }
  int64_t bytes() const { return taken; }

private:
  char *scratch;
  int64_t taken = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_CPU_SCRATCH_H
