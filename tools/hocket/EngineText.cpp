//===- EngineText.cpp - what computes attentions, in words ----------------===//

#include "EngineText.h"
#include "hocket/Cuda/Engines.h"
#include "hocket/Plan/InstructionWords.h"
#include <iostream>
#include <map>

using namespace hocket;
using Json = nlohmann::ordered_json;

namespace {

/// What tells the attentions of a row from others.
struct Row {
  size_t kind; // of instruction
  plan::AttentionEngine engine;
  bool isNondeterministic;
  std::string why; // not by cuDNN

  bool operator<(const Row &other) const {
    return std::tie(kind, engine, isNondeterministic, why) <
           std::tie(other.kind, other.engine, other.isNondeterministic,
                    other.why);
  }
};

/// Calls of a step by row, of the class with the most.
std::map<Row, int64_t> rowsOf(const plan::Plan &plan) {
  std::map<Row, int64_t> most;
  for (const plan::RankClass &rankClass : plan.classes) {
    std::map<Row, int64_t> rows;
    for (const plan::Instruction &one : rankClass.step) {
      auto *attention = std::get_if<plan::Attention>(&one.body);
      auto *gradient = std::get_if<plan::AttentionGrad>(&one.body);
      if (!attention && !gradient)
        continue;
      const plan::Attention &forward =
          attention ? *attention : gradient->forward;
      bool isOwn = forward.engine == plan::AttentionEngine::Own;
      ++rows[{one.body.index(), forward.engine, forward.isNondeterministic,
              isOwn ? runtime::cuda::whyNotDnnOf(one, plan, rankClass) : ""}];
    }
    for (const auto &[row, calls] : rows)
      most[row] = std::max(most[row], calls);
  }
  return most;
}

} // namespace

void tool::printEngines(const plan::Plan &plan) {
  std::map<size_t, std::string> lines; // by kind of instruction
  for (const auto &[row, calls] : rowsOf(plan)) {
    std::string &line = lines[row.kind];
    bool isOwn = row.engine == plan::AttentionEngine::Own;
    line += (line.empty() ? "" : ", ") + std::to_string(calls) + " by " +
            (isOwn ? "own kernels" : "cuDNN") +
            (row.isNondeterministic ? ", nondeterministic" : "") +
            (row.why.empty() ? "" : " (" + row.why + ")");
  }
  for (const auto &[kind, line] : lines)
    std::cout << "    " << plan::instructionWords[kind] << ": " << line << "\n";
}

Json tool::enginesJson(const plan::Plan &plan) {
  Json rows = Json::array();
  for (const auto &[row, calls] : rowsOf(plan)) {
    bool isOwn = row.engine == plan::AttentionEngine::Own;
    rows.push_back({{"op", plan::instructionWords[row.kind]},
                    {"engine", isOwn ? "own" : "cudnn"},
                    {"nondeterministic", row.isNondeterministic},
                    {"calls", calls}});
    if (!row.why.empty())
      rows.back()["why_not_cudnn"] = row.why;
  }
  return rows;
}
