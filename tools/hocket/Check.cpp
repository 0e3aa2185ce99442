//===- Check.cpp - hocket check -------------------------------------------===//
//
// A file is checked as a whole: each of its schedules, and each of its recipes
// under each schedule that is for the recipe's model. What is for the backward
// can be wrong only there.
//
//===----------------------------------------------------------------------===//

#include "CheckJson.h"
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

/// `net.hkt: Net, two: 2 ranks, 24 bytes received, 204 bytes memory`.
static std::string lineOf(const std::string &file, const Finding &good) {
  std::string text = file + ": " + good.model;
  if (!good.checked.schedule.empty())
    text += ", " + good.checked.schedule;
  if (!good.checked.train.empty())
    text += ", train " + good.checked.train;
  else if (good.function == "loss")
    text += ", " + good.function;
  return text + ": " + std::to_string(good.ranks) +
         (good.ranks == 1 ? " rank, " : " ranks, ") +
         placement::bytesText(good.costs.receivedBytes) + " received, " +
         (good.costs.hookBytes
              ? placement::bytesText(good.costs.hookBytes) + " by hooks, "
              : "") +
         placement::bytesText(good.costs.memoryBytes) + " memory\n";
}

/// Goes as far as the plan, which makes no machine code: what passes compiles.
static Finding checkOne(const Options &options, const Checked &checked) {
  Finding finding;
  finding.checked = checked;
  llvm::raw_string_ostream found(finding.text);
  Compiler compiler(found);
  Progress progress("hocket check", compiler);
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
  std::optional<plan::Plan> plan;
  if (compiler.load(source))
    plan = compiler.makePlan();
  finding.messages = compiler.messages();
  finding.isGood = plan.has_value();
  if (!plan)
    return finding;
  finding.model = plan->model;
  finding.checked.schedule = plan->schedule; // of a dump its own
  if (source.from.empty())
    finding.function =
        checked.train.empty() ? source.elaborate.function : "loss";
  finding.ranks = plan->rankCount();
  finding.costs = plan::mostOf(plan::costsByRank(*plan));
  return finding;
}

/// A mistake that shows only in the backward may be of no line of a recipe.
static std::string inTraining(const Checked &checked) {
  return "so it is in training, with --train " + checked.train +
         (checked.schedule.empty() ? "" : " --schedule " + checked.schedule);
}

/// Prints findings as they come, each text once.
class Printer {
public:
  explicit Printer(const Options &options) : options(options) {}

  void add(const Finding &finding) {
    if (finding.isGood && !options.quiet && !options.json)
      std::cout << lineOf(options.source.path, finding) << std::flush;
    if (options.json)
      findings.push_back(finding);
    else if (said.insert(finding.text).second)
      errors() << finding.text;
  }
  void finish() const {
    if (options.json)
      std::cout << checkJson(options.source.path, findings)
                       .dump(1, ' ', false, Json::error_handler_t::replace)
                << "\n";
  }

private:
  using Json = nlohmann::ordered_json;
  const Options &options;
  std::vector<Finding> findings;
  std::set<std::string> said; // of a model's fault each schedule says the same
};

int tool::runCheck(const Options &options) {
  std::vector<Checked> list = listOf(options);
  if (list.size() > 1 && !options.dumpFolder.empty()) {
    std::cerr << "hocket check: error: --dump-stages writes the stages of one "
                 "program, and there are "
              << list.size() << " to check; choose one with --schedule\n";
    return kUsage;
  }
  Printer printer(options);
  std::set<std::string> refused; // schedules
  for (const Checked &checked : list) {
    if (refused.count(checked.schedule))
      continue;
    Finding finding = checkOne(options, checked);
    if (!finding.isGood) {
      refused.insert(checked.schedule);
      if (!checked.train.empty() && options.source.elaborate.train.empty())
        finding.text += "note: " + inTraining(checked) + "\n";
    }
    printer.add(finding);
  }
  printer.finish();
  return refused.empty() ? kOk : kUserError;
}
