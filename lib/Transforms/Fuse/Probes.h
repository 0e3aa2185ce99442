//===- Probes.h - what equal groups of operations can be --------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_FUSE_PROBES_H
#define HOCKET_LIB_TRANSFORMS_FUSE_PROBES_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace hocket {

/// What codegen says of groups of operations. Most groups of a model are those
/// of its first layers once more.
class Probes {
public:
  struct Answer {
    bool isKernel;
    int64_t extent; // iterations that threads could share
  };
  Answer of(llvm::ArrayRef<mlir::Operation *> group);

private:
  struct Known {
    std::unique_ptr<mlir::Region> body;
    Answer answer;
  };
  llvm::DenseMap<uint64_t, llvm::SmallVector<Known, 1>> known; // by hash
};

} // namespace hocket

#endif // HOCKET_LIB_TRANSFORMS_FUSE_PROBES_H
