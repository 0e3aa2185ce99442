//===- DnnlMatmul.cpp - a product through oneDNN --------------------------===//

#include "runtime/lib/Cpu/DnnlMatmul.h"
#include <algorithm>

namespace hocket::runtime {

using dnnl::memory;

/// dims and strides of the part inside the loops; a dim along which the
/// operand does not change has extent 1 (oneDNN broadcasts it).
memory::desc DnnlMatmul::describe(const Operand &operand) const {
  memory::dims dims(operand.shape.begin() + loops, operand.shape.end());
  memory::dims strides(operand.strides.begin() + loops, operand.strides.end());
  for (size_t i = 0; i < dims.size(); ++i)
    if (strides[i] == 0)
      dims[i] = 1;
  // The stride of a dim of extent 1 means nothing to us but something to
  // oneDNN, which looks for a unit stride and a leading dimension.
  int64_t &row = dims[dims.size() - 2], &column = dims[dims.size() - 1];
  int64_t &rowStride = strides[dims.size() - 2];
  int64_t &columnStride = strides[dims.size() - 1];
  if (column == 1)
    columnStride = 1;
  if (row == 1)
    rowStride = columnStride == 1 ? std::max<int64_t>(column, 1) : 1;
  if (column == 1 && rowStride < 1)
    rowStride = 1;
  for (size_t i = dims.size() - 2; i-- > 0;)
    if (dims[i] == 1)
      strides[i] = dims[i + 1] * strides[i + 1];
  return {dims, dnnlType(operand.type), strides};
}

static dnnl::algorithm eltwise(plan::PostOp op) {
  switch (op) {
  case plan::PostOp::Relu:
    return dnnl::algorithm::eltwise_relu;
  case plan::PostOp::GeluErf:
    return dnnl::algorithm::eltwise_gelu_erf;
  case plan::PostOp::GeluTanh:
    return dnnl::algorithm::eltwise_gelu_tanh;
  case plan::PostOp::Silu:
    return dnnl::algorithm::eltwise_swish;
  default:
    return dnnl::algorithm::eltwise_tanh;
  }
}

dnnl::primitive_attr DnnlMatmul::attributes() {
  dnnl::post_ops operations;
  for (const PostOperation &post : problem.post) {
    if (post.op == plan::PostOp::Add)
      operations.append_binary(dnnl::algorithm::binary_add,
                               describe(post.operand));
    else if (post.op == plan::PostOp::Mul)
      operations.append_binary(dnnl::algorithm::binary_mul,
                               describe(post.operand));
    else
      // alpha: the slope below 0 of relu, the factor in silu's exponent.
      operations.append_eltwise(1.0f, eltwise(post.op),
                                post.op == plan::PostOp::Silu ? 1.0f : 0.0f,
                                0.0f);
  }
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(operations);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

memory::desc DnnlMatmul::describeBias(size_t rank) const {
  memory::dims dims(rank, 1), strides(rank, problem.n);
  dims.back() = problem.n;
  strides.back() = 1;
  return {dims, dnnlType(problem.bias->type), strides};
}

/// `operand` null: memory that stays where the handle says.
void DnnlMatmul::bind(int index, const Operand *operand,
                      const memory::desc &desc) {
  Argument argument{index, operand, memory(desc, cpuEngine(), nullptr), {}};
  for (size_t dim = 0; operand && dim < loops; ++dim)
    argument.steps.push_back(operand->shape.size() < 2
                                 ? 0
                                 : operand->strides[dim] *
                                       plan::byteSize(operand->type));
  if (operand)
    argument.handle.set_data_handle(operand->data);
  arguments.push_back(std::move(argument));
}

template <typename Chosen>
void DnnlMatmul::bindAll(const Chosen &chosen, bool usesPack) {
  arguments.clear();
  bind(DNNL_ARG_SRC, &problem.a, chosen.src_desc());
  bind(DNNL_ARG_WEIGHTS, usesPack ? nullptr : &problem.b,
       chosen.weights_desc());
  if (usesPack)
    arguments.back().handle = pack->layout()->packed;
  bind(DNNL_ARG_DST, &problem.c, chosen.dst_desc());
  if (problem.bias)
    bind(DNNL_ARG_BIAS, &*problem.bias, chosen.bias_desc());
  for (size_t i = 0; i < problem.post.size(); ++i) {
    const Operand &operand = problem.post[i].operand;
    int slot = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
    if (!operand.shape.empty())
      bind(slot | DNNL_ARG_SRC_1, &operand, describe(operand));
  }
  scratchpad = static_cast<int64_t>(chosen.scratchpad_desc().get_size());
  scratchMemory = memory(chosen.scratchpad_desc(), cpuEngine(), nullptr);
  raw.clear();
  for (Argument &argument : arguments)
    raw.push_back({argument.index, argument.handle.get()});
  raw.push_back({DNNL_ARG_SCRATCHPAD, scratchMemory.get()});
}

bool DnnlMatmul::prepare(size_t loopDims) {
  loops = loopDims;
  if (!pack)
    return prepareWith(nullptr);
  // A pack is one matrix: it serves where no batch dim is left inside.
  bool usesPack = pack->layout() && loops == problem.batch.size();
  for (size_t dim = 0; dim < loops; ++dim)
    usesPack &= problem.b.strides[dim] == 0;
  if (!usesPack)
    return false;
  return pack->layout()->isInnerProduct
             ? prepareInnerProduct()
             : prepareWith(&pack->layout()->descriptor);
}

/// The same product with the weight packed for an inner product.
bool DnnlMatmul::prepareInnerProduct() {
  try {
    memory::desc a = describe(problem.a), c = describe(problem.c);
    const memory::desc &b = pack->layout()->descriptor;
    auto kind = dnnl::prop_kind::forward_inference;
    using InnerProduct = dnnl::inner_product_forward;
    InnerProduct::desc description =
        problem.bias
            ? InnerProduct::desc(kind, a, b,
                                 memory::desc({problem.n},
                                              dnnlType(problem.bias->type),
                                              memory::dims{1}),
                                 c)
            : InnerProduct::desc(kind, a, b, c);
    InnerProduct::primitive_desc chosen(description, attributes(), cpuEngine());
    if (!isFast(chosen))
      return false;
    primitive = InnerProduct(chosen);
    bindAll(chosen, true);
    return true;
  } catch (const dnnl::error &) {
    return false; // oneDNN has no primitive for these layouts
  }
}

bool DnnlMatmul::prepareWith(const memory::desc *packed) {
  try {
    memory::desc a = describe(problem.a), c = describe(problem.c);
    memory::desc b = packed ? *packed : describe(problem.b);
    dnnl::matmul::desc description =
        problem.bias
            ? dnnl::matmul::desc(a, b, describeBias(c.dims().size()), c)
            : dnnl::matmul::desc(a, b, c);
    dnnl::matmul::primitive_desc chosen(description, attributes(), cpuEngine());
    if (!isFast(chosen))
      return false;
    primitive = dnnl::matmul(chosen);
    bindAll(chosen, packed);
    return true;
  } catch (const dnnl::error &) {
    return false; // oneDNN has no primitive for these layouts
  }
}

void DnnlMatmul::setScratch(void *scratch) {
  char *base = static_cast<char *>(scratch);
  scratchMemory.set_data_handle(base);
  for (Dense &copy : dense)
    copy.operand->data = base + pieceBytes(scratchpad) + copy.offset;
  for (Argument &argument : arguments)
    if (argument.operand)
      argument.handle.set_data_handle(argument.operand->data);
}

Status DnnlMatmul::execute() {
  dnnl_status_t status = dnnl_primitive_execute(
      primitive.get(), stream.get(), static_cast<int>(raw.size()), raw.data());
  if (status == dnnl_success)
    return Status::success();
  return Status::runtimeError("oneDNN failed to compute " + problem.describe() +
                              " (status " + std::to_string(status) + ")");
}

Status DnnlMatmul::run() {
  for (Dense &copy : dense)
    if (!copy.isResult)
      copy.copy.run(copy.operand->data, copy.outside);
  Status status = loops == 0 ? execute() : runLoops();
  for (Dense &copy : dense)
    if (copy.isResult)
      copy.copy.run(copy.outside, copy.operand->data);
  return status;
}

Status DnnlMatmul::runLoops() {
  int64_t count = 1;
  for (size_t dim = 0; dim < loops; ++dim)
    count *= problem.batch[dim];
  for (int64_t flat = 0; flat < count; ++flat) {
    for (Argument &argument : arguments) {
      if (!argument.operand)
        continue;
      char *data = static_cast<char *>(argument.operand->data);
      int64_t rest = flat;
      for (size_t dim = loops; dim-- > 0; rest /= problem.batch[dim])
        data += rest % problem.batch[dim] * argument.steps[dim];
      argument.handle.set_data_handle(data);
    }
    Status status = execute();
    if (!status.ok())
      return status;
  }
  return Status::success();
}

} // namespace hocket::runtime
