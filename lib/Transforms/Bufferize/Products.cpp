//===- Products.cpp - places of products and their epilogues --------------===//

#include "Products.h"
#include "dialects/Nn/Products.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;
using namespace hocket::views;

In Products::read(OpOperand &operand) {
  Strided at = placer.get(operand.get());
  if (!target.reads(operand, at))
    at = placer.copied(operand, at);
  return {&operand, at};
}

/// An operand of the epilogue: under the result's dims, in its order of rows.
In Products::readBeside(OpOperand &operand, const Product &product,
                        const Strided &result) {
  Strided at = placer.get(operand.get());
  auto fitted = reshaped(at, result.sizes);
  if (!fitted) {
    at = placer.copied(operand, at);
    fitted = reshaped(at, result.sizes);
  }
  auto runs = Matrices(product, result).runsOf(*fitted);
  if (runs && target.addsMatrix((*runs)[runs->size() - 2], runs->back()))
    return {&operand, at};
  Strided same = result;
  same.offset = 0;
  same.terms.clear();
  same.buffer = writer.buffer(operand.get(), Phase::Step);
  writer.copy(operand.getOwner()->getLoc(), *fitted, same, Phase::Step);
  return {&operand, same};
}

Value Products::packOf(Operation &op, const Product &product,
                       const Matrices &matrices) {
  Value weight = op.getOperand(1);
  bool isConstant = placer.phaseOf(weight) == Phase::Load &&
                    placer.phaseOf(op.getResult(0)) == Phase::Step;
  if (!isConstant || matrices.b.size() != 2 ||
      !target.packs(getElementTypeOrSelf(weight)))
    return {};
  const Strided &b = product.b;
  std::vector<int64_t> key = {b.offset, matrices.rows};
  key.insert(key.end(), b.sizes.begin(), b.sizes.end());
  key.insert(key.end(), b.strides.begin(), b.strides.end());
  for (buffers::TermAttr term : b.terms)
    key.push_back(reinterpret_cast<int64_t>(term.getAsOpaquePointer()));
  Value &pack = packs[{b.buffer.getAsOpaquePointer(), key}];
  if (!pack)
    pack = writer.pack(op.getLoc(), b, matrices.rows);
  return pack;
}

ArrayRef<Operation *> Products::write(Operation &op) {
  ArrayRef<Operation *> epilogue = epilogues.of(&op);
  Computation computation;
  computation.chain = {&op};
  llvm::append_range(computation.chain, epilogue);
  In a = read(op.getOpOperand(0)), b = read(op.getOpOperand(1));
  Product product = productOf(&op, *productOperand(&op, 0, a.at),
                              *productOperand(&op, 1, b.at));
  Value last = computation.chain.back()->getResult(0), first = op.getResult(0);
  // What was joined may have named the dims' factors otherwise.
  bool isAlike =
      factorSizes(nn::layoutOf(first)) == factorSizes(nn::layoutOf(last));
  Strided out =
      placer.place(isAlike ? last : first,
                   target.order(op.getResult(0), {product.a, product.b}));
  Strided c = *reshaped(out, product.resultSizes());
  Matrices matrices(product, c);
  b.pack = packOf(op, product, matrices);
  computation.ins = {a, b};
  if (op.getNumOperands() == 3)
    computation.ins.push_back(read(op.getOpOperand(2)));
  for (auto [before, next] : llvm::zip(computation.chain, epilogue))
    for (OpOperand &operand : next->getOpOperands())
      if (operand.get() != before->getResult(0))
        computation.ins.push_back(readBeside(operand, product, c));
  computation.outs = {out};
  writer.compute(computation, placer.phaseOf(op.getResult(0)));
  if (!isAlike)
    placer.set(last, placer.reshapedOrCopied(op.getLoc(), out, last,
                                             factorSizes(nn::layoutOf(last))));
  return epilogue;
}
