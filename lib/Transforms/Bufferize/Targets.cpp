//===- Targets.cpp - what runs a program, as bufferization sees it --------===//

#include "LibraryTarget.h"
#include "dialects/Nn/Products.h"
#include "hocket/CodeGen/KernelCompiler.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;

namespace {

bool worksInPlaceFor(plan::Target target, spmd::KernelOp op,
                     ArrayRef<Strided> ins, ArrayRef<Strided> outs,
                     unsigned input, unsigned output) {
  codegen::KernelRequest request;
  request.body = &op.getBody().front();
  for (const Strided &in : ins)
    request.inputStrides.emplace_back(in.strides);
  for (const Strided &out : outs)
    request.outputStrides.emplace_back(out.strides);
  request.inPlace.push_back({input, output});
  return !codegen::inPlaceOf(request, target).empty();
}

/// Kernels of our own, oneDNN and the runtime's loops.
class CpuTarget final : public LibraryTarget {
public:
  bool addsMatrix(views::Run, views::Run) const override { return true; }
  bool worksInPlace(spmd::KernelOp op, ArrayRef<Strided> ins,
                    ArrayRef<Strided> outs, unsigned input,
                    unsigned output) const override {
    return worksInPlaceFor(plan::Target::Cpu, op, ins, outs, input, output);
  }
  bool packs(Type element) const override {
    return element.isF32() || element.isBF16(); // what oneDNN has products of
  }
};

/// The rows of a product's left operand as far as they are one run. Those of a
/// batch are the last leading factor.
views::Run rowsOf(const Strided &a, bool isBatch) {
  size_t lead = a.sizes.size() - 1;
  size_t first = isBatch ? lead - 1 : 0;
  ArrayRef<int64_t> sizes = ArrayRef(a.sizes).slice(first, lead - first);
  ArrayRef<int64_t> strides = ArrayRef(a.strides).slice(first, lead - first);
  views::Run rows = {1, 1};
  for (size_t i : llvm::reverse(views::orderLike(sizes, strides))) {
    if (sizes[i] == 1)
      continue;
    if (rows.first == 1)
      rows = {sizes[i], strides[i]};
    else if (strides[i] == rows.first * rows.second)
      rows.first *= sizes[i];
    else
      break;
  }
  return rows;
}

/// Whether the elements of a row lie next to each other, and rows apart.
bool areRows(views::Run rows, views::Run columns) {
  return (columns.first <= 1 || columns.second == 1) &&
         (rows.first <= 1 || rows.second >= columns.first);
}

/// Whether cuBLASLt reads a matrix, by rows or by columns.
bool isMatrix(views::Run rows, views::Run columns) {
  return areRows(rows, columns) || areRows(columns, rows);
}

/// Whether it reads operand `number` of a product, of these sizes and strides.
bool readsOfProduct(Operation *op, unsigned number, const Strided &at) {
  views::Run columns = {at.sizes.back(), at.strides.back()};
  if (number == 2) // the bias
    return columns.first <= 1 || columns.second == 1;
  if (number == 1) {
    size_t rows = at.sizes.size() - 2;
    return isMatrix({at.sizes[rows], at.strides[rows]}, columns);
  }
  auto matmul = dyn_cast<nn::MatMulOp>(op);
  bool isBatch = matmul && nn::layoutOf(matmul.getB()).getDims().size() > 2;
  return isMatrix(rowsOf(at, isBatch), columns);
}

/// Kernels of our own, cuBLASLt and cuDNN.
class CudaTarget final : public LibraryTarget {
public:
  bool reads(OpOperand &operand, const Strided &at) const override {
    Operation *op = operand.getOwner();
    if (!LibraryTarget::reads(operand, at))
      return false;
    unsigned number = operand.getOperandNumber();
    return !isa<nn::LinearOp, nn::MatMulOp>(op) ||
           readsOfProduct(op, number, *views::productOperand(op, number, at));
  }
  bool addsMatrix(views::Run rows, views::Run columns) const override {
    bool isOneRow = rows.second == 0; // again and again
    return areRows(isOneRow ? views::Run{1, 1} : rows, columns);
  }
  bool worksInPlace(spmd::KernelOp op, ArrayRef<Strided> ins,
                    ArrayRef<Strided> outs, unsigned input,
                    unsigned output) const override {
    return worksInPlaceFor(plan::Target::Cuda, op, ins, outs, input, output);
  }
  bool packs(Type) const override { return false; }
};

} // namespace

const Target &bufferization::targetFor(nn::Target target) {
  static const CpuTarget cpu;
  static const CudaTarget cuda;
  if (target == nn::Target::Cuda)
    return cuda;
  return cpu;
}
