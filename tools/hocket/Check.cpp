//===- Check.cpp - hocket check -------------------------------------------===//
//
// A file is checked as a whole: each of its schedules, and each of its recipes
// under each schedule that is for the recipe's model. What is for the backward
// can be wrong only there.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Terminal.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Plan/Costs.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <iostream>
#include <map>
#include <set>

using namespace hocket;
using namespace hocket::tool;

namespace {
/// What is compiled as one; empty names: one device, no training.
struct Checked {
  std::string schedule, train;
};

/// The schedules and recipes of a file itself, not of its imports, and what
/// they are for.
struct Declared {
  std::vector<std::pair<std::string, std::string>> schedules, recipes;
  std::map<std::string, std::string> baseOf; // of each variant in sight
  bool isGood = false; // else the first check reports what is wrong

  explicit Declared(const CompileSource &source);
  bool fits(const std::string &scheduled, const std::string &trained) const {
    auto base = baseOf.find(trained);
    return scheduled == trained ||
           (base != baseOf.end() && base->second == scheduled);
  }
};
} // namespace

Declared::Declared(const CompileSource &source) {
  syntax::SourceManager sources;
  syntax::DiagnosticEngine diagnostics(sources);
  syntax::Program program = loadProgram(source, sources, diagnostics);
  isGood = !program.files.empty() && !diagnostics.hasErrors();
  for (size_t i = 0; isGood && i < program.files.size(); ++i)
    for (const syntax::DeclPtr &decl : program.files[i]->ast.decls) {
      if (auto *variant = syntax::dynAs<syntax::VariantDecl>(decl))
        baseOf[decl->name.text] = variant->base.text;
      auto *schedule = syntax::dynAs<syntax::ScheduleDecl>(decl);
      auto *train = syntax::dynAs<syntax::TrainDecl>(decl);
      if (i == 0 && schedule)
        schedules.emplace_back(decl->name.text, schedule->model.text);
      if (i == 0 && train)
        recipes.emplace_back(decl->name.text, train->base.text);
    }
}

/// What there is to check where the command line does not choose it.
static std::vector<Checked> listOf(const Options &options) {
  const frontend::ElaborateOptions &chosen = options.source.elaborate;
  std::vector<Checked> list;
  bool choosesModel = !chosen.model.empty() || !chosen.variant.empty();
  if (choosesModel || !options.source.from.empty())
    return {{chosen.schedule, chosen.train}};
  Declared declared(options.source);
  auto isChosen = [](const std::string &name, const std::string &choice) {
    return choice.empty() || name == choice;
  };
  if (chosen.train.empty())
    for (const auto &[name, model] : declared.schedules)
      if (isChosen(name, chosen.schedule))
        list.push_back({name, ""});
  if (chosen.train.empty() && list.empty())
    list.push_back({chosen.schedule, ""});
  bool trains = options.dumpFolder.empty() || !chosen.train.empty();
  for (const auto &[recipe, trained] : declared.recipes) {
    if (!trains || !isChosen(recipe, chosen.train))
      continue;
    size_t before = list.size();
    for (const auto &[name, scheduled] : declared.schedules)
      if (isChosen(name, chosen.schedule) && declared.fits(scheduled, trained))
        list.push_back({name, recipe});
    if (list.size() == before && chosen.schedule.empty())
      list.push_back({"", recipe});
  }
  if (list.empty()) // of an import, or there is none
    list.push_back({chosen.schedule, chosen.train});
  return list;
}

/// `net.hkt: Net, two: 2 ranks, 24 bytes received, 204 bytes memory`: of the
/// rank with the most.
static std::string lineOf(const CompileSource &source, const plan::Plan &plan) {
  plan::Costs most = plan::mostOf(plan::costsByRank(plan));
  int64_t ranks = plan.rankCount();
  std::string text = source.path + ": " + plan.model;
  if (!plan.schedule.empty())
    text += ", " + plan.schedule;
  if (!source.elaborate.train.empty())
    text += ", train " + source.elaborate.train;
  else if (source.elaborate.function != "forward")
    text += ", " + source.elaborate.function;
  return text + ": " + std::to_string(ranks) +
         (ranks == 1 ? " rank, " : " ranks, ") +
         placement::bytesText(most.receivedBytes) + " received, " +
         placement::bytesText(most.memoryBytes) + " memory\n";
}

/// Prints what a good program costs, or adds what is wrong to `text`. Goes as
/// far as the plan, which makes no machine code: what passes compiles.
static bool checkOne(const Options &options, const Checked &checked,
                     std::string &text) {
  llvm::raw_string_ostream found(text);
  Compiler compiler(found);
  std::optional<Progress> progress(std::in_place, "hocket check", compiler);
  compiler.dumpTo(options.dumpFolder);
  compiler.skipReport();
  CompileSource source = options.source;
  source.elaborate.schedule = checked.schedule;
  source.elaborate.train = checked.train;
  auto &defines = source.elaborate.defines;
  if (checked.train.empty()) // what is for recipes finds none here
    defines.erase(std::remove_if(defines.begin(), defines.end(),
                                 [](const frontend::Define &define) {
                                   return define.target == "train";
                                 }),
                  defines.end());
  if (!compiler.load(source))
    return false;
  std::optional<plan::Plan> plan = compiler.makePlan();
  progress.reset();
  if (plan && !options.quiet)
    std::cout << lineOf(source, *plan) << std::flush;
  return plan.has_value();
}

int tool::runCheck(const Options &options) {
  std::vector<Checked> list = listOf(options);
  if (list.size() > 1 && !options.dumpFolder.empty()) {
    std::cerr << "hocket check: error: --dump-stages writes the stages of one "
                 "program, and there are "
              << list.size() << " to check; choose one with --schedule\n";
    return kUsage;
  }
  std::set<std::string> said; // of a model's fault each schedule says the same
  std::set<std::string> refused; // schedules
  for (const Checked &checked : list) {
    std::string text;
    if (refused.count(checked.schedule))
      continue;
    if (!checkOne(options, checked, text)) {
      refused.insert(checked.schedule);
      if (!checked.train.empty() && options.source.elaborate.train.empty())
        text += "note: so it is in training, with --train " + checked.train +
                (checked.schedule.empty() ? ""
                                          : " --schedule " + checked.schedule) +
                "\n";
    }
    if (said.insert(text).second)
      errors() << text;
  }
  return refused.empty() ? kOk : kUserError;
}
