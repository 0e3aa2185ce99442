//===- Execute.cpp - cudnnBackendExecute of the look-alike ----------------===//

#include "test/Gpu/Libraries/Dnn/Compute.h"
#include "test/Gpu/Libraries/Dnn/Objects.h"
#include <algorithm>

using namespace hocket::lookalike;

namespace {

std::string addressesOf(const Object &pack, Call &call) {
  Numbers ids = pack.list(DnnPackIds);
  const Problem &problem = call.problem;
  auto find = [&](const Tensor &tensor, uint64_t &address) -> std::string {
    std::string name = "tensor " + std::to_string(tensor.id);
    auto at = std::find(ids.begin(), ids.end(), tensor.id);
    if (at == ids.end())
      return name + " has no address";
    address = pack.values.at(DnnPackPointers).at<uint64_t>(at - ids.begin());
    if (!address)
      return "the address of " + name + " is null";
    return address % tensor.alignment == 0
               ? ""
               : name + " is not aligned to " +
                     std::to_string(tensor.alignment) + " bytes";
  };
  for (auto [tensor, address] :
       {std::pair(&problem.x, &call.x),
        std::pair(&problem.weight, &call.weight),
        std::pair(&problem.y, &call.y), std::pair(&problem.bias, &call.bias)}) {
    if (tensor == &problem.bias && !problem.hasBias)
      continue;
    std::string wrong = find(*tensor, *address);
    if (!wrong.empty())
      return wrong;
  }
  if (ids.size() != problem.tensors().size())
    return "the variant pack has tensors that are not of the plan";
  call.workspace = pack.get<uint64_t>(DnnPackWorkspace);
  if (call.engine.workspace > 0 && call.workspace == 0)
    return "the plan wants a workspace of " +
           std::to_string(call.engine.workspace) + " bytes, and there is none";
  return call.engine.workspace == 0 || call.workspace % 256 == 0
             ? ""
             : "the workspace is not aligned to 256 bytes";
}

using Ranges = std::vector<HocketLookalikeRange>;

/// Both are in order of their addresses.
bool overlap(const Ranges &a, const Ranges &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    uint64_t aEnd = a[i].address + a[i].bytes;
    uint64_t bEnd = b[j].address + b[j].bytes;
    if (a[i].address < bEnd && b[j].address < aEnd)
      return true;
    (aEnd <= bEnd ? i : j) += 1;
  }
  return false;
}

std::string describe(const Problem &problem) {
  const char *name = problem.operation == DnnOperationForward ? "forward"
                     : problem.operation == DnnOperationInputGradient
                         ? "input gradient"
                         : "weight gradient";
  return std::string("cudnnBackendExecute ") + name;
}

/// What is read and written; they do not overlap.
std::string rangesOfCall(const Call &call, Work &work) {
  const Problem &problem = call.problem;
  std::vector<std::pair<const Tensor *, uint64_t>> all = {
      {&problem.x, call.x},
      {&problem.weight, call.weight},
      {&problem.y, call.y}};
  if (problem.hasBias)
    all.emplace_back(&problem.bias, call.bias);
  Ranges workspace;
  if (call.engine.workspace > 0)
    workspace = {{call.workspace, uint64_t(call.engine.workspace)}};
  const Tensor *result = &problem.result();
  for (auto [tensor, address] : all)
    if (tensor == result)
      work.writes = rangesOf(*tensor, address);
  for (auto [tensor, address] : all) {
    Ranges ranges = rangesOf(*tensor, address);
    if (tensor != result && overlap(ranges, work.writes))
      return "tensor " + std::to_string(tensor->id) + " and the result overlap";
    if (overlap(ranges, workspace))
      return "tensor " + std::to_string(tensor->id) +
             " and the workspace overlap";
    if (tensor != result)
      work.reads.insert(work.reads.end(), ranges.begin(), ranges.end());
  }
  work.writes.insert(work.writes.end(), workspace.begin(), workspace.end());
  return "";
}

std::string makeCall(DnnHandle handle, const Object &plan, const Object &pack,
                     Call &call) {
  if (!dnn().handles.has(handle))
    return "there is no such handle";
  if (plan.type != DnnPlan || pack.type != DnnVariantPack)
    return "it takes a plan and a variant pack";
  if (!plan.isFinal || !pack.isFinal)
    return "the plan or the variant pack is not finalized";
  std::string wrong = checkLiving(plan);
  if (!wrong.empty())
    return "the plan: " + wrong;
  if (plan.get<cudnnContext *>(DnnPlanHandle) != handle)
    return "the plan is of another handle";
  if (currentDevice(handle->device) != handle->device)
    return "the handle is of another device than the current context";
  call.problem = *plan.problem;
  call.engine = plan.engine;
  return addressesOf(pack, call);
}

} // namespace

extern "C" DnnStatus cudnnBackendExecute(DnnHandle handle, DnnDescriptor plan,
                                         DnnDescriptor pack) {
  const char *function = "cudnnBackendExecute";
  std::lock_guard<std::mutex> lock(dnn().mutex);
  if (int code = countCall(function))
    return code;
  Object *planObject = dnn().object(function, plan);
  Object *packObject = dnn().object(function, pack);
  if (!planObject || !packObject)
    return DnnBadParam;
  Call call;
  Work work;
  std::string wrong = makeCall(handle, *planObject, *packObject, call);
  if (wrong.empty())
    wrong = rangesOfCall(call, work);
  if (!wrong.empty())
    return dnn().find(function, wrong);
  work.name = describe(call.problem);
  work.run = [call](DeviceMemory &memory) { compute(call, memory); };
  return submit(function, handle->stream, std::move(work)) ? DnnExecutionFailed
                                                           : DnnSuccess;
}
