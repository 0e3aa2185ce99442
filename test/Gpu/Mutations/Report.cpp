//===- Report.cpp - tables of what came of mutations ----------------------===//

#include "test/Gpu/Mutations/Campaign.h"
#include <algorithm>
#include <sstream>

namespace hocket::mutations {

namespace {

const Verdict columns[] = {Verdict::Found,   Verdict::Refused, Verdict::Numbers,
                           Verdict::NoEnd,   Verdict::Crashed, Verdict::Equal,
                           Verdict::Survived};

using Row = std::map<Verdict, int>;

int sumOf(const Row &row) {
  int sum = 0;
  for (const auto &[verdict, count] : row)
    sum += count;
  return sum;
}

void writeRow(std::ostream &out, const std::string &name, const Row &row) {
  out << "| " << name << " | " << sumOf(row);
  for (Verdict verdict : columns) {
    auto found = row.find(verdict);
    out << " | " << (found == row.end() ? 0 : found->second);
  }
  out << " |\n";
}

void writeTable(std::ostream &out, const std::string &title,
                const std::map<std::string, Row> &rows) {
  out << "| " << title << " | mutations";
  for (Verdict verdict : columns)
    out << " | " << nameOf(verdict);
  out << " |\n|---|---|---|---|---|---|---|---|---|\n";
  Row all;
  for (const auto &[name, row] : rows) {
    writeRow(out, name, row);
    for (const auto &[verdict, count] : row)
      all[verdict] += count;
  }
  if (rows.size() > 1)
    writeRow(out, "all", all);
  out << "\n";
}

/// In a cell of a table.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2)
    text.insert(at, "\\");
  return text;
}

void writeFindings(std::ostream &out, const std::vector<Outcome> &outcomes) {
  std::map<std::string, int> findings;
  for (const Outcome &outcome : outcomes)
    if (outcome.verdict == Verdict::Found)
      ++findings[outcome.finding];
  std::vector<std::pair<std::string, int>> sorted(findings.begin(),
                                                  findings.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  out << "| finding | first to tell |\n|---|---|\n";
  for (const auto &[name, count] : sorted)
    out << "| " << name << " | " << count << " |\n";
  out << "\n";
}

void writeSurvivors(std::ostream &out, const std::vector<Outcome> &outcomes) {
  std::map<std::string, std::vector<const Outcome *>> groups;
  for (const Outcome &outcome : outcomes)
    if (outcome.verdict == Verdict::Survived)
      groups[explanationOf(outcome)].push_back(&outcome);
  for (const auto &[why, group] : groups) {
    out << (why.empty() ? "Not explained" : why) << ":\n\n";
    out << "| number | in | kind | line | becomes |\n|---|---|---|---|---|\n";
    for (const Outcome *outcome : group)
      out << "| " << outcome->number << " | " << outcome->target << " | "
          << outcome->kind << " | `"
          << cell(outcome->before.empty() ? outcome->where : outcome->before)
          << "` | `" << cell(outcome->after) << "` |\n";
    out << "\n";
  }
}

} // namespace

std::string reportOf(const std::vector<Outcome> &outcomes) {
  std::map<std::string, Row> families;
  std::map<std::string, std::map<std::string, Row>> kinds;
  double seconds = 0;
  for (const Outcome &outcome : outcomes) {
    ++families[outcome.family][outcome.verdict];
    bool isCall = outcome.family == "host call";
    ++kinds[isCall ? "change of a call" : "change of PTX"][outcome.kind]
           [outcome.verdict];
    seconds += outcome.seconds;
  }
  std::ostringstream out;
  writeTable(out, "where", families);
  for (const auto &[title, rows] : kinds)
    writeTable(out, title, rows);
  writeFindings(out, outcomes);
  writeSurvivors(out, outcomes);
  out << "Seconds of the processor: " << static_cast<int64_t>(seconds) << "\n";
  return out.str();
}

} // namespace hocket::mutations
