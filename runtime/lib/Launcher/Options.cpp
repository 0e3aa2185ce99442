//===- Options.cpp - the options of a compiled program --------------------===//

#include "Options.h"
#include "hocket/Io/TensorCheck.h"
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace hocket::runtime {

namespace {

using Store = std::function<bool(LauncherOptions &, const std::string &)>;

enum class Of { Both, Runs, Trains };

struct Option {
  const char *name;  // with the dashes
  const char *value; // what the value is called, nullptr for a flag
  const char *help;
  const char *expects; // for an error about the value
  Store store;
  Of of = Of::Both;
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

bool storeSums(LauncherOptions &options, const std::string &text) {
  options.sums = text;
  return text == "members" || text == "nccl";
}

bool storeTokenType(LauncherOptions &options, const std::string &value) {
  options.tokenType = value;
  return value == "u8" || value == "u16" || value == "i32";
}

bool storeRename(LauncherOptions &options, const std::string &value) {
  std::optional<RenameRule> rule = RenameRule::parse(value);
  if (rule)
    options.renames.push_back(*rule);
  return rule.has_value();
}

bool storeMeetingPlace(LauncherOptions &options, const std::string &value) {
  return parseMeetingPlace(value, options.meet.emplace());
}

/// "5 GB", "200MiB" or bytes.
bool storeShardSize(LauncherOptions &options, const std::string &text) {
  char *end = nullptr;
  double size = std::strtod(text.c_str(), &end);
  std::string unit(end + std::strspn(end, " "));
  double bytes = unit.empty() || unit == "B" ? 1 : 0;
  for (double base : {1000.0, 1024.0}) {
    const char *const units[2][4] = {{"kB", "MB", "GB", "TB"},
                                     {"KiB", "MiB", "GiB", "TiB"}};
    for (int i = 0; i < 4; ++i)
      if (unit == units[base == 1024.0][i])
        bytes = std::pow(base, i + 1);
  }
  bytes *= size;
  if (!std::isdigit(static_cast<unsigned char>(text[0])) ||
      !(bytes >= 1 && bytes <= 1e18))
    return false;
  options.shardSize = int64_t(bytes);
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

bool storeNotFinite(LauncherOptions &options, const std::string &text) {
  options.nan = text;
  return text == "stop" || text == "skip" || text == "ignore";
}

const std::vector<Option> &allOptions() {
  using O = LauncherOptions;
  static const std::vector<Option> options = {
      {"--weights", "FILE",
       "parameters: .safetensors, .index.json, .npy, NAME=FILE.npy or a\n"
       "folder of them; may be given again",
       "a file", list(&O::weights)},
      {"--rename", "FROM=TO",
       "call tensors of the weights otherwise, 'bert.**=**': * is\n"
       "text without a dot, ** any; may be given again, the first\n"
       "that matches counts",
       "FROM=TO with the same * and ** on both sides", storeRename},
      {"--input", "FILE", "inputs, in the same forms", "a file",
       list(&O::inputs), Of::Runs},
      {"--output", "FILE", "write the outputs there, as safetensors", "a file",
       text(&O::output), Of::Runs},
      {"--output-shards", "FOLDER",
       "write them there, or after training the parameters, as\n"
       "shards with model.safetensors.index.json",
       "a folder", text(&O::outputShards)},
      {"--shard-size", "SIZE", "of a shard at most (default: 5 GB)",
       "bytes, or a number of kB, MB, GB, TB, KiB, MiB, GiB or TiB",
       storeShardSize},
      {"--random-weights", "SEED",
       "draw parameters instead: normal, deviation 0.02", "a natural number",
       optionalInteger(&O::randomWeights, 0), Of::Runs},
      {"--random-input", "SEED",
       "draw inputs instead: normal, deviation 1; integers\n"
       "below the vocabulary they are looked up in",
       "a natural number", optionalInteger(&O::randomInput, 0), Of::Runs},
      {"--data", "FILE",
       "what to train on: raw tokens (.bin, or .npy of one dim),\n"
       "or tensors by name as for --weights, whose first dim\n"
       "counts examples; may be given again",
       "a file", list(&O::data), Of::Trains},
      {"--token-type", "TYPE", "elements of raw tokens: u16 (default), u8, i32",
       "u8, u16 or i32", storeTokenType, Of::Trains},
      {"--steps", "N", "end after step N", "a number from 1",
       optionalInteger(&O::steps, 1), Of::Trains},
      {"--nan", "RULE",
       "a loss or norm of gradients that is not finite: stop\n"
       "(default), skip the step, or ignore it",
       "stop, skip or ignore", storeNotFinite, Of::Trains},
      {"--seed", "S", "of new parameters and of the order of the examples",
       "a natural number", optionalInteger(&O::seed, 0), Of::Trains},
      {"--metrics", "FILE", "write a line of JSON for each step", "a file",
       text(&O::metrics), Of::Trains},
      {"--checkpoint", "FOLDER", "save there after the last step", "a folder",
       text(&O::checkpoints), Of::Trains},
      {"--save-every", "K", "save after every K steps as well",
       "a number from 1", optionalInteger(&O::saveEvery, 1), Of::Trains},
      {"--keep", "N", "keep the N newest checkpoints (default: 3)",
       "a number from 1", optionalInteger(&O::keep, 1), Of::Trains},
      {"--validation-data", "FILE",
       "what to validate on, in the forms of --data; may be given\nagain",
       "a file", list(&O::validationData), Of::Trains},
      {"--validate-every", "K",
       "write the loss there after every K steps, 0 for never",
       "a natural number", optionalInteger(&O::validateEvery, 0), Of::Trains},
      {"--validation-batches", "N",
       "the loss of its first N batches (default: 10)", "a number from 1",
       optionalInteger(&O::validationBatches, 1), Of::Trains},
      {"--resume", "FOLDER", "go on from the newest checkpoint, or from a file",
       "a folder or file", text(&O::resume), Of::Trains},
      {"--stats", nullptr,
       "print memory, bytes and times; --stats=json or\n"
       "--stats=json:FILE for machines",
       "nothing, json or json:FILE", storeStats},
      {"--trace", "FILE", "write a trace for Perfetto or chrome://tracing",
       "a file", text(&O::trace)},
      {"--check-replicas", nullptr,
       "compare the outputs that several ranks hold", "nothing",
       flag(&O::checkReplicas), Of::Runs},
      {"--warmup", "N", "steps before those that are timed", "a natural number",
       integer(&O::warmup, 0), Of::Runs},
      {"--repeat", "N", "time N steps and print median and least",
       "a number from 1", integer(&O::repeat, 1), Of::Runs},
      {"--ranks", "N", "fail unless the program has N ranks", "a number from 1",
       optionalInteger(&O::ranks, 1)},
      {"--ranks-per-node", "N",
       "of a program for GPUs: start it in N processes on this\n"
       "machine, a rank and a GPU each",
       "a number from 1", optionalInteger(&O::ranksPerNode, 1)},
      {"--node", "I", "which machine this is, of several that start N each",
       "a natural number", optionalInteger(&O::node, 0)},
      {"--meet", "HOST:PORT",
       "where their processes meet, on the machine of --node 0",
       "the name or address of a machine and a port from 1 to 65535",
       storeMeetingPlace},
      {"--threads", "N", "threads for each rank (default: cores / ranks)",
       "a number from 1", integer(&O::threads, 1)},
      {"--deadline", "SECONDS",
       "end when a rank waits longer for another (default: 60)",
       "a number of seconds above 0", storeSeconds},
      {"--sums", "ORDER",
       "of collectives between GPUs: in the order of members\n"
       "(default), or as NCCL adds them: fewer launches, other bits",
       "members or nccl", storeSums},
      {"--force", nullptr, "replace files that hold something else", "nothing",
       flag(&O::force)},
      {"--describe", nullptr,
       "print inputs, outputs, parameters and mesh as JSON", "nothing",
       flag(&O::describe)},
      {"--help", nullptr, "print this", "nothing", flag(&O::help)},
  };
  return options;
}

bool belongsTo(const Option &option, ProgramKind kind) {
  return option.of == Of::Both ||
         (option.of == Of::Trains) == (kind == ProgramKind::Trains);
}

const Option *findOption(const std::string &name) {
  for (const Option &option : allOptions())
    if (name == option.name)
      return &option;
  return nullptr;
}

std::string unknownOption(const std::string &name, ProgramKind kind) {
  std::vector<std::string> names;
  for (const Option &option : allOptions())
    if (belongsTo(option, kind))
      names.push_back(option.name);
  std::string near = nearestName(name, names);
  return "unknown option '" + name + "'" +
         (near.empty() ? "; see --help" : "; did you mean '" + near + "'?");
}

} // namespace

bool parseOptions(const std::vector<std::string> &arguments, ProgramKind kind,
                  LauncherOptions &options, std::string &error) {
  bool trains = kind == ProgramKind::Trains;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals), value;
    bool hasValue = equals != std::string::npos;
    if (hasValue)
      value = argument.substr(equals + 1);
    if (name.compare(0, 1, "-") != 0) {
      error = "unexpected argument '" + argument +
              "'; files are given as --weights, " +
              (trains ? "--data and --metrics" : "--input and --output");
      return false;
    }
    const Option *option = findOption(name == "-h" ? "--help" : name);
    if (!option) {
      error = unknownOption(name, kind);
      return false;
    }
    if (!belongsTo(*option, kind)) {
      error = name + (trains ? " is for programs that do not train; this one "
                               "is run with --data FILE --steps N"
                             : " is for programs that train; this one is run "
                               "with --input FILE --output FILE");
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

std::string helpText(const std::string &program, ProgramKind kind,
                     const plan::Recipe &recipe) {
  bool trains = kind == ProgramKind::Trains;
  std::string out = "usage: " + program +
                    (trains ? " --data FILE --steps N --metrics FILE"
                            : " --weights FILE --input FILE --output FILE") +
                    " [OPTION...]\n\noptions:\n";
  constexpr size_t column = 26;
  for (const Option &option : allOptions()) {
    if (!belongsTo(option, kind))
      continue;
    std::string front = std::string("  ") + option.name;
    if (option.value)
      front += std::string(" ") + option.value;
    front.resize(std::max(front.size() + 1, column), ' ');
    std::string help = option.help;
    if (std::string given = recipeDefault(recipe, option.name); !given.empty())
      help += "\nthe recipe says " + given;
    for (char c : help)
      front += c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, c);
    out += front + "\n";
  }
  return out + "\nexit status: 0 done, 1 bad weights, " +
         (trains ? "data or checkpoints" : "inputs or outputs") +
         ", 2 bad usage, 3 failure\nwhile running" +
         (trains ? ", 4 saved and ended by SIGTERM or SIGUSR1\n" : "\n");
}

} // namespace hocket::runtime
