//===- ProductForm.cpp - a product as cuBLASLt sees it --------------------===//

#include "runtime/lib/Cuda/Blas/ProductForm.h"
#include "runtime/lib/Cuda/Blas/ProductChecks.h"
#include "runtime/lib/Cuda/Blas/StridedProduct.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime::cuda {

using plan::PostOp;

/// A matrix by columns without holes in them: [rows, columns] with strides
/// (1, leading). The stride of an extent of 1 means nothing.
static bool byColumns(int64_t rows, int64_t columns, int64_t rowStride,
                      int64_t columnStride, BlasMatrix &matrix) {
  if ((rows > 1 && rowStride != 1) || (columns > 1 && columnStride < rows))
    return false;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.leading = columns > 1 ? columnStride : rows;
  return true;
}

/// As a product reads it: by columns, or its transpose is.
static bool byEither(int64_t rows, int64_t columns, int64_t rowStride,
                     int64_t columnStride, BlasMatrix &matrix) {
  matrix.isTransposed = false;
  if (byColumns(rows, columns, rowStride, columnStride, matrix))
    return true;
  matrix.isTransposed = true;
  return byColumns(columns, rows, columnStride, rowStride, matrix);
}

/// C may repeat one column: its leading dimension is 0 then.
static bool asAdded(int64_t rows, int64_t columns, int64_t rowStride,
                    int64_t columnStride, BlasMatrix &matrix) {
  if (columns > 1 && columnStride == 0 && (rows == 1 || rowStride == 1)) {
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.leading = 0;
    return true;
  }
  return byColumns(rows, columns, rowStride, columnStride, matrix);
}

/// Sets c and d: by rows if they can be, else by columns.
static bool setResult(const StridedProduct &product, ProductForm &form) {
  const MatrixStrides &c = product.c;
  const std::optional<MatrixStrides> &added = product.added;
  form.isExchanged = true;
  if (byColumns(product.n, product.m, c.column, c.row, form.d) &&
      (!added ||
       asAdded(product.n, product.m, added->column, added->row, form.c)))
    return true;
  form.isExchanged = false;
  return byColumns(product.m, product.n, c.row, c.column, form.d) &&
         (!added ||
          asAdded(product.m, product.n, added->row, added->column, form.c));
}

static bool setInputs(const StridedProduct &product, ProductForm &form) {
  if (product.k == 0) {
    form.isSumEmpty = true;
    return byColumns(form.d.rows, 1, 1, 1, form.a) &&
           byColumns(1, form.d.columns, 1, 1, form.b);
  }
  const MatrixStrides &a = product.a, &b = product.b;
  if (form.isExchanged)
    return byEither(product.n, product.k, b.column, b.row, form.a) &&
           byEither(product.k, product.m, a.column, a.row, form.b);
  return byEither(product.m, product.k, a.row, a.column, form.a) &&
         byEither(product.k, product.n, b.row, b.column, form.b);
}

/// The longest batch dim is the call's, the others are loops around it.
static void setBatch(const StridedProduct &product, ProductForm &form) {
  if (product.batch.empty())
    return;
  size_t inner = std::max_element(product.batch.begin(), product.batch.end()) -
                 product.batch.begin();
  form.batchCount = product.batch[inner];
  for (size_t dim = 0; dim < product.batch.size(); ++dim)
    if (dim != inner)
      form.loops.push_back(product.batch[dim]);
  auto set = [&](BlasMatrix &matrix, const MatrixStrides &strides) {
    for (size_t dim = 0; dim < product.batch.size(); ++dim)
      if (dim == inner)
        matrix.batchStride = strides.batch[dim];
      else
        matrix.loopStrides.push_back(strides.batch[dim]);
  };
  MatrixStrides zeros;
  zeros.batch.resize(product.batch.size());
  const MatrixStrides &a = form.isSumEmpty ? zeros : product.a;
  const MatrixStrides &b = form.isSumEmpty ? zeros : product.b;
  set(form.a, form.isExchanged ? b : a);
  set(form.b, form.isExchanged ? a : b);
  set(form.d, product.c);
  if (product.added)
    set(form.c, *product.added);
}

