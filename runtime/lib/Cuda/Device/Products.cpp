//===- Products.cpp - products of ranks on one GPU ------------------------===//

#include "runtime/lib/Cuda/Device/Products.h"

namespace hocket::runtime::cuda {

namespace {

class ProductCall : public Call {
public:
  ProductCall(CudaStream &stream, std::unique_ptr<BlasProduct> product,
              const Workspace &workspace)
      : stream(stream), product(std::move(product)), workspace(workspace) {}
  Status run() override { return product->run(stream.get(), workspace.place); }

private:
  CudaStream &stream;
  std::unique_ptr<BlasProduct> product;
  Workspace workspace;
};

ProductAlignment alignmentOf(const plan::Matmul &matmul,
                             const AddressBook &book) {
  ProductAlignment alignment;
  alignment.a = book.alignment(matmul.a, wantedAlignment);
  alignment.b = book.alignment(matmul.b, wantedAlignment);
  alignment.c = book.alignment(matmul.c, wantedAlignment);
  if (matmul.hasBias)
    alignment.bias = book.alignment(matmul.bias, wantedAlignment);
  for (const plan::FusedPostOp &post : matmul.post)
    if (post.op == plan::PostOp::Add)
      alignment.added = book.alignment(post.operand, wantedAlignment);
  return alignment;
}

/// All that an algorithm may depend on.
std::string describe(const ProductArguments &arguments,
                     const ProductOptions &options) {
  const ProductAlignment &alignment = *options.alignment;
  std::string text;
  auto add = [&](int64_t number) { text += std::to_string(number) + " "; };
  auto addOperand = [&](const Operand &operand) {
    add(int64_t(operand.type));
    for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
      add(operand.shape[dim]);
      add(operand.strides[dim]);
    }
    text += "; ";
  };
  for (const Operand *operand : {&arguments.a, &arguments.b, &arguments.c})
    addOperand(*operand);
  if (arguments.bias)
    addOperand(*arguments.bias);
  for (const ProductPost &post : arguments.post) {
    add(int64_t(post.op));
    addOperand(post.operand);
  }
  for (int64_t bytes : {alignment.a, alignment.b, alignment.c, alignment.bias,
                        alignment.added, options.workspaceBytes})
    add(bytes);
  return text;
}

} // namespace

Status Products::open() {
  if (blas)
    return Status::success();
  const BlasLibrary *library = nullptr;
  Status status = shared.open(library);
  if (!status.ok())
    return status;
  auto made = std::make_unique<Blas>(*library, stream.api.functions);
  status = made->open();
  if (status.ok())
    blas = std::move(made);
  return stream.gpu.withFreeMemory(status);
}

Status Products::make(const plan::Matmul &matmul, const Workspace &workspace,
                      const AddressBook &book,
                      std::unique_ptr<BlasProduct> &product,
                      std::string &description) {
  ProductArguments arguments;
  arguments.a = book.operand(matmul.a);
  arguments.b = book.operand(matmul.b);
  arguments.c = book.operand(matmul.c);
  if (matmul.hasBias)
    arguments.bias = book.operand(matmul.bias);
  for (const plan::FusedPostOp &post : matmul.post)
    arguments.post.push_back({post.op, post.op == plan::PostOp::Add
                                           ? book.operand(post.operand)
                                           : Operand()});
  ProductOptions options;
  options.alignment = alignmentOf(matmul, book);
  options.workspaceBytes = workspace.bytes;
  description = describe(arguments, options);
  Status status = open();
  return status.ok() ? BlasProduct::make(*blas, arguments, options, product)
                     : status;
}

Status Products::propose(const plan::Matmul &matmul, const Workspace &workspace,
                         const AddressBook &book) {
  std::unique_ptr<BlasProduct> product;
  std::string description;
  Status status = make(matmul, workspace, book, product, description);
  return status.ok() ? shared.propose(description, *product) : status;
}

Status Products::prepare(const plan::Matmul &matmul, const Workspace &workspace,
                         const AddressBook &book, std::unique_ptr<Call> &call) {
  std::unique_ptr<BlasProduct> product;
  std::string description;
  Status status = make(matmul, workspace, book, product, description);
  if (status.ok())
    status = shared.decide(description, *product);
  if (status.ok())
    call = std::make_unique<ProductCall>(stream, std::move(product), workspace);
  return status;
}

} // namespace hocket::runtime::cuda
