//===- Resizer.cpp - other sizes of the dims of images --------------------===//

#include "Resizer.h"
#include "FactorOrder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;

mlir::Value Resizer::number(double value) {
  auto layout = nn::LayoutAttr::get(builder.getContext(), {});
  return nn::FillOp::create(builder, loc,
                            nn::tensorOf(builder.getF32Type(), layout),
                            llvm::APFloat(value));
}

mlir::Value Resizer::rearrange(mlir::Value x,
                               llvm::ArrayRef<llvm::SmallVector<int64_t>> order,
                               llvm::ArrayRef<nn::DimAttr> result) {
  llvm::SmallVector<mlir::Attribute> orders;
  for (const llvm::SmallVector<int64_t> &dim : order)
    orders.push_back(builder.getI64ArrayAttr(dim));
  auto layout = nn::LayoutAttr::get(builder.getContext(), result);
  return nn::RearrangeOp::create(builder, loc,
                                 nn::tensorOf(nn::elementTypeOf(x), layout), x,
                                 nn::layoutOf(x), builder.getArrayAttr(orders));
}

mlir::Value Resizer::flatten(mlir::Value x) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(x));
  auto order = factorOrder(dims);
  llvm::append_range(order[0], order[1]);
  order[1].clear();
  llvm::SmallVector<nn::FactorAttr> both(dims[0].getFactors());
  llvm::append_range(both, dims[1].getFactors());
  dims[0] = nn::DimAttr::get(builder.getContext(), both);
  dims[1] = dimOf("", 1);
  return rearrange(x, order, dims);
}

mlir::Value Resizer::unflatten(mlir::Value y, mlir::Value like) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(y));
  auto order = factorOrder(dims);
  dims[0] = nn::dimsOf(like)[0];
  dims[1] = nn::dimsOf(like)[1];
  size_t images = dims[0].getFactors().size();
  order[1].assign(order[0].begin() + images, order[0].end());
  order[0].truncate(images);
  return rearrange(y, order, dims);
}

mlir::Value Resizer::joinResults(mlir::Value y, int64_t dim) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(y));
  auto order = factorOrder(dims);
  llvm::append_range(order[dim], order[1]);
  order[1].clear();
  dims[dim] = dimOf(dims[dim].getDisplayName(),
                    dims[dim].getSize() * dims[1].getSize());
  dims[1] = dimOf("", 1);
  return rearrange(y, order, dims);
}

/// Where a part that was rounded up grows, it takes the part's border along
/// with it: what is made begins where that is exactly.
mlir::Value Resizer::settle(mlir::Value y, int64_t dim) {
  size_t rank = nn::dimsOf(y).size();
  llvm::SmallVector<int64_t> none(rank, 0);
  return nn::PadOp::create(builder, loc, y, none, none,
                           nn::zeroBorders(builder.getContext(), rank),
                           builder.getI64IntegerAttr(dim));
}

mlir::Value Resizer::repeat(mlir::Value x, int64_t dim, int64_t times) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(x));
  dims[1] = dimOf("", times);
  auto layout = nn::LayoutAttr::get(builder.getContext(), dims);
  auto repeated = nn::BroadcastOp::create(
      builder, loc, nn::tensorOf(nn::elementTypeOf(x), layout), x);
  return settle(joinResults(repeated, dim), dim);
}

mlir::Value Resizer::count(int64_t results, int64_t rank, int64_t at,
                           int64_t kernel, int64_t dim) {
  llvm::SmallVector<nn::DimAttr> dims(rank, dimOf("", 1));
  dims[0] = dimOf("", results);
  dims[at] = dimOf("", kernel);
  auto layout = nn::LayoutAttr::get(builder.getContext(), dims);
  return nn::IotaOp::create(builder, loc,
                            nn::tensorOf(builder.getF32Type(), layout),
                            mlir::Value(), dim);
}

mlir::Value Resizer::hatOf(mlir::Value distance) {
  mlir::Value size =
      nn::UnaryOp::create(builder, loc, distance, nn::UnaryKind::Abs);
  mlir::Value rest = binary(nn::BinaryKind::Sub, number(1), size);
  return binary(nn::BinaryKind::Maximum, rest, number(0));
}

mlir::Value Resizer::slide(mlir::Value x, mlir::Value weight, int64_t dim,
                           int64_t stride, int64_t border) {
  int64_t spatial = nn::dimsOf(x).size() - 2;
  llvm::SmallVector<int64_t> ones(spatial, 1), strides(ones), pads(spatial, 0);
  strides[dim - 2] = stride;
  pads[dim - 2] = border;
  llvm::SmallVector<nn::Border> borders(spatial, nn::Border::Zero);
  if (border)
    borders[dim - 2] = nn::Border::Replicate;
  return nn::ConvOp::create(
      builder, loc, x, weight, mlir::Value(), strides, ones, pads, pads,
      nn::BordersAttr::get(builder.getContext(), borders), 1);
}

