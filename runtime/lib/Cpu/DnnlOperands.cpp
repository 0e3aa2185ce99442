//===- DnnlOperands.cpp - copies of what oneDNN reads badly ---------------===//

#include "runtime/lib/Cpu/DnnlMatmul.h"

namespace hocket::runtime {

/// What oneDNN can do with an operand's last two dims: a and b may be stored
/// by rows or by columns, c only by rows.
static bool isReadable(const Operand &operand, bool onlyRows) {
  size_t rank = operand.shape.size();
  int64_t rows = operand.shape[rank - 2], columns = operand.shape[rank - 1];
  int64_t rowStride = operand.strides[rank - 2];
  int64_t columnStride = operand.strides[rank - 1];
  bool byRows = (columnStride == 1 || columns == 1) &&
                (rowStride >= columns || rows == 1);
  bool byColumns =
      (rowStride == 1 || rows == 1) && (columnStride >= rows || columns == 1);
  return byRows || (byColumns && !onlyRows);
}

/// What oneDNN can add to c fast: something laid out as c is, or one row for
/// all rows.
static bool isAddable(const Operand &operand, const Operand &c) {
  bool same = true, row = operand.strides.back() == 1;
  for (size_t i = 0; i < c.shape.size(); ++i) {
    same &= c.shape[i] == 1 || operand.strides[i] == c.strides[i];
    row &= i + 1 == c.shape.size() || operand.strides[i] == 0;
  }
  return same || row;
}

/// Whether the bytes that two operands span overlap.
static bool overlaps(const Operand &a, const Operand &b) {
  auto end = [](const Operand &operand) {
    int64_t last = 0;
    for (size_t i = 0; i < operand.shape.size(); ++i)
      last += (operand.shape[i] - 1) * operand.strides[i];
    return static_cast<char *>(operand.data) +
           (last + 1) * plan::byteSize(operand.type);
  };
  return static_cast<char *>(a.data) < end(b) &&
         static_cast<char *>(b.data) < end(a);
}

/// From now on `operand` lies in scratch with `strides`.
void DnnlMatmul::copyThroughScratch(Operand &operand,
                                    const std::vector<int64_t> &strides,
                                    bool isResult) {
  std::vector<int64_t> shape = operand.shape;
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (strides[i] == 0)
      shape[i] = 1; // the same along this dim: copied once
    last += (shape[i] - 1) * strides[i];
  }
  int64_t bytes = plan::byteSize(operand.type);
  StridedCopy copy = isResult
                         ? StridedCopy(shape, strides, operand.strides, bytes)
                         : StridedCopy(shape, operand.strides, strides, bytes);
  dense.push_back({&operand, copy, operand.data, denseBytes, isResult});
  denseBytes += pieceBytes((last + 1) * bytes);
  operand.strides = strides;
}

/// Row-major strides; 0 where a batch dim repeats.
static std::vector<int64_t> denseStrides(const Operand &operand) {
  size_t rank = operand.shape.size();
  std::vector<int64_t> strides(rank);
  int64_t elements = 1;
  for (size_t i = rank; i-- > 0;) {
    bool repeats = operand.strides[i] == 0 && i + 2 < rank;
    strides[i] = repeats ? 0 : elements;
    elements *= repeats ? 1 : operand.shape[i];
  }
  return strides;
}

void DnnlMatmul::makeDense() {
  Operand result = problem.c;
  if (!isReadable(problem.a, false))
    copyThroughScratch(problem.a, denseStrides(problem.a), false);
  if (!pack && !isReadable(problem.b, false))
    copyThroughScratch(problem.b, denseStrides(problem.b), false);
  if (!isReadable(problem.c, true))
    copyThroughScratch(problem.c, denseStrides(problem.c), true);
  // oneDNN may keep partial sums in c before it reads the post operands.
  for (PostOperation &post : problem.post)
    if (!post.operand.shape.empty() &&
        (!isAddable(post.operand, problem.c) || overlaps(post.operand, result)))
      copyThroughScratch(post.operand, problem.c.strides, false);
  if (problem.bias && problem.bias->strides[0] != 1)
    copyThroughScratch(*problem.bias, {1}, false);
}

} // namespace hocket::runtime
