//===- FunctionsEdges.cpp - edge lists, gather and scatter_sum ------------===//

#include "Functions.h"
#include "dialects/Nn/Edges.h"
#include "hocket/Io/MappedFile.h"
#include "hocket/Io/Npy.h"
#include "llvm/Support/Path.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

//===-- Edge lists --------------------------------------------------------===//

/// Whether the numbers of a type are integers, of which all fit in int64.
static bool isInteger(runtime::FileType type) {
  using runtime::FileType;
  switch (type) {
  case FileType::I64:
  case FileType::I32:
  case FileType::I16:
  case FileType::I8:
  case FileType::U32:
  case FileType::U16:
  case FileType::U8:
    return true;
  default:
    return false;
  }
}

std::string frontend::describeStored(const runtime::StoredTensor &stored) {
  std::vector<std::string> dims;
  for (int64_t dim : stored.dims)
    dims.push_back(std::to_string(dim));
  return std::string(runtime::toString(stored.type)) + "[" +
         llvm::join(dims, ", ") + "]";
}

std::optional<EdgeList> Elaborator::readEdges(const std::string &file,
                                              SourceRange range) {
  llvm::SmallString<128> path(file);
  if (llvm::sys::path::is_relative(file)) {
    path = llvm::sys::path::parent_path(sources.getName(range.file));
    llvm::sys::path::append(path, file);
  }
  runtime::MappedFile mapped;
  runtime::StoredTensor stored;
  std::string problem;
  if (!mapped.open(path.str().str(), "edge list").ok()) {
    error(range, "cannot read the edge list '" + file + "'")
        .note("it is looked for beside the file that names it");
    return std::nullopt;
  }
  if (!runtime::parseNpy(mapped.data(), mapped.size(), stored, problem)) {
    error(range, "the edge list '" + file + "' " + problem);
    return std::nullopt;
  }
  if (!isInteger(stored.type) || stored.dims.size() != 2 ||
      stored.dims[0] != 2 || stored.dims[1] == 0) {
    error(range, "the edge list '" + file + "' holds " +
                     describeStored(stored) +
                     ", expected integers [2, edges], the sources of the "
                     "edges and then their targets")
        .note("in NumPy: numpy.save('" + file +
              "', numpy.stack([source, target]))");
    return std::nullopt;
  }
  EdgeList edges;
  edges.name = file;
  int64_t row = 0;
  for (std::vector<int64_t> *ends : {&edges.sources, &edges.targets}) {
    ends->resize(stored.dims[1]);
    runtime::Box box{stored.dims, {row++, 0}, {1, stored.dims[1]}};
    (void)runtime::readStored(stored, file, box, plan::DType::I64,
                              ends->data());
  }
  return edges;
}

/// Lists that are written in the text.
static std::optional<EdgeList> writtenEdges(const Datum &source,
                                            const Datum &target) {
  EdgeList edges;
  for (auto [given, ends] : {std::pair(&source, &edges.sources),
                             std::pair(&target, &edges.targets)}) {
    auto *list = given->as<std::shared_ptr<Tuple>>();
    if (!list || (*list)->empty())
      return std::nullopt;
    for (const Datum &item : **list) {
      auto *node = item.as<int64_t>();
      if (!node)
        return std::nullopt;
      ends->push_back(*node);
    }
  }
  return edges;
}

