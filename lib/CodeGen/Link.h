//===- Link.h - object files to one shared object --------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_LINK_H
#define HOCKET_LIB_CODEGEN_LINK_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hocket::codegen {

/// Links relocatable objects with lld, in process. Every symbol must be
/// defined by them, libm or libc. Nothing and a sentence in `error` on failure.
std::optional<std::vector<uint8_t>>
linkSharedObject(const std::vector<std::string> &objects, std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_LINK_H
