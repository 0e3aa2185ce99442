//===- PrintPath.cpp - what of a stage belongs to a model path ------------===//

#include "hocket/Pipeline/PrintPath.h"
#include "hocket/Placement/PathTree.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <nlohmann/json.hpp>
#include <set>

using namespace mlir;
using namespace hocket;
using placement::PathNode;

/// The path that the operation has, or its location; empty without one.
static StringRef pathOf(Operation *op) {
  if (auto value = dyn_cast<nn::ValueOp>(op))
    return value.getPath();
  if (auto stored = dyn_cast<nn::StoredOp>(op))
    return stored.getStoredName().getValue();
  StringRef path;
  op->getLoc()->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (name && path.empty())
      path = name.getName().getValue();
    return WalkResult::advance();
  });
  return path;
}

/// "  // model.hkt:33:9, schedule.hkt:7:10", each line once.
static std::string linesOf(Location loc) {
  std::vector<std::string> lines;
  loc->walk([&](Location part) {
    if (auto line = dyn_cast<FileLineColLoc>(part)) {
      std::string text = line.getFilename().str() + ":" +
                         std::to_string(line.getLine()) + ":" +
                         std::to_string(line.getColumn());
      if (!llvm::is_contained(lines, text))
        lines.push_back(text);
    }
    return WalkResult::advance();
  });
  return lines.empty() ? "" : "  // " + llvm::join(lines, ", ");
}

namespace {
/// Which paths a pattern means.
class Chosen {
public:
  void add(StringRef path) { tree.insert(path); }
  bool match(StringRef pattern, std::string &why) {
    std::optional<placement::PathQuery> query =
        placement::PathQuery::parse(pattern);
    if (!query) {
      why = "'" + pattern.str() + "' is not a path pattern";
      return false;
    }
    placement::Match match = query->match(tree);
    for (const PathNode *node : match.nodes)
      paths.insert(node->path);
    if (!match.failure)
      return true;
    why = "nothing at this stage belongs to '" + match.failure->written + "'";
    for (const std::string &note : placement::explainFailure(*match.failure))
      why += "\nnote: " + note;
    return false;
  }
  /// Whether it is of these, or of something inside of one.
  bool has(StringRef path) const {
    for (; !path.empty(); path = path.rsplit('.').first) {
      if (paths.count(path.str()))
        return true;
      if (!path.contains('.'))
        return false;
    }
    return false;
  }

private:
  placement::PathTree tree;
  std::set<std::string> paths;
};
} // namespace

std::optional<std::string> hocket::printPath(ModuleOp module, StringRef pattern,
                                             std::string &why) {
  Chosen chosen;
  module.walk([&](Operation *op) {
    if (StringRef path = pathOf(op); !path.empty())
      chosen.add(path);
  });
  if (!chosen.match(pattern, why))
    return std::nullopt;
  OpPrintingFlags flags;
  flags.printNameLocAsPrefix(true);
  AsmState state(module, flags);
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto func : module.getOps<FunctionOpInterface>()) {
    stream << "// @" << func.getName() << "\n";
    for (Operation &op : func.getFunctionBody().getOps())
      if (chosen.has(pathOf(&op))) {
        op.print(stream, state);
        stream << linesOf(op.getLoc()) << "\n";
      }
  }
  return text;
}

static std::string linesOf(const plan::Source &source) {
  std::string text = "  // " + source.path;
  for (const std::string &line : {source.model, source.schedule})
    text += line.empty() ? "" : ", " + line;
  return text;
}

std::optional<std::string>
hocket::printPath(const plan::Plan &plan, StringRef pattern, std::string &why) {
  Chosen chosen;
  for (const plan::Source &source : plan.sources)
    chosen.add(source.path);
  if (!chosen.match(pattern, why))
    return std::nullopt;
  auto json = nlohmann::ordered_json::parse(plan::toJson(plan));
  std::string text;
  for (const auto &ofClass : json["classes"])
    for (const char *list : {"load", "step"}) {
      text += std::string("// ") + list + " of ranks " +
              ofClass["ranks"].dump() + "\n";
      for (const auto &instruction : ofClass[list]) {
        int64_t number = instruction.value("source", int64_t(-1));
        if (number >= 0 && chosen.has(plan.sources[number].path))
          text += instruction.dump() + linesOf(plan.sources[number]) + "\n";
      }
    }
  return text;
}
