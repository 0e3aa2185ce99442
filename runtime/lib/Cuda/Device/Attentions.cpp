//===- Attentions.cpp - attention of ranks on one GPU by cuDNN ------------===//

#include "runtime/lib/Cuda/Device/Attentions.h"
#include "runtime/lib/Cuda/Attention/AttentionLengths.h"
#include "runtime/lib/Cuda/Device/Launches.h"
#include "runtime/lib/Cuda/OpenLibrary.h"
#include "runtime/lib/Device/Arguments.h"

namespace hocket::runtime::cuda {

namespace {

constexpr size_t oldestVersion = 91900;
constexpr const char *wayOut = ", or compile the program with --attention own";

class AttentionCall : public Call {
public:
  AttentionCall(CudaStream &stream, std::shared_ptr<DnnAttention> attention,
                void *workspace, const char *name)
      : stream(stream), attention(std::move(attention)), lengths(stream),
        workspace(workspace), name(name) {}

  Status run() override {
    Status status = lengths.run();
    return status.ok() ? attention->run(stream.get(), workspace) : status;
  }
  std::string implementation() const override { return name; }

  /// The launch before the library's call.
  Status prepare(const AttentionArguments &arguments, DeviceAddress record) {
    KernelLaunches launches;
    if (auto places = attention->lengths(workspace))
      addAttentionLengths(*arguments.keep, arguments.q.shape[2],
                          places->queries, places->keys, record, launches);
    return lengths.prepare(std::move(launches));
  }

private:
  CudaStream &stream;
  std::shared_ptr<DnnAttention> attention;
  Launches lengths;
  void *const workspace;
  const char *const name;
};

AttentionArguments argumentsFor(const plan::Attention &attention,
                                const AddressBook &book) {
  return argumentsOf(attention, book);
}
AttentionGradArguments argumentsFor(const plan::AttentionGrad &gradient,
                                    const AddressBook &book) {
  return argumentsOf(gradient, book);
}

const plan::Attention &forwardOf(const plan::Attention &attention) {
  return attention;
}
const plan::Attention &forwardOf(const plan::AttentionGrad &gradient) {
  return gradient.forward;
}
const AttentionArguments &forwardOf(const AttentionArguments &arguments) {
  return arguments;
}
const AttentionArguments &forwardOf(const AttentionGradArguments &arguments) {
  return arguments.forward;
}

constexpr const char *nameOf(const plan::Attention &) {
  return "attention by cuDNN";
}
constexpr const char *nameOf(const plan::AttentionGrad &) {
  return "attention_grad by cuDNN";
}

} // namespace

Status Attentions::open() {
  Status status = dnn.open("attentions");
  if (!status.ok())
    status.message += wayOut;
  if (!status.ok() || dnn.get().library.version >= oldestVersion)
    return status;
  return Status::userError("attentions by cuDNN need cuDNN " +
                           versionText(oldestVersion) + " or newer, and " +
                           dnn.get().library.name + " is of version " +
                           versionText(dnn.get().library.version) +
                           "; install a newer one" + wayOut);
}

template <class Instruction>
Status Attentions::make(const Instruction &attention,
                        const Workspace &workspace, const AddressBook &book,
                        std::unique_ptr<DnnAttention> &made,
                        std::string &description) {
  auto arguments = argumentsFor(attention, book);
  DnnAttentionOptions options{workspace.bytes,
                              forwardOf(attention).isNondeterministic};
  description = formOf(arguments).key() + std::to_string(workspace.bytes) +
                (options.mayDiffer ? " may differ" : "");
  Status status = open();
  return status.ok() ? DnnAttention::make(dnn.get(), arguments, options, made)
                     : status;
}

template <class Instruction>
Status Attentions::propose(const Instruction &attention,
                           const Workspace &workspace,
                           const AddressBook &book) {
  std::unique_ptr<DnnAttention> made;
  std::string description;
  Status status = make(attention, workspace, book, made, description);
  return status.ok() ? dnn.shared.propose(description, *made) : status;
}

template <class Instruction>
Status Attentions::prepare(const Instruction &attention,
                           const Workspace &workspace, const AddressBook &book,
                           DeviceAddress record, std::unique_ptr<Call> &call) {
  std::unique_ptr<DnnAttention> own;
  std::string description;
  Status status = make(attention, workspace, book, own, description);
  if (!status.ok())
    return status;
  std::shared_ptr<DnnAttention> made = std::move(own);
  auto [first, isFirst] = prepared.try_emplace(description, made);
  if (isFirst)
    status = dnn.shared.decide(description, *made);
  else
    made->share(*first->second);
  if (!status.ok())
    return status;
  auto prepared = std::make_unique<AttentionCall>(stream, made, workspace.place,
                                                  nameOf(attention));
  status = prepared->prepare(forwardOf(argumentsFor(attention, book)), record);
  call = std::move(prepared);
  return status;
}

#define HOCKET_INSTANTIATE(Instruction)                                        \
  template Status Attentions::propose(const Instruction &, const Workspace &,  \
                                      const AddressBook &);                    \
  template Status Attentions::prepare(const Instruction &, const Workspace &,  \
                                      const AddressBook &, DeviceAddress,      \
                                      std::unique_ptr<Call> &);
HOCKET_INSTANTIATE(plan::Attention)
HOCKET_INSTANTIATE(plan::AttentionGrad)
#undef HOCKET_INSTANTIATE

} // namespace hocket::runtime::cuda
