//===- Matmul.cpp - matmul through oneDNN ---------------------------------===//

#include "hocket/Cpu/StridedCopy.h"
#include "runtime/lib/Cpu/Dnnl.h"
#include "runtime/lib/Cpu/MatmulProblem.h"
#include <algorithm>

namespace hocket::runtime {

using dnnl::memory;

namespace {

int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// A batched product as oneDNN sees it: the last dims of the problem in one
/// primitive, the first `loops` batch dims in a loop around it.
class DnnlMatmul : public Call {
public:
  DnnlMatmul(const MatmulProblem &problem, const PackedWeight *pack)
      : problem(problem), pack(pack), stream(cpuEngine()) {}

  /// False if oneDNN has no fast kernel for it this way, or none that reads
  /// the pack if there is one.
  bool prepare(size_t loopDims);
  /// Has operands that oneDNN reads badly copied through scratch.
  void makeDense();

  int64_t scratchBytes() const override {
    return roundUp(scratchpad) + denseBytes;
  }
  void setScratch(void *scratch) override;
  Status run() override;

private:
  struct Argument {
    int index; // DNNL_ARG_...
    const Operand *operand;
    memory handle;
    std::vector<int64_t> steps; // bytes by loop dim
  };
  struct Dense {
    Operand *operand;
    StridedCopy copy;
    void *outside;
    int64_t offset; // in scratch
    bool isResult;
  };

  memory::desc describe(const Operand &operand) const;
  memory::desc describeBias(size_t rank) const;
  void bind(int index, const Operand *operand, const memory::desc &desc);
  template <typename Chosen> void bindAll(const Chosen &chosen, bool usesPack);
  bool prepareInnerProduct();
  dnnl::primitive_attr attributes();
  bool prepareWith(const memory::desc *packed);
  void copyThroughScratch(Operand &operand, const std::vector<int64_t> &strides,
                          bool isResult);
  Status execute();
  Status runLoops();

  MatmulProblem problem;
  const PackedWeight *pack;
  dnnl::stream stream;
  dnnl::primitive primitive;
  size_t loops = 0;
  std::vector<Argument> arguments;
  std::vector<dnnl_exec_arg_t> raw;
  memory scratchMemory;
  std::vector<Dense> dense;
  int64_t scratchpad = 0, denseBytes = 0;
};

} // namespace

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
    return false; // not implemented for these layouts
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
    return false; // not implemented for these layouts
  }
}

/// What oneDNN can do with an operand's last two dims: a and b may be stored
/// by rows or by columns, c only by rows.
static bool isReadable(const Operand &operand, bool onlyRows) {
  size_t rank = operand.shape.size();
  int64_t rows = operand.shape[rank - 2], columns = operand.shape[rank - 1];
  int64_t rowStride = operand.strides[rank - 2];
  int64_t columnStride = operand.strides[rank - 1];
  bool byRows = (columnStride == 1 || columns == 1) &&
                (rowStride >= columns || rows == 1);
  bool byColumns =
      (rowStride == 1 || rows == 1) && (columnStride >= rows || columns == 1);
  return byRows || (byColumns && !onlyRows);
}

/// What oneDNN can add to c fast: something laid out as c is, or one row for
/// all rows.
static bool isAddable(const Operand &operand, const Operand &c) {
  bool same = true, row = operand.strides.back() == 1;
  for (size_t i = 0; i < c.shape.size(); ++i) {
    same &= c.shape[i] == 1 || operand.strides[i] == c.strides[i];
    row &= i + 1 == c.shape.size() || operand.strides[i] == 0;
  }
  return same || row;
}

/// Whether the bytes that two operands span overlap.
static bool overlaps(const Operand &a, const Operand &b) {
  auto end = [](const Operand &operand) {
    int64_t last = 0;
    for (size_t i = 0; i < operand.shape.size(); ++i)
      last += (operand.shape[i] - 1) * operand.strides[i];
    return static_cast<char *>(operand.data) +
           (last + 1) * plan::byteSize(operand.type);
  };
  return static_cast<char *>(a.data) < end(b) &&
         static_cast<char *>(b.data) < end(a);
}

