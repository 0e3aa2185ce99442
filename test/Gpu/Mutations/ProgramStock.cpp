//===- ProgramStock.cpp - mutants of whole programs -----------------------===//

#include "test/Gpu/Mutations/Stock.h"
#include "test/Gpu/Ptx/LineList.h"
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace hocket::mutations {

using test::ProgramCase;
using test::ProgramRun;

/// As strict as look-alikes can be, and an order of streams.
static std::map<std::string, std::string> strict(int order) {
  return {{"HOCKET_LOOKALIKE_UNDEFINED", "1"},
          {"HOCKET_LOOKALIKE_THREADS", "1"},
          {"HOCKET_LOOKALIKE_SEED", std::to_string(order)}};
}

ProgramStock::ProgramStock(const std::string &folder,
                           const std::set<std::string> &names)
    : programs(folder) {
  for (const ProgramCase &one : test::programCases()) {
    if (!names.empty() && !names.count(one.name))
      continue;
    Program &program = known[one.name];
    program.tolerance = one.tolerance;
    program.plain = programs.run(one.name, strict(0));
    ProgramRun again = programs.run(one.name, strict(1));
    for (const ProgramRun *run : {&program.plain, &again})
      if (run->status || !run->findings.empty() ||
          run->output != program.plain.output)
        throw std::runtime_error(
            std::string(one.name) + " fails without a mutation: " +
            (run->findings.empty() ? run->errors : run->findings[0]));
    if (!one.isOneProcess())
      continue;
    program.code = programs.code(one.name);
    program.lines = programs.lines(one.name);
    // The runtime's own kernels are in other libraries.
    for (auto kernel = program.lines.begin(); kernel != program.lines.end();)
      if (program.code.find(".entry " + kernel->first + "(") ==
          std::string::npos)
        kernel = program.lines.erase(kernel);
      else
        ++kernel;
  }
  if (known.size() < std::max<size_t>(names.size(), 1))
    throw std::runtime_error("a program that is asked for does not exist");
}

/// Given up for the time that has passed, which a busy machine may have taken.
static bool isByTheClock(const Outcome &outcome) {
  return outcome.verdict == Verdict::NoEnd ||
         outcome.detail.find("waited ") != std::string::npos;
}

/// Runs the program with the fault; a call's, where all is equal, in another
/// order too.
void ProgramStock::judgeFault(const std::string &program,
                              const std::string &fault,
                              const std::string &scratch,
                              Outcome &outcome) const {
  const int orders = outcome.family == "host call" ? 2 : 1;
  for (int order = 0; order < orders; ++order) {
    std::map<std::string, std::string> variables = strict(order);
    variables["HOCKET_INJECT"] = fault;
    for (int again = 0; again == 0 || (again == 1 && isByTheClock(outcome));
         ++again) {
      ProgramRun run = programs.runIn(scratch, program, variables);
      judge(run, known.at(program).plain, known.at(program).tolerance, outcome);
      outcome.seconds += run.seconds;
    }
    if (order == 1 && outcome.verdict == Verdict::NotLive)
      outcome.verdict = Verdict::Equal; // as many polls as time allows
    if (outcome.verdict != Verdict::Equal)
      return;
  }
}

void ProgramStock::runGenerated(Rng &rng, const std::string &scratch,
                                Outcome &outcome) const {
  std::vector<std::string> names;
  for (const auto &[name, program] : known)
    if (!program.lines.empty())
      names.push_back(name);
  const std::string &name = rng.oneOf(names);
  const Program &program = known.at(name);
  auto kernel = program.lines.begin();
  std::advance(kernel, rng.below(program.lines.size()));
  std::optional<PtxMutation> made =
      PtxMutator(program.code, kernel->first, kernel->second).draw(rng);
  if (!made)
    return;
  outcome.target = name + " " + kernel->first;
  outcome.kind = made->kind;
  outcome.where = ptx::toText(made->lines);
  outcome.before = made->before;
  outcome.after = made->after;
  std::filesystem::create_directories(scratch);
  std::string file = scratch + "/mutant.ptx";
  std::ofstream(file) << made->text;
  judgeFault(name, "cuLibraryLoadData:1=code " + file, scratch, outcome);
}

void ProgramStock::runCall(Rng &rng, const std::string &scratch,
                           Outcome &outcome) const {
  auto program = known.begin();
  std::advance(program, rng.below(known.size()));
  std::optional<CallMutation> made =
      CallMutator(program->second.plain.calls).draw(rng);
  if (!made)
    return;
  outcome.target = program->first;
  outcome.kind = made->kind;
  outcome.where = made->fault;
  outcome.after = made->call;
  judgeFault(program->first, made->fault, scratch, outcome);
}

} // namespace hocket::mutations