mlir::Value Resizer::grow(mlir::Value x, int64_t dim, int64_t times) {
  int64_t rank = nn::dimsOf(x).size();
  mlir::Value tap = count(times, rank, dim, 3, dim);
  mlir::Value place = count(times, rank, dim, 3, 0);
  place = binary(nn::BinaryKind::Mul, place, number(1.0 / double(times)));
  place = binary(nn::BinaryKind::Add, place, number(0.5 + 0.5 / double(times)));
  mlir::Value results =
      slide(x, hatOf(binary(nn::BinaryKind::Sub, tap, place)), dim,
            /*stride=*/1, /*border=*/1);
  return settle(joinResults(results, dim), dim);
}

mlir::Value Resizer::shrink(mlir::Value x, int64_t dim, int64_t times,
                            double middle) {
  int64_t kernel = int64_t(std::ceil(middle)) + 1;
  mlir::Value tap = count(1, nn::dimsOf(x).size(), dim, kernel, dim);
  return slide(x, hatOf(binary(nn::BinaryKind::Sub, tap, number(middle))), dim,
               times,
               /*border=*/0);
}

mlir::Value Resizer::mix(mlir::Value x, int64_t dim, mlir::Value weights) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(x)), last(dims);
  auto order = factorOrder(dims);
  std::rotate(order.begin() + dim, order.begin() + dim + 1, order.end());
  std::rotate(last.begin() + dim, last.begin() + dim + 1, last.end());
  mlir::Value y = nn::LinearOp::create(builder, loc, rearrange(x, order, last),
                                       weights, mlir::Value(), false);
  order = factorOrder(nn::dimsOf(y));
  std::rotate(order.begin() + dim, order.end() - 1, order.end());
  dims[dim] = dimOf(dims[dim].getDisplayName(), nn::dimsOf(y).back().getSize());
  return rearrange(y, order, dims);
}

mlir::Value Resizer::whole(int64_t value) {
  auto layout = nn::LayoutAttr::get(builder.getContext(), {});
  return nn::FillOp::create(builder, loc,
                            nn::tensorOf(builder.getI64Type(), layout),
                            llvm::APFloat(double(value)));
}

mlir::Value Resizer::index(int64_t to, int64_t from, int64_t dim,
                           int64_t times) {
  auto layout = nn::LayoutAttr::get(builder.getContext(),
                                    {dimOf("", to), dimOf("", from)});
  mlir::Value counted = nn::IotaOp::create(
      builder, loc, nn::tensorOf(builder.getI64Type(), layout), mlir::Value(),
      dim);
  return binary(nn::BinaryKind::Mul, counted, whole(times));
}

/// Counted in 1 / to of a position: no rounding moves a result to another one.
mlir::Value Resizer::nearestWeights(int64_t from, int64_t to) {
  mlir::Value result = index(to, from, 0, from);
  mlir::Value position = index(to, from, 1, to);
  mlir::Value behind = binary(nn::BinaryKind::Sub, result, position);
  mlir::Value isBehind = binary(nn::BinaryKind::Ge, behind, whole(0));
  mlir::Value isNear = binary(nn::BinaryKind::Lt, behind, whole(to));
  mlir::Value isIt = binary(nn::BinaryKind::And, isBehind, isNear);
  mlir::Value one = number(1), zero = number(0);
  return nn::WhereOp::create(builder, loc, isIt, one, zero);
}

/// Counted in parts of a position, of which the places are whole numbers.
mlir::Value Resizer::linearWeights(int64_t from, int64_t to,
                                   bool alignsCorners) {
  int64_t parts = alignsCorners ? std::max<int64_t>(to - 1, 1) : 2 * to;
  int64_t step = alignsCorners ? (to == 1 ? 0 : from - 1) : 2 * from;
  mlir::Value place = index(to, from, 0, step);
  place =
      binary(nn::BinaryKind::Add, place, whole(alignsCorners ? 0 : from - to));
  place = binary(nn::BinaryKind::Maximum, place, whole(0));
  place = binary(nn::BinaryKind::Minimum, place, whole(parts * (from - 1)));
  mlir::Value distance =
      binary(nn::BinaryKind::Sub, place, index(to, from, 1, parts));
  auto type = nn::tensorOf(builder.getF32Type(), nn::layoutOf(distance));
  distance = nn::CastOp::create(builder, loc, type, distance);
  return hatOf(
      binary(nn::BinaryKind::Mul, distance, number(1.0 / double(parts))));
}
