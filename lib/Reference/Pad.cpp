//===- Pad.cpp - nn.pad and its transpose ---------------------------------===//

#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;

namespace hocket::reference {

/// Calls visit(element of x, of the result) for each that shows data.
template <class OpTy, class Visit>
static void forEachShown(OpTy op, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> padded, Visit visit) {
  auto windows = op.getWindows();
  Indices strides = denseStrides(shape), outer = denseStrides(padded);
  for (int64_t n = 0, count = product(padded); n < count; ++n) {
    int64_t from = 0;
    for (size_t dim = 0; dim < padded.size() && from >= 0; ++dim) {
      int64_t place = n / outer[dim] % padded[dim];
      if (windows[dim])
        place = windows[dim]->dataAt(place - windows[dim]->low);
      from = place < 0 ? -1 : from + place * strides[dim];
    }
    if (from >= 0)
      visit(from, n);
  }
}

void evaluatePad(nn::PadOp op, Call &call) {
  const Tensor &x = call.operand(0);
  forEachShown(op, x.shape, call.result.shape, [&](int64_t from, int64_t to) {
    call.result.values[to] = x.values[from];
  });
}

void evaluatePadTranspose(nn::PadTransposeOp op, Call &call) {
  const Tensor &y = call.operand(0);
  forEachShown(op, call.result.shape, y.shape, [&](int64_t to, int64_t from) {
    call.result.values[to] += y.values[from];
  });
}

} // namespace hocket::reference
