//===- Parse.cpp - modules, functions and variables of PTX ----------------===//

#include "test/Gpu/Ptx/Cursor.h"
#include <set>

using namespace hocket::ptx;

uint64_t hocket::ptx::bytesOf(const std::string &type) {
  static const std::map<std::string, uint64_t> bytes = {
      {"pred", 1},  {"b8", 1},    {"u8", 1},     {"s8", 1},   {"b16", 2},
      {"u16", 2},   {"s16", 2},   {"f16", 2},    {"b32", 4},  {"u32", 4},
      {"s32", 4},   {"f32", 4},   {"f16x2", 4},  {"b64", 8},  {"u64", 8},
      {"s64", 8},   {"f64", 8},   {"bf16x2", 4}, {"bf16", 2}, {"tf32", 4},
      {"f32x2", 8}, {"b128", 16},
  };
  auto found = bytes.find(type);
  return found == bytes.end() ? 0 : found->second;
}

Variable hocket::ptx::parseVariable(Cursor &cursor, const std::string &space) {
  Variable variable;
  variable.space = space;
  variable.line = cursor.peek().line;
  uint64_t vector = 1;
  bool isPointer = false;
  while (cursor.isWord() && cursor.peek().text[0] == '.') {
    std::string word = cursor.take().text.substr(1);
    if (word == "align")
      (isPointer ? variable.pointedAlign : variable.align) =
          cursor.number("an alignment");
    else if (word == "ptr")
      isPointer = true;
    else if (word == "v2" || word == "v4")
      vector = word[1] - '0';
    else if (bytesOf(word))
      variable.type = word;
    else if (word != "global" && word != "shared" && word != "const" &&
             word != "local" && word != "attribute")
      cursor.refuseHere("'." + word + "' of a variable is not supported");
  }
  if (variable.type.empty())
    cursor.refuseHere("expected the type of a variable");
  variable.name = cursor.word("the name of a variable");
  variable.count = vector;
  while (cursor.takeIf("[")) {
    variable.count *= cursor.is("]") ? 0 : cursor.number("a count");
    cursor.expect("]");
  }
  return variable;
}

namespace {

class ModuleParser {
public:
  ModuleParser(const std::string &text, const std::string &file)
      : cursor(text, file) {
    module.file = file;
  }

  Module run() {
    while (!cursor.atEnd())
      directive();
    return std::move(module);
  }

private:
  void directive() {
    bool isExtern = false;
    while (cursor.is(".visible") || cursor.is(".weak") ||
           cursor.is(".common") || cursor.is(".extern"))
      isExtern |= cursor.take().text == ".extern";
    unsigned line = cursor.peek().line;
    std::string word = cursor.word("a directive");
    if (word == ".version") {
      if (!module.version.empty())
        refuse(cursor.file, line, "a module has one '.version'");
      module.version = cursor.take().text;
    } else if (word == ".target") {
      module.target = cursor.word("a target");
      while (cursor.takeIf(","))
        cursor.take();
    } else if (word == ".address_size") {
      if (cursor.number("an address size") != 64)
        refuse(cursor.file, line, "only addresses of 64 bits are supported");
    } else if (word == ".file" || word == ".loc") {
      while (!cursor.atEnd() && cursor.peek().line == line)
        cursor.take();
    } else if (word == ".section") {
      skipBraces();
    } else if (word == ".pragma") {
      cursor.take();
      cursor.expect(";");
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      module.variables.push_back(global(word.substr(1), isExtern));
      const Variable &added = module.variables.back();
      if (!isExtern && !names.insert(added.name).second)
        refuse(cursor.file, line, "'" + added.name + "' is defined twice");
    } else if (word == ".entry" || word == ".func") {
      function(word == ".entry", isExtern);
    } else {
      refuse(cursor.file, line, "'" + word + "' is not supported");
    }
  }

  void skipBraces() {
    while (!cursor.atEnd() && !cursor.is("{"))
      cursor.take();
    int depth = 0;
    do {
      depth += cursor.is("{") - cursor.is("}");
      cursor.take();
    } while (depth && !cursor.atEnd());
  }

  Variable global(const std::string &space, bool isExtern) {
    Variable variable = parseVariable(cursor, space);
    variable.isExtern = isExtern;
    if (cursor.takeIf("=")) {
      bool braces = cursor.takeIf("{");
      do
        variable.values.push_back(value());
      while (cursor.takeIf(","));
      if (braces)
        cursor.expect("}");
      if (!variable.count)
        variable.count = variable.values.size();
    }
    cursor.expect(";");
    return variable;
  }

  uint64_t value() {
    bool negative = cursor.takeIf("-");
    uint64_t bits = cursor.number("a number; the addresses of variables are "
                                  "not supported as values");
    return negative ? -bits : bits;
  }

  std::vector<Variable> parameters() {
    std::vector<Variable> list;
    cursor.expect("(");
    while (!cursor.is(")")) {
      std::string space = cursor.word("a parameter");
      if (space != ".param")
        cursor.refuseHere("parameters in registers are not supported");
      list.push_back(parseVariable(cursor, "param"));
      if (!cursor.takeIf(","))
        break;
    }
    cursor.expect(")");
    return list;
  }

  void function(bool isEntry, bool isExtern) {
    Function function;
    function.line = cursor.peek().line;
    function.isEntry = isEntry;
    if (cursor.is("("))
      function.results = parameters();
    function.name = cursor.word("the name of a function");
    if (cursor.is("("))
      function.parameters = parameters();
    while (cursor.isWord())
      bounds(function);
    if (cursor.takeIf(";"))
      return; // declared: whoever calls it is refused
    parseBody(cursor, function);
    module.functions.emplace(function.name, function);
    if (!names.insert(function.name).second)
      refuse(cursor.file, function.line,
             "'" + function.name + "' is defined twice");
  }

  void bounds(Function &function) {
    std::string word = cursor.take().text;
    std::vector<uint64_t> numbers;
    while (cursor.peek().kind == Token::Number) {
      numbers.push_back(cursor.take().bits);
      cursor.takeIf(",");
    }
    if (word == ".maxntid")
      function.mostThreads = numbers;
    else if (word == ".reqntid")
      function.exactThreads = numbers;
    else if (word == ".pragma")
      cursor.take();
    else if (word != ".minnctapersm" && word != ".maxnreg" &&
             word != ".noreturn")
      cursor.refuseHere("'" + word + "' of a function is not supported");
  }

  Cursor cursor;
  Module module;
  std::set<std::string> names; // defined so far
};

} // namespace

Module hocket::ptx::parse(const std::string &text, const std::string &file) {
  return ModuleParser(text, file).run();
}
