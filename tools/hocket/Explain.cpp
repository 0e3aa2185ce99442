//===- Explain.cpp - hocket explain ---------------------------------------===//

#include "EqualLayers.h"
#include "Options.h"
#include "Terminal.h"
#include "hocket/Placement/PathTree.h"
#include <iostream>
#include <nlohmann/json.hpp>

using namespace hocket;
using namespace hocket::tool;
using Json = nlohmann::ordered_json;

static Json toJson(const placement::ExplainedValue &value) {
  auto axes = [](const std::vector<placement::ExplainedAxis> &list) {
    Json result = Json::array();
    for (const placement::ExplainedAxis &axis : list)
      result.push_back({{"axis", axis.axis},
                        {"placement", axis.placement},
                        {"sizes", axis.sizes},
                        {"cause", axis.cause},
                        {"through", axis.through}});
    return result;
  };
  return {{"path", value.path},
          {"role", value.role},
          {"type", value.type},
          {"in", axes(value.in)},
          {"out", axes(value.out)}};
}

/// ".grad" or ".again" at the end of a path, or nothing.
static std::string suffixOf(const std::string &path) {
  for (std::string suffix : {".grad", ".again"})
    if (path.size() > suffix.size() &&
        path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0)
      return suffix;
  return "";
}

static std::string withoutSuffix(const std::string &path) {
  return path.substr(0, path.size() - suffixOf(path).size());
}

using Values = std::vector<placement::ExplainedValue>;

/// Those at or below what `written`, a path or a pattern, matches; with a
/// suffix only what has the same one. Empty after a printed error.
static Values choose(const Values &values, const std::string &written) {
  std::string suffix = suffixOf(written), stem = withoutSuffix(written);
  placement::PathTree tree;
  std::vector<std::string> paths;
  for (const placement::ExplainedValue &value : values) {
    tree.insert(withoutSuffix(value.path));
    paths.push_back(value.path);
  }
  auto query = placement::PathQuery::parse(stem);
  placement::Match match;
  if (query)
    match = query->match(tree);
  Values chosen;
  for (const placement::ExplainedValue &value : values) {
    if (!suffix.empty() && suffixOf(value.path) != suffix)
      continue;
    std::string path = withoutSuffix(value.path);
    for (placement::PathNode *node : match.nodes)
      if (path == node->path || path.rfind(node->path + ".", 0) == 0) {
        chosen.push_back(value);
        break;
      }
  }
  if (!chosen.empty())
    return chosen;
  if (!match.nodes.empty() && suffix == ".grad")
    std::cerr << "error: '" << stem << "' has no gradient";
  else if (!match.nodes.empty())
    std::cerr << "error: the backward gathers and computes nothing of '" << stem
              << "' again";
  else
    std::cerr << "error: no value '" << written << "' in the model";
  if (auto near = syntax::nearest(written, paths); near && match.nodes.empty())
    std::cerr << "; did you mean '" << *near << "'?";
  std::cerr << "\n";
  return {};
}

/// `text`, what is said of `path`, with the numbers of other layers counted
/// from its own, so that equal layers have equal texts.
static std::string relativeText(const std::string &path, std::string text) {
  for (size_t end = path.size(); end != std::string::npos && end > 0;) {
    size_t dot = path.rfind('.', end - 1);
    size_t begin = dot == std::string::npos ? 0 : dot + 1;
    std::string word = path.substr(begin, end - begin);
    end = dot == std::string::npos ? 0 : dot;
    if (begin == 0 || word.size() > 9 ||
        word.find_first_not_of("0123456789") != std::string::npos)
      continue;
    std::string stem = path.substr(0, begin); // "h."
    for (size_t at = 0; (at = text.find(stem, at)) != std::string::npos;) {
      size_t from = at + stem.size(), to = from;
      while (to < text.size() && to < from + 9 && isdigit(text[to]))
        ++to;
      at = to;
      if (to == from)
        continue;
      std::string offset =
          "#" + std::to_string(std::stoll(text.substr(from, to - from)) -
                               std::stoll(word));
      text.replace(from, to - from, offset);
      at = from + offset.size();
    }
  }
  return text;
}

static void print(const Values &values, bool everyLayer) {
  std::vector<PathEntry> entries;
  for (placement::ExplainedValue value : values) {
    for (auto *axes : {&value.in, &value.out})
      for (placement::ExplainedAxis &axis : *axes)
        axis.through.clear();
    std::string text = placement::render(value);
    text = text.substr(value.path.size());
    entries.push_back({value.path, relativeText(value.path, text)});
  }
  if (everyLayer) {
    for (const placement::ExplainedValue &value : values)
      std::cout << placement::render(value);
    return;
  }
  for (const PathGroup &group : groupEqualLayers(entries)) {
    std::cout << placement::render(values[group.entries.front()]);
    if (!group.layers.empty())
      std::cout << "  alike in " << group.layers << "\n";
  }
}

int tool::runExplain(const Options &options) {
  const std::string path =
      options.positional.empty() ? "" : options.positional[0];
  CompileSource source = options.source;
  if (!suffixOf(path).empty() && source.elaborate.train.empty())
    source.gradients = source.elaborate.training = true;
  Compiler compiler(errors());
  if (!compiler.load(source) || !compiler.runTo("placed"))
    return kUserError;
  Values values = compiler.placement().values;
  if (source.gradients || !source.elaborate.train.empty()) {
    if (!compiler.runTo("differentiated"))
      return kUserError;
    Values more = placement::explainBackward(compiler.module(), values);
    values.insert(values.end(), more.begin(), more.end());
  }
  if (!path.empty())
    values = choose(values, path);
  if (values.empty())
    return kUserError;
  if (options.json) {
    Json found = Json::array();
    for (const placement::ExplainedValue &value : values)
      found.push_back(toJson(value));
    std::cout << found.dump(1) << "\n";
  } else {
    print(values, options.everyLayer);
  }
  return kOk;
}
