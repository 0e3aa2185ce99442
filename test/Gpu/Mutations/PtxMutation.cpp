//===- PtxMutation.cpp - one random change of PTX -------------------------===//

#include "test/Gpu/Mutations/PtxMutation.h"
#include <algorithm>
#include <sstream>

namespace hocket::mutations {

const std::vector<PtxKind> &ptxKinds() {
  static const std::vector<PtxKind> kinds = {
      {"instruction left out", leaveOut},
      {"instruction exchanged with the next", exchangeWithNext},
      {"barrier left out", leaveOutBarrier},
      {"barrier moved", moveBarrier},
      {"wait for copies", changeWait},
      {"guard", changeGuard},
      {"target of a branch", changeTarget},
      {"source register", changeSource},
      {"destination register", changeDestination},
      {"operands exchanged", exchangeOperands},
      {"constant", changeConstant},
      {"address", changeAddress},
      {"parameter", changeParameter},
      {"special register", changeSpecial},
      {"elements of a vector exchanged", exchangeElements},
      {"fragments exchanged", exchangeFragments},
      {"shared memory smaller", shrinkShared},
      {"operator", changeOperator},
      {"comparison", changeComparison},
      {"sign of a type", changeSign},
      {"64 bits become 32", changeWidth},
      {"rounding", changeRounding},
      {"space or cache", changeSpace},
      {"type of elements", changeElementType},
      {"layout of a fragment", changeLayout},
      {"exchange between lanes", changeExchange},
      {"atomic", changeAtomic},
  };
  return kinds;
}

bool Draft::write() {
  std::string was = readPtxLine(lines[at])->text(), text = line.text();
  if (text != was) // white space apart
    lines[at] = text;
  return text != was;
}

std::string Draft::otherRegister(const std::string &than) const {
  std::vector<std::string> choices;
  auto add = [&](const std::string &name) {
    if (name != than && prefixOf(name) == prefixOf(than))
      choices.push_back(name);
  };
  const size_t near = 12;
  if (rng.chance(0.5))
    for (size_t i = std::max(at, near + around.begin) - near;
         i < std::min(at + near, around.end); ++i)
      if (ran.count(i + 1))
        if (std::optional<PtxLine> other = readPtxLine(lines[i]))
          for (const std::string &operand : other->operands)
            for (const std::string &name : registersIn(operand))
              add(name);
  auto all = around.registers.find(prefixOf(than));
  if (choices.empty() && all != around.registers.end())
    for (const std::string &name : all->second)
      add(name);
  return choices.empty() ? than : rng.oneOf(choices);
}

static bool isBlank(const std::string &line) {
  size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

std::optional<size_t> Draft::neighbour(size_t of, int by) const {
  for (size_t i = of + by; i >= around.begin && i < around.end; i += by) {
    if (readPtxLine(lines[i]))
      return i;
    if (!isBlank(lines[i]))
      return std::nullopt;
  }
  return std::nullopt;
}

static std::string trimmed(const std::string &line) {
  size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos)
    return "";
  std::string text =
      line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

static std::string nameOfParameter(const std::string &line) {
  size_t end = line.find_last_not_of(" \t,");
  size_t bracket = line.rfind('[', end);
  if (bracket != std::string::npos)
    end = bracket - 1;
  size_t begin = line.find_last_of(" \t", end);
  return line.substr(begin + 1, end - begin);
}

PtxMutator::PtxMutator(const std::string &text, const std::string &entry,
                       std::set<unsigned> ran)
    : ran(std::move(ran)) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  const std::string begin = ".entry " + entry + "(";
  while (around.begin < lines.size() &&
         lines[around.begin].find(begin) == std::string::npos)
    ++around.begin;
  around.end = std::min(around.begin + 1, lines.size());
  while (around.end < lines.size() &&
         lines[around.end].find(".entry ") == std::string::npos &&
         lines[around.end].find(".func ") == std::string::npos)
    ++around.end;
  std::map<std::string, std::set<std::string>> registers;
  for (size_t i = around.begin; i < around.end; ++i) {
    std::string line = trimmed(lines[i]);
    if (line.rfind(".param ", 0) == 0)
      around.parameters.push_back(nameOfParameter(line));
    if (!line.empty() && line.back() == ':')
      around.labels.push_back(line.substr(0, line.size() - 1));
    std::optional<PtxLine> read = readPtxLine(lines[i]);
    if (!read || !this->ran.count(i + 1))
      continue;
    candidates.push_back(i);
    for (const std::string &operand : read->operands)
      for (const std::string &name : registersIn(operand))
        registers[prefixOf(name)].insert(name);
  }
  for (const auto &[prefix, names] : registers)
    around.registers[prefix] = {names.begin(), names.end()};
}

std::optional<PtxMutation> PtxMutator::draw(const PtxKind &kind,
                                            Rng &rng) const {
  // A line is tried more than once: what is drawn for it may change nothing.
  std::vector<size_t> order;
  for (int round = 0; round < 4; ++round) {
    std::vector<size_t> shuffled = candidates;
    rng.shuffle(shuffled);
    order.insert(order.end(), shuffled.begin(), shuffled.end());
  }
  std::vector<std::string> changed = lines;
  for (size_t at : order) {
    Draft draft{changed, at, *readPtxLine(lines[at]), ran, around, rng};
    if (!kind.change(draft))
      continue;
    PtxMutation made;
    made.kind = kind.name;
    for (size_t i = 0; i < lines.size(); ++i) {
      made.text += changed[i] + "\n";
      if (changed[i] == lines[i])
        continue;
      std::string joint = made.lines.empty() ? "" : " | ";
      made.before += joint + trimmed(lines[i]);
      made.after += joint + trimmed(changed[i]);
      made.lines.insert(static_cast<unsigned>(i + 1));
    }
    if (!made.lines.empty())
      return made;
  }
  return std::nullopt;
}

std::optional<PtxMutation> PtxMutator::draw(Rng &rng) const {
  std::vector<PtxKind> kinds = ptxKinds();
  rng.shuffle(kinds);
  for (const PtxKind &kind : kinds)
    if (std::optional<PtxMutation> made = draw(kind, rng))
      return made;
  return std::nullopt;
}

} // namespace hocket::mutations
