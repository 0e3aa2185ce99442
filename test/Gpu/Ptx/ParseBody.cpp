//===- ParseBody.cpp - what stands in a function of PTX -------------------===//

#include "test/Gpu/Ptx/Cursor.h"
#include <set>

using namespace hocket::ptx;

namespace {

class BodyParser {
public:
  BodyParser(Cursor &cursor, Function &function)
      : cursor(cursor), function(function) {}

  void run() {
    cursor.expect("{");
    scopes.emplace_back();
    while (!cursor.takeIf("}"))
      line();
    scopes.pop_back();
  }

private:
  void line() {
    const Token &first = cursor.peek();
    if (cursor.takeIf(";"))
      return;
    if (cursor.is("{")) {
      nested();
    } else if (first.kind == Token::Word && first.text[0] == '.') {
      directive();
    } else if (first.kind == Token::Word && cursor.peek(1).text == ":") {
      label();
    } else {
      function.body.push_back(statement());
    }
  }

  /// Registers of a block hide those of the same name outside.
  void nested() {
    cursor.expect("{");
    scopes.emplace_back();
    while (!cursor.takeIf("}"))
      line();
    scopes.pop_back();
  }

  void label() {
    std::string name = cursor.take().text;
    cursor.expect(":");
    if (cursor.takeIf(".branchtargets")) {
      do
        function.targets[name].push_back(cursor.word("a label"));
      while (cursor.takeIf(","));
      cursor.expect(";");
    } else if (!function.labels.emplace(name, function.body.size()).second) {
      cursor.refuseHere("the label '" + name + "' stands twice");
    }
  }

  void directive() {
    std::string word = cursor.take().text;
    if (word == ".reg") {
      registers();
    } else if (word == ".local" || word == ".shared" || word == ".param") {
      function.variables.push_back(parseVariable(cursor, word.substr(1)));
      Variable &made = function.variables.back();
      made.name = unique(made.name);
      cursor.expect(";");
    } else if (word == ".loc") {
      cursor.skipLine();
    } else if (word == ".pragma") {
      cursor.take();
      cursor.expect(";");
    } else {
      cursor.refuseHere("'" + word + "' is not supported");
    }
  }

  void registers() {
    std::string type = cursor.word("the type of registers").substr(1);
    if (!bytesOf(type) || bytesOf(type) > 8)
      cursor.refuseHere("registers of type '." + type + "' are not supported");
    do {
      std::string name = cursor.word("the name of a register");
      if (!cursor.takeIf("<")) {
        declare(name, type);
        continue;
      }
      uint64_t count = cursor.number("a count of registers");
      cursor.expect(">");
      for (uint64_t i = 0; i < count; ++i)
        declare(name + std::to_string(i), type);
    } while (cursor.takeIf(","));
    cursor.expect(";");
  }

  void declare(const std::string &name, const std::string &type) {
    function.registers[unique(name)] = type;
  }

  /// The name itself, or with a number behind it where it was used before.
  std::string unique(const std::string &name) {
    std::string made = name;
    if (!names.insert(name).second)
      made += "#" + std::to_string(++renamed);
    if (!scopes.back().emplace(name, made).second)
      cursor.refuseHere("'" + name + "' is declared twice");
    return made;
  }

  std::string resolved(const std::string &name) const {
    for (size_t i = scopes.size(); i-- > 0;) {
      auto found = scopes[i].find(name);
      if (found != scopes[i].end())
        return found->second;
    }
    return name;
  }

  Statement statement() {
    Statement made;
    made.line = cursor.peek().line;
    if (cursor.takeIf("@")) {
      made.guardNegated = cursor.takeIf("!");
      std::string name = cursor.word("a predicate");
      made.text = (made.guardNegated ? "@!" : "@") + name + " ";
      made.guard = resolved(name);
    }
    std::string word = cursor.word("an instruction");
    made.text += word;
    splitOpcode(word, made);
    for (const char *joint = " "; !cursor.is(";"); joint = ", ") {
      made.text += joint;
      made.operands.push_back(operand(made.text));
      if (!cursor.takeIf(","))
        break;
    }
    cursor.expect(";");
    return made;
  }

  static void splitOpcode(const std::string &word, Statement &made) {
    size_t end = word.find('.');
    made.opcode = word.substr(0, end);
    while (end != std::string::npos) {
      size_t begin = end + 1;
      end = word.find('.', begin);
      made.modifiers.push_back(word.substr(begin, end - begin));
    }
  }

  Operand operand(std::string &text) {
    Operand made;
    if (cursor.takeIf("!")) {
      made.negated = true;
      text += "!";
    }
    if (cursor.is("{"))
      vector(made, text, "}");
    else if (cursor.is("(")) // of a call
      vector(made, text, ")");
    else if (cursor.is("["))
      address(made, text);
    else
      plain(made, text);
    if (cursor.takeIf("|")) {
      text += "|";
      made.also.push_back(operand(text));
    }
    return made;
  }

  void vector(Operand &made, std::string &text, const char *end) {
    made.kind = Operand::Vector;
    text += cursor.take().text;
    for (const char *joint = ""; !cursor.is(end); joint = ", ") {
      text += joint;
      made.parts.push_back(operand(text));
      if (!cursor.takeIf(","))
        break;
    }
    cursor.expect(end);
    text += end;
  }

  void address(Operand &made, std::string &text) {
    made.kind = Operand::Address;
    cursor.expect("[");
    text += "[";
    if (cursor.isWord()) {
      std::string name = cursor.take().text;
      text += name;
      made.name = resolved(name);
    }
    while (!cursor.is("]")) {
      if (!made.name.empty()) {
        cursor.expect("+");
        text += "+";
      }
      bool negative = cursor.takeIf("-");
      text += (negative ? "-" : "") + cursor.peek().text;
      int64_t offset = cursor.number("an offset");
      made.offset += negative ? -offset : offset;
      if (made.name.empty())
        break;
    }
    cursor.expect("]");
    text += "]";
  }

  void plain(Operand &made, std::string &text) {
    if (cursor.isWord()) {
      made.kind = Operand::Name;
      std::string name = cursor.take().text;
      text += name;
      made.name = resolved(name);
      return;
    }
    bool negative = cursor.takeIf("-");
    text += (negative ? "-" : "") + cursor.peek().text;
    made.bits = cursor.number("an operand");
    if (negative)
      made.bits = -made.bits;
  }

  Cursor &cursor;
  Function &function;
  std::vector<std::map<std::string, std::string>> scopes;
  std::set<std::string> names;
  int renamed = 0;
};

} // namespace

void hocket::ptx::parseBody(Cursor &cursor, Function &function) {
  BodyParser(cursor, function).run();
}