Elaborator::MaybeDatum
Elaborator::edgeListFunction(const CallArguments &arguments,
                             const Scope &scope) {
  SourceRange range = arguments.call->range;
  MaybeDatum source = evaluate(*arguments.get("source"), scope);
  const Expr *second = arguments.get("target"), *nodes = arguments.get("nodes");
  MaybeDatum target = source && second ? evaluate(*second, scope) : source;
  auto count = nodes ? evaluateInt(*nodes, scope) : std::optional<int64_t>(0);
  if (!target || !count)
    return std::nullopt;
  std::optional<EdgeList> edges;
  if (auto *file = source->as<std::string>(); file && !second) {
    edges = readEdges(*file, range);
    if (!edges)
      return std::nullopt;
  } else if (second) {
    edges = writtenEdges(*source, *target);
  }
  if (!edges) {
    error(range, "'edge_list' takes the name of an .npy file, or a list of "
                 "sources and one of targets: edge_list([0, 1, 1], [1, 0, 2])");
    return std::nullopt;
  }
  if (edges->sources.size() != edges->targets.size()) {
    error(range, "an edge has a source and a target, but there are " +
                     std::to_string(edges->sources.size()) + " sources and " +
                     std::to_string(edges->targets.size()) + " targets");
    return std::nullopt;
  }
  edges->targetNodes = *count;
  auto refuse = [&](size_t edge, const char *what, int64_t node) {
    error(range, "edge " + std::to_string(edge) + what + std::to_string(node) +
                     ", but nodes count from 0" +
                     (nodes ? " to " + std::to_string(*count - 1) : ""));
    return std::nullopt;
  };
  for (auto [edge, node] : llvm::enumerate(edges->sources))
    if (node < 0)
      return refuse(edge, " comes from node ", node);
  for (auto [edge, node] : llvm::enumerate(edges->targets))
    if (node < 0 || (nodes && node >= *count))
      return refuse(edge, " leads to node ", node);
  return Datum(std::make_shared<const EdgeList>(std::move(*edges)));
}

//===-- Gather and scatter ------------------------------------------------===//

namespace {
/// Ends of edges on `nodes` nodes, as attributes of an operation.
struct EdgeReader {
  Elaborator &elaborator;
  mlir::Builder &builder;
  const CallArguments &arguments;

  std::string callee() const {
    return dynAs<NameExpr>(arguments.call->callee)->name;
  }

  const EdgeEnds *ends(const Elaborator::MaybeDatum &given) const {
    if (!given)
      return nullptr;
    const EdgeEnds *ends = given->as<EdgeEnds>();
    if (!ends)
      elaborator
          .error(arguments.get("ends")->range,
                 "'" + callee() +
                     "' goes along the edges of an edge list, found " +
                     given->kindName())
          .note("name their ends: graph.source or graph.target, after "
                "'let graph = edge_list(\"graph.npy\")'");
    return ends;
  }

  /// The first node that does not exist is an error.
  bool areOf(const EdgeEnds &ends, nn::DimAttr nodes) const {
    int64_t stated = ends.edges->targetNodes;
    if (stated > 0 && !ends.areSources && stated != nodes.getSize()) {
      elaborator.error(arguments.call->range,
                       "the targets of the edges are of " +
                           std::to_string(stated) +
                           " nodes, as their list says, but here of " +
                           std::to_string(nodes.getSize()));
      return false;
    }
    for (auto [edge, node] : llvm::enumerate(ends.nodes())) {
      if (node >= 0 && node < nodes.getSize())
        continue;
      std::string of =
          ends.edges->name.empty() ? "" : " of '" + ends.edges->name + "'";
      std::string dim = nodes.getDisplayName();
      elaborator.error(
          arguments.call->range,
          "edge " + std::to_string(edge) + of +
              (ends.areSources ? " comes from node " : " leads to node ") +
              std::to_string(node) + ", but there are " +
              std::to_string(nodes.getSize()) +
              (dim.empty() ? " nodes" : " along '" + dim + "'") + ": 0 to " +
              std::to_string(nodes.getSize() - 1));
      return false;
    }
    return true;
  }

  /// Edges are where their targets are, which are of the same nodes as their
  /// sources if the list does not say of how many.
  llvm::SmallVector<mlir::NamedAttribute>
  attributes(const EdgeEnds &ends, int64_t dim, int64_t nodes) const {
    const std::vector<int64_t> &targets = ends.edges->targets;
    int64_t owners = ends.edges->targetNodes;
    if (owners == 0)
      owners = std::max(*llvm::max_element(targets) + 1, nodes);
    auto named = [&](const char *name, mlir::Attribute value) {
      return builder.getNamedAttr(name, value);
    };
    return {named("dim", builder.getI64IntegerAttr(dim)),
            named("indices", builder.getDenseI64ArrayAttr(ends.nodes())),
            named("owners", builder.getDenseI64ArrayAttr(targets)),
            named("owner_extent", builder.getI64IntegerAttr(owners))};
  }
};
} // namespace

