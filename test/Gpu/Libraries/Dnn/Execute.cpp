//===- Execute.cpp - cudnnBackendExecute of the look-alike ----------------===//

#include "test/Gpu/Libraries/Dnn/Compute.h"
#include "test/Gpu/Libraries/Dnn/ComputeFused.h"
#include "test/Gpu/Libraries/Dnn/Objects.h"
#include <algorithm>

using namespace hocket::lookalike;

namespace {

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

/// A tensor of a plan with its address.
struct Placed {
  const Tensor *tensor;
  bool isResult;
  uint64_t address = 0;
};

/// Where a variant pack says that the plan's tensors are.
class Addresses {
public:
  explicit Addresses(const Object &pack)
      : pack(pack), ids(pack.list(DnnPackIds)) {}

  std::string find(const Tensor &tensor, uint64_t &address) {
    std::string name = "tensor " + std::to_string(tensor.id);
    auto at = std::find(ids.begin(), ids.end(), tensor.id);
    if (at == ids.end())
      return name + " has no address";
    ++found;
    address = pack.values.at(DnnPackPointers).at<uint64_t>(at - ids.begin());
    if (!address)
      return "the address of " + name + " is null";
    return tensor.isValue || address % tensor.alignment == 0
               ? ""
               : name + " is not aligned to " +
                     std::to_string(tensor.alignment) + " bytes";
  }

  /// After all tensors of the plan.
  std::string finish(const Engine &engine, uint64_t &workspace) const {
    if (ids.size() != found)
      return "the variant pack has tensors that are not of the plan";
    workspace = pack.get<uint64_t>(DnnPackWorkspace);
    if (engine.workspace > 0 && workspace == 0)
      return "the plan wants a workspace of " +
             std::to_string(engine.workspace) + " bytes, and there is none";
    return engine.workspace == 0 || workspace % 256 == 0
               ? ""
               : "the workspace is not aligned to 256 bytes";
  }

private:
  const Object &pack;
  Numbers ids;
  size_t found = 0;
};

/// What is read and written; results overlap nothing else, and none of them the
/// workspace.
std::string rangesOfCall(const std::vector<Placed> &all, const Engine &engine,
                         uint64_t workspaceAddress, Work &work) {
  Ranges workspace;
  if (engine.workspace > 0)
    workspace = {{workspaceAddress, uint64_t(engine.workspace)}};
  std::vector<Ranges> ranges;
  for (const Placed &one : all)
    ranges.push_back(rangesOf(*one.tensor, one.address));
  for (size_t i = 0; i < all.size(); ++i) {
    std::string name = "tensor " + std::to_string(all[i].tensor->id);
    for (size_t j = 0; j < all.size(); ++j)
      if (i != j && all[j].isResult && overlap(ranges[i], ranges[j]))
        return all[i].isResult ? "two results overlap"
                               : name + " and the result overlap";
    if (overlap(ranges[i], workspace))
      return name + " and the workspace overlap";
    auto &list = all[i].isResult ? work.writes : work.reads;
    list.insert(list.end(), ranges[i].begin(), ranges[i].end());
  }
  work.writes.insert(work.writes.end(), workspace.begin(), workspace.end());
  return "";
}

std::string prepare(const Problem &problem, const Engine &engine,
                    Addresses &addresses, Work &work) {
  Call call;
  call.problem = problem;
  call.engine = engine;
  std::vector<Placed> all;
  for (auto [tensor, address] :
       {std::pair(&problem.x, &call.x),
        std::pair(&problem.weight, &call.weight),
        std::pair(&problem.y, &call.y), std::pair(&problem.bias, &call.bias)}) {
    if (tensor == &problem.bias && !problem.hasBias)
      continue;
    std::string wrong = addresses.find(*tensor, *address);
    if (!wrong.empty())
      return wrong;
    all.push_back({tensor, tensor == &problem.result(), *address});
  }
  std::string wrong = addresses.finish(engine, call.workspace);
  if (wrong.empty())
    wrong = rangesOfCall(all, engine, call.workspace, work);
  const char *name = problem.operation == DnnOperationForward ? "forward"
                     : problem.operation == DnnOperationInputGradient
                         ? "input gradient"
                         : "weight gradient";
  work.name = std::string("cudnnBackendExecute ") + name;
  work.run = [call](DeviceMemory &memory) { compute(call, memory); };
  return wrong;
}

std::string prepare(const Fused &fused, const Engine &engine,
                    Addresses &addresses, Work &work) {
  FusedCall call;
  call.fused = fused;
  call.engine = engine;
  std::vector<Placed> all;
  for (size_t i = 0; i < fused.tensors.size(); ++i) {
    const Tensor &tensor = fused.tensors[i];
    if (tensor.isVirtual)
      continue;
    uint64_t address = 0;
    std::string wrong = addresses.find(tensor, address);
    if (!wrong.empty())
      return wrong;
    if (tensor.isValue) {
      // Read now, whatever is there when the work runs.
      const void *place = reinterpret_cast<const void *>(address);
      float real;
      int32_t number;
      std::memcpy(&real, place, sizeof real);
      std::memcpy(&number, place, sizeof number);
      call.values[i] = tensor.type == DnnI32 ? double(number) : double(real);
      continue;
    }
    call.addresses[i] = address;
    all.push_back({&tensor, fused.isWritten(i), address});
  }
  std::string wrong = addresses.finish(engine, call.workspace);
  if (wrong.empty())
    wrong = rangesOfCall(all, engine, call.workspace, work);
  work.name = "cudnnBackendExecute fused";
  work.run = [call](DeviceMemory &memory) { compute(call, memory); };
  return wrong;
}

std::string checkCall(DnnHandle handle, const Object &plan,
                      const Object &pack) {
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
  return "";
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
  Work work;
  std::string wrong = checkCall(handle, *planObject, *packObject);
  if (wrong.empty()) {
    Addresses addresses(*packObject);
    wrong = std::visit(
        [&](const auto &graph) {
          return prepare(graph, planObject->engine, addresses, work);
        },
        *planObject->graph);
  }
  if (!wrong.empty())
    return dnn().find(function, wrong);
  return submit(function, handle->stream, std::move(work)) ? DnnExecutionFailed
                                                           : DnnSuccess;
}
