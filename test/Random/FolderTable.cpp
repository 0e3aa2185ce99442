//===- FolderTable.cpp - the lines of the page of what is met -------------===//

#include "Folder.h"
#include "PlanKinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"
#include <regex>
#include <sstream>

using namespace hocket;
using namespace hocket::random;

using Cells = std::vector<std::string>;

/// The lines of a page that begin like those of tables, by their cells.
static std::map<std::string, Cells> tableLines(const std::string &page) {
  std::map<std::string, Cells> found;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `", 0) != 0)
      continue;
    Cells &cells = found[line];
    for (size_t at = 2; at < line.size();) {
      size_t end = std::min(line.find(" |", at), line.size());
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
  }
  return found;
}

static std::string unquoted(const std::string &cell) {
  return cell.size() > 2 ? cell.substr(1, cell.size() - 2) : "";
}

static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "binary add | 0 | P refused" as its operand and what that holds.
static std::pair<std::string, std::string> partsOf(const std::string &row) {
  size_t at = row.rfind(" | ");
  return {row.substr(0, at), row.substr(at + 3)};
}

std::vector<std::string> random::ruleLines(const Coverages &files,
                                           std::vector<std::string> &wrong) {
  std::map<std::string, std::string> met; // rows, by which file
  for (const auto &[file, coverage] : files)
    for (const auto &[row, count] : coverage.rows())
      if (std::string &by = met[row]; by.empty() && count > 0)
        by = file;
  struct Line {
    std::vector<std::string> holds;
    std::set<std::string> by;
  };
  std::map<std::string, Line> operands;
  for (const auto &[row, file] : met) {
    if (file.empty())
      wrong.push_back("no file meets '" + row + "'");
    auto [operand, holds] = partsOf(row);
    operands[operand].holds.push_back(holds);
    operands[operand].by.insert(file);
  }
  std::vector<std::string> lines;
  for (const auto &[operand, line] : operands) {
    size_t at = operand.find(" | ");
    lines.push_back("| `" + operand.substr(0, at) + "`" + operand.substr(at) +
                    " | " + joined(line.holds) + " | " +
                    joined({line.by.begin(), line.by.end()}) + " |");
  }
  return lines;
}

std::vector<std::string>
random::checkRules(const std::string &page,
                   const std::vector<std::string> &lines) {
  std::vector<std::string> wrong;
  std::map<std::string, Cells> stated = tableLines(page);
  for (const std::string &line : lines)
    if (!stated.erase(line))
      wrong.push_back("the page lacks " + line);
  for (const auto &[line, cells] : stated)
    if (cells.size() == 4)
      wrong.push_back("the page has " + line);
  return wrong;
}

/// Literals of C++ that follow each other are one.
static bool hasSentence(const std::string &text, const std::string &cell) {
  size_t first = cell.find('"'), last = cell.rfind('"');
  if (first == last)
    return false;
  static const std::regex between("\"\\s*\"");
  return std::regex_replace(text, between, "")
             .find(cell.substr(first + 1, last - first - 1)) !=
         std::string::npos;
}

std::vector<std::string> random::checkInstructions(
    const std::string &page, const Coverages &files,
    const std::function<std::string(const std::string &)> &read) {
  std::vector<std::string> wrong;
  std::set<std::string> left = allKinds();
  for (const auto &[line, cells] : tableLines(page)) {
    if (cells.size() != 3)
      continue;
    std::string kind = unquoted(cells[0]);
    if (!left.erase(kind)) {
      wrong.push_back("the page has " + line);
      continue;
    }
    if (cells[1].rfind("refused", 0) == 0 || cells[2].rfind("test/", 0) == 0) {
      if (!hasSentence(read(cells[2]), cells[1]))
        wrong.push_back(cells[2] + " does not have the sentence of " + line);
      continue;
    }
    auto file = files.find(cells[2]);
    if (file == files.end() || !file->second.kinds().count(kind))
      wrong.push_back("'" + cells[2] + "' does not meet '" + kind + "'");
  }
  for (const std::string &kind : left)
    wrong.push_back("the page has no line of '" + kind + "'");
  return wrong;
}

std::set<std::string> random::unseenKinds(const Coverages &files) {
  std::set<std::string> kinds;
  auto add = [&](const char *name, auto symbolize, unsigned most) {
    for (unsigned i = 0; i <= most; ++i)
      if (auto kind = symbolize(i))
        kinds.insert(std::string(name) + " " + stringifyEnum(*kind).str());
  };
  add(
      "unary", [](unsigned i) { return nn::symbolizeUnaryKind(i); },
      nn::getMaxEnumValForUnaryKind());
  add(
      "binary", [](unsigned i) { return nn::symbolizeBinaryKind(i); },
      nn::getMaxEnumValForBinaryKind());
  add(
      "reduce", [](unsigned i) { return nn::symbolizeReduceKind(i); },
      nn::getMaxEnumValForReduceKind());
  add(
      "pool", [](unsigned i) { return nn::symbolizePoolKind(i); },
      nn::getMaxEnumValForPoolKind());
  for (const auto &[file, coverage] : files)
    for (const auto &[row, count] : coverage.rows())
      kinds.erase(row.substr(0, row.find(" | ")));
  return kinds;
}
