//===- ReadAttention.cpp - attentions of a placed program -----------------===//

#include "hocket/Drawing/ReadAttention.h"
#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Origin.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Ring.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Drawing/Picture.h"
#include "hocket/Placement/Expect.h"
#include "hocket/Placement/ModelPath.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace hocket;
using namespace hocket::drawing;

//===-- Who has what ------------------------------------------------------===//

/// Runs of a factor and those of the ones inside of it, as runs of both.
static Runs within(const Runs &outer, const Runs &inner, int64_t extent) {
  if (inner == Runs{{0, extent}}) {
    Runs all;
    for (Run run : outer)
      all.push_back({run.begin * extent, run.end * extent});
    return all;
  }
  Runs all;
  for (Run run : outer)
    for (int64_t i = run.begin; i < run.end; ++i)
      for (Run part : inner)
        all.push_back({i * extent + part.begin, i * extent + part.end});
  return all;
}

namespace {

/// A part of a factor.
struct HeldFactor {
  std::string name;
  int64_t extent;
  Runs runs;
};

} // namespace

/// What the rank at `coordinates` has of each factor of dims [first, end).
static std::vector<HeldFactor> heldFactors(nn::LayoutAttr layout, int64_t first,
                                           int64_t end, nn::MeshAttr mesh,
                                           ArrayRef<int64_t> coordinates) {
  std::vector<HeldFactor> held;
  for (int64_t dim = first; dim < end; ++dim)
    for (auto [number, factor] :
         llvm::enumerate(layout.getDims()[dim].getFactors())) {
      SmallVector<nn::SplitAttr> splits = layout.splitsOf(dim, number);
      int64_t member = 0;
      for (nn::SplitAttr split : splits)
        member = member * mesh.getSize(split.getAxis()) +
                 coordinates[mesh.getIndex(split.getAxis())];
      std::string name = factor.getName().str();
      if (name.empty())
        name = "dim " + std::to_string(dim);
      HeldFactor &made =
          held.emplace_back(HeldFactor{name, factor.getSize(), {}});
      auto parts = nn::runsOfParts(factor.getSize(), splits, mesh);
      for (nn::Interval run : parts[member])
        made.runs.push_back({run.offset, run.offset + run.size});
    }
  return held;
}

/// "height 0 to 27, width all".
static std::string byDimText(const std::vector<HeldFactor> &factors) {
  std::string text;
  for (const HeldFactor &factor : factors)
    text += (text.empty() ? "" : ", ") + factor.name + " " +
            (factor.runs == Runs{{0, factor.extent}} ? "all"
                                                     : runsText(factor.runs));
  return factors.size() > 1 ? text : "";
}

/// All of it, row-major.
static Runs flattened(const std::vector<HeldFactor> &factors) {
  Runs held = {{0, 1}};
  for (const HeldFactor &factor : factors) {
    Runs runs = factor.runs;
    llvm::sort(runs, [](Run a, Run b) { return a.begin < b.begin; });
    held = within(held, runs, factor.extent);
  }
  Runs joined;
  for (Run run : held)
    if (!joined.empty() && joined.back().end == run.begin)
      joined.back().end = run.end;
    else
      joined.push_back(run);
  return joined;
}

static std::vector<Owner> ownersOf(nn::LayoutAttr q, nn::LayoutAttr k,
                                   nn::MeshAttr mesh) {
  int64_t last = q.getDims().size() - 1, ranks = 1;
  for (nn::MeshAxisAttr axis : mesh.getAxes())
    ranks *= axis.getSize();
  std::vector<Owner> owners;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    SmallVector<int64_t> at = spmd::coordinatesOf(mesh, rank);
    Runs batch = flattened(heldFactors(q, 0, 1, mesh, at));
    if (batch.empty() || batch.front().begin > 0)
      continue;
    std::vector<HeldFactor> queries = heldFactors(q, 2, last, mesh, at),
                            keys = heldFactors(k, 2, last, mesh, at);
    Owner owner{{rank},
                flattened(heldFactors(q, 1, 2, mesh, at)),
                flattened(queries),
                flattened(keys),
                byDimText(queries),
                byDimText(keys)};
    auto same = llvm::find_if(owners, [&](const Owner &other) {
      return other.heads == owner.heads && other.queries == owner.queries &&
             other.keys == owner.keys;
    });
    if (same == owners.end())
      owners.push_back(std::move(owner));
    else
      same->ranks.push_back(rank);
  }
  return owners;
}

