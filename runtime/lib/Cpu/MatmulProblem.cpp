//===- MatmulProblem.cpp - a batched product with fewest dims -------------===//

#include "runtime/lib/Cpu/MatmulProblem.h"
#include <string>

namespace hocket::runtime {

MatmulProblem::MatmulProblem(const MatmulArguments &arguments)
    : batch(arguments.c.shape.begin(), arguments.c.shape.end() - 2),
      m(arguments.c.shape[batch.size()]), n(arguments.c.shape.back()),
      k(arguments.a.shape.back()), a(arguments.a), b(arguments.b),
      c(arguments.c), bias(arguments.bias), post(arguments.post) {
  dropUnitDims();
  // Rows first: a product of two matrices is the best of all.
  while (!batch.empty() && canMerge(batch.size() - 1, true))
    merge(batch.size() - 1, true);
  for (size_t dim = batch.size(); dim-- > 1;)
    if (canMerge(dim - 1, false))
      merge(dim - 1, false);
}

/// All operands but the bias, which has no batch.
template <typename Visit> void MatmulProblem::forEach(Visit visit) {
  visit(a);
  visit(b);
  visit(c);
  for (PostOperation &operation : post)
    if (!operation.operand.shape.empty())
      visit(operation.operand);
}

void MatmulProblem::dropUnitDims() {
  for (size_t dim = batch.size(); dim-- > 0;) {
    if (batch[dim] != 1)
      continue;
    batch.erase(batch.begin() + dim);
    forEach([&](Operand &operand) {
      operand.shape.erase(operand.shape.begin() + dim);
      operand.strides.erase(operand.strides.begin() + dim);
    });
  }
}

/// Whether batch dim `dim` continues into the next dim (for the last one: into
/// the rows of a, c and the post operands, b being the same).
bool MatmulProblem::canMerge(size_t dim, bool withRows) {
  bool possible = true;
  forEach([&](Operand &operand) {
    if (withRows && &operand == &b) {
      possible &= b.strides[dim] == 0;
      return;
    }
    int64_t next = withRows ? m : batch[dim + 1];
    possible &= operand.strides[dim] == operand.strides[dim + 1] * next;
  });
  return possible;
}

void MatmulProblem::merge(size_t dim, bool withRows) {
  int64_t extent = batch[dim];
  forEach([&](Operand &operand) {
    if (!(withRows && &operand == &b))
      operand.shape[dim + 1] *= extent;
    operand.shape.erase(operand.shape.begin() + dim);
    operand.strides.erase(operand.strides.begin() + dim);
  });
  if (withRows)
    m *= extent;
  else
    batch[dim + 1] *= extent;
  batch.erase(batch.begin() + dim);
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

std::string MatmulProblem::describe() const {
  return shapeText(a.shape) + " x " + shapeText(b.shape) + " " +
         plan::toString(c.type);
}

} // namespace hocket::runtime
