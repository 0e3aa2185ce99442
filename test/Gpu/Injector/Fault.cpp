//===- Fault.cpp - what a test has a program's calls do wrong -------------===//

#include "test/Gpu/Injector/Fault.h"
#include <cstdlib>
#include <sstream>

using namespace hocket::inject;

uint64_t Fault::changed(uint64_t number) const {
  uint64_t by = static_cast<uint64_t>(value);
  return operation == '+'   ? number + by
         : operation == '-' ? number - by
         : operation == '*' ? number * by
                            : by;
}

namespace {

bool readNumber(const std::string &text, int64_t &number) {
  char *end = nullptr;
  number = std::strtoll(text.c_str(), &end, 0);
  return !text.empty() && !*end;
}

/// FUNCTION@RANK:CALL.
bool readPlace(const std::string &text, Fault &fault) {
  size_t colon = text.find(':'), at = text.find('@');
  int64_t call = 0, rank = Fault::ofProcess;
  if (colon == std::string::npos || !readNumber(text.substr(colon + 1), call))
    return false;
  if (at < colon && !readNumber(text.substr(at + 1, colon - at - 1), rank))
    return false;
  fault.function = text.substr(0, std::min(colon, at));
  fault.rank = static_cast<int>(rank);
  fault.call = static_cast<uint64_t>(call);
  return call > 0;
}

/// N+V, or N=other.
bool readChange(const std::string &text, Fault &fault) {
  size_t sign = text.find_first_of("+-*=");
  int64_t number = 0;
  if (sign == std::string::npos || !readNumber(text.substr(0, sign), number))
    return false;
  fault.argument = static_cast<unsigned>(number);
  fault.operation = text[sign];
  std::string value = text.substr(sign + 1);
  if (value != "other")
    return readNumber(value, fault.value);
  fault.action = Action::Other;
  return fault.operation == '=';
}

/// N+V, of a kernel's parameters, or M.N+V, of what argument M points to.
bool readWord(const std::string &text, Fault &fault) {
  size_t dot = text.find('.');
  int64_t argument = 0;
  if (dot == std::string::npos)
    fault.action = Action::Word;
  else if (readNumber(text.substr(0, dot), argument))
    fault.action = Action::Pointed;
  else
    return false;
  Action action = fault.action;
  bool isRead = readChange(text.substr(dot + 1), fault);
  fault.word = fault.argument;
  fault.argument = static_cast<unsigned>(argument);
  return isRead && fault.action == action;
}

/// F VALUE: a number, or a word for where to find it and a number.
bool readInserted(std::istream &words, Fault &fault) {
  std::string source, number;
  words >> fault.name >> source;
  if (readNumber(source, fault.value))
    return true;
  fault.source = source == "argument" ? Source::Argument : Source::Allocation;
  words >> number;
  return (source == "argument" || source == "allocation") &&
         readNumber(number, fault.value);
}

bool readAction(const std::string &text, Fault &fault) {
  std::istringstream words(text);
  std::string first, change;
  words >> first;
  static const struct {
    const char *name;
    Action action;
  } names[] = {{"drop", Action::Drop},     {"repeat", Action::Repeat},
               {"later", Action::Later},   {"word", Action::Word},
               {"before", Action::Before}, {"after", Action::After},
               {"code", Action::Code},     {"unpinned", Action::Unpinned}};
  fault.action = Action::Number;
  for (const auto &known : names)
    if (first == known.name)
      fault.action = known.action;
  switch (fault.action) {
  case Action::Number:
    return readChange(first, fault);
  case Action::Word:
    words >> change;
    return readWord(change, fault);
  case Action::Before:
  case Action::After:
    return readInserted(words, fault);
  case Action::Code:
    words >> fault.name;
    return !fault.name.empty();
  default:
    return true;
  }
}

} // namespace

std::vector<Fault> hocket::inject::readFaults(const std::string &text,
                                              std::string &error) {
  std::vector<Fault> faults;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ';');) {
    Fault fault;
    fault.text = item;
    // The first '=' behind the place; the action may have another.
    size_t equal = item.find('=');
    if (equal == std::string::npos ||
        !readPlace(item.substr(0, equal), fault) ||
        !readAction(item.substr(equal + 1), fault)) {
      error = "HOCKET_INJECT has '" + item +
              "', expected FUNCTION@RANK:CALL=ACTION as test/Gpu/Injector/"
              "Fault.h says";
      return {};
    }
    faults.push_back(fault);
  }
  return faults;
}
