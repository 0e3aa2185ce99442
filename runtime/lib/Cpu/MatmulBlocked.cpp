//===- MatmulBlocked.cpp - products in types that oneDNN lacks ------------===//
//
// C is made by blocks of blockRows x blockColumns. For each, strips of A and B
// are packed into panels (which is where strides and element types are dealt
// with) and multiplied by a vector loop into an accumulator block, which then
// gets bias and post operations and is stored.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/VectorFunctions.h"
#include "hocket/Runtime/Elements.h"
#include "runtime/lib/Cpu/MatmulProblem.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace hocket::runtime {

namespace {

constexpr int64_t blockRows = panelRows * 16, blockColumns = panelColumns * 16;
constexpr int64_t blockDepth = 256;

template <typename T> PanelProduct<T> chooseProduct() {
  const VectorFunctions &functions = vectorFunctions();
  if constexpr (std::is_same_v<T, float>)
    return functions.productF32;
  else if constexpr (std::is_same_v<T, double>)
    return functions.productF64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return functions.productI32;
  else
    return functions.productI64;
}

template <typename T, typename From> T toCompute(From value) {
  if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>)
    return static_cast<T>(static_cast<float>(value));
  else if constexpr (std::is_same_v<From, Boolean>)
    return static_cast<T>(static_cast<int>(value));
  else
    return static_cast<T>(value);
}

template <typename To, typename T> To fromCompute(T value) {
  if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>)
    return To(static_cast<float>(value));
  else
    return To(value);
}

template <typename T> T applyUnary(plan::PostOp op, T value) {
  double x = static_cast<double>(value);
  switch (op) {
  case plan::PostOp::Relu:
    return value > T(0) ? value : T(0);
  case plan::PostOp::GeluErf:
    return static_cast<T>(0.5 * x * (1 + std::erf(x * M_SQRT1_2)));
  case plan::PostOp::GeluTanh:
    return static_cast<T>(
        0.5 * x *
        (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))));
  case plan::PostOp::Silu:
    return static_cast<T>(x / (1 + std::exp(-x)));
  default:
    return static_cast<T>(std::tanh(x));
  }
}

