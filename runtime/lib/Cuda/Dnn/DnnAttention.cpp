//===- DnnAttention.cpp - a prepared attention through cuDNN --------------===//

#include "runtime/lib/Cuda/Dnn/DnnAttention.h"
#include "runtime/lib/Cuda/OpenLibrary.h"

namespace hocket::runtime::cuda {

DnnAttention::DnnAttention(const Dnn &dnn, AttentionForm given,
                           std::string text, const DnnAttentionOptions &options)
    : dnn(dnn), form(std::move(given)), places(form), text(text),
      mostBytes(options.workspaceBytes.value_or(places.bytes())),
      mayDiffer(options.mayDiffer), plan(dnn, std::move(text)) {}

void DnnAttention::addForward(const AttentionArguments &arguments) {
  add(DnnAttentionQ, arguments.q);
  add(DnnAttentionK, arguments.k);
  add(DnnAttentionV, arguments.v);
  add(DnnAttentionOut, arguments.out);
  if (arguments.lse)
    add(DnnAttentionLse, *arguments.lse);
}

Status DnnAttention::make(const Dnn &dnn, const AttentionArguments &arguments,
                          const DnnAttentionOptions &options,
                          std::unique_ptr<DnnAttention> &attention) {
  attention.reset(
      new DnnAttention(dnn, formOf(arguments), describe(arguments), options));
  attention->addForward(arguments);
  return attention->prepare();
}

Status DnnAttention::make(const Dnn &dnn,
                          const AttentionGradArguments &arguments,
                          const DnnAttentionOptions &options,
                          std::unique_ptr<DnnAttention> &attention) {
  attention.reset(
      new DnnAttention(dnn, formOf(arguments), describe(arguments), options));
  attention->addForward(arguments.forward);
  attention->add(DnnAttentionDOut, arguments.dout);
  attention->add(DnnAttentionDQ, arguments.dq);
  attention->add(DnnAttentionDK, arguments.dk);
  attention->add(DnnAttentionDV, arguments.dv);
  return attention->prepare();
}

Status DnnAttention::prepare() {
  if (!form.reason.empty())
    return Status::runtimeError("the " + text +
                                " cannot be computed: " + form.reason);
  if (!isComputed())
    return Status::success();
  if (places.library > mostBytes)
    return Status::runtimeError("the " + text + " needs a workspace of " +
                                std::to_string(places.library) +
                                " bytes and the library's, the plan has " +
                                std::to_string(mostBytes));
  for (auto [name, place] : operands)
    if (reinterpret_cast<intptr_t>(place) % 16 != 0)
      return Status::runtimeError("operand " + std::to_string(name) +
                                  " of the " + text +
                                  " is not aligned to 16 bytes");
  graph = std::make_unique<AttentionGraph>(dnn, text);
  return graph->make(form, !mayDiffer);
}

Status DnnAttention::noPlan(int64_t wanted) const {
  std::string library = "cuDNN " + versionText(dnn.library.version);
  int64_t bytes = mostBytes - places.library;
  if (form.isGradient && !mayDiffer && wanted > bytes)
    return Status::userError(
        library + " computes the " + text +
        " with equal bits in each run only in a workspace of " +
        std::to_string(wanted) +
        " bytes, which grows with the square of the sequence (before cuDNN "
        "9.25), the plan has " +
        std::to_string(bytes) +
        "; compile the program with --nondeterministic, so that its bits may "
        "be others in each run, or with --attention own");
  return Status::userError(library + " has no algorithm for the " + text +
                           " with a workspace of at most " +
                           std::to_string(bytes) +
                           " bytes; compile the program with --attention own");
}

Status DnnAttention::choose(std::vector<uint8_t> &bytes) {
  bytes.clear();
  if (!isComputed())
    return Status::success();
  std::string chosen;
  int64_t wanted = 0;
  Status status =
      graph->choose(mostBytes - places.library, !mayDiffer, chosen, wanted);
  if (!status.ok())
    return status;
  if (chosen.empty())
    return noPlan(wanted);
  bytes = PreparedPlan::pack(dnn.library.version, chosen);
  return Status::success();
}

Status DnnAttention::use(const std::vector<uint8_t> &bytes) {
  if (!isComputed())
    return Status::success();
  return plan.use(bytes.data(), bytes.size(), mostBytes - places.library);
}

std::optional<DnnAttention::Lengths>
DnnAttention::lengths(void *workspace) const {
  if (!isComputed() || !form.hasLengths)
    return std::nullopt;
  char *begin = static_cast<char *>(workspace);
  return Lengths{begin + places.queryLengths, begin + places.keyLengths};
}

PreparedPlan::Addresses DnnAttention::addresses(void *workspace) const {
  PreparedPlan::Addresses all;
  for (auto [name, place] : operands)
    all.add(name, place);
  if (std::optional<Lengths> given = lengths(workspace)) {
    all.add(DnnAttentionQueries, given->queries);
    all.add(DnnAttentionKeys, given->keys);
  }
  char *begin = static_cast<char *>(workspace);
  if (!form.hasLse)
    all.add(DnnAttentionLse, begin + places.lse);
  if (form.isGradient)
    all.add(DnnAttentionMeans, begin + places.means);
  if (form.isGradient && mayDiffer)
    all.add(DnnAttentionDQSums, begin + places.dqSums);
  for (const std::unique_ptr<GraphNumber> &number : graph->numbers())
    all.add(number->name, &number->bits);
  return all;
}

Status DnnAttention::run(Stream stream, void *workspace) {
  if (!isComputed())
    return Status::success();
  return plan.run(stream, static_cast<char *>(workspace) + places.library,
                  [&] { return addresses(workspace); });
}

} // namespace hocket::runtime::cuda
