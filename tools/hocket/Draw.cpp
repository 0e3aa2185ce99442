//===- Draw.cpp - hocket draw ---------------------------------------------===//

#include "EqualLayers.h"
#include "Options.h"
#include "Terminal.h"
#include "hocket/Drawing/Picture.h"
#include "hocket/Drawing/ReadAttention.h"
#include "hocket/Io/OutputFiles.h"
#include "hocket/Placement/PathTree.h"
#include <iostream>

using namespace hocket;
using namespace hocket::tool;
using drawing::Attention;

/// Those that are alike in all except their layer, shown by the first one.
struct Alike {
  const Attention *first;
  std::string layers; // "h.0 to h.11"; empty of one
};

static std::vector<Alike> alikeOf(const std::vector<Attention> &attentions,
                                  const Options &options) {
  std::vector<PathEntry> entries;
  for (Attention attention : attentions) {
    std::string path = attention.name();
    attention.path = attention.place = "";
    std::string text;
    if (!options.everyLayer && options.head < attention.heads)
      text =
          drawing::textOf(attention, options.head, options.width.value_or(32));
    else
      text = std::to_string(entries.size());
    entries.push_back({path, text});
  }
  std::vector<Alike> found;
  for (const PathGroup &group : groupEqualLayers(entries))
    found.push_back({&attentions[group.entries.front()], group.layers});
  return found;
}

/// "h.*.attn, h.0 to h.11 and pooling": what there is to draw.
static std::string listed(const std::vector<Attention> &attentions) {
  std::vector<PathEntry> entries;
  for (const Attention &attention : attentions)
    entries.push_back({attention.name(), ""});
  std::string text;
  constexpr size_t most = 5;
  std::vector<PathGroup> groups = groupEqualLayers(entries);
  for (size_t i = 0; i < std::min(groups.size(), most); ++i)
    text += (i ? ", " : "") + groups[i].path +
            (groups[i].layers.empty() ? "" : " (" + groups[i].layers + ")");
  if (groups.size() > most)
    text += " and " + std::to_string(groups.size() - most) + " more";
  return text;
}

/// What the model has besides, so that one can say that it is no attention.
static bool isInModel(Compiler &compiler, const placement::PathQuery &query) {
  bool isThere = false;
  compiler.module().walk([&](nn::FuncOp func) {
    isThere |= !query.match(placement::PathTree(func)).nodes.empty();
  });
  return isThere;
}

/// Those at or below what `written`, a path or a pattern, matches. Empty after
/// a printed error.
static std::vector<Attention> choose(const std::vector<Attention> &all,
                                     const std::string &written,
                                     Compiler &compiler) {
  auto query = placement::PathQuery::parse(written);
  if (!query) {
    std::cerr << "error: '" << written << "' is neither a path nor a pattern\n";
    return {};
  }
  placement::PathTree tree;
  std::vector<std::string> paths;
  for (const Attention &attention : all) {
    tree.insert(attention.path);
    paths.push_back(attention.path);
  }
  std::vector<Attention> chosen;
  placement::Match match = query->match(tree);
  for (const Attention &attention : all)
    for (placement::PathNode *node : match.nodes)
      if (attention.path == node->path ||
          attention.path.rfind(node->path + ".", 0) == 0) {
        chosen.push_back(attention);
        break;
      }
  if (!chosen.empty())
    return chosen;
  if (isInModel(compiler, *query)) {
    std::cerr << "error: '" << written
              << "' is no attention, and has none in it";
  } else {
    std::cerr << "error: no attention '" << written << "' in the model";
    if (auto near = syntax::nearest(written, paths))
      std::cerr << "; did you mean '" << *near << "'?";
  }
  std::cerr << "\nnote: there is: " << listed(all) << "\n";
  return {};
}

/// Whether all of them have the head; else an error.
static bool checkHead(const std::vector<Attention> &attentions, int64_t head) {
  for (const Attention &attention : attentions)
    if (head >= attention.heads) {
      std::cerr << "error: there is no head " << head << " in '"
                << attention.name() << "', which has heads 0 to "
                << attention.heads - 1 << "\n";
      return false;
    }
  return true;
}

static bool checkOutput(const Options &options) {
  if (options.output.empty() || options.output == "-")
    return true;
  runtime::Status status =
      runtime::checkOutputs({{"output '" + options.output + "'", options.output,
                              runtime::OutputKind::Drawing}},
                            options.force);
  if (!status.ok())
    std::cerr << "error: " << status.message << "\n";
  return status.ok();
}

static int drawImage(const std::vector<Alike> &alike, const Options &options) {
  if (alike.size() > 1) {
    std::cerr << "error: an image shows one attention, and here are "
              << alike.size() << " that differ; name one, '"
              << alike.front().first->name() << "' say\n";
    return kUserError;
  }
  return writeText(options.output,
                   drawing::svgOf(*alike.front().first, options.head,
                                  options.width.value_or(128)));
}

int tool::runDraw(const Options &options) {
  Compiler compiler(errors());
  Progress progress("hocket draw", compiler);
  compiler.skipReport();
  if (!compiler.load(options.source) || !checkOutput(options) ||
      !compiler.runTo("placed"))
    return kUserError;
  std::vector<Attention> attentions = drawing::attentionsOf(compiler.module());
  if (attentions.empty()) {
    std::cerr << "error: the model has no attention to draw\n";
    return kUserError;
  }
  if (!options.positional.empty())
    attentions = choose(attentions, options.positional[0], compiler);
  if (attentions.empty() || !checkHead(attentions, options.head))
    return kUserError;
  std::vector<Alike> alike = alikeOf(attentions, options);
  if (options.svg)
    return drawImage(alike, options);
  std::string text;
  for (const Alike &one : alike) {
    text += text.empty() ? "" : "\n";
    text +=
        drawing::textOf(*one.first, options.head, options.width.value_or(32));
    if (!one.layers.empty())
      text += "\nalike in " + one.layers + "\n";
  }
  return writeText(options.output, text);
}
