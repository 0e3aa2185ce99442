//===- Products.h - places of products and their epilogues ------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_PRODUCTS_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_PRODUCTS_H

#include "Placer.h"
#include "hocket/Transforms/Epilogues.h"
#include "hocket/Views/Product.h"
#include <map>

namespace hocket::bufferization {

class Products {
public:
  Products(Placer &placer, const Target &target, Writer &writer,
           const Epilogues &epilogues)
      : placer(placer), target(target), writer(writer), epilogues(epilogues) {}

  /// Writes an nn.linear or nn.matmul with its epilogue; this.
  llvm::ArrayRef<mlir::Operation *> write(mlir::Operation &op);

private:
  In read(mlir::OpOperand &operand);
  In readBeside(mlir::OpOperand &operand, const views::Product &product,
                const Strided &result);
  mlir::Value packOf(mlir::Operation &op, const views::Product &product,
                     const views::Matrices &matrices);

  Placer &placer;
  const Target &target;
  Writer &writer;
  const Epilogues &epilogues;
  /// By weight view and rows, so that a tied weight is packed once for each use
  /// that wants another form.
  std::map<std::pair<void *, std::vector<int64_t>>, mlir::Value> packs;
};

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_PRODUCTS_H
