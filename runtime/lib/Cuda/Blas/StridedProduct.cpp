//===- StridedProduct.cpp - a product's strides, batch dims joined --------===//

#include "runtime/lib/Cuda/Blas/StridedProduct.h"

namespace hocket::runtime::cuda {

static MatrixStrides stridesOf(const Operand &operand) {
  const std::vector<int64_t> &all = operand.strides;
  MatrixStrides strides;
  strides.batch.assign(all.begin(), all.end() - 2);
  strides.row = all[all.size() - 2];
  strides.column = all.back();
  return strides;
}

StridedProduct::StridedProduct(const ProductArguments &arguments,
                               const Operand *addedOperand)
    : batch(arguments.c.shape.begin(), arguments.c.shape.end() - 2),
      m(arguments.c.shape[batch.size()]), n(arguments.c.shape.back()),
      k(arguments.a.shape.back()), a(stridesOf(arguments.a)),
      b(stridesOf(arguments.b)), c(stridesOf(arguments.c)) {
  if (addedOperand)
    added = stridesOf(*addedOperand);
  dropUnitDims();
}

template <typename Visit> void StridedProduct::forEach(Visit visit) {
  visit(a);
  visit(b);
  visit(c);
  if (added)
    visit(*added);
}

void StridedProduct::dropUnitDims() {
  for (size_t dim = batch.size(); dim-- > 0;) {
    if (batch[dim] != 1)
      continue;
    batch.erase(batch.begin() + dim);
    forEach([&](MatrixStrides &matrix) {
      matrix.batch.erase(matrix.batch.begin() + dim);
    });
  }
}

bool StridedProduct::joinLastWithRows() {
  if (batch.empty() || b.batch.back() != 0)
    return false;
  bool continues = true;
  forEach([&](MatrixStrides &matrix) {
    if (&matrix != &b)
      continues &= m == 1 || matrix.batch.back() == matrix.row * m;
  });
  if (!continues)
    return false;
  forEach([&](MatrixStrides &matrix) {
    // The stride of a single row means nothing.
    if (&matrix != &b && m == 1)
      matrix.row = matrix.batch.back();
    matrix.batch.pop_back();
  });
  m *= batch.back();
  batch.pop_back();
  return true;
}

void StridedProduct::joinRows() {
  while (joinLastWithRows())
    ;
}

void StridedProduct::joinBatches() {
  for (size_t dim = batch.size(); dim-- > 1;) {
    bool continues = true;
    forEach([&](MatrixStrides &matrix) {
      continues &= matrix.batch[dim - 1] == matrix.batch[dim] * batch[dim];
    });
    if (!continues)
      continue;
    batch[dim - 1] *= batch[dim];
    batch.erase(batch.begin() + dim);
    forEach([&](MatrixStrides &matrix) {
      matrix.batch.erase(matrix.batch.begin() + dim - 1);
    });
  }
}

} // namespace hocket::runtime::cuda
