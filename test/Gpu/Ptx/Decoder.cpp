//===- Decoder.cpp - how a statement becomes a step -----------------------===//

#include "test/Gpu/Ptx/Decoder.h"
#include <algorithm>

using namespace hocket::ptx;

static const Opcodes &opcodes() {
  static const Opcodes table = [] {
    Opcodes made;
    addMoves(made);
    addIntegers(made);
    addBits(made);
    addCarries(made);
    addFields(made);
    addFloats(made);
    addApproximations(made);
    addComparisons(made);
    addConversions(made);
    addControl(made);
    addBarriers(made);
    addExchanges(made);
    addMatrices(made);
    addAsyncCopies(made);
    addAtomics(made);
    addAccesses(made);
    return made;
  }();
  return table;
}

Decoder::Decoder(const Program &program, const Function &function,
                 Kernel &kernel, const Decoder *caller)
    : program(program), function(function), kernel(kernel), caller(caller) {}

static uint64_t aligned(uint64_t at, uint64_t to) {
  return (at + to - 1) / to * to;
}

void Decoder::lay(const Variable &variable, uint64_t &top,
                  std::vector<Placed> &placed) {
  uint64_t width = bytesOf(variable.type);
  top = aligned(top, std::max(variable.align, width));
  symbols[variable.name] = top;
  placed.push_back({variable.name, top, width * variable.count});
  top += width * variable.count;
}

/// Shared variables of the module lie before those of the kernel; what has no
/// size is the dynamic memory, which begins where the others end.
void Decoder::layModule() {
  std::vector<const Variable *> dynamic;
  for (const auto *list : {&program.module().variables, &function.variables})
    for (const Variable &variable : *list)
      if (variable.space == "shared" && variable.count)
        lay(variable, kernel.sharedBytes, kernel.shared);
      else if (variable.space == "shared")
        dynamic.push_back(&variable);
  uint64_t align = 16;
  for (const Variable *variable : dynamic)
    align = std::max(align, variable->align);
  kernel.sharedBytes = aligned(kernel.sharedBytes, dynamic.empty() ? 1 : align);
  for (const Variable *variable : dynamic)
    lay(*variable, kernel.sharedBytes, kernel.shared);
  ofModule = symbols;
  std::vector<Placed> unused;
  for (const Variable &parameter : function.parameters) {
    lay(parameter, kernel.parameterBytes, unused);
    kernel.parameters[parameter.name] = unused.back().offset;
  }
}

void Decoder::layVariables() {
  if (caller)
    symbols = ofModule = caller->ofModule;
  else
    layModule();
  for (const Variable &variable : function.variables) {
    if (variable.space == "local" || variable.space == "param")
      lay(variable, kernel.localBytes, kernel.local);
    else if (caller)
      hocket::ptx::refuse(kernel.file, variable.line,
                          "shared variables of a function that is called are "
                          "not supported");
    if (variable.space == "param")
      ofCalls[variable.name] = symbols[variable.name];
  }
  for (const auto &[name, offset] : ofCalls) // parameters of a callee too
    symbols[name] = offset;
}

Slot Decoder::allocate(unsigned bytes) {
  Slot slot = kernel.registerBytes;
  kernel.registerBytes += 32 + lanesOfWarp * bytes;
  kernel.registers.push_back(slot);
  return slot;
}

void Decoder::declareRegisters() {
  for (const auto &[name, type] : function.registers) {
    unsigned bytes = type == "pred" ? 0 : bytesOf(type);
    registers[name] = {allocate(bytes), bytes};
  }
}

void Decoder::run() {
  layVariables();
  declareRegisters();
  for (const Statement &statement : function.body) {
    stepsOf.push_back(kernel.steps.size());
    decode(statement);
  }
  stepsOf.push_back(kernel.steps.size());
  resolveLabels();
  if (caller)
    return;
  if (kernel.steps.size() > 0xffff)
    throw PtxError(kernel.file + ": '" + kernel.name +
                   "' has more instructions than 65,535");
  for (size_t i = 0; i < kernel.steps.size(); ++i)
    kernel.steps[i].operands = &kernel.operands[kernel.firstOperands[i]];
}

