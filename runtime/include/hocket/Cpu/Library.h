//===- Library.h - which oneDNN computes, and with what --------*- C++ -*-===//

#ifndef HOCKET_CPU_LIBRARY_H
#define HOCKET_CPU_LIBRARY_H

#include <string>

namespace hocket::runtime {

/// "3.7.0 with instruction set 1023": what products' bits depend on.
std::string libraryText();

} // namespace hocket::runtime

#endif // HOCKET_CPU_LIBRARY_H
