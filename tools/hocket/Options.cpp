//===- Options.cpp - parses the words after a command ---------------------===//

#include "Options.h"
#include "hocket/Frontend/Diagnostic.h"
#include <cstring>
#include <functional>
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

namespace {

struct Option {
  const char *name;
  const char *value; // what help calls it; null for a flag
  const char *help;
  std::function<bool(Options &, const std::string &)> set;
};

template <typename T> auto store(T Options::*member) {
  return [member](Options &options, const std::string &value) {
    options.*member = value;
    return true;
  };
}

auto raise(bool Options::*member) {
  return [member](Options &options, const std::string &) {
    options.*member = true;
    return true;
  };
}

/// Hands an option on to the Python of `import`.
auto handOn(const char *name) {
  return [name](Options &options, const std::string &value) {
    options.importArguments.push_back(name);
    if (!value.empty())
      options.importArguments.back() += "=" + value;
    return true;
  };
}

/// "sm_80,sm_90".
bool readChips(const std::string &text, std::vector<int> &chips) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(text).split(names, ',');
  for (llvm::StringRef name : names) {
    int chip = 0;
    if (!name.consume_front("sm_") || name.getAsInteger(10, chip) || chip < 80)
      return false;
    chips.push_back(chip);
  }
  return true;
}

bool readNumber(const std::string &text, double &into) {
  char *end = nullptr;
  into = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && into >= 0;
}

bool readInteger(const std::string &text, int64_t &into, int64_t least,
                 int64_t most) {
  return !llvm::StringRef(text).getAsInteger(10, into) && into >= least &&
         into <= most;
}

const std::vector<Option> &optionTable() {
  using Words = const std::string &;
  static const std::vector<Option> table = {
      {"--schedule", "NAME", "which schedule; without it: one device",
       [](Options &options, Words value) {
         if (options.otherSchedule)
           return false;
         if (options.hasSchedule)
           options.otherSchedule = value;
         else
           options.source.elaborate.schedule = value;
         return options.hasSchedule = true;
       }},
      {"--model", "NAME", "which model, if the file has several",
       [](Options &options, Words value) {
         options.source.elaborate.model = value;
         return true;
       }},
      {"--variant", "NAME", "a variant of the model",
       [](Options &options, Words value) {
         options.source.elaborate.variant = value;
         return true;
       }},
      {"--train", "NAME", "which recipe: a training step of the model's loss",
       [](Options &options, Words value) {
         options.source.elaborate.train = value;
         return !value.empty();
       }},
      {"--function", "NAME", "what of the model: forward (default) or loss",
       [](Options &options, Words value) {
         options.source.elaborate.function = value;
         return value == "forward" || value == "loss";
       }},
      {"-D", "NAME=VALUE",
       "a parameter of the model or schedule "
       "(model.layers=2, schedule.tp=4)",
       [](Options &options, Words value) {
         options.source.elaborate.defines.emplace_back();
         return frontend::parseDefine(value,
                                      options.source.elaborate.defines.back());
       }},
      {"--from", "STAGE", "FILE is a dump of this stage: ",
       [](Options &options, Words value) {
         options.source.from = value;
         return true;
       }},
      {"--grad", nullptr,
       "the gradients of inputs and parameters too, in training "
       "(dropout is live)",
       [](Options &options, Words) {
         options.source.gradients = true;
         options.source.elaborate.training = true;
         return true;
       }},
      {"--program", "DUMP",
       "run this dump of a stage, perhaps edited, instead of FILE's own "
       "program",
       store(&Options::program)},
      {"--keep", "FOLDER",
       "run nothing; write program, weights, inputs and expected outputs into "
       "a folder, to be run and compared elsewhere",
       store(&Options::keep)},
      {"-o", "FILE", "where to write; - is standard output",
       store(&Options::output)},
      {"--emit", "STAGE",
       "print a stage instead of making an executable, or, with a PATH, what "
       "belongs to it: model, placed, differentiated, spmd, kernels, buffers, "
       "plan; shared: make a library that C and Python call",
       [](Options &options, Words value) {
         options.isShared = value == "shared";
         options.emit = options.isShared ? "" : value;
         return options.isShared || value == "plan" || findStage(value) >= 0;
       }},
      {"--force", nullptr, "replace a file that holds something else",
       raise(&Options::force)},
      {"--dump-stages", "FOLDER", "write every stage into a folder, numbered",
       store(&Options::dumpFolder)},
      {"--cpu", "CPU", "native, x86-64-v3, x86-64-v4 or a CPU's name",
       store(&Options::cpu)},
      {"--target", "TARGET", "what runs the program: cpu or cuda",
       [](Options &options, Words value) {
         options.source.target =
             value == "cuda" ? plan::Target::Cuda : plan::Target::Cpu;
         return value == "cpu" || value == "cuda";
       }},
      {"--arch", "CHIPS",
       "of --target=cuda: chips to assemble for, sm_80,sm_90,sm_100 (none: the "
       "driver assembles when the program starts)",
       [](Options &options, Words value) {
         return readChips(value, options.chips);
       }},
      {"--attention", "ENGINE",
       "of --target=cuda: what computes attentions: own (default), cudnn, "
       "where "
       "that can, or fastest",
       [](Options &options, Words value) {
         using Engine = EngineOptions::Attention;
         options.choosesEngines = true;
         options.source.engines.attention = value == "fastest" ? Engine::Fastest
                                            : value == "cudnn" ? Engine::Cudnn
                                                               : Engine::Own;
         return value == "fastest" || value == "own" || value == "cudnn";
       }},
      {"--nondeterministic", nullptr,
       "of --target=cuda: gradients of attentions by cuDNN may have other bits "
       "in each run",
       [](Options &options, Words) {
         options.choosesEngines = true;
         return options.source.engines.nondeterministic = true;
       }},
      {"--device", "DEVICE",
       "of --target=cuda: the GPU whose least time of a step is said: h100 "
       "(default), h100-pcie, h200, a100, b200; h100,link=5e10 with numbers "
       "changed; or FILE.json",
       [](Options &options, Words value) {
         options.device = value;
         return true;
       }},
      {"--seed", "N", "seed of random weights and inputs (1)",
       [](Options &options, Words value) {
         double number = 0;
         bool ok = readNumber(value, number);
         options.seed = static_cast<uint64_t>(number);
         return ok;
       }},
      {"--tolerance", "X",
       "largest accepted relative error (1e-5; with f16 "
       "2e-3, with bf16 2e-2)",
       [](Options &options, Words value) {
         return readNumber(value, options.tolerance.emplace());
       }},
      {"--float64", nullptr,
       "compute all that is float32 in float64, to a relative error of 1e-12",
       raise(&Options::float64)},
      {"--every-layer", nullptr, "print equal layers one by one",
       raise(&Options::everyLayer)},
      {"-q", nullptr, "print errors only", raise(&Options::quiet)},
      {"--json", nullptr, "output for machines", raise(&Options::json)},
      {"--head", "N", "which head is drawn, counted from 0 (default 0)",
       [](Options &options, Words value) {
         return readInteger(value, options.head, 0, INT64_MAX);
       }},
      {"--width", "N", "blocks across, 8 to 400 (default 32, of an image 128)",
       [](Options &options, Words value) {
         return readInteger(value, options.width.emplace(), 8, 400);
       }},
      {"--svg", nullptr, "an image, for browsers and documents",
       raise(&Options::svg)},
      {"--write", nullptr, "format files in place", raise(&Options::write)},
      {"--check", nullptr, "only say whether the file is formatted",
       raise(&Options::check)},
      {"--config", "JSON",
       "what the callable is called with, or its class's config, which names "
       "sizes of MODEL.pt2 as well: a file or an object",
       handOn("--config")},
      {"--input", "NAME=TYPE[DIM, ...]",
       "an input, with names of the dims that vary: "
       "'input_ids=i64[batch, seq]'; may be given again",
       handOn("--input")},
      {"--name", "NAME", "of the model in the text; without it, its class's",
       handOn("--name")},
      {"--no-check", nullptr, "do not compare the text with the module",
       handOn("--no-check")},
      {"--resolve", nullptr, "print the syncs that `auto reshard` chose",
       raise(&Options::resolve)},
  };
  return table;
}