void Decoder::resolveLabels() {
  for (uint32_t branch : branches)
    kernel.steps[branch].target = stepsOf[kernel.steps[branch].target];
  for (uint32_t table : tables)
    for (uint32_t &target : kernel.tables[table])
      target = stepsOf[target];
}

void Decoder::decode(const Statement &statement) {
  now = &statement;
  left = statement.modifiers;
  step = Step();
  step.index = kernel.steps.size();
  branchesNow = false;
  kernel.firstOperands.push_back(kernel.operands.size());
  if (!statement.guard.empty()) {
    auto found = registers.find(statement.guard);
    if (found == registers.end() || found->second.second != 0)
      refuse("'" + statement.guard + "' is no predicate");
    step.isGuarded = true;
    step.guardNegated = statement.guardNegated;
    step.guard = found->second.first;
  }
  auto found = opcodes().find(statement.opcode);
  if (found == opcodes().end())
    refuse("the instruction is not supported");
  found->second(*this);
  if (!left.empty())
    refuse("'." + left.front() + "' is not supported here");
  if (step.run)
    add();
}

void Decoder::add() {
  kernel.operands.push_back(0); // so that each step has an address
  if (branchesNow)
    branches.push_back(step.index);
  kernel.steps.push_back(step);
  kernel.statements.push_back(now);
}

void Decoder::refuse(const std::string &why) const {
  hocket::ptx::refuse(kernel.file, now->line, now->text + ": " + why);
}

const Operand &Decoder::operand(size_t i) const {
  if (i >= now->operands.size())
    refuse("operand " + std::to_string(i + 1) + " is missing");
  return now->operands[i];
}

bool Decoder::take(const std::string &modifier) {
  auto found = std::find(left.begin(), left.end(), modifier);
  if (found == left.end())
    return false;
  left.erase(found);
  return true;
}

unsigned Decoder::takeOne(std::initializer_list<const char *> choices) {
  unsigned i = 0;
  std::string list;
  for (const char *choice : choices) {
    if (take(choice))
      return i;
    ++i;
    list += std::string(list.empty() ? "." : ", .") + choice;
  }
  refuse("expected one of " + list);
}

std::string Decoder::takeType() {
  for (const std::string &modifier : left)
    if (bytesOf(modifier)) {
      std::string type = modifier;
      take(type);
      return type;
    }
  refuse("a type is missing");
}

uint32_t Decoder::label(const std::string &name) {
  auto found = function.labels.find(name);
  if (found == function.labels.end())
    refuse("no label is called '" + name + "'");
  branchesNow = true;
  return found->second;
}

uint32_t Decoder::end() {
  branchesNow = true;
  return function.body.size();
}

uint32_t Decoder::table(const std::string &name) {
  auto found = function.targets.find(name);
  if (found == function.targets.end())
    refuse("no list of targets is called '" + name + "'");
  std::vector<uint32_t> targets;
  for (const std::string &target : found->second)
    targets.push_back(label(target));
  branchesNow = false;
  tables.push_back(kernel.tables.size());
  kernel.tables.push_back(targets);
  return kernel.tables.size() - 1;
}

/// The callee's names of its parameters mean the caller's variables.
void Decoder::bind(const std::vector<Variable> &names, const Operand *values,
                   Decoder &callee) {
  size_t count = values ? values->parts.size() : 0;
  if (count != names.size())
    refuse("the function takes or gives " + std::to_string(names.size()) +
           " values here, not " + std::to_string(count));
  for (size_t i = 0; i < count; ++i) {
    if (!isOfCall(values->parts[i].name))
      refuse("'" + values->parts[i].name + "' is no variable of .param");
    callee.ofCalls[names[i].name] = ofCalls[values->parts[i].name];
  }
}

void Decoder::call(const std::string &name, const Operand *results,
                   const Operand *arguments) {
  auto found = program.module().functions.find(name);
  if (found == program.module().functions.end())
    refuse("no function '" + name + "' is defined");
  for (const Decoder *at = this; at; at = at->caller)
    if (&at->function == &found->second)
      refuse("'" + name + "' calls itself, which is not supported");
  Decoder callee(program, found->second, kernel, this);
  bind(found->second.results, results, callee);
  bind(found->second.parameters, arguments, callee);
  add(); // the call, which a guard skips
  uint32_t skip = step.index;
  callee.run();
  kernel.steps[skip].target = kernel.steps.size();
  step.run = nullptr;
}
