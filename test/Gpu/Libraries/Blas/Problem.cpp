//===- Problem.cpp - a product as its descriptors say ---------------------===//
//
// The rules are those of cublasLt.h and of the documentation of
// cublasLtMatmul() of cuBLAS 13: types, layouts, batches, epilogues.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Libraries/Blas/Problem.h"
#include "test/Gpu/Libraries/Device.h"
#include <algorithm>
#include <vector>

namespace hocket::lookalike {

int64_t bytesOf(int type) {
  return type == BlasF64 ? 8 : type == BlasF32 ? 4 : 2;
}

const char *nameOf(int type) {
  switch (type) {
  case BlasF32:
    return "f32";
  case BlasF64:
    return "f64";
  case BlasF16:
    return "f16";
  case BlasBF16:
    return "bf16";
  }
  return "an unknown type";
}

static std::string checkAlive(BlasHandle handle, BlasDescription description,
                              BlasLayout a, BlasLayout b, BlasLayout c,
                              BlasLayout d) {
  if (!blas().handles.has(handle))
    return "there is no such handle";
  if (int device = currentDevice(blas().device); device != handle->device)
    return "the handle is of device " + std::to_string(handle->device) +
           ", and the current context of device " + std::to_string(device);
  if (!blas().descriptions.has(description))
    return "there is no such description";
  const char *names[] = {"A", "B", "C", "D"};
  BlasLayout layouts[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    if (!blas().layouts.has(layouts[i]))
      return std::string("there is no such layout of ") + names[i];
  return "";
}

static std::string checkLayout(const char *name,
                               const BlasLayoutStruct &layout) {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string what = std::string("the layout of ") + name + " has ";
  if (layout.order != 0)
    return what + "order " + number(layout.order) + ", not by columns";
  constexpr uint64_t most = 0x7fffffff;
  if (layout.rows < 1 || layout.columns < 1 || layout.rows > most ||
      layout.columns > most)
    return what + number(layout.rows) + " rows and " + number(layout.columns) +
           " columns";
  bool repeats = name[0] == 'C' && layout.leading == 0;
  if (layout.leading < int64_t(layout.rows) && !repeats)
    return what + number(layout.rows) + " rows and the leading dimension " +
           number(layout.leading);
  if (layout.batchCount < 1)
    return what + "a batch of " + number(layout.batchCount);
  if (layout.batchStride < 0)
    return what + "the batch stride " + number(layout.batchStride);
  return "";
}

static std::string checkTypes(const Problem &problem) {
  int in = problem.a.type, out = problem.d.type;
  int32_t compute = problem.description.compute;
  bool isHalf = in == BlasF16 || in == BlasBF16;
  bool fits = in == problem.b.type && (in == out || (isHalf && out == BlasF32));
  if (in == BlasF64)
    fits &= compute == BlasCompute64F && problem.description.scale == BlasF64;
  else if (in == BlasF32 || isHalf)
    fits &= (compute == BlasCompute32F ||
             (in == BlasF32 && compute == BlasCompute32FastTF32)) &&
            problem.description.scale == BlasF32;
  else
    fits = false;
  if (!fits)
    return std::string("there is no product of ") + nameOf(in) + " and " +
           nameOf(problem.b.type) + " with a result of " + nameOf(out) +
           ", computed as " + std::to_string(compute) + " and scaled as " +
           nameOf(problem.description.scale);
  return "";
}

static std::string extents(uint64_t rows, uint64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

static std::string checkExtents(Problem &problem) {
  const BlasLayoutStruct &a = problem.a, &b = problem.b, &c = problem.c;
  bool ta = problem.description.transposesA == BlasTransposed;
  bool tb = problem.description.transposesB == BlasTransposed;
  problem.m = problem.d.rows;
  problem.n = problem.d.columns;
  problem.k = ta ? a.rows : a.columns;
  uint64_t am = ta ? a.columns : a.rows, bk = tb ? b.columns : b.rows;
  uint64_t bn = tb ? b.rows : b.columns;
  if (am != problem.d.rows || bn != problem.d.columns ||
      bk != uint64_t(problem.k))
    return "A of " + extents(am, problem.k) + " times B of " + extents(bk, bn) +
           " is not D of " + extents(problem.d.rows, problem.d.columns);
  if (c.type != problem.d.type || c.rows != problem.d.rows ||
      c.columns != problem.d.columns)
    return std::string("C is ") + extents(c.rows, c.columns) + " of " +
           nameOf(c.type) + " and D " +
           extents(problem.d.rows, problem.d.columns) + " of " +
           nameOf(problem.d.type);
  for (const BlasLayoutStruct *layout : {&a, &b, &c})
    if (layout->batchCount != problem.d.batchCount)
      return "A, B, C and D have batches of " + std::to_string(a.batchCount) +
             ", " + std::to_string(b.batchCount) + ", " +
             std::to_string(c.batchCount) + " and " +
             std::to_string(problem.d.batchCount);
  return "";
}

/// Whether two elements of D lie at one place.
static bool overlapsItself(const BlasLayoutStruct &d) {
  struct Dim {
    int64_t stride, extent;
  };
  std::vector<Dim> dims = {{1, int64_t(d.rows)}};
  if (d.columns > 1)
    dims.push_back({d.leading, int64_t(d.columns)});
  if (d.batchCount > 1)
    dims.push_back({d.batchStride, d.batchCount});
  std::sort(dims.begin(), dims.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  int64_t end = 1; // behind the elements of the dims before
  bool isNested = true;
  for (const Dim &dim : dims) {
    isNested &= dim.stride >= end;
    end += (dim.extent - 1) * dim.stride;
  }
  if (isNested)
    return false;
  std::vector<bool> taken(end);
  for (int64_t batch = 0; batch < d.batchCount; ++batch)
    for (uint64_t column = 0; column < d.columns; ++column)
      for (uint64_t row = 0; row < d.rows; ++row) {
        auto at =
            taken.begin() + (batch * d.batchStride + column * d.leading + row);
        if (*at)
          return true;
        *at = true;
      }
  return false;
}

static std::string checkDescription(const Problem &problem) {
  const BlasProductStruct &description = problem.description;
  for (int32_t operation : {description.transposesA, description.transposesB})
    if (operation != BlasPlain && operation != BlasTransposed)
      return "operation " + std::to_string(operation) + " on A or B";
  if (description.transposesC != BlasPlain)
    return "C cannot be transposed";
  if (description.pointerMode != 0)
    return "alpha and beta are not on the host";
  switch (description.epilogue) {
  case BlasDefault:
  case BlasRelu:
  case BlasBias:
  case BlasReluBias:
  case BlasGelu:
  case BlasGeluBias:
    break;
  default:
    return "epilogue " + std::to_string(description.epilogue) +
           " is not one of the look-alike's";
  }
  if ((description.epilogue & BlasGelu) && problem.d.type == BlasF64)
    return "gelu of f64 errs by 1e-10: compute it apart";
  if (problem.hasBias() && !description.bias)
    return "the epilogue adds a bias, and no pointer to one is set";
  if (!problem.hasBias() && description.bias)
    return "a pointer to a bias is set, and the epilogue adds none";
  if (problem.hasBias() && description.biasType != -1 &&
      description.biasType != problem.d.type)
    return std::string("the bias is of ") + nameOf(description.biasType) +
           " and D of " + nameOf(problem.d.type);
  if (description.biasStride < 0)
    return "the bias has the batch stride " +
           std::to_string(description.biasStride);
  return "";
}

std::string makeProblem(BlasHandle handle, BlasDescription description,
                        BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d,
                        Problem &problem) {
  std::string wrong = checkAlive(handle, description, a, b, c, d);
  if (!wrong.empty())
    return wrong;
  problem = {*description, *a, *b, *c, *d};
  const char *names[] = {"A", "B", "C", "D"};
  const BlasLayoutStruct *layouts[] = {a, b, c, d};
  for (int i = 0; i < 4 && wrong.empty(); ++i)
    wrong = checkLayout(names[i], *layouts[i]);
  if (wrong.empty())
    wrong = checkTypes(problem);
  if (wrong.empty())
    wrong = checkDescription(problem);
  if (wrong.empty())
    wrong = checkExtents(problem);
  if (wrong.empty() && overlapsItself(problem.d))
    wrong = "elements of D overlap";
  return wrong;
}

uint64_t Problem::digest() const {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](int64_t value) {
    for (int i = 0; i < 8; ++i)
      hash = (hash ^ (uint64_t(value) >> 8 * i & 0xff)) * 0x100000001b3;
  };
  for (const BlasLayoutStruct *layout : {&a, &b, &c, &d})
    for (int64_t value : {int64_t(layout->type), int64_t(layout->rows),
                          int64_t(layout->columns), layout->leading,
                          int64_t(layout->batchCount), layout->batchStride})
      add(value);
  for (int64_t value :
       {int64_t(description.compute), int64_t(description.scale),
        int64_t(description.transposesA), int64_t(description.transposesB),
        int64_t(description.epilogue), description.biasStride})
    add(value);
  return hash;
}

} // namespace hocket::lookalike