/// From now on `operand` lies in scratch with `strides`.
void DnnlMatmul::copyThroughScratch(Operand &operand,
                                    const std::vector<int64_t> &strides,
                                    bool isResult) {
  std::vector<int64_t> shape = operand.shape;
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (strides[i] == 0)
      shape[i] = 1; // the same along this dim: copied once
    last += (shape[i] - 1) * strides[i];
  }
  int64_t bytes = plan::byteSize(operand.type);
  StridedCopy copy = isResult
                         ? StridedCopy(shape, strides, operand.strides, bytes)
                         : StridedCopy(shape, operand.strides, strides, bytes);
  dense.push_back({&operand, copy, operand.data, denseBytes, isResult});
  denseBytes += roundUp((last + 1) * bytes);
  operand.strides = strides;
}

/// Row-major strides; 0 where a batch dim repeats.
static std::vector<int64_t> denseStrides(const Operand &operand) {
  size_t rank = operand.shape.size();
  std::vector<int64_t> strides(rank);
  int64_t elements = 1;
  for (size_t i = rank; i-- > 0;) {
    bool repeats = operand.strides[i] == 0 && i + 2 < rank;
    strides[i] = repeats ? 0 : elements;
    elements *= repeats ? 1 : operand.shape[i];
  }
  return strides;
}

void DnnlMatmul::makeDense() {
  Operand result = problem.c;
  if (!isReadable(problem.a, false))
    copyThroughScratch(problem.a, denseStrides(problem.a), false);
  if (!pack && !isReadable(problem.b, false))
    copyThroughScratch(problem.b, denseStrides(problem.b), false);
  if (!isReadable(problem.c, true))
    copyThroughScratch(problem.c, denseStrides(problem.c), true);
  // oneDNN may keep partial sums in c before it reads the post operands.
  for (PostOperation &post : problem.post)
    if (!post.operand.shape.empty() &&
        (!isAddable(post.operand, problem.c) || overlaps(post.operand, result)))
      copyThroughScratch(post.operand, problem.c.strides, false);
  if (problem.bias && problem.bias->strides[0] != 1)
    copyThroughScratch(*problem.bias, {1}, false);
}

void DnnlMatmul::setScratch(void *scratch) {
  char *base = static_cast<char *>(scratch);
  scratchMemory.set_data_handle(base);
  for (Dense &copy : dense)
    copy.operand->data = base + roundUp(scratchpad) + copy.offset;
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

static bool runsInDnnl(const MatmulProblem &problem) {
  bool same = hasDnnlType(problem.c.type) && problem.a.type == problem.c.type &&
              problem.b.type == problem.c.type &&
              (!problem.bias || problem.bias->type == problem.c.type);
  for (const PostOperation &post : problem.post)
    same &= post.operand.shape.empty() || post.operand.type == problem.c.type;
  return same && problem.k > 0;
}

namespace {
class NothingToDo : public Call {
public:
  Status run() override { return Status::success(); }
};
} // namespace

/// Null if oneDNN has no fast kernel for it.
static std::unique_ptr<Call> makeDnnlMatmul(const MatmulProblem &problem,
                                            const PackedWeight *pack) {
  if (!runsInDnnl(problem))
    return nullptr;
  auto product = std::make_unique<DnnlMatmul>(problem, pack);
  product->makeDense();
  for (size_t loops = 0; loops <= problem.batch.size(); ++loops)
    if (product->prepare(loops))
      return product;
  return nullptr;
}

Status makeMatmul(const MatmulArguments &arguments, int threads,
                  std::unique_ptr<Call> &call) {
  if (arguments.c.elements() == 0) {
    call = std::make_unique<NothingToDo>();
    return Status::success();
  }
  MatmulArguments plain = arguments;
  if (arguments.pack) {
    call = makeDnnlMatmul(MatmulProblem(arguments), arguments.pack);
    if (call)
      return Status::success();
    plain.pack = nullptr;
    plain.b.data = arguments.pack->keepPlain();
  }
  MatmulProblem problem(plain);
  call = makeDnnlMatmul(problem, nullptr);
  if (call)
    return Status::success();
  if (!runsInDnnl(problem) || problem.c.type == plan::DType::BF16)
    return makeBlockedMatmul(problem, threads, call);
  return Status::runtimeError("oneDNN has only its reference loop for " +
                              problem.describe() + " on this processor");
}

} // namespace hocket::runtime
