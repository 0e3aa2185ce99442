//===- Middles.cpp - what is owned of what is held ------------------------===//

#include "Middles.h"
#include "dialects/Nn/Program.h"

using namespace mlir;
using namespace hocket;

template <class OpTy>
spmd::TableAttr bufferization::ownedBehind(OpTy op, spmd::FuncOp func) {
  nn::MeshAttr mesh = nn::meshOf(func);
  int64_t members = spmd::memberCount(mesh, op.getAxes());
  auto values = [&](spmd::TableAttr table) { return table.valuesFor(members); };
  SmallVector<int64_t> offsets = values(op.getOffsets()),
                       sizes = values(op.getSizes()),
                       heldOffsets = values(op.getHeldOffsets()),
                       heldSizes = values(op.getHeldSizes());
  for (int64_t rank : func.getRanks()) {
    int64_t i =
        spmd::memberIndex(mesh, op.getAxes(), spmd::coordinatesOf(mesh, rank));
    if (heldOffsets[i] > offsets[i] ||
        offsets[i] + sizes[i] > heldOffsets[i] + heldSizes[i])
      return {};
  }
  // Other members' margins are not read, and have to be places of a buffer.
  for (auto [offset, held] : llvm::zip(offsets, heldOffsets))
    offset = std::max<int64_t>(offset - held, 0);
  SmallVector<StringAttr> axes;
  for (Attribute axis : op.getAxes())
    axes.push_back(cast<StringAttr>(axis));
  return spmd::TableAttr::simplified(op.getContext(), axes, offsets);
}

namespace hocket::bufferization {
template spmd::TableAttr ownedBehind(spmd::HaloExchangeOp, spmd::FuncOp);
template spmd::TableAttr ownedBehind(spmd::HaloReduceOp, spmd::FuncOp);
} // namespace hocket::bufferization
