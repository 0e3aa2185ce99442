//===- WrapLines.h - printed IR in lines that fit --------------*- C++ -*-===//

#ifndef HOCKET_LIB_PIPELINE_WRAPLINES_H
#define HOCKET_LIB_PIPELINE_WRAPLINES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hocket {

/// The same module in lines of at most 120 columns, where its words are shorter
/// than that; a function has one argument a line. Comments stay as they are.
std::string wrapLines(llvm::StringRef text);

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_WRAPLINES_H