/// Computes in T; the operands may be of other types.
template <typename T> class BlockedMatmul : public Call {
public:
  BlockedMatmul(const MatmulProblem &problem, int threads)
      : problem(problem), threads(threads), product(chooseProduct<T>()) {
    for (int64_t extent : problem.batch)
      batches *= extent;
    rowBlocks = (problem.m + blockRows - 1) / blockRows;
    columnBlocks = (problem.n + blockColumns - 1) / blockColumns;
  }

  int64_t scratchBytes() const override { return threads * workBytes(); }
  void setScratch(void *given) override {
    scratch = static_cast<char *>(given);
  }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  static constexpr int64_t workBytes() {
    return (blockRows * blockDepth + blockDepth * blockColumns +
            blockRows * blockColumns) *
           sizeof(T);
  }

  void runPart(int part) {
    int64_t blocks = batches * rowBlocks * columnBlocks;
    for (int64_t block = part; block < blocks; block += threads)
      runBlock(block / (rowBlocks * columnBlocks),
               block / columnBlocks % rowBlocks * blockRows,
               block % columnBlocks * blockColumns,
               reinterpret_cast<T *>(scratch + part * workBytes()));
  }

  /// Address of row `i`, column `j` of an operand in a batch entry.
  char *at(const Operand &operand, int64_t batch, int64_t i, int64_t j) const {
    size_t rank = operand.shape.size();
    int64_t offset =
        i * operand.strides[rank - 2] + j * operand.strides[rank - 1];
    for (size_t dim = problem.batch.size(); dim-- > 0;
         batch /= problem.batch[dim])
      offset += batch % problem.batch[dim] * operand.strides[dim];
    return static_cast<char *>(operand.data) +
           offset * plan::byteSize(operand.type);
  }

  void runBlock(int64_t batch, int64_t row, int64_t column, T *work) {
    int64_t rows = std::min(blockRows, problem.m - row);
    int64_t columns = std::min(blockColumns, problem.n - column);
    T *left = work, *right = left + blockRows * blockDepth;
    T *acc = right + blockDepth * blockColumns;
    std::fill(acc, acc + blockRows * blockColumns, T(0));
    size_t rank = problem.batch.size() + 2;
    const Operand &a = problem.a, &b = problem.b;
    for (int64_t p = 0; p < problem.k; p += blockDepth) {
      int64_t depth = std::min(blockDepth, problem.k - p);
      packPanels(at(a, batch, row, p), a.type, a.strides[rank - 2],
                 a.strides[rank - 1], rows, depth, panelRows, left);
      packPanels(at(b, batch, p, column), b.type, b.strides[rank - 1],
                 b.strides[rank - 2], columns, depth, panelColumns, right);
      for (int64_t j = 0; j < columns; j += panelColumns)
        for (int64_t i = 0; i < rows; i += panelRows)
          product(depth, left + i * depth, right + j * depth,
                  acc + i * blockColumns + j, blockColumns);
    }
    for (int64_t i = 0; i < rows; ++i)
      storeRow(batch, row + i, column, columns, acc + i * blockColumns);
  }

  /// Panels of `width` lines: out[panel][p][line], missing lines are 0.
  static void packPanels(const char *data, plan::DType type, int64_t lineStep,
                         int64_t depthStep, int64_t lines, int64_t depth,
                         int64_t width, T *out) {
    visitType(type, [&](auto zero) {
      using From = decltype(zero);
      const From *from = reinterpret_cast<const From *>(data);
      for (int64_t first = 0; first < lines; first += width)
        for (int64_t p = 0; p < depth; ++p)
          for (int64_t line = first; line < first + width; ++line)
            *out++ = line < lines
                         ? toCompute<T>(from[line * lineStep + p * depthStep])
                         : T(0);
    });
  }

  template <typename Visit>
  void forEachOf(const Operand &operand, const char *data, int64_t step,
                 int64_t count, Visit visit) {
    visitType(operand.type, [&](auto zero) {
      using From = decltype(zero);
      const From *from = reinterpret_cast<const From *>(data);
      for (int64_t j = 0; j < count; ++j)
        visit(j, toCompute<T>(from[j * step]));
    });
  }

  void storeRow(int64_t batch, int64_t i, int64_t column, int64_t count,
                T *row) {
    if (problem.bias) {
      const Operand &bias = *problem.bias;
      const char *data = static_cast<char *>(bias.data) +
                         column * bias.strides[0] * plan::byteSize(bias.type);
      forEachOf(bias, data, bias.strides[0], count,
                [&](int64_t j, T value) { row[j] += value; });
    }
    for (const PostOperation &post : problem.post) {
      const Operand &operand = post.operand;
      if (post.op == plan::PostOp::Add)
        forEachOf(operand, at(operand, batch, i, column),
                  operand.strides.back(), count,
                  [&](int64_t j, T value) { row[j] += value; });
      else if (post.op == plan::PostOp::Mul)
        forEachOf(operand, at(operand, batch, i, column),
                  operand.strides.back(), count,
                  [&](int64_t j, T value) { row[j] *= value; });
      else
        for (int64_t j = 0; j < count; ++j)
          row[j] = applyUnary(post.op, row[j]);
    }
    char *to = at(problem.c, batch, i, column);
    int64_t step = problem.c.strides.back();
    visitType(problem.c.type, [&](auto zero) {
      using To = decltype(zero);
      for (int64_t j = 0; j < count; ++j)
        reinterpret_cast<To *>(to)[j * step] = fromCompute<To>(row[j]);
    });
  }

  MatmulProblem problem;
  int threads;
  PanelProduct<T> product;
  int64_t batches = 1, rowBlocks, columnBlocks;
  char *scratch = nullptr;
};

} // namespace

Status makeBlockedMatmul(const MatmulProblem &problem, int threads,
                         std::unique_ptr<Call> &call) {
  plan::DType a = problem.a.type, b = problem.b.type, c = problem.c.type;
  auto any = [&](plan::DType type) {
    return a == type || b == type || c == type;
  };
  auto allIntegers = [](plan::DType type) {
    return type == plan::DType::I32 || type == plan::DType::I64;
  };
  if (any(plan::DType::F64))
    call = std::make_unique<BlockedMatmul<double>>(problem, threads);
  else if (!allIntegers(a) || !allIntegers(b) || !allIntegers(c))
    call = std::make_unique<BlockedMatmul<float>>(problem, threads);
  else if (any(plan::DType::I64))
    call = std::make_unique<BlockedMatmul<int64_t>>(problem, threads);
  else
    call = std::make_unique<BlockedMatmul<int32_t>>(problem, threads);
  return Status::success();
}

} // namespace hocket::runtime