/// "batch over dp, seq over cp zigzag", or that it is whole.
static std::string placementText(nn::LayoutAttr layout) {
  std::string text;
  for (nn::SplitAttr split : layout.getSplits()) {
    nn::DimAttr dim = layout.getDims()[split.getDim()];
    StringRef name = dim.getFactors()[split.getFactor()].getName();
    std::string order = nn::orderOf(split).text();
    text +=
        (text.empty() ? "split by " : ", ") +
        (name.empty() ? "dim " + std::to_string(split.getDim()) : name.str()) +
        " over " + split.getAxis().str() + (order.empty() ? "" : " " + order);
  }
  return text.empty() ? "whole on every rank" : text;
}

static std::string keyPlacement(Operation *op, const Attention &attention,
                                nn::LayoutAttr k) {
  std::string text = placementText(k);
  if (text != "whole on every rank" && text == attention.queryPlacement)
    text = "as queries";
  if (attention.ring)
    text += "; parts travel in a ring";
  if (placement::countHalos(op) > 0)
    text += "; with margins from other ranks";
  return text;
}

//===-- Masks -------------------------------------------------------------===//

namespace {

/// The keys that queries of an attention over a sequence see.
struct SequenceMask {
  std::optional<int64_t> before, after; // causal: 0 after
  std::optional<plan::BlockLayout> layout;
  int64_t queries, keys;

  Runs operator()(int64_t head, int64_t query) const {
    int64_t at = query + keys - queries;
    Run limits{before ? std::max<int64_t>(at - *before, 0) : 0,
               after ? std::min(at + *after + 1, keys) : keys};
    Runs runs;
    auto add = [&](int64_t begin, int64_t end) {
      begin = std::max(begin, limits.begin), end = std::min(end, limits.end);
      if (begin < end)
        runs.push_back({begin, end});
    };
    if (!layout)
      add(0, keys);
    else
      for (plan::BlockRun run : plan::visitedBlocks(
               *layout, keys / layout->block, head, query / layout->block))
        add(run.begin * layout->block, run.end * layout->block);
    return runs;
  }
};

/// Those of a neighborhood, dim by dim.
struct NeighborhoodMask {
  std::vector<nn::Neighborhood> dims;

  Runs operator()(int64_t, int64_t query) const {
    Runs runs = {{0, 1}};
    int64_t inner = 1;
    for (const nn::Neighborhood &dim : dims)
      inner *= dim.extent;
    for (const nn::Neighborhood &dim : dims) {
      inner /= dim.extent;
      nn::Neighborhood::Keys keys = dim.keysOf(query / inner % dim.extent);
      Runs seen;
      if (dim.dilation == 1)
        seen.push_back({keys.first, keys.first + keys.count});
      else
        for (int64_t i = 0; i < keys.count; ++i) {
          int64_t key = keys.first + i * dim.dilation;
          seen.push_back({key, key + 1});
        }
      runs = within(runs, seen, dim.extent);
    }
    return runs;
  }
};

} // namespace

static std::string maskText(nn::AttentionOp op,
                            const std::optional<plan::BlockLayout> &layout) {
  SmallVector<std::string> masks;
  if (op.getCausal())
    masks.push_back("causal");
  auto reach = [](std::optional<uint64_t> side) {
    return side ? std::to_string(int64_t(*side)) : std::string("all");
  };
  if (op.getBefore() || op.getAfter())
    masks.push_back("window(" + reach(op.getBefore()) + ", " +
                    reach(op.getAfter()) + ")");
  if (layout)
    masks.push_back(nn::layoutText(*layout));
  if (op.getKeep())
    masks.push_back("padding(keep)");
  if (op.getKeyDocuments())
    masks.push_back("documents(ids)");
  return masks.empty() ? "none" : llvm::join(masks, " * ");
}

