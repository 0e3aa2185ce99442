//===- Options.cpp - the options of a compiled program --------------------===//

#include "Options.h"
#include "hocket/Io/TensorCheck.h"
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace hocket::runtime {

namespace {

using Store = std::function<bool(LauncherOptions &, const std::string &)>;

struct Option {
  const char *name;  // with the dashes
  const char *value; // what the value is called, nullptr for a flag
  const char *help;
  const char *expects; // for an error about the value
  Store store;
};

template <typename T>
bool parseInteger(const std::string &text, int64_t least, T &out) {
  errno = 0;
  char *end = nullptr;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < least)
    return false;
  out = T(value);
  return true;
}

template <typename T> Store integer(T LauncherOptions::*member, int64_t least) {
  return [=](LauncherOptions &options, const std::string &text) {
    T value;
    if (!parseInteger(text, least, value))
      return false;
    options.*member = value;
    return true;
  };
}

template <typename T>
Store optionalInteger(std::optional<T> LauncherOptions::*member,
                      int64_t least) {
  return [=](LauncherOptions &options, const std::string &text) {
    T value;
    if (!parseInteger(text, least, value))
      return false;
    options.*member = value;
    return true;
  };
}

Store text(std::string LauncherOptions::*member) {
  return [=](LauncherOptions &options, const std::string &value) {
    options.*member = value;
    return !value.empty();
  };
}

Store list(std::vector<std::string> LauncherOptions::*member) {
  return [=](LauncherOptions &options, const std::string &value) {
    (options.*member).push_back(value);
    return !value.empty();
  };
}

Store flag(bool LauncherOptions::*member) {
  return [=](LauncherOptions &options, const std::string &) {
    return options.*member = true;
  };
}

bool storeSeconds(LauncherOptions &options, const std::string &value) {
  char *end = nullptr;
  double seconds = std::strtod(value.c_str(), &end);
  if (value.empty() || *end || !(seconds > 0) || std::isinf(seconds))
    return false;
  options.deadline = seconds;
  return true;
}

/// --stats, --stats=json or --stats=json:FILE.
bool storeStats(LauncherOptions &options, const std::string &value) {
  const std::string json = "json";
  if (value.empty())
    options.stats = true;
  else if (value == json)
    options.statsJson = "-";
  else if (value.compare(0, json.size() + 1, json + ":") == 0)
    options.statsJson = value.substr(json.size() + 1);
  return options.stats || !options.statsJson.empty();
}

const std::vector<Option> &allOptions() {
  using O = LauncherOptions;
  static const std::vector<Option> options = {
      {"--weights", "FILE",
       "parameters: .safetensors, .index.json, .npy, NAME=FILE.npy or a\n"
       "folder of them; may be given again",
       "a file", list(&O::weights)},
      {"--input", "FILE", "inputs, in the same forms", "a file",
       list(&O::inputs)},
      {"--output", "FILE", "write the outputs there, as safetensors", "a file",
       text(&O::output)},
      {"--random-weights", "SEED",
       "draw parameters instead: normal, deviation 0.02", "a natural number",
       optionalInteger(&O::randomWeights, 0)},
      {"--random-input", "SEED",
       "draw inputs instead: normal, deviation 1; integers\n"
       "below the vocabulary they are looked up in",
       "a natural number", optionalInteger(&O::randomInput, 0)},
      {"--stats", nullptr,
       "print memory, bytes and times; --stats=json or\n"
       "--stats=json:FILE for machines",
       "nothing, json or json:FILE", storeStats},
      {"--trace", "FILE", "write a trace for Perfetto or chrome://tracing",
       "a file", text(&O::trace)},
      {"--check-replicas", nullptr,
       "compare the outputs that several ranks hold", "nothing",
       flag(&O::checkReplicas)},
      {"--warmup", "N", "steps before those that are timed", "a natural number",
       integer(&O::warmup, 0)},
      {"--repeat", "N", "time N steps and print median and least",
       "a number from 1", integer(&O::repeat, 1)},
      {"--ranks", "N", "fail unless the program has N ranks", "a number from 1",
       optionalInteger(&O::ranks, 1)},
      {"--threads", "N", "threads for each rank (default: cores / ranks)",
       "a number from 1", integer(&O::threads, 1)},
      {"--deadline", "SECONDS",
       "end when a rank waits longer for another (default: 60)",
       "a number of seconds above 0", storeSeconds},
      {"--describe", nullptr,
       "print inputs, outputs, parameters and mesh as JSON", "nothing",
       flag(&O::describe)},
      {"--help", nullptr, "print this", "nothing", flag(&O::help)},
  };
  return options;
}

const Option *findOption(const std::string &name) {
  for (const Option &option : allOptions())
    if (name == option.name)
      return &option;
  return nullptr;
}

std::string unknownOption(const std::string &name) {
  std::vector<std::string> names;
  for (const Option &option : allOptions())
    names.push_back(option.name);
  std::string near = nearestName(name, names);
  return "unknown option '" + name + "'" +
         (near.empty() ? "; see --help" : "; did you mean '" + near + "'?");
}

} // namespace

bool parseOptions(const std::vector<std::string> &arguments,
                  LauncherOptions &options, std::string &error) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals), value;
    bool hasValue = equals != std::string::npos;
    if (hasValue)
      value = argument.substr(equals + 1);
    if (name.compare(0, 1, "-") != 0) {
      error = "unexpected argument '" + argument +
              "'; files are given as --weights, --input and --output";
      return false;
    }
    const Option *option = findOption(name == "-h" ? "--help" : name);
    if (!option) {
      error = unknownOption(name);
      return false;
    }
    if (option->value && !hasValue) {
      if (i + 1 == arguments.size()) {
        error = name + " needs a value: " + name + " " + option->value;
        return false;
      }
      value = arguments[++i];
    }
    bool takesNone = !option->value && name != "--stats";
    if ((takesNone && hasValue) || !option->store(options, value)) {
      error = name + " is '" + value + "', expected " + option->expects;
      return false;
    }
  }
  return true;
}

std::string helpText(const std::string &program) {
  std::string out = "usage: " + program +
                    " --weights FILE --input FILE --output FILE [OPTION...]\n"
                    "\noptions:\n";
  constexpr size_t column = 26;
  for (const Option &option : allOptions()) {
    std::string front = std::string("  ") + option.name;
    if (option.value)
      front += std::string(" ") + option.value;
    front.resize(std::max(front.size() + 1, column), ' ');
    for (char c : std::string(option.help))
      front += c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, c);
    out += front + "\n";
  }
  return out + "\nexit status: 0 done, 1 bad weights, inputs or outputs, 2 bad "
               "usage, 3 failure\nwhile running\n";
}

} // namespace hocket::runtime
