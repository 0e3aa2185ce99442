//===- ClassRows.cpp - tables at the ranks of classes, kept ---------------===//

#include "dialects/Spmd/ClassRows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

bool ClassRows::Before::operator()(const Key &a, const Key &b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](Attribute x, Attribute y) {
        return std::less<const void *>()(x.getAsOpaquePointer(),
                                         y.getAsOpaquePointer());
      });
}

ClassRows::Rows ClassRows::get(const Key &key,
                               function_ref<std::vector<int64_t>()> find) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = known.find(key); found != known.end())
      return found->second;
  }
  // Two may find the same at a time; one of both is kept.
  auto rows = std::make_shared<const std::vector<int64_t>>(find());
  std::lock_guard<std::mutex> lock(mutex);
  return known.emplace(key, std::move(rows)).first->second;
}

LogicalResult ClassRows::once(const Key &key,
                              function_ref<LogicalResult()> check) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (good.count(key))
      return success();
  }
  if (failed(check()))
    return failure();
  std::lock_guard<std::mutex> lock(mutex);
  good.insert(key);
  return success();
}

ClassRows &spmd::classRows(MLIRContext *context) {
  return *context->getLoadedDialect<SpmdDialect>()->rows;
}

namespace {

/// An axis that tables are over.
struct Axis {
  int64_t below; // ranks from one coordinate to the next
  int64_t size;
  int64_t step = 0;           // coordinates of the axes before this one
  SmallVector<int64_t> steps; // values from one to the next, of each table
};

} // namespace

/// The axes of the mesh that some of the tables are over.
static SmallVector<Axis> axesOf(nn::MeshAttr mesh, ArrayRef<TableAttr> tables) {
  SmallVector<Axis> axes;
  int64_t below = 1, step = 1;
  for (nn::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    Axis made{below, axis.getSize(), step, {}};
    for (TableAttr table : tables) {
      auto after = llvm::find(table.getAxes(), axis.getName());
      bool isOver = after != table.getAxes().end();
      int64_t next = isOver;
      for (; isOver && ++after != table.getAxes().end();)
        next *= mesh.getSize(after->getValue());
      made.steps.push_back(next);
    }
    below *= axis.getSize();
    if (llvm::all_of(made.steps, [](int64_t next) { return next == 0; }))
      continue;
    step *= axis.getSize();
    axes.push_back(std::move(made));
  }
  return axes;
}

static std::vector<int64_t> findRows(nn::MeshAttr mesh, ArrayRef<int64_t> ranks,
                                     ArrayRef<TableAttr> tables) {
  SmallVector<Axis> axes = axesOf(mesh, tables);
  std::vector<bool> seen(axes.empty() ? 1
                                      : axes.back().step * axes.back().size);
  std::vector<int64_t> rows;
  for (int64_t rank : ranks) {
    int64_t coordinate = 0;
    for (const Axis &axis : axes)
      coordinate += rank / axis.below % axis.size * axis.step;
    if (seen[coordinate])
      continue;
    seen[coordinate] = true;
    rows.push_back(rank);
    for (auto [t, table] : llvm::enumerate(tables)) {
      int64_t place = 0;
      for (const Axis &axis : axes)
        place += rank / axis.below % axis.size * axis.steps[t];
      rows.push_back(table.getValues()[place]);
    }
  }
  return rows;
}

ClassRows::Rows spmd::rowsAt(nn::MeshAttr mesh, DenseI64ArrayAttr ranks,
                             ArrayRef<TableAttr> tables) {
  ClassRows::Key key = {mesh, ranks};
  key.insert(key.end(), tables.begin(), tables.end());
  return classRows(mesh.getContext()).get(key, [&] {
    return findRows(mesh, ranks.asArrayRef(), tables);
  });
}

ClassRows::Rows spmd::ranksOutside(nn::MeshAttr mesh, DenseI64ArrayAttr ranks) {
  return classRows(mesh.getContext()).get({mesh, ranks}, [&] {
    std::vector<int64_t> outside;
    for (int64_t rank : ranks.asArrayRef())
      if (rank < 0 || rank >= mesh.getRankCount())
        outside.push_back(rank);
    return outside;
  });
}

ClassRows::Rows spmd::shareEnds(TableAttr offsets, TableAttr sizes) {
  return classRows(offsets.getContext())
      .get({offsets, sizes}, [&]() -> std::vector<int64_t> {
        int64_t end = 0, members = std::max(offsets.getValues().size(),
                                            sizes.getValues().size());
        for (auto [begin, size] :
             llvm::zip(offsets.valuesFor(members), sizes.valuesFor(members))) {
          if (begin != end || size < 0)
            return {end, begin};
          end += size;
        }
        return {end};
      });
}

ClassRows::Rows spmd::ascending(TableAttr table) {
  return classRows(table.getContext()).get({table}, [&] {
    std::vector<int64_t> values(table.getValues().begin(),
                                table.getValues().end());
    llvm::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  });
}
