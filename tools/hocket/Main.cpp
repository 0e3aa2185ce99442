//===- Main.cpp - chooses the command -------------------------------------===//

#include "Options.h"
#include "Terminal.h"
#include "hocket/Io/SignalEnd.h"
#include <cstring>
#include <iostream>
#include <new>

using namespace hocket;
using namespace hocket::tool;

#define STAGES "model, placed, differentiated, spmd, kernels, buffers, plan"
#define ENGINES " --attention --nondeterministic"
#define SOURCE "--schedule --model --variant --train --function -D --from"

const std::vector<Command> &tool::commands() {
  static const std::vector<Command> table = {
      {"check", "hocket check FILE [--schedule NAME] [-D NAME=VALUE]...",
       "say of every schedule and recipe what is wrong or what it costs",
       SOURCE " --dump-stages -q --json", STAGES, 1, 1, runCheck},
      {"compile", "hocket compile FILE -o APP | --emit STAGE [PATH] [options]",
       "make an executable, or print a stage with --emit",
       SOURCE
       " --grad -o --emit --force --dump-stages --cpu --target --arch" ENGINES,
       STAGES, 1, 2, runCompile},
      {"run", "hocket run FILE [options] [the program's options]",
       "compile and run at once; `--help` after FILE is the program's",
       SOURCE " --grad --cpu --target --arch" ENGINES " --dump-stages", STAGES,
       1, 1, runRun},
      {"verify", "hocket verify FILE [--schedule NAME] [options]",
       "run on all ranks and compare with the float64 reference",
       SOURCE " --grad --program --cpu --target --arch" ENGINES
              " --seed --tolerance "
              "--float64 --keep --force --json",
       "model", 1, 1, runVerify},
      {"plan", "hocket plan FILE [--schedule NAME [--schedule OTHER]] [--json]",
       "collectives, bytes, memory and flops, before anything runs",
       SOURCE " --grad --target --device" ENGINES " --every-layer --json",
       STAGES, 1, 1, runPlan},
      {"explain", "hocket explain FILE [PATH] [--schedule NAME]",
       "why a value is placed as it is, and what moves it",
       SOURCE " --grad --every-layer --json", "model", 1, 2, runExplain},
      {"draw", "hocket draw FILE [PATH] [--schedule NAME] [--head N] [--svg]",
       "the mask of an attention, which ranks have what of it, and when",
       SOURCE " --head --width --svg -o --force --every-layer", "model, placed",
       1, 2, runDraw},
      {"fmt", "hocket fmt FILE [--write | --check]",
       "print the file in canonical form", "--write --check --resolve " SOURCE,
       "model", 1, 1, runFmt},
      {"import", "hocket import MODULE:CALLABLE|MODEL.pt2 -o FILE [options]",
       "write a PyTorch module, or a file of torch.export.save, as text",
       "--config --input --name --no-check -o --force", "", 1, 1, runImport},
      {"postmortem", "hocket postmortem FOLDER",
       "say which rank of the last run that saved there failed, and where", "",
       "", 1, 1, runPostmortem},
      {"stages", "hocket stages", "list the stages of a compilation", "", "", 0,
       0, runStages},
  };
  return table;
}

static const Command *findCommand(const char *name) {
  for (const Command &command : commands())
    if (std::strcmp(command.name, name) == 0)
      return &command;
  return nullptr;
}

static int unknownCommand(const std::string &name) {
  std::vector<std::string> names;
  for (const Command &command : commands())
    names.push_back(command.name);
  std::cerr << "hocket: error: no command '" << name << "'";
  if (auto near = syntax::nearest(name, names))
    std::cerr << "; did you mean '" << *near << "'?";
  std::cerr << "\nusage: hocket COMMAND ...; `hocket --help` lists commands\n";
  return kUsage;
}

int main(int argc, char **argv) {
  runtime::endCleanlyOnSignals();
  Terminal terminal;
  if (argc < 2) {
    printHelp();
    return finishOutput(kUsage);
  }
  std::string name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    printHelp();
    return finishOutput(kOk);
  }
  if (name == "--version") {
    std::cout << "hocket 0.1, language 1\n";
    return finishOutput(kOk);
  }
  const Command *command = findCommand(argv[1]);
  if (!command)
    return unknownCommand(name);
  if (argc > 2 && (std::strcmp(argv[2], "--help") == 0 ||
                   std::strcmp(argv[2], "-h") == 0)) {
    printHelp(*command);
    return finishOutput(kOk);
  }
  Options options;
  if (!parseOptions(*command, argc - 2, argv + 2, options))
    return kUsage;
  if (!readStandardInput(options.source))
    return kUserError;
  try {
    return finishOutput(command->run(options));
  } catch (const std::bad_alloc &) {
    std::cerr
        << "hocket: error: no memory is left; make dims smaller, or raise "
           "its limit (ulimit -v, or the container's)\n";
    return kRunFailure;
  }
}
