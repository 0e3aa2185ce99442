//===- Form.cpp - an instruction as it is written in a kernel -------------===//

#include "test/Gpu/Vectors/Form.h"
#include <algorithm>
#include <sstream>

using namespace hocket;
using namespace hocket::vectors;

static std::string shapeOf(const ptx::Operand &operand) {
  switch (operand.kind) {
  case ptx::Operand::Vector:
    return "v" + std::to_string(operand.parts.size());
  case ptx::Operand::Address:
    return "m";
  case ptx::Operand::Name:
  case ptx::Operand::Number:
    break;
  }
  return operand.also.empty() ? "x" : "x|x";
}

Form::Form(const ptx::Statement &statement)
    : opcode(statement.opcode), modifiers(statement.modifiers) {
  for (const ptx::Operand &operand : statement.operands)
    operands.push_back(shapeOf(operand));
}

Form::Form(const std::string &text) {
  std::istringstream words(text);
  std::string name, word;
  words >> name;
  // Some modifiers hold colons ("L2::128B"), none a point.
  std::istringstream parts(name);
  std::getline(parts, opcode, '.');
  while (std::getline(parts, word, '.'))
    modifiers.push_back(word);
  while (words >> word)
    operands.push_back(word);
  if (opcode.empty() || this->text() != text)
    throw ptx::PtxError("'" + text + "' is no form of an instruction");
}

std::string Form::instruction() const {
  std::string result = opcode;
  for (const std::string &modifier : modifiers)
    result += "." + modifier;
  return result;
}

std::string Form::text() const {
  std::string result = instruction();
  for (const std::string &operand : operands)
    result += " " + operand;
  return result;
}

bool Form::has(const std::string &modifier) const {
  return std::count(modifiers.begin(), modifiers.end(), modifier) != 0;
}

std::vector<std::string> Form::types() const {
  std::vector<std::string> found;
  for (const std::string &modifier : modifiers)
    if (ptx::bytesOf(modifier))
      found.push_back(modifier);
  return found;
}

bool Form::isOperands(const std::string &shape) const {
  std::string joined;
  for (const std::string &operand : operands)
    joined += (joined.empty() ? "" : " ") + operand;
  return joined == shape;
}

void hocket::vectors::collect(const ptx::Module &module,
                              std::set<std::string> &forms) {
  for (const auto &[name, function] : module.functions)
    for (const ptx::Statement &statement : function.body)
      forms.insert(Form(statement).text());
}
