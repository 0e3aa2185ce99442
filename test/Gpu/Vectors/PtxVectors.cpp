//===- PtxVectors.cpp - compares a GPU with the interpreter ---------------===//
//
// For each form of an instruction, a GPU and the interpreter compute the same
// inputs (README.md).
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Vectors/Compare.h"
#include "test/Gpu/Vectors/Run.h"
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace hocket;
using namespace hocket::vectors;
using Json = nlohmann::ordered_json;

namespace {

const char *const usage =
    "usage: ptx-vectors collect FILE.ptx...    print the forms of all\n"
    "       ptx-vectors write FORMS            print a kernel for each form\n"
    "       ptx-vectors run FORMS [--after FORM]\n"
    "                                          compare a GPU, a line of JSON\n"
    "                                          for each form\n"
    "\n"
    "exit status: 0 all as the rules say, 1 not, 2 bad usage, 3 the driver or "
    "the GPU failed\n";

std::string contentOf(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw ptx::PtxError("cannot read '" + path + "'");
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<Form> formsOf(const std::string &path) {
  std::istringstream lines(contentOf(path));
  std::vector<Form> forms;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty())
      forms.emplace_back(line);
  return forms;
}

int collectForms(const std::vector<std::string> &files) {
  std::set<std::string> forms;
  for (const std::string &file : files)
    collect(ptx::parse(contentOf(file), file), forms);
  for (const std::string &form : forms)
    std::cout << form << "\n";
  return 0;
}

/// One module: the entries k0, k1, ... with variables of their own.
int writeKernels(const std::string &path) {
  size_t number = 0;
  for (const Form &form : formsOf(path)) {
    std::string text = vectorOf(form).ptx, entry = ".entry k(";
    size_t begin = text.find("// "), at = text.find(entry);
    if (number == 0)
      std::cout << text.substr(0, begin);
    text.replace(at, entry.size(), ".entry k" + std::to_string(number++) + "(");
    std::cout << text.substr(begin);
  }
  return 0;
}

const char *nameOf(Rule::Of rule) {
  switch (rule) {
  case Rule::Bits:
    return "bits";
  case Rule::AnyNan:
    return "bits, any NaN";
  case Rule::Relative:
    return "relative";
  case Rule::Bounds:
    break;
  }
  return "bounds";
}

Json lineOf(const Vector &vector, const Comparison &found) {
  Json line = {{"form", vector.form},
               {"rule", nameOf(vector.rule.of)},
               {"numbers", found.numbers},
               {"other_bits", found.otherBits},
               {"wrong", found.wrong}};
  bool isWithin =
      vector.rule.of == Rule::Relative || vector.rule.of == Rule::Bounds;
  if (isWithin && std::isfinite(found.worst))
    line["worst"] = found.worst;
  if (vector.rule.of == Rule::Relative)
    line["relative"] = vector.rule.relative;
  if (found.wrong)
    line["first"] = found.first;
  return line;
}

int runForms(const std::string &path, const std::string &after) {
  DriverRun driver;
  runtime::Status status = driver.open();
  if (!status.ok()) {
    std::cerr << "error: " << status.message << "\n";
    return 3;
  }
  std::cerr << driver.name() << "\n";
  bool isReached = after.empty(), allRight = true;
  for (const Form &form : formsOf(path)) {
    if (!isReached) {
      isReached = form.text() == after;
      continue;
    }
    Vector vector = vectorOf(form);
    std::vector<std::byte> output;
    status = driver.run(vector, output);
    if (!status.ok()) {
      std::cout << Json({{"form", vector.form}, {"failed", status.message}})
                << std::endl;
      return 3;
    }
    Comparison found = compare(vector, runOnInterpreter(vector), output);
    allRight &= found.wrong == 0;
    std::cout << lineOf(vector, found) << std::endl;
  }
  return allRight ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string command = words.empty() ? "" : words[0];
  try {
    if (command == "collect" && words.size() > 1)
      return collectForms({words.begin() + 1, words.end()});
    if (command == "write" && words.size() == 2)
      return writeKernels(words[1]);
    if (command == "run" && words.size() == 2)
      return runForms(words[1], "");
    if (command == "run" && words.size() == 4 && words[2] == "--after")
      return runForms(words[1], words[3]);
  } catch (const ptx::PtxError &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
  std::cerr << usage;
  return 2;
}
