//===- Rearranged.cpp - views of what is rearranged -----------------------===//

#include "Rearranged.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::views;

std::optional<Strided> bufferization::beforeRearrange(nn::RearrangeOp op,
                                                      const Strided &result) {
  Numbers sizes = factorSizes(op.getSource()), listed;
  if (sizes != factorSizes(nn::layoutOf(op.getX())))
    return std::nullopt;
  SmallVector<int64_t> factors;
  for (Attribute dim : op.getOrder()) {
    for (Attribute factor : cast<ArrayAttr>(dim)) {
      factors.push_back(cast<IntegerAttr>(factor).getInt());
      listed.push_back(sizes[factors.back()]);
    }
    if (cast<ArrayAttr>(dim).empty()) {
      factors.push_back(-1);
      listed.push_back(1);
    }
  }
  std::optional<Strided> view = reshaped(result, listed);
  if (!view)
    return std::nullopt;
  Numbers strides(sizes.size(), 1);
  for (auto [factor, stride] : llvm::zip_equal(factors, view->strides))
    if (factor >= 0)
      strides[factor] = stride;
  view->sizes = sizes;
  view->strides = strides;
  return view;
}
