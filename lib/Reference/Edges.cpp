//===- Edges.cpp - nn.gather and nn.scatter_sum ---------------------------===//

#include "dialects/Nn/Edges.h"
#include "Operations.h"
#include "Strided.h"

using namespace mlir;

namespace hocket::reference {

/// Calls visit(element of the nodes, of the edges) for each element of an edge,
/// in order.
template <class Visit>
static void forEachEdge(ArrayRef<int64_t> indices, size_t dim,
                        ArrayRef<int64_t> nodes, Visit visit) {
  int64_t inner = product(nodes.drop_front(dim + 1)), edges = indices.size();
  for (int64_t outer = 0, e = product(nodes.take_front(dim)); outer < e;
       ++outer)
    for (int64_t edge = 0; edge < edges; ++edge)
      for (int64_t i = 0; i < inner; ++i)
        visit((outer * nodes[dim] + indices[edge]) * inner + i,
              (outer * edges + edge) * inner + i);
}

void evaluateGather(nn::GatherOp op, Call &call) {
  const Tensor &x = call.operand(0);
  forEachEdge(op.getIndices(), op.getDim(), x.shape,
              [&](int64_t node, int64_t edge) {
                call.result.values[edge] = x.values[node];
              });
}

void evaluateScatterSum(nn::ScatterSumOp op, Call &call) {
  const Tensor &y = call.operand(0);
  forEachEdge(op.getIndices(), op.getDim(), call.result.shape,
              [&](int64_t node, int64_t edge) {
                call.result.values[node] += y.values[edge];
              });
}

} // namespace hocket::reference