static bool setMatrices(StridedProduct product, bool joinsRows,
                        ProductForm &form) {
  if (joinsRows)
    product.joinRows();
  product.joinBatches();
  if (!setResult(product, form) || !setInputs(product, form))
    return false;
  setBatch(product, form);
  return true;
}

/// The first operand that has a place that cuBLASLt cannot read or write.
static std::string whyNoMatrices(const ProductArguments &arguments,
                                 const StridedProduct &product) {
  BlasMatrix matrix;
  const char *name = "c";
  const Operand *operand = &arguments.c;
  if (product.k > 0 && !byEither(product.m, product.k, product.a.row,
                                 product.a.column, matrix)) {
    name = "a";
    operand = &arguments.a;
  } else if (product.k > 0 && !byEither(product.k, product.n, product.b.row,
                                        product.b.column, matrix)) {
    name = "b";
    operand = &arguments.b;
  } else if (product.added && byEither(product.m, product.n, product.c.row,
                                       product.c.column, matrix)) {
    for (const ProductPost &post : arguments.post)
      if (post.op == PostOp::Add)
        return "cuBLASLt adds only what lies in the order of c, and the "
               "strides of c are " +
               listText(arguments.c.strides) + ", those of what is added " +
               listText(post.operand.strides);
  }
  return std::string("cuBLASLt wants a stride of 1 in one of the last two "
                     "dims and no overlap in the other, and the strides of ") +
         name + " " + listText(operand->shape) + " are " +
         listText(operand->strides);
}

static std::string checkLimits(const ProductForm &form) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (const BlasMatrix *matrix : {&form.a, &form.b, &form.d})
    for (int64_t extent : {matrix->rows, matrix->columns})
      if (extent > most)
        return "cuBLASLt takes at most 2147483647 rows and columns, not " +
               std::to_string(extent);
  if (form.batchCount > most)
    return "cuBLASLt takes at most 2147483647 products in a batch, not " +
           std::to_string(form.batchCount);
  if (form.zeroBytes() > productWorkspaceBytes / 2)
    return "an empty sum of " + std::to_string(form.d.rows) + " x " +
           std::to_string(form.d.columns) +
           " takes more zeros than fit beside a product";
  return "";
}

ProductForm formOf(const ProductArguments &arguments) {
  ProductForm form;
  if (arguments.c.elements() == 0) {
    form.isEmpty = true;
    return form;
  }
  auto refuse = [](std::string reason) {
    ProductForm none;
    none.reason = std::move(reason);
    return none;
  };
  std::string reason = checkArguments(arguments, form);
  if (!reason.empty())
    return refuse(reason);
  StridedProduct product(arguments, form.added);
  // Rows first: a product of two matrices is the best of all.
  ProductForm joined = form;
  if (setMatrices(product, true, joined))
    form = joined;
  else if (!setMatrices(product, false, form))
    return refuse(whyNoMatrices(arguments, product));
  if (arguments.bias && !form.isExchanged)
    return refuse("cuBLASLt adds a bias only along a unit stride of c, whose "
                  "strides are " +
                  listText(arguments.c.strides));
  reason = checkLimits(form);
  return reason.empty() ? form : refuse(reason);
}

int64_t ProductForm::calls() const {
  int64_t count = isEmpty ? 0 : 1;
  for (int64_t extent : loops)
    count *= extent;
  return count;
}

void ProductForm::loopOverBatch() {
  loops.push_back(batchCount);
  batchCount = 1;
  for (BlasMatrix *matrix : {&a, &b, &c, &d}) {
    matrix->loopStrides.push_back(matrix->batchStride);
    matrix->batchStride = 0;
  }
}

int64_t ProductForm::zeroBytes() const {
  if (!isSumEmpty)
    return 0;
  int64_t size = inputs == BlasF64 ? 8 : inputs == BlasF32 ? 4 : 2;
  return (std::max(d.rows, d.columns) * size + 255) / 256 * 256;
}

std::string whyNotBlas(const ProductArguments &arguments) {
  return formOf(arguments).reason;
}

int64_t blasCalls(const ProductArguments &arguments) {
  return formOf(arguments).calls();
}

} // namespace hocket::runtime::cuda
