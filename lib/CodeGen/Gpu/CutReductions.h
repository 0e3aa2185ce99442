//===- CutReductions.h - long reductions in parts --------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_CUTREDUCTIONS_H
#define HOCKET_LIB_CODEGEN_GPU_CUTREDUCTIONS_H

#include "lib/CodeGen/Graph/Graph.h"

namespace hocket::codegen {

/// Makes two reductions of each one that leaves too few threads to work for:
/// one of parts of the elements, which an axis of its own numbers and which
/// more threads work for, and one over these.
void cutReductions(Graph &graph);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_CUTREDUCTIONS_H
