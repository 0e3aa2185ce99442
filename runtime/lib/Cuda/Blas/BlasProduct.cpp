//===- BlasProduct.cpp - a prepared product through cuBLASLt --------------===//

#include "runtime/lib/Cuda/Blas/BlasProduct.h"
#include "runtime/lib/Cuda/OpenLibrary.h"
#include "runtime/lib/Plan/ViewOverlap.h"
#include <algorithm>
#include <cstring>

namespace hocket::runtime::cuda {

/// What choose() writes.
struct AlgorithmBytes {
  uint64_t version; // of the library
  uint64_t loopsOverBatch;
  BlasAlgorithm algorithm;
};

BlasProduct::BlasProduct(const Blas &blas, const ProductArguments &given,
                         const ProductOptions &options)
    : blas(blas), arguments(given), form(formOf(arguments)), options(options),
      text(describe(arguments)) {
  alignment =
      options.alignment ? *options.alignment : ProductAlignment::of(arguments);
}

Status BlasProduct::make(const Blas &blas, const ProductArguments &arguments,
                         const ProductOptions &options,
                         std::unique_ptr<BlasProduct> &product) {
  product.reset(new BlasProduct(blas, arguments, options));
  return product->prepare();
}

const Operand &BlasProduct::ofA() const {
  return form.isExchanged ? arguments.b : arguments.a;
}

const Operand &BlasProduct::ofB() const {
  return form.isExchanged ? arguments.a : arguments.b;
}

static bool areSame(const Operand &a, const Operand &b) {
  bool same = a.data == b.data;
  for (size_t dim = 0; dim < a.shape.size(); ++dim)
    same &= a.shape[dim] == 1 || a.strides[dim] == b.strides[dim];
  return same;
}

static plan::ByteWindow windowOf(const Operand &operand) {
  int64_t width = plan::byteSize(operand.type);
  plan::ByteWindow window{reinterpret_cast<intptr_t>(operand.data), width,
                          operand.shape, operand.strides};
  for (int64_t &stride : window.strides)
    stride *= width;
  return window;
}

/// Whether given alignments hold, and what is added is c itself or lies apart.
Status BlasProduct::checkAddresses() const {
  ProductAlignment is = ProductAlignment::of(arguments);
  auto fail = [&](const char *name, int64_t wanted) {
    return Status::runtimeError(std::string(name) + " of the product " + text +
                                " is not aligned to " + std::to_string(wanted) +
                                " bytes as its algorithm wants");
  };
  if (is.a < alignment.a && !form.isSumEmpty)
    return fail("a", alignment.a);
  if (is.b < alignment.b && !form.isSumEmpty)
    return fail("b", alignment.b);
  if (is.c < alignment.c)
    return fail("c", alignment.c);
  if (arguments.bias && is.bias < alignment.bias)
    return fail("the bias", alignment.bias);
  if (form.added && is.added < alignment.added)
    return fail("what is added", alignment.added);
  if (form.added && !areSame(*form.added, arguments.c) &&
      plan::overlap(windowOf(*form.added), windowOf(arguments.c)))
    return Status::runtimeError("what is added to the product " + text +
                                " overlaps its result without being it");
  return Status::success();
}

Status BlasProduct::prepare() {
  if (!form.reason.empty())
    return Status::runtimeError("the product " + text +
                                " cannot be computed: " + form.reason);
  if (form.isEmpty)
    return Status::success();
  if (libraryBytes() < 0)
    return Status::runtimeError(
        "the product " + text + " needs a workspace of " +
        std::to_string(form.zeroBytes()) + " bytes, the plan has " +
        std::to_string(options.workspaceBytes));
  Status status = checkAddresses();
  if (!status.ok())
    return status;
  return describeForm();
}

Status BlasProduct::describeForm() {
  bool isDouble = form.inputs == BlasF64;
  BlasCompute compute = isDouble ? BlasCompute64F
                        : form.inputs == BlasF32 && options.tf32
                            ? BlasCompute32FastTF32
                            : BlasCompute32F;
  objects = std::make_unique<BlasObjects>(blas, text);
  return objects->make(form, compute, isDouble ? BlasF64 : BlasF32);
}

/// What stays of an alignment when an address moves by the steps of a loop.
static int64_t inLoops(int64_t alignment, const std::vector<int64_t> &steps,
                       int64_t elementBytes) {
  for (int64_t step : steps)
    while (step * elementBytes % alignment != 0)
      alignment /= 2;
  return alignment;
}

void BlasProduct::loopOverBatch() {
  form.loopOverBatch();
  loopsOverBatch = true;
}

Status BlasProduct::chooseForForm(std::optional<BlasAlgorithm> &algorithm) {
  int64_t inputBytes = plan::byteSize(arguments.a.type);
  int64_t resultBytes = plan::byteSize(arguments.c.type);
  int64_t ofA = form.isExchanged ? alignment.b : alignment.a;
  int64_t ofB = form.isExchanged ? alignment.a : alignment.b;
  if (form.isSumEmpty)
    ofA = ofB = 256;
  int64_t ofD = inLoops(alignment.c, form.d.loopStrides, resultBytes);
  int64_t ofC = form.added
                    ? inLoops(alignment.added, form.c.loopStrides, resultBytes)
                    : ofD;
  // The library takes the bias's alignment from its address, which it does not
  // read: this one has no more than the alignment of all ranks.
  Status status = Status::success();
  if (arguments.bias)
    status = objects->setBias(reinterpret_cast<const void *>(alignment.bias));
  if (status.ok())
    status = objects->choose({inLoops(ofA, form.a.loopStrides, inputBytes),
                              inLoops(ofB, form.b.loopStrides, inputBytes), ofC,
                              ofD},
                             libraryBytes(), algorithm);
  if (status.ok() && arguments.bias)
    status = objects->setBias(arguments.bias->data);
  return status;
}

Status BlasProduct::choose(std::vector<uint8_t> &bytes) {
  bytes.clear();
  if (form.isEmpty)
    return Status::success();
  std::optional<BlasAlgorithm> found;
  Status status = chooseForForm(found);
  if (status.ok() && !found && form.batchCount > 1) {
    loopOverBatch();
    status = describeForm();
    if (status.ok())
      status = chooseForForm(found);
  }
  if (!status.ok())
    return status;
  if (!found)
    return blas.library.failure("cublasLtMatmulAlgoGetHeuristic",
                                BlasNotSupported, text);
  AlgorithmBytes chosen = {blas.library.version, loopsOverBatch, *found};
  bytes.resize(sizeof chosen);
  std::memcpy(bytes.data(), &chosen, sizeof chosen);
  return Status::success();
}

Status BlasProduct::use(const std::vector<uint8_t> &bytes) {
  if (form.isEmpty)
    return Status::success();
  AlgorithmBytes chosen;
  if (bytes.size() != sizeof chosen)
    return Status::runtimeError("an algorithm of the product " + text +
                                " has " + std::to_string(sizeof chosen) +
                                " bytes, not " + std::to_string(bytes.size()));
  std::memcpy(&chosen, bytes.data(), sizeof chosen);
  const BlasLibrary &library = blas.library;
  if (chosen.version != library.version)
    return Status::userError(
        "ranks have cuBLASLt " + versionText(chosen.version) + " and " +
        versionText(library.version) +
        ", which compute other bits; install one of them everywhere");
  Status status = Status::success();
  if (chosen.loopsOverBatch && !loopsOverBatch) {
    loopOverBatch();
    status = describeForm();
  }
  if (status.ok() && arguments.bias)
    status = objects->setBias(arguments.bias->data);
  int64_t workspace = 0;
  if (status.ok())
    status = objects->check(chosen.algorithm, workspace);
  if (!status.ok())
    return status;
  if (workspace > libraryBytes())
    return Status::runtimeError(
        "the algorithm of the product " + text + " wants a workspace of " +
        std::to_string(workspace) + " bytes here, more than " +
        std::to_string(libraryBytes()));
  algorithm = chosen.algorithm;
  hasAlgorithm = true;
  return Status::success();
}

/// The address of an operand in turn `index` of the loops.
static char *placeOf(const Operand &operand, const std::vector<int64_t> &steps,
                     const std::vector<int64_t> &loops, int64_t index) {
  int64_t offset = 0;
  for (size_t dim = loops.size(); dim-- > 0; index /= loops[dim])
    offset += index % loops[dim] * steps[dim];
  return static_cast<char *>(operand.data) +
         offset * plan::byteSize(operand.type);
}

Status BlasProduct::runOne(Stream stream, char *workspace, int64_t index) {
  auto place = [&](const Operand &operand, const BlasMatrix &matrix) {
    return placeOf(operand, matrix.loopStrides, form.loops, index);
  };
  int64_t zeros = form.zeroBytes();
  const void *a = zeros ? workspace : place(ofA(), form.a);
  const void *b = zeros ? workspace : place(ofB(), form.b);
  void *d = place(arguments.c, form.d);
  const void *c = form.added ? place(*form.added, form.c) : d;
  bool isDouble = form.inputs == BlasF64;
  const void *alpha = isDouble ? static_cast<const void *>(&one64) : &one32;
  const void *zero = isDouble ? static_cast<const void *>(&zero64) : &zero32;
  BlasStatus code = blas.library.functions.matmul(
      blas.handle, objects->description, alpha, a, objects->a, b, objects->b,
      form.added ? alpha : zero, c, objects->c(), d, objects->d, &algorithm,
      workspace + zeros, static_cast<size_t>(libraryBytes()), stream);
  if (code)
    return blas.library.failure("cublasLtMatmul", code, text);
  return Status::success();
}

Status BlasProduct::run(Stream stream, void *workspace) {
  if (form.isEmpty)
    return Status::success();
  if (!hasAlgorithm)
    return Status::runtimeError("the product " + text +
                                " runs before an algorithm is chosen for it");
  if (int64_t zeros = form.zeroBytes()) {
    auto address = reinterpret_cast<DeviceAddress>(workspace);
    Result code = blas.driver.memsetD8Async(address, 0, zeros, stream);
    if (code != Success)
      return Status::runtimeError("cuMemsetD8Async failed for the product " +
                                  text + ": " + std::to_string(code));
  }
  for (int64_t index = 0; index < form.calls(); ++index) {
    Status status = runOne(stream, static_cast<char *>(workspace), index);
    if (!status.ok())
      return status;
  }
  return Status::success();
}

} // namespace hocket::runtime::cuda