/// The option, if the command takes it.
const Option *findOption(const Command &command, const std::string &name) {
  std::string list = std::string(" ") + command.options + " ";
  if (list.find(" " + name + " ") == std::string::npos)
    return nullptr;
  for (const Option &option : optionTable())
    if (name == option.name)
      return &option;
  return nullptr;
}

std::string helpOf(const Option &option, const Command &command) {
  bool isFrom = std::strcmp(option.name, "--from") == 0;
  bool takesAll = std::strcmp(command.name, "check") == 0;
  if (std::strcmp(command.name, "plan") == 0 &&
      std::strcmp(option.name, "--schedule") == 0)
    return "which schedule; without it: one device; two are compared";
  if (takesAll && std::strcmp(option.name, "--schedule") == 0)
    return "which schedule; without it: every one";
  if (takesAll && std::strcmp(option.name, "--train") == 0)
    return "which recipe; without it: every one";
  return std::string(option.help) + (isFrom ? command.from : "");
}

/// Sets the option, if the command takes this value.
bool set(const Option &option, const Command &command, const std::string &value,
         Options &options) {
  std::string stages = ", " + std::string(command.from) + ",";
  bool isFrom = std::strcmp(option.name, "--from") == 0;
  if (isFrom && stages.find(", " + value + ",") == std::string::npos)
    return false;
  return option.set(options, value);
}

bool usageError(const Command &command, const std::string &text) {
  std::cerr << "hocket " << command.name << ": error: " << text << "\n"
            << "usage: " << command.usage << "\n";
  return false;
}

bool unknownOption(const Command &command, const std::string &name) {
  std::vector<std::string> names;
  for (const Option &option : optionTable())
    if (findOption(command, option.name))
      names.push_back(option.name);
  std::string text = "no option '" + name + "'";
  if (auto near = syntax::nearest(name, names))
    text += "; did you mean '" + *near + "'?";
  return usageError(command, text);
}

