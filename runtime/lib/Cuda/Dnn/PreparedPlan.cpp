//===- PreparedPlan.cpp - a plan of cuDNN, ready to run -------------------===//

#include "runtime/lib/Cuda/Dnn/PreparedPlan.h"
#include "runtime/lib/Cuda/OpenLibrary.h"
#include <cstring>

namespace hocket::runtime::cuda {

std::vector<uint8_t> PreparedPlan::pack(size_t given, const std::string &text) {
  uint64_t version = given;
  std::vector<uint8_t> packed(sizeof version + text.size());
  std::memcpy(packed.data(), &version, sizeof version);
  std::memcpy(packed.data() + sizeof version, text.data(), text.size());
  return packed;
}

Status PreparedPlan::use(const uint8_t *packed, size_t size, int64_t most) {
  uint64_t version = 0;
  if (size <= sizeof version)
    return Status::runtimeError("an algorithm of the " + what + " has only " +
                                std::to_string(size) + " bytes");
  std::memcpy(&version, packed, sizeof version);
  if (version != dnn.library.version)
    return Status::userError("ranks have cuDNN " + versionText(version) +
                             " and " + versionText(dnn.library.version) +
                             ", which compute other bits; install one of them "
                             "everywhere");
  variants.reset();
  plan = std::make_shared<DnnObject>(dnn.library, DnnPlan, what);
  if (dnn.handle)
    plan->set(DnnPlanHandle, DnnTypeHandle, 1, &dnn.handle);
  if (dnn.device)
    plan->set(DnnPlanDevice, DnnTypeDescriptor, 1, &dnn.device);
  plan->set(DnnPlanText, DnnTypeChar, int64_t(size - sizeof version),
            packed + sizeof version);
  plan->finish();
  plan->get(DnnPlanWorkspace, DnnTypeInt64, 1, &bytes);
  if (plan->status.ok() && bytes > most)
    return Status::runtimeError(
        "the algorithm of the " + what + " wants a workspace of " +
        std::to_string(bytes) + " bytes here, more than " +
        std::to_string(most));
  return plan->status;
}

Status PreparedPlan::setAddresses(const Addresses &addresses, void *workspace) {
  variants = std::make_unique<DnnObject>(dnn.library, DnnVariantPack, what);
  variants->set(DnnPackIds, addresses.names);
  variants->set(DnnPackPointers, DnnTypePointer,
                int64_t(addresses.places.size()), addresses.places.data());
  variants->set(DnnPackWorkspace, DnnTypePointer, 1, &workspace);
  variants->finish();
  packWorkspace = workspace;
  return variants->status;
}

Status PreparedPlan::run(Stream stream, void *workspace,
                         const std::function<Addresses()> &addresses) {
  if (!plan)
    return Status::runtimeError("the " + what +
                                " runs before an algorithm is chosen for it");
  if (!variants || packWorkspace != workspace)
    if (Status status = setAddresses(addresses(), workspace); !status.ok())
      return status;
  const DnnFunctions &functions = dnn.library.functions;
  if (DnnStatus code = functions.setStream(dnn.handle, stream))
    return dnn.library.failure("cudnnSetStream", code, what);
  DnnStatus code =
      functions.execute(dnn.handle, plan->descriptor, variants->descriptor);
  return code ? dnn.library.failure("cudnnBackendExecute", code, what)
              : Status::success();
}

} // namespace hocket::runtime::cuda
