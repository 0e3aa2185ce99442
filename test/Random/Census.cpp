//===- Census.cpp - reading what a placed program is made of --------------===//

#include "Census.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::random;

namespace {
class Reader {
public:
  Reader(ModuleOp placed, const std::string &text)
      : placed(placed), text(text), mesh(nn::meshOf(placed)) {}

  std::set<std::string> read() {
    readMesh();
    placed.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (nn::LayoutAttr layout = nn::layoutOf(result))
          readParts(layout);
      if (auto windowed = dyn_cast<nn::WindowedOp>(op))
        readWindows(windowed);
      else
        readReduction(op);
    });
    readText();
    return std::move(found);
  }

private:
  void add(const std::string &group, const std::string &name) {
    found.insert(group + " | " + name);
  }
  void readMesh();
  void readParts(nn::LayoutAttr layout);
  void readWindows(nn::WindowedOp op);
  void readReduction(Operation *op);
  void readText();

  ModuleOp placed;
  const std::string &text;
  nn::MeshAttr mesh;
  std::set<std::string> found;
};
} // namespace

void Reader::readMesh() {
  int64_t ranks = 1;
  std::string shape;
  for (nn::MeshAxisAttr axis :
       mesh ? mesh.getAxes() : ArrayRef<nn::MeshAxisAttr>()) {
    ranks *= axis.getSize();
    if (axis.getSize() > 1)
      shape += (shape.empty() ? "" : "x") + std::to_string(axis.getSize());
  }
  add("ranks", std::to_string(ranks));
  if (shape.find('x') != std::string::npos)
    add("mesh", shape);
}

void Reader::readParts(nn::LayoutAttr layout) {
  for (nn::SplitAttr split : layout.getSplits()) {
    auto nested = layout.splitsOf(split.getDim(), split.getFactor());
    if (nested.front() != split)
      continue;
    int64_t extent = layout.getDims()[split.getDim()]
                         .getFactors()[split.getFactor()]
                         .getSize();
    SmallVector<int64_t> sizes = nn::partSizes(extent, nested, mesh);
    bool isStated =
        llvm::any_of(nested, [](nn::SplitAttr each) { return !each.isEven(); });
    if (isStated)
      add("parts", "of stated sizes, by weight or aligned");
    else
      add("parts", llvm::all_equal(sizes) ? "even" : "even with remainder");
    if (llvm::is_contained(sizes, 0))
      add("parts", "empty");
    if (nested.size() > 1)
      add("parts", "of two axes nested");
  }
}

/// Bare of its dims.
static std::string kindOf(Operation *op) {
  if (auto conv = dyn_cast<nn::ConvOp>(op))
    return conv.getGroups() > 1 ? "grouped convolution" : "convolution";
  if (auto conv = dyn_cast<nn::ConvTransposeOp>(op))
    return conv.getGroups() > 1 ? "grouped transposed convolution"
                                : "transposed convolution";
  if (auto pool = dyn_cast<nn::PoolOp>(op))
    return stringifyPoolKind(pool.getKind()).str() + " pooling";
  if (isa<nn::NeighborhoodAttentionOp>(op))
    return "neighborhood attention";
  if (isa<nn::AttentionOp>(op))
    return "attention under a window";
  return op->getName().stripDialect().str();
}

void Reader::readWindows(nn::WindowedOp op) {
  int64_t dims = 0, split = 0;
  Value positions = op.getPositions().front();
  nn::LayoutAttr layout = nn::layoutOf(positions);
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!window)
      continue;
    ++dims;
    auto splits = layout.splitsOf(op.getPositionsDim(positions, dim), 0);
    split += llvm::any_of(splits, [&](nn::SplitAttr each) {
      return mesh.getSize(each.getAxis()) > 1;
    });
  }
  if (dims == 0)
    return;
  std::string kind = kindOf(op);
  bool isSpatial = isa<nn::ConvOp, nn::ConvTransposeOp, nn::PoolOp,
                       nn::NeighborhoodAttentionOp>(op);
  if (isSpatial)
    kind += " " + std::to_string(dims) + "-D";
  add("op", kind);
  if (split)
    add("op, split", kind);
  if (split)
    add("split dims of one operation", std::to_string(split));
}

/// Norms, sums and means over dims that are split.
void Reader::readReduction(Operation *op) {
  if (!isa<nn::NormalizeOp, nn::LayerNormOp, nn::ReduceOp>(op))
    return;
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims");
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(0));
  std::string kind =
      isa<nn::ReduceOp>(op)
          ? stringifyReduceKind(cast<nn::ReduceOp>(op).getKind()).str()
          : op->getName().stripDialect().str();
  add("op", kind);
  for (nn::SplitAttr split : layout.getSplits()) {
    bool isReduced =
        dims ? llvm::is_contained(dims.asArrayRef(), split.getDim())
             : split.getDim() + 1 == int64_t(layout.getDims().size());
    if (isReduced)
      add("op, split", kind);
    if (isReduced && !split.isEven())
      add("op, stated parts", kind);
  }
}

void Reader::readText() {
  auto says = [&](const char *group, const char *name, const char *words) {
    if (text.find(words) != std::string::npos)
      add(group, name);
  };
  for (const char *name : {"GroupNorm", "InstanceNorm", "BatchNorm"})
    says("op", name, name);
  says("op", "LayerNorm of several dims", "LayerNorm([");
  says("op", "interpolate", "interpolate(");
  says("op", "interpolate, linear", "mode = linear)");
  says("op", "interpolate, linear, corners aligned", "align_corners = true");
  says("op", "crop", "crop(");
  says("op", "crop_end", "crop_end(");
  for (const char *border : {"reflect", "replicate", "circular"})
    says("border", border, border);
  says("parts", "by weight", " weights (");
  says("parts", "aligned", " aligned ");
  says("parts", "zigzag", " zigzag");
  says("parts", "striped", " striped");
  says("parts", "of sizes", " sizes (");
  size_t schedule = text.find("\nschedule s for");
  if (schedule == std::string::npos)
    return;
  std::string lines = text.substr(schedule);
  for (const char *word :
       {"using neighbors", "using all_to_all", "using all_gather", "overlap",
        "layers 1", "layers 2", "layers 3", "reach auto", "reach (",
        "statistics", "using heads", "using sequence", "using ring", "from",
        "repartition"})
    if (lines.find(std::string(" ") + word) != std::string::npos)
      add("words", word);
}

std::set<std::string> random::featuresOf(ModuleOp placed,
                                         const std::string &text) {
  std::set<std::string> found = Reader(placed, text).read();
  addAttentions(placed, found);
  return found;
}