/// What a `-D` with a misspelt owner might have meant.
std::string nearDefine(const std::string &option, const std::string &value) {
  size_t dot = value.find('.');
  if (option != "-D" || dot == std::string::npos || dot > value.find('='))
    return "";
  auto near = syntax::nearest(value.substr(0, dot),
                              {"model", "schedule", "variant", "train"});
  return near ? "; did you mean '" + *near + value.substr(dot) + "'?" : "";
}

/// `--name=value`, `--name value`, `-Dname=value`: the name and, if it is
/// joined, the value.
std::pair<std::string, std::optional<std::string>>
splitWord(const std::string &word) {
  if (word.rfind("-D", 0) == 0 && word.size() > 2 && word[2] != '-')
    return {"-D", word.substr(2)};
  size_t equals = word.find('=');
  if (word.rfind("--", 0) == 0 && equals != std::string::npos)
    return {word.substr(0, equals), word.substr(equals + 1)};
  return {word, std::nullopt};
}

} // namespace

bool tool::parseOptions(const Command &command, int argc, char **argv,
                        Options &options) {
  std::vector<std::string> positional;
  bool passesOn = std::strcmp(command.name, "run") == 0;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--") {
      options.programArguments.insert(options.programArguments.end(),
                                      argv + i + 1, argv + argc);
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      positional.push_back(word);
      continue;
    }
    auto [name, value] = splitWord(word);
    const Option *option = findOption(command, name);
    if (!option && passesOn) {
      // The program's own options follow the file.
      options.programArguments.insert(options.programArguments.end(), argv + i,
                                      argv + argc);
      break;
    }
    if (!option)
      return unknownOption(command, name);
    if (option->value && !value && i + 1 < argc)
      value = argv[++i];
    if (option->value && !value)
      return usageError(command, "option '" + name + "' needs a value");
    if (!option->value && value)
      return usageError(command, "option '" + name + "' takes no value");
    if (!set(*option, command, value.value_or(""), options))
      return usageError(command, "option '" + name + "' does not take '" +
                                     *value + "': " + helpOf(*option, command) +
                                     nearDefine(name, *value));
  }
  const frontend::ElaborateOptions &chosen = options.source.elaborate;
  if (!options.source.from.empty() &&
      !(chosen.schedule.empty() && chosen.model.empty() &&
        chosen.variant.empty() && chosen.defines.empty()))
    return usageError(command, "a dump has its schedule and parameters; "
                               "--schedule, --model, --variant and -D go with "
                               "a .hkt file");
  if (options.otherSchedule && std::strcmp(command.name, "plan") != 0)
    return usageError(command, "option '--schedule' is given twice; only "
                               "`hocket plan` compares two");
  // A dump says its target itself.
  if (!options.chips.empty() && options.source.from.empty() &&
      options.source.target != plan::Target::Cuda)
    return usageError(command, "option '--arch' goes with --target=cuda");
  if (options.choosesEngines && options.source.from.empty() &&
      options.source.target != plan::Target::Cuda)
    return usageError(command, "options '--attention' and '--nondeterministic' "
                               "go with --target=cuda");
  if (options.choosesEngines && options.source.from == kPlanStage)
    return usageError(command, "a plan says what computes each attention; "
                               "--attention and --nondeterministic go with an "
                               "earlier stage");
  int count = positional.size();
  if (count < command.minPositional || count > command.maxPositional)
    return usageError(command, count < command.minPositional
                                   ? "a file is missing"
                                   : "unexpected '" + positional.back() + "'");
  if (count) {
    options.source.path = positional[0];
    options.positional.assign(positional.begin() + 1, positional.end());
  }
  return true;
}

void tool::printHelp(const Command &command) {
  std::cout << "usage: " << command.usage << "\n\n" << command.summary << "\n";
  bool first = true;
  for (const Option &option : optionTable()) {
    if (!findOption(command, option.name))
      continue;
    if (first)
      std::cout << "\noptions:\n";
    first = false;
    std::string head = option.name;
    if (option.value)
      head += std::string(" ") + option.value;
    head.resize(std::max<size_t>(head.size() + 2, 24), ' ');
    std::cout << "  " << head << helpOf(option, command) << "\n";
  }
  if (*command.from)
    std::cout << "\nFILE is - for standard input; its imports are relative to "
                 "this folder\n";
  std::cout << "\nexit status: 0 ok, 1 a mistake in the input, 2 bad usage, "
               "3 a failure at run time\n";
}

void tool::printHelp() {
  std::cout << "usage: hocket COMMAND ...\n\n"
               "Compiles a model and a schedule to one executable that runs "
               "on many ranks.\n\ncommands:\n";
  for (const Command &command : commands()) {
    std::string name = command.name;
    name.resize(12, ' ');
    std::cout << "  " << name << command.summary << "\n";
  }
  std::cout << "\n`hocket COMMAND --help` tells more.\n";
}
