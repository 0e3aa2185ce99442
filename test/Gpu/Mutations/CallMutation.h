//===- CallMutation.h - one random change of a host's call -----*- C++ -*-===//
//
// Of a call that a program has made, as the injector has logged it; the change
// is a fault of the injector (test/Gpu/Injector/Fault.h).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_MUTATIONS_CALLMUTATION_H
#define HOCKET_TEST_GPU_MUTATIONS_CALLMUTATION_H

#include "test/Random/Rng.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hocket::mutations {

using random::Rng;

/// "0 cuEventRecord 3 h:94 h:17", and " w:9" behind a launch.
struct LoggedCall {
  int rank = 0;
  std::string function;
  uint64_t number = 0; ///< of the rank's calls of the function, from 1
  size_t arguments = 0;
  unsigned words = 0; ///< of a kernel's parameters
};
std::optional<LoggedCall> readCall(const std::string &line);

/// A parameter as Api.h of the runtime declares it.
struct Parameter {
  std::string type, name; ///< "const void *", "from"
};
/// Those of a function of the libraries; none where it is not known.
const std::vector<Parameter> &parametersOf(const std::string &function);

struct CallMutation {
  std::string kind;
  std::string fault; ///< "cuEventRecord@0:3=drop"
  std::string call;  ///< what is changed of it, for people
};

/// What can be changed of a call: for each change the fault's action, as
/// "2+4" or "drop".
using Actions = std::vector<std::string>;
struct CallKind {
  const char *name;
  Actions (*actions)(const LoggedCall &);
};
const std::vector<CallKind> &callKinds();

/// Draws changes of the calls of a program.
class CallMutator {
public:
  explicit CallMutator(const std::vector<std::string> &log);

  /// Of a kind, or of any; nothing where no call can be changed so.
  std::optional<CallMutation> draw(Rng &rng) const;
  std::optional<CallMutation> draw(const CallKind &kind, Rng &rng) const;

private:
  /// By function, so that what is called seldom is drawn as often.
  std::map<std::string, std::vector<LoggedCall>> calls;
};

} // namespace hocket::mutations

#endif // HOCKET_TEST_GPU_MUTATIONS_CALLMUTATION_H
