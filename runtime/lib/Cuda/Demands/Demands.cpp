//===- Demands.cpp - what an instruction asks of a GPU --------------------===//

#include "hocket/Cuda/Demands.h"
#include "hocket/Cuda/Attention.h"
#include "hocket/Cuda/Product.h"
#include "hocket/Plan/Alignment.h"
#include "hocket/Plan/InstructionWords.h"
#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/Neighborhood.h"
#include "runtime/lib/Cuda/Dnn/ConvolutionForm.h"
#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "runtime/lib/Cuda/Kernels/Embedding.h"
#include "runtime/lib/Cuda/Kernels/Pooling.h"
#include "runtime/lib/Device/Arguments.h"
#include <algorithm>

namespace hocket::runtime::cuda {

LaunchCounts &LaunchCounts::operator+=(const LaunchCounts &other) {
  generated += other.generated;
  library += other.library;
  own += other.own;
  copies += other.copies;
  return *this;
}

namespace {

/// One overload for each kind of instruction.
struct Finder {
  const plan::Instruction &instruction;
  const AddressBook &book;
  Demands &demands;

  Operand operand(const plan::View &view) const { return book.operand(view); }
  /// What the runtime launches itself: copies, or what computes.
  Status add(Status status, const KernelLaunches &launches) const {
    for (const KernelLaunch &launch : launches.list)
      ++(std::string_view(launch.source) == "Copy" ? demands.launches.copies
                                                   : demands.launches.own);
    demands.workspaceBytes += launches.scratchBytes();
    return status;
  }

  Status operator()(const plan::Kernel &x) const {
    demands.launches.generated += x.extent > 0;
    return Status::success();
  }
  Status operator()(const plan::Matmul &x) const;
  Status operator()(const plan::Convolution &x) const;
  Status operator()(const plan::Attention &x) const {
    AttentionArguments arguments = argumentsOf(x, book);
    if (x.engine == plan::AttentionEngine::Cudnn)
      return addDnn(arguments, x);
    KernelLaunches list;
    list.areOnlyCounted = true;
    return add(addAttention(arguments, list), list);
  }
  Status operator()(const plan::AttentionGrad &x) const {
    auto arguments = argumentsOf(x, book);
    if (x.forward.engine == plan::AttentionEngine::Cudnn)
      return addDnn(arguments, x.forward);
    KernelLaunches list;
    list.areOnlyCounted = true;
    return add(addAttentionGrad(arguments, list), list);
  }
  /// Padding is counted before the library's call, see Attentions.cpp.
  template <class Arguments>
  Status addDnn(const Arguments &arguments, const plan::Attention &x) const {
    if (std::string why = whyNotDnn(arguments); !why.empty())
      return refuse(why);
    demands.workspaceBytes = attentionWorkspaceBytes(arguments);
    demands.launches.library += demands.workspaceBytes > 0;
    demands.launches.own += demands.workspaceBytes > 0 && x.keep.buffer >= 0;
    return Status::success();
  }
  Status operator()(const plan::NeighborhoodAttention &x) const {
    KernelLaunches list;
    return add(addNeighborhood(argumentsOf(x, book), list), list);
  }
  Status operator()(const plan::NeighborhoodAttentionGrad &x) const {
    KernelLaunches list;
    return add(addNeighborhoodGrad(
                   gradientArguments<NeighborhoodGradArguments>(x, book), list),
               list);
  }
  Status operator()(const plan::Embedding &x) const {
    KernelLaunches list;
    return add(addEmbedding(argumentsOf(x, book, instruction.source), 0, list),
               list);
  }
  Status operator()(const plan::EmbeddingGrad &x) const {
    KernelLaunches list;
    return add(
        addEmbeddingGrad(argumentsOf(x, book, instruction.source), 0, list),
        list);
  }
  Status operator()(const plan::Pooling &x) const {
    KernelLaunches list;
    return add(addPooling(argumentsOf(x, book), list), list);
  }
  Status operator()(const plan::Copy &x) const {
    KernelLaunches list;
    return add(addCopy(operand(x.src), operand(x.dst), list), list);
  }
  Status operator()(const plan::Fill &x) const {
    KernelLaunches list;
    return add(addFill(operand(x.dst), x.value, list), list);
  }
  Status operator()(const plan::Iota &x) const {
    KernelLaunches list;
    return add(addIota(operand(x.dst), x.dim, book.value(x.first), list), list);
  }
  Status operator()(const plan::ReadParameter &) const { return {}; }
  Status operator()(const plan::Constant &) const { return {}; }
  Status operator()(const plan::Collective &) const { return {}; }
  Status operator()(const plan::Wait &) const { return {}; }
  Status operator()(const plan::Hook &) const { return {}; }
  Status operator()(const plan::PackWeight &) const {
    return refuse("a packed weight");
  }

