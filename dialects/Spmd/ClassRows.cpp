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

static std::vector<int64_t> findRows(nn::MeshAttr mesh, ArrayRef<int64_t> ranks,
                                     ArrayRef<TableAttr> tables) {
  std::vector<int64_t> rows;
  std::set<std::vector<int64_t>> seen;
  std::vector<int64_t> values(tables.size()), last;
  for (int64_t rank : ranks) {
    SmallVector<int64_t> at = coordinatesOf(mesh, rank);
    for (auto [value, table] : llvm::zip_equal(values, tables))
      value = table.at(mesh, at);
    if ((!rows.empty() && values == last) || !seen.insert(values).second)
      continue;
    rows.push_back(rank);
    rows.insert(rows.end(), values.begin(), values.end());
    last = values;
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
