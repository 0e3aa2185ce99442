//===- CallMutation.cpp - one random change of a host's call --------------===//

#include "test/Gpu/Mutations/CallMutation.h"
#include "runtime/lib/Cuda/Blas/Api.h"
#include "runtime/lib/Cuda/Dnn/Api.h"
#include "runtime/lib/Cuda/Nccl/Api.h"
#include <algorithm>
#include <set>
#include <sstream>

namespace hocket::mutations {

std::optional<LoggedCall> readCall(const std::string &line) {
  std::istringstream words(line);
  LoggedCall call;
  if (!(words >> call.rank >> call.function >> call.number))
    return std::nullopt;
  for (std::string word; words >> word;)
    if (word.rfind("w:", 0) == 0)
      call.words = static_cast<unsigned>(std::stoul(word.substr(2)));
    else
      ++call.arguments;
  return call;
}

/// "(DeviceAddress to, const void *from)".
static std::vector<Parameter> readParameters(const std::string &text) {
  std::vector<Parameter> list;
  std::istringstream items(text.substr(1, text.size() - 2));
  for (std::string item; std::getline(items, item, ',');) {
    while (item.back() == ' ' || item.back() == ']' || item.back() == '[')
      item.pop_back();
    size_t begin = item.find_first_not_of(' ');
    size_t end = item.find_last_of(" *");
    if (end != std::string::npos && end >= begin)
      list.push_back(
          {item.substr(begin, item.find_last_not_of(' ', end) + 1 - begin),
           item.substr(end + 1)});
  }
  return list;
}

const std::vector<Parameter> &parametersOf(const std::string &function) {
  static const std::map<std::string, std::vector<Parameter>> known = [] {
    std::map<std::string, std::vector<Parameter>> all;
#define HOCKET_DRIVER(symbol, name, parameters)                                \
  all[#symbol] = readParameters(#parameters);
#define HOCKET_LIBRARY(symbol, type, name, parameters)                         \
  all[#symbol] = readParameters(#parameters);
    HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_DRIVER)
    HOCKET_CUDA_BLAS_FUNCTIONS(HOCKET_LIBRARY)
    HOCKET_CUDA_DNN_FUNCTIONS(HOCKET_LIBRARY)
    HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_LIBRARY)
    return all;
  }();
  static const std::vector<Parameter> none;
  auto found = known.find(function);
  return found == known.end() ? none : found->second;
}

/// Actions for each parameter of a type, where there are any, or of a name.
static Actions each(const LoggedCall &call, const std::set<std::string> &types,
                    const std::set<std::string> &names,
                    const std::vector<const char *> &changes) {
  Actions actions;
  const std::vector<Parameter> &parameters = parametersOf(call.function);
  for (size_t i = 0; i < parameters.size(); ++i)
    if ((types.empty() || types.count(parameters[i].type)) &&
        (names.empty() || names.count(parameters[i].name)))
      for (const char *change : changes)
        actions.push_back(std::to_string(i) + change);
  return actions;
}

static Actions leftOut(const LoggedCall &) { return {"drop"}; }
static Actions madeTwice(const LoggedCall &) { return {"repeat"}; }
static Actions exchanged(const LoggedCall &) { return {"later"}; }

static Actions sizes(const LoggedCall &call) {
  return each(call, {"size_t", "uint64_t", "int64_t", "int", "unsigned"},
              {"bytes", "count", "rows", "columns", "leading", "most",
               "workspaceBytes"},
              {"+1", "-1", "+4", "-4", "*2", "=0"});
}

static Actions addresses(const LoggedCall &call) {
  return each(call, {"DeviceAddress", "void *", "const void *"},
              {"to", "from", "address", "place", "buffer", "aData", "bData",
               "cData", "dData", "workspace"},
              {"+1", "+4", "-4", "+16", "+256", "=0", "=other"});
}

static Actions streams(const LoggedCall &call) {
  return each(call, {"Stream"}, {}, {"=other", "=0"});
}

static Actions events(const LoggedCall &call) {
  return each(call, {"Event"}, {}, {"=other", "=0"});
}

static Actions handles(const LoggedCall &call) {
  return each(call,
              {"Context", "Library", "Kernel", "Function", "Graph", "GraphExec",
               "BlasHandle", "BlasLayout", "BlasDescription", "BlasPreference",
               "DnnHandle", "DnnDescriptor", "NcclComm"},
              {}, {"=other", "=0"});
}

static Actions sizesOfLaunch(const LoggedCall &call) {
  return each(call, {},
              {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"},
              {"+1", "-1", "*2", "=1"});
}

static Actions sharedMemory(const LoggedCall &call) {
  return each(call, {}, {"sharedBytes"}, {"+4", "-4", "-1", "=0", "*2"});
}

static Actions argumentsOfLaunch(const LoggedCall &call) {
  Actions actions;
  for (unsigned word = 0; word < call.words; ++word)
    for (const char *change : {"+1", "-1", "+4", "-4", "+16", "*2", "=0"})
      actions.push_back("word " + std::to_string(word) + change);
  return actions;
}

static Actions members(const LoggedCall &call) {
  return each(call, {"int"}, {"peer", "root", "rank", "ranks", "color", "key"},
              {"+1", "-1", "=0"});
}

static Actions types(const LoggedCall &call) {
  return each(call,
              {"NcclType", "NcclOperator", "BlasType", "BlasCompute",
               "BlasLayoutAttribute", "BlasDescriptionAttribute",
               "BlasPreferenceAttribute", "DnnDescriptorType", "DnnAttribute",
               "DnnAttributeType", "CaptureMode", "Attribute",
               "FunctionAttribute"},
              {}, {"+1", "-1", "=0", "=other"});
}

static Actions flags(const LoggedCall &call) {
  return each(call,
              {"unsigned", "int", "unsigned char", "unsigned long long",
               "DeviceNumber"},
              {"flags", "ordinal", "device", "value", "jitCount"},
              {"+1", "-1", "=0"});
}

/// Of a struct or a value that the call is given the place of.
static Actions values(const LoggedCall &call) {
  Actions actions;
  const std::vector<Parameter> &parameters = parametersOf(call.function);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto &[type, name] = parameters[i];
    if (type != "const BlasAlgorithm *" &&
        !(type == "const void *" && (name == "value" || name == "elements")))
      continue;
    for (int word = 0; word < 4; ++word)
      for (const char *change : {"+1", "-1", "*2", "=0"})
        actions.push_back("word " + std::to_string(i) + "." +
                          std::to_string(word) + change);
  }
  return actions;
}

/// What the call uses is released before it, or when it has returned.
static Actions releases(const LoggedCall &call) {
  static const std::map<std::string, const char *> ends = {
      {"Stream", "cuStreamDestroy_v2"},
      {"Event", "cuEventDestroy_v2"},
      {"GraphExec", "cuGraphExecDestroy"},
      {"Graph", "cuGraphDestroy"},
      {"Library", "cuLibraryUnload"},
      {"DeviceAddress", "cuMemFree_v2"},
      {"BlasLayout", "cublasLtMatrixLayoutDestroy"},
      {"BlasDescription", "cublasLtMatmulDescDestroy"},
      {"BlasHandle", "cublasLtDestroy"},
      {"DnnDescriptor", "cudnnBackendDestroyDescriptor"}};
  Actions actions;
  const std::vector<Parameter> &parameters = parametersOf(call.function);
  auto library = [](const std::string &name) { return name.substr(0, 3); };
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto end = ends.find(parameters[i].type);
    // The injector calls a function of the call's own library.
    if (end == ends.end() || end->second == call.function ||
        library(end->second) != library(call.function))
      continue;
    for (const char *when : {"before ", "after "})
      actions.push_back(when + std::string(end->second) + " argument " +
                        std::to_string(i));
  }
  if (call.function == "cuLaunchKernel" || call.function == "cuGraphLaunch")
    for (const char *number : {"1", "2", "3"})
      actions.push_back(std::string("before cuMemFree_v2 allocation ") +
                        number);
  return actions;
}

