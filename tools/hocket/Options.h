//===- Options.h - the command line of hocket ------------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_OPTIONS_H
#define HOCKET_TOOLS_HOCKET_OPTIONS_H

#include "hocket/Pipeline/Compiler.h"
#include <optional>
#include <string>
#include <vector>

namespace hocket::tool {

/// Exit statuses of all commands.
enum Exit { kOk = 0, kUserError = 1, kUsage = 2, kRunFailure = 3 };

struct Options {
  CompileSource source;
  std::vector<std::string> positional; // after FILE
  std::string output;                  // -o
  std::string program;                 // --program
  std::string keep;                    // --keep
  std::string emit, dumpFolder, cpu = "native";
  bool isShared = false;                     // --emit shared
  std::vector<int> chips;                    // of --arch: 90 is sm_90
  std::vector<std::string> programArguments; // after `--`, and run's own
  std::vector<std::string> importArguments;  // of `import`, for its Python
  uint64_t seed = 1;
  std::optional<double> tolerance; // by the model's types
  bool float64 = false;            // float32 is computed so
  int64_t ranksThreads = 0;
  bool force = false; // replaces files of other kinds
  /// The second --schedule, of `plan`.
  std::optional<std::string> otherSchedule;
  /// A described GPU, of `plan`.
  std::optional<std::string> device;
  bool hasSchedule = false, everyLayer = false;
  bool choosesEngines = false; // --attention, --nondeterministic
  bool json = false, quiet = false, write = false, check = false,
       resolve = false;
  int64_t head = 0;             // of `draw`
  std::optional<int64_t> width; // of `draw`: blocks across
  bool svg = false;
};

struct Command {
  const char *name;
  const char *usage;   // "hocket check FILE [options]"
  const char *summary; // one sentence, for the list of commands
  const char *options; // names of the options it takes, separated by spaces
  const char *from;    // the stages that --from may name
  int minPositional, maxPositional; // with FILE
  int (*run)(const Options &options);
};

const std::vector<Command> &commands();

/// Reads the words after the command. False after a printed usage error.
bool parseOptions(const Command &command, int argc, char **argv,
                  Options &options);

/// Help of one command, or of all.
void printHelp(const Command &command);
void printHelp();

/// Writes to a file or, for "" and "-", to standard output; after an error,
/// which is printed, another status than kOk.
int writeText(const std::string &path, const std::string &text);
/// Says what hinders, if not all of standard output was written: `status`, or
/// a failure.
int finishOutput(int status);
/// Puts all of standard input into `source` as its text where its path is -.
/// False after a printed error.
bool readStandardInput(CompileSource &source);

int runCheck(const Options &options);
int runCompile(const Options &options);
int runRun(const Options &options);
int runVerify(const Options &options);
int runPlan(const Options &options);
int runExplain(const Options &options);
int runDraw(const Options &options);
int runFmt(const Options &options);
int runStages(const Options &options);
int runPostmortem(const Options &options);
int runImport(const Options &options);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_OPTIONS_H
