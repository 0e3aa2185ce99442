//===- Digest.h - whether processes have the same bytes --------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_DIGEST_H
#define HOCKET_RUNTIME_DIGEST_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hocket::runtime {

/// Of words of eight bytes, as FNV-1a of bytes.
inline uint64_t digest(const void *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(data) + at,
                std::min(sizeof word, size - at));
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 32;
  }
  return hash;
}

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_DIGEST_H