static Actions pageable(const LoggedCall &call) {
  return call.function == "cuMemcpyHtoDAsync_v2" ? Actions{"unpinned"}
                                                 : Actions{};
}

const std::vector<CallKind> &callKinds() {
  static const std::vector<CallKind> kinds = {
      {"call left out", leftOut},
      {"call made twice", madeTwice},
      {"call exchanged with the next", exchanged},
      {"size or count", sizes},
      {"address", addresses},
      {"stream", streams},
      {"event", events},
      {"another handle", handles},
      {"grid or block of a launch", sizesOfLaunch},
      {"shared memory of a launch", sharedMemory},
      {"argument of a launch", argumentsOfLaunch},
      {"peer, root or rank", members},
      {"type or attribute", types},
      {"flags", flags},
      {"value of an attribute", values},
      {"released too early", releases},
      {"pageable memory", pageable},
  };
  return kinds;
}

CallMutator::CallMutator(const std::vector<std::string> &log) {
  for (const std::string &line : log)
    if (std::optional<LoggedCall> call = readCall(line))
      calls[call->function].push_back(*call);
}

std::optional<CallMutation> CallMutator::draw(const CallKind &kind,
                                              Rng &rng) const {
  std::vector<const std::vector<LoggedCall> *> functions;
  for (const auto &[function, list] : calls)
    if (!kind.actions(list.front()).empty())
      functions.push_back(&list);
  if (functions.empty())
    return std::nullopt;
  const LoggedCall &call = rng.oneOf(*rng.oneOf(functions));
  Actions actions = kind.actions(call);
  if (actions.empty()) // of a launch without arguments
    return std::nullopt;
  std::string action = rng.oneOf(actions);
  CallMutation made{kind.name,
                    call.function + "@" + std::to_string(call.rank) + ":" +
                        std::to_string(call.number) + "=" + action,
                    action};
  if (size_t end = action.find_first_not_of("0123456789");
      end && end < action.size()) {
    size_t number = std::stoul(action);
    made.call =
        parametersOf(call.function)[number].name + " " + action.substr(end);
  }
  return made;
}

std::optional<CallMutation> CallMutator::draw(Rng &rng) const {
  std::vector<CallKind> kinds = callKinds();
  rng.shuffle(kinds);
  for (const CallKind &kind : kinds)
    if (std::optional<CallMutation> made = draw(kind, rng))
      return made;
  return std::nullopt;
}

} // namespace hocket::mutations