Elaborator::MaybeDatum
Elaborator::gatherFunction(const CallArguments &arguments, const Scope &scope) {
  SourceRange range = arguments.call->range;
  EdgeReader reader{*this, builder, arguments};
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  MaybeDatum given = x ? evaluate(*arguments.get("ends"), scope) : std::nullopt;
  const EdgeEnds *ends = reader.ends(given);
  auto dim = ends ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dim || !reader.areOf(*ends, nn::layoutOf(x).getDims()[*dim]))
    return std::nullopt;
  x = joinFactors(x, {*dim}, range);
  int64_t nodes = nn::layoutOf(x).getDims()[*dim].getSize();
  mlir::Value edges =
      emit<nn::GatherOp>(range, x, reader.attributes(*ends, *dim, nodes));
  return edges ? MaybeDatum(Datum(edges)) : std::nullopt;
}

Elaborator::MaybeDatum
Elaborator::scatterSumFunction(const CallArguments &arguments,
                               const Scope &scope) {
  SourceRange range = arguments.call->range;
  EdgeReader reader{*this, builder, arguments};
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  MaybeDatum given = x ? evaluate(*arguments.get("ends"), scope) : std::nullopt;
  const EdgeEnds *ends = reader.ends(given);
  auto dim = ends ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dim)
    return std::nullopt;
  nn::LayoutAttr layout = nn::layoutOf(x);
  int64_t edges = layout.getDims()[*dim].getSize(),
          count = ends->nodes().size();
  if (edges != count) {
    error(range, "'scatter_sum' adds up " + std::to_string(count) +
                     " edges, but x is " + nn::describe(x.getType()) +
                     ", with " + std::to_string(edges) + " along axis " +
                     std::to_string(*dim));
    return std::nullopt;
  }
  const Expr *like = arguments.get("like"), *size = arguments.get("size");
  if (!like == !size) {
    error(range, "'scatter_sum' needs one of 'like', a tensor that has the "
                 "nodes on the axis of the edges, and 'size', their number");
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> operands = {joinFactors(x, {*dim}, range)};
  nn::DimAttr nodes;
  if (like) {
    mlir::Value pattern = evaluateTensor(*like, scope);
    if (!pattern)
      return std::nullopt;
    if (nn::layoutOf(pattern).getDims().size() != layout.getDims().size()) {
      error(like->range, "'like' is " + nn::describe(pattern.getType()) +
                             ", but x is " + nn::describe(x.getType()) +
                             ": they need as many dims, for the nodes of one "
                             "are on the axis of the edges of the other");
      return std::nullopt;
    }
    operands.push_back(joinFactors(pattern, {*dim}, range));
    nodes = nn::layoutOf(operands.back()).getDims()[*dim];
  } else {
    auto given = evaluateDim(*size, scope);
    if (!given)
      return std::nullopt;
    nodes = nn::dimOf(context, given->getDisplayName(), given->getSize());
  }
  if (!operands.front() || !reader.areOf(*ends, nodes))
    return std::nullopt;
  llvm::SmallVector<nn::DimAttr> dims(layout.getDims());
  dims[*dim] = nodes;
  auto element =
      mlir::cast<mlir::RankedTensorType>(x.getType()).getElementType();
  mlir::Value result = emitAs<nn::ScatterSumOp>(
      range, nn::tensorOf(element, nn::LayoutAttr::get(context, dims)),
      operands, reader.attributes(*ends, *dim, nodes.getSize()));
  return result ? MaybeDatum(Datum(result)) : std::nullopt;
}
