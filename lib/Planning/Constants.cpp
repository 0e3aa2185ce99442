//===- Constants.cpp - what instructions read besides values --------------===//

#include "Constants.h"
#include "hocket/Views/Strided.h"
#include <numeric>

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

plan::View Constants::allocate(plan::DType type, ArrayRef<int64_t> sizes) {
  plan::View view;
  view.buffer = memory.add(plan::Region::Weights, type,
                           std::accumulate(sizes.begin(), sizes.end(),
                                           int64_t(1), std::multiplies<>()));
  auto strides = views::rowMajorStrides(sizes);
  view.shape.assign(sizes.begin(), sizes.end());
  view.strides.assign(strides.begin(), strides.end());
  return view;
}

plan::View Constants::indices(Location loc, DenseI64ArrayAttr list) {
  auto [entry, isNew] = lists.try_emplace(list);
  if (isNew) {
    ArrayRef<int64_t> values = list;
    bool isShort =
        llvm::all_of(values, [](int64_t value) { return value <= INT32_MAX; });
    plan::View view = allocate(isShort ? plan::DType::I32 : plan::DType::I64,
                               {int64_t(values.size())});
    rankClass.load.push_back(
        {tables.source(loc), plan::Constant{view, values.vec()}});
    entry->second = view;
  }
  return entry->second;
}

plan::Scalar Constants::scalar(const codegen::KernelScalar &scalar) {
  if (scalar.kind == codegen::KernelScalar::Kind::IsFirst)
    return tables.isFirst(cast<ArrayAttr>(scalar.attribute));
  if (scalar.kind == codegen::KernelScalar::Kind::Constant)
    return {cast<IntegerAttr>(scalar.attribute).getInt(), -1, 1};
  return tables.scalar(dyn_cast_if_present<spmd::TableAttr>(scalar.attribute));
}

/// Text that tells two tables of one symbol apart.
static std::string keyOf(const plan::Scalar &scalar) {
  return std::to_string(scalar.constant) + "," + std::to_string(scalar.table) +
         "," + std::to_string(scalar.scale);
}

plan::View Constants::table(Location loc, const codegen::KernelTable &wanted) {
  plan::Scalar first;
  if (wanted.scalar)
    first = scalar(*wanted.scalar);
  auto [entry, isNew] = kernelTables.try_emplace(
      {wanted.symbol, wanted.scalar ? keyOf(first) : std::string()});
  if (!isNew)
    return entry->second;
  entry->second = allocate(wanted.type, wanted.shape);
  plan::Kernel kernel{
      wanted.symbol,  {},          {entry->second}, {}, wanted.extent,
      wanted.threads, wanted.flops};
  if (wanted.scalar)
    kernel.scalars.push_back(first);
  rankClass.load.push_back({tables.source(loc), kernel});
  return entry->second;
}
