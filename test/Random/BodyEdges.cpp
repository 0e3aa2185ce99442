//===- BodyEdges.cpp - random messages along the edges of graphs ----------===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

static constexpr int64_t kMaxElements = 3000;

namespace {
/// A directed graph; edges may be there twice, be loops, or come from afar.
struct Graph {
  std::vector<int64_t> sources, targets;
  int64_t size() const { return sources.size(); }
};
} // namespace

/// Mostly sorted by target, without which nodes cannot be split. Of a third no
/// edge leads to some interval of nodes.
static Graph drawGraph(Rng &rng, int64_t from, int64_t to) {
  Graph graph;
  int64_t count = rng.between(1, 2 * to + 2);
  int64_t low = 0, high = to - 1;
  if (rng.chance(0.3)) {
    low = rng.between(0, high);
    high = rng.between(low, high);
  }
  for (int64_t i = 0; i < count; ++i)
    graph.targets.push_back(rng.between(low, high));
  if (rng.chance(0.85))
    std::sort(graph.targets.begin(), graph.targets.end());
  bool isNear = rng.chance(0.4);
  for (int64_t target : graph.targets) {
    int64_t near = target * from / to + rng.between(-2, 2);
    graph.sources.push_back(isNear ? std::clamp<int64_t>(near, 0, from - 1)
                                   : rng.below(from));
  }
  return graph;
}

static std::string listText(const std::vector<int64_t> &nodes) {
  std::string text;
  for (int64_t node : nodes)
    text += (text.empty() ? "" : ", ") + std::to_string(node);
  return "[" + text + "]";
}

/// How many edges at most end in one node.
static int64_t mostAt(const std::vector<int64_t> &ends) {
  int64_t most = 0;
  for (int64_t node : ends)
    most = std::max<int64_t>(most, std::count(ends.begin(), ends.end(), node));
  return most;
}

/// What is computed of an edge, from x at its source and maybe y at its target.
const Value *Body::edgeMessage(const Value &source, const Value &y,
                               const std::string &target, size_t axis) {
  const Value *message = &source;
  std::string kind = rng.oneOf<std::string>({"", " * ", " - ", "maximum("});
  if (!kind.empty()) {
    std::string there = "gather(" + y.text + ", " + target +
                        ", axis = " + std::to_string(axis) + ")";
    Value made = source;
    made.isExact &= y.isExact && kind == "maximum(";
    made.isPositive = false;
    made.magnitude = kind == " * " ? source.magnitude * y.magnitude
                                   : source.magnitude + y.magnitude;
    message = &bind(kind == "maximum(" ? kind + source.text + ", " + there + ")"
                                       : source.text + kind + there,
                    made);
  }
  if (state.onlyMoves)
    return message;
  if (axis + 2 == source.rank() && rng.chance(0.3)) { // of each edge
    Value made = *message;
    made.isExact = made.isPositive = false;
    made.magnitude += 1;
    std::string trained =
        member("Embedding(" + std::to_string(source.shape[axis]) + ", " +
               std::to_string(source.shape.back()) + ")");
    message = &bind(message->text + " + " + trained + ".weight", made);
  }
  if (axis + 1 < source.rank() && rng.chance(0.3)) {
    Value made = linear(*message, source.shape.back(),
                        std::to_string(source.shape.back()));
    message = &bind(std::string(made.text), made);
  }
  if (rng.chance(0.3)) {
    Value made = *message;
    made.isExact = made.isPositive = false;
    made.magnitude = std::max(1.0, made.magnitude);
    message = &bind(rng.oneOf<std::string>({"tanh(", "gelu(", "relu("}) +
                        message->text + ")",
                    made);
  }
  return message;
}

/// x is what the sources have. The targets are nodes of x too, or of another
/// value with as many dims.
bool Body::tryEdges() {
  const Value *x = pick([](const Value &v) {
    return v.element == Element::F32 && v.rank() > 0 && v.magnitude < 60;
  });
  if (!x)
    return false;
  size_t axis = axisOf(*x);
  if (x->rank() > 1 && state.isGraph && rng.chance(0.85))
    axis = x->rank() - 2;
  const Value *y = pick([&](const Value &v) {
    bool fits =
        v.element == Element::F32 && v.rank() == x->rank() && v.magnitude < 60;
    for (size_t dim = 0; fits && dim < v.rank(); ++dim)
      fits = dim == axis || v.shape[dim] == x->shape[dim];
    return fits;
  });
  Value from = *x, to = *y; // the pool may move
  Graph graph = drawGraph(rng, from.shape[axis], to.shape[axis]);
  Value edges = from;
  edges.shape[axis] = graph.size();
  edges.isIds = false;
  if (edges.elements() > kMaxElements)
    return false;
  std::string name = "g" + std::to_string(bound++);
  bool isNamed = from.shape[axis] != to.shape[axis] || rng.chance(0.2);
  statements += "    let " + name + " = edge_list(" + listText(graph.sources) +
                ", " + listText(graph.targets) +
                (isNamed ? ", nodes = " + std::to_string(to.shape[axis]) : "") +
                ")\n";
  std::string place = ", axis = " + std::to_string(axis);
  const Value source = bind(
      "gather(" + from.text + ", " + name + ".source" + place + ")", edges);
  if (rng.chance(0.15))
    return true; // edges go on as a dim
  const Value message = *edgeMessage(source, to, name + ".target", axis);
  if (rng.chance(0.15))
    sumEdges(message, name + ".source", from, axis, mostAt(graph.sources));
  else
    sumEdges(message, name + ".target", to, axis, mostAt(graph.targets));
  return true;
}

/// Of each node the sum of what its edges have, at most `most` of them.
void Body::sumEdges(const Value &message, const std::string &ends,
                    const Value &like, size_t axis, int64_t most) {
  Value result = like;
  result.isExact = result.isPositive = false;
  result.magnitude = message.magnitude * most;
  if (result.magnitude > 1e4)
    return;
  bool isTarget = ends.back() == 't';
  std::string nodes = ", like = " + like.text;
  if (isTarget && rng.chance(0.2))
    nodes = ", size = " + std::to_string(like.shape[axis]);
  else if (like.rank() > 1 && rng.chance(0.15)) // of which parts are read alone
    nodes = ", like = " + reducedOver(like, (axis + 1) % like.rank(),
                                      /*isMax=*/rng.chance(0.5),
                                      /*keepdim=*/true)
                              .text;
  std::string sum = "scatter_sum(" + message.text + ", " + ends +
                    ", axis = " + std::to_string(axis) + nodes + ")";
  if (rng.chance(0.4)) {
    sum = like.text + " + " + sum;
    result.magnitude += like.magnitude;
  }
  bind(sum, result);
}
