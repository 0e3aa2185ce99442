//===- Types.h - types and operators of elements ---------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_TYPES_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_TYPES_H

#include "runtime/lib/Cuda/Nccl/Api.h"
#include <string>

namespace hocket::lookalike {

using namespace runtime::cuda;

/// Bytes of an element; 0 for a number that is no type.
size_t sizeOf(NcclType type);
const char *nameOf(NcclType type);

/// Null for a number that is no operator.
const char *nameOf(NcclOperator reduction);

/// sum = reduction(sum, next) for `count` elements, each rounded to the type.
void accumulate(NcclType type, NcclOperator reduction, size_t count, char *sum,
                const char *next);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_TYPES_H