  static Status refuse(const std::string &what) {
    return Status::userError("not supported yet on a GPU: " + what);
  }
};

Status Finder::operator()(const plan::Matmul &x) const {
  ProductArguments arguments;
  arguments.a = operand(x.a);
  arguments.b = operand(x.b);
  arguments.c = operand(x.c);
  if (x.hasBias)
    arguments.bias = operand(x.bias);
  for (const plan::FusedPostOp &post : x.post)
    arguments.post.push_back({post.op, post.op == plan::PostOp::Add
                                           ? operand(post.operand)
                                           : Operand()});
  if (std::string why = whyNotBlas(arguments); !why.empty())
    return refuse(why);
  demands.launches.library += blasCalls(arguments);
  if (arguments.c.elements() > 0)
    demands.workspaceBytes = productWorkspaceBytes;
  return Status::success();
}

/// The library gets some operands as copies, see Convolutions.cpp.
Status Finder::operator()(const plan::Convolution &x) const {
  ConvolutionArguments arguments = argumentsOf(x, book);
  ConvolutionForm form = formOf(arguments);
  if (!form.reason.empty())
    return refuse(form.reason);
  KernelLaunches list;
  Status status;
  if (!form.isEmpty && form.hasZeros)
    status = addFill(resultOf(arguments), 0, list);
  if (std::optional<Operand> around = zerosAround(arguments, form);
      around && status.ok())
    status = addFill(*around, 0, list);
  auto copy = [&](const Operand &given, const DnnTensor &tensor) {
    Operand dense = given;
    if (!status.ok() || !tensor.isCopied)
      return;
    dense.strides = tensor.copyStrides;
    status = &given == &resultOf(arguments) ? addCopy(dense, given, list)
                                            : addCopy(given, dense, list);
  };
  if (form.isComputed()) {
    ++demands.launches.library;
    demands.workspaceBytes = convolutionWorkspaceBytes(arguments);
    copy(arguments.x, form.x);
    copy(arguments.weight, form.weight);
    copy(arguments.y, form.y);
    if (arguments.bias)
      copy(*arguments.bias, form.bias);
  }
  return add(status, list);
}

} // namespace

/// Nobody looks at the addresses except for what they are multiples of.
static AddressBook bookOf(const plan::Plan &plan,
                          const plan::RankClass &rankClass, int64_t rank) {
  AddressBook book(plan, rankClass, rank);
  for (size_t i = 0; i < rankClass.buffers.size(); ++i)
    book.setBase(int(i), reinterpret_cast<char *>(plan::bufferAlignment));
  return book;
}

/// Whether a rank's memory depends on where its queries and keys lie: tiles of
/// documents are chosen among those that meet there.
static bool dependsOnRank(const decltype(plan::Instruction::body) &body) {
  auto *attention = std::get_if<plan::Attention>(&body);
  if (auto *gradient = std::get_if<plan::AttentionGrad>(&body))
    attention = &gradient->forward;
  return attention && attention->keyDocuments.buffer >= 0;
}

/// All ranks of a class launch the same, in memory that is enough for each.
Status demandsOf(const plan::Plan &plan, const plan::RankClass &rankClass,
                 const plan::Instruction &instruction, Demands &demands) {
  size_t count = dependsOnRank(instruction.body) ? rankClass.ranks.size() : 1;
  int64_t most = 0;
  for (size_t i = 0; i < count; ++i) {
    AddressBook book = bookOf(plan, rankClass, rankClass.ranks[i]);
    demands = {};
    Status status =
        std::visit(Finder{instruction, book, demands}, instruction.body);
    if (!status.ok())
      return status;
    most = std::max(most, demands.workspaceBytes);
  }
  demands.workspaceBytes = most;
  return Status::success();
}

Status demandsOf(const plan::Plan &plan, const plan::RankClass &rankClass,
                 const std::vector<plan::Instruction> &list,
                 std::vector<Demands> &demands) {
  AddressBook book = bookOf(plan, rankClass, rankClass.ranks[0]);
  demands.assign(list.size(), {});
  for (size_t i = 0; i < list.size(); ++i) {
    const plan::Instruction &one = list[i];
    Status status = demandsOf(plan, rankClass, one, demands[i]);
    if (status.ok())
      continue;
    status.message = plan::describe(plan::instructionWords[one.body.index()],
                                    book.source(one.source)) +
                     ": " + status.message;
    return status;
  }
  return Status::success();
}

} // namespace hocket::runtime::cuda
