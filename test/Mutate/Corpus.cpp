//===- Corpus.cpp - the texts and dumps that are mutated ------------------===//

#include "Corpus.h"
#include "Judge.h"
#include "hocket/Pipeline/Stages.h"
#include "tools/hocket/Options.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace hocket;
using namespace hocket::mutate;
namespace fs = std::filesystem;

/// Longer ones take long to parse and are mutated where nothing is new.
static constexpr size_t kMostText = 12000, kMostDump = 30000, kMostPlan = 60000;

static std::string readText(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Files that the text names stay where they are.
static std::string withAbsoluteNames(const std::string &text,
                                     const fs::path &folder) {
  std::vector<Piece> pieces = split(text);
  for (Piece &piece : pieces) {
    if (piece.kind != Piece::String || piece.text.size() < 3)
      continue;
    fs::path file = folder / piece.text.substr(1, piece.text.size() - 2);
    std::error_code none;
    if (fs::is_regular_file(file, none))
      piece.text = '"' + fs::absolute(file).lexically_normal().string() + '"';
  }
  return join(pieces);
}

void Corpus::add(const std::string &name, const std::string &text) {
  names.push_back(name);
  texts.push_back(text);
  stock.add(text);
}

Corpus mutate::readTexts(const std::vector<std::string> &folders) {
  std::vector<fs::path> files;
  for (const std::string &folder : folders)
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".hkt" && entry.file_size() <= kMostText)
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Corpus corpus;
  for (const fs::path &file : files)
    corpus.add(file.string(),
               withAbsoluteNames(readText(file), file.parent_path()));
  return corpus;
}

std::vector<std::string> mutate::declared(const std::string &text,
                                          const std::string &kind) {
  std::vector<std::string> names;
  std::vector<Piece> pieces = split(text);
  for (size_t i = 0; i + 1 < pieces.size(); ++i)
    if (pieces[i].text == kind && pieces[i + 1].kind == Piece::Word &&
        (i == 0 || pieces[i].space.find('\n') != std::string::npos))
      names.push_back(pieces[i + 1].text);
  return names;
}

/// The ways to compile a text: on one device, under each schedule, and with
/// each recipe.
static std::vector<tool::Options> waysOf(const std::string &text) {
  std::vector<tool::Options> ways;
  std::vector<std::string> schedules = declared(text, "schedule");
  schedules.push_back("");
  for (const std::string &schedule : schedules) {
    ways.emplace_back();
    ways.back().source.elaborate.schedule = schedule;
    ways.back().source.gradients = ways.size() % 2;
    ways.back().source.elaborate.training = ways.size() % 2;
  }
  for (const std::string &recipe : declared(text, "train"))
    for (const std::string &schedule : schedules) {
      ways.emplace_back();
      ways.back().source.elaborate.schedule = schedule;
      ways.back().source.elaborate.train = recipe;
    }
  if (text.find("layers: int") != std::string::npos)
    for (tool::Options &way : ways)
      way.source.elaborate.defines.push_back({"model", "layers", "1"});
  return ways;
}

std::map<std::string, Corpus> mutate::makeDumps(const Corpus &texts,
                                                const std::string &folder,
                                                bool wantsPlans) {
  std::map<std::string, Corpus> corpora;
  std::string file = folder + "/text.hkt", dumps = folder + "/dumps";
  for (size_t i = 0; i < texts.texts.size(); ++i) {
    std::ofstream(file) << texts.texts[i];
    for (tool::Options &way : waysOf(texts.texts[i])) {
      way.source.path = file;
      fs::remove_all(dumps);
      fs::create_directories(dumps);
      way.emit = wantsPlans ? "plan" : "buffers";
      if (wantsPlans)
        way.output = dumps + "/06.plan.json";
      else
        way.dumpFolder = dumps;
      Outcome outcome =
          runApart([&] { return tool::runCompile(way); }, folder + "/errors");
      if (outcome.signal || outcome.status)
        continue;
      std::string name = texts.names[i] + " " + way.source.elaborate.schedule +
                         " " + way.source.elaborate.train;
      for (const auto &dump : fs::directory_iterator(dumps)) {
        std::string stage = dump.path().stem().extension().string().substr(1);
        if (dump.file_size() <= (wantsPlans ? kMostPlan : kMostDump))
          corpora[stage].add(name, readText(dump.path()));
      }
    }
  }
  return corpora;
}
