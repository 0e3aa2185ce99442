//===- Options.h - the options of a compiled program -----------*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_OPTIONS_H
#define HOCKET_LIB_LAUNCHER_OPTIONS_H

#include "hocket/Io/NameMap.h"
#include "hocket/Plan/Plan.h"
#include "hocket/Tcp/TcpProcesses.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hocket::runtime {

struct LauncherOptions {
  std::vector<std::string> weights, inputs;
  std::vector<RenameRule> renames; // of names in weights
  std::string output;              // empty: not written
  std::string outputShards;        // a folder; empty: not written
  std::optional<int64_t> shardSize;
  std::optional<uint64_t> randomWeights, randomInput;
  std::optional<int64_t> ranks; // expected number
  // How processes are started.
  std::optional<int64_t> ranksPerNode, node;
  std::optional<MeetingPlace> meet;
  int64_t threads = 0;            // per rank; 0: cores / ranks
  int64_t warmup = 0, repeat = 0; // repeat 0: one step, no times printed
  double deadline = 60;
  std::string sums; // members or nccl; empty: members
  // Of programs that train.
  std::vector<std::string> data;
  std::string tokenType, metrics, checkpoints, resume;
  std::string nan; // stop, skip or ignore; empty: stop
  std::optional<int64_t> steps, saveEvery, keep;
  std::vector<std::string> validationData;
  std::optional<int64_t> validateEvery, validationBatches;
  std::optional<uint64_t> seed;
  bool stats = false;
  std::string statsJson; // file, "-" for standard output, empty for none
  std::string trace;     // file, empty for none
  bool force = false;    // replaces files of other kinds
  bool checkReplicas = false, describe = false, help = false;
};

/// What a program is for.
enum class ProgramKind { Runs, Trains };

/// Reads `arguments`; false with a sentence in `error` for what is no option
/// (naming the nearest one) or none of such a program, has no value or a value
/// that cannot be.
bool parseOptions(const std::vector<std::string> &arguments, ProgramKind kind,
                  LauncherOptions &options, std::string &error);

/// What the recipe says goes where no option was given. With --resume the
/// parameters are the checkpoint's.
void applyRecipe(const plan::Recipe &recipe, LauncherOptions &options);

/// What the recipe says for an option, empty for nothing.
std::string recipeDefault(const plan::Recipe &recipe,
                          const std::string &option);

/// The text of --help; `program` is the name it was called by. The recipe's
/// defaults stand beside its options.
std::string helpText(const std::string &program, ProgramKind kind,
                     const plan::Recipe &recipe = {});

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_OPTIONS_H