static std::optional<DrawnRing> ringOf(nn::AttentionOp op, nn::MeshAttr mesh) {
  nn::LayoutAttr k = nn::layoutOf(op.getK());
  SmallVector<nn::SplitAttr> splits = k.splitsOf(2, 0);
  if (!op.getRing() || splits.empty())
    return std::nullopt;
  auto parts = nn::runsOfDim(k, /*dim=*/2, mesh);
  DrawnRing ring;
  ring.members = parts.size();
  for (const nn::RingHop &hop : nn::ringHops(nn::RingMask::of(op), parts))
    ring.distances.push_back(hop.distance);
  for (auto [member, runs] : llvm::enumerate(parts))
    for (nn::Interval run : runs)
      ring.parts.push_back(
          {{run.offset, run.offset + run.size}, int64_t(member)});
  llvm::sort(ring.parts,
             [](const DrawnRing::Part &a, const DrawnRing::Part &b) {
               return a.positions.begin < b.positions.begin;
             });
  return ring;
}

//===-- Attentions --------------------------------------------------------===//

static void readMask(nn::AttentionOp op, nn::MeshAttr mesh,
                     Attention &attention) {
  auto layout = nn::blockLayoutOf(op.getBlockLayoutAttr());
  attention.mask = maskText(op, layout);
  SequenceMask mask{op.getBefore(), op.getAfter(), layout, attention.queries,
                    attention.keys};
  if (op.getCausal())
    mask.after = 0;
  if (layout) {
    attention.block = layout->block;
    attention.isPerHead = layout->perHead;
  }
  attention.seen = std::move(mask);
  attention.ring = ringOf(op, mesh);
  if (op.getKeep())
    attention.notes.push_back("padding hides more, which only a run knows");
  if (op.getKeyDocuments())
    attention.notes.push_back("documents hide more, which only a run knows");
  if (attention.isPerHead)
    attention.notes.push_back("each head has a layout of its own");
}

static void readMask(nn::NeighborhoodAttentionOp op, nn::MeshAttr,
                     Attention &attention) {
  NeighborhoodMask mask;
  SmallVector<std::string> kernels, extents;
  for (const std::optional<nn::Window> &window : op.getWindows())
    if (window) {
      mask.dims.push_back(*window->neighborhood);
      kernels.push_back(std::to_string(mask.dims.back().kernel));
      extents.push_back(std::to_string(mask.dims.back().extent));
    }
  attention.mask = "neighborhoods of " + llvm::join(kernels, " x ") + " in " +
                   llvm::join(extents, " x ");
  auto add = [&](const char *name, auto value) {
    SmallVector<std::string> values;
    bool isPlain = true;
    for (const nn::Neighborhood &dim : mask.dims) {
      values.push_back(std::to_string(value(dim)));
      isPlain &= value(dim) == 1;
    }
    if (!isPlain)
      attention.mask +=
          std::string(", ") + name + " " + llvm::join(values, " x ");
  };
  using Dim = const nn::Neighborhood &;
  add("stride", [](Dim dim) { return dim.stride; });
  add("dilation", [](Dim dim) { return dim.dilation; });
  if (llvm::any_of(mask.dims, [](Dim dim) { return dim.causal; })) {
    attention.mask += ", causal in dim";
    for (auto [number, dim] : llvm::enumerate(mask.dims))
      attention.mask += dim.causal ? " " + std::to_string(number) : "";
  }
  if (mask.dims.size() > 1)
    attention.notes.push_back("positions are counted row by row");
  attention.seen = std::move(mask);
}

template <class OpTy> static Attention read(OpTy op) {
  nn::LayoutAttr q = nn::layoutOf(op.getQ()), k = nn::layoutOf(op.getK());
  nn::MeshAttr mesh = nn::meshOf(op);
  Attention attention;
  nn::Origin origin = nn::originOf(op->getLoc());
  attention.path = placement::modelPath(op);
  attention.place = origin.model;
  attention.heads = q.getDims()[1].getSize();
  attention.queries = attention.keys = 1;
  for (size_t dim = 2; dim + 1 < q.getDims().size(); ++dim) {
    attention.queries *= q.getDims()[dim].getSize();
    attention.keys *= k.getDims()[dim].getSize();
  }
  attention.owners = ownersOf(q, k, mesh);
  readMask(op, mesh, attention);
  attention.queryPlacement = placementText(q);
  attention.keyPlacement = keyPlacement(op, attention, k);
  return attention;
}

std::vector<Attention> drawing::attentionsOf(ModuleOp module) {
  std::vector<Attention> found;
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<nn::AttentionOp, nn::NeighborhoodAttentionOp>(
            [&](auto attention) { found.push_back(read(attention)); });
  });
  return found;
}
