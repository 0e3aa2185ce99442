//===- ModelErrorsTest.cpp - errors in modules, variants and recipes ------===//

#include "Parsing.h"

using namespace hocket::syntax;

TEST(ModelErrors, parameters) {
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "module A(n int, m: itn, m: int = ) { }\n"),
            "t.hkt:2:12: error: expected ':' after parameter 'n', found 'int'\n"
            "module A(n int, m: itn, m: int = ) { }\n"
            "           ^~~\n"
            "t.hkt:2:20: error: expected 'int', 'float', 'bool', 'dim', 'str' "
            "or 'mesh_axis' after ':', found 'itn'\n"
            "module A(n int, m: itn, m: int = ) { }\n"
            "                   ^~~\n"
            "note: did you mean 'int'?\n"
            "t.hkt:2:34: error: expected a value, found ')'\n"
            "module A(n int, m: itn, m: int = ) { }\n"
            "                                 ^\n");
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "module A(not: int, n: int, n: dim) { }\n"),
            "t.hkt:2:10: error: 'not' is a word of expressions and cannot name "
            "anything\n"
            "module A(not: int, n: int, n: dim) { }\n"
            "         ^~~\n"
            "t.hkt:2:28: error: parameter 'n' is declared twice\n"
            "module A(not: int, n: int, n: dim) { }\n"
            "                           ^\n"
            "t.hkt:2:20: note: here first\n"
            "module A(not: int, n: int, n: dim) { }\n"
            "                   ^\n");
}

TEST(ModelErrors, members) {
  EXPECT_EQ(itemErrorsOf("w Linear(n)"),
            "t.hkt:3:5: error: expected '=' after member 'w', found 'Linear'\n"
            "  w Linear(n)\n"
            "    ^~~~~~\n");
  EXPECT_EQ(itemErrorsOf("w ="),
            "t.hkt:3:6: error: expected a value, found the end of the line\n"
            "  w =\n"
            "     ^\n"
            "note: a line goes on only inside brackets: put the value in "
            "parentheses\n");
  EXPECT_EQ(itemErrorsOf("12 = F()"), "t.hkt:3:3: error: expected a member, a "
                                      "function, 'let' or '}', found '12'\n"
                                      "  12 = F()\n"
                                      "  ^~\n");
  EXPECT_EQ(itemErrorsOf("true = F()"), "t.hkt:3:3: error: 'true' is a word of "
                                        "expressions and cannot name anything\n"
                                        "  true = F()\n"
                                        "  ^~~~\n");
  EXPECT_EQ(itemErrorsOf("q = [Lin(3) for i of 0..3]"),
            "t.hkt:3:21: error: expected 'in' after 'for i', found 'of'\n"
            "  q = [Lin(3) for i of 0..3]\n"
            "                    ^~\n");
  EXPECT_EQ(
      itemErrorsOf("q = [Lin(3) for i in n]"),
      "t.hkt:3:25: error: expected '..' after the first index, found ']'\n"
      "  q = [Lin(3) for i in n]\n"
      "                        ^\n"
      "note: write 'for i in 0..layers'\n");
  EXPECT_EQ(itemErrorsOf("q = [Lin(3) of 3]"),
            "t.hkt:3:15: error: expected ',', 'for' or ']' after an element of "
            "'q', found 'of'\n"
            "  q = [Lin(3) of 3]\n"
            "              ^~\n");
  EXPECT_EQ(itemErrorsOf("q = [Lin(3), Lin(3) for i in 0..3]"),
            "t.hkt:3:23: error: expected ',' or ']' after a list item, found "
            "'for'\n"
            "  q = [Lin(3), Lin(3) for i in 0..3]\n"
            "                      ^~~\n");
  EXPECT_EQ(itemErrorsOf("let x 3"),
            "t.hkt:3:9: error: expected '=' after 'let x', found '3'\n"
            "  let x 3\n"
            "        ^\n");
  EXPECT_EQ(itemErrorsOf("ignore \"a\", b"),
            "t.hkt:3:15: error: expected a string after ',', found 'b'\n"
            "  ignore \"a\", b\n"
            "              ^\n");
}

TEST(ModelErrors, calls) {
  EXPECT_EQ(itemErrorsOf("w = F(a, b = 1, 2)"),
            "t.hkt:3:19: error: a positional argument follows a named one\n"
            "  w = F(a, b = 1, 2)\n"
            "                  ^\n"
            "t.hkt:3:12: note: the named one\n"
            "  w = F(a, b = 1, 2)\n"
            "           ^~~~~\n");
  EXPECT_EQ(itemErrorsOf("w = F(b = 1, b = 2)"),
            "t.hkt:3:16: error: argument 'b' is given twice\n"
            "  w = F(b = 1, b = 2)\n"
            "               ^\n"
            "t.hkt:3:9: note: here first\n"
            "  w = F(b = 1, b = 2)\n"
            "        ^\n");
  EXPECT_EQ(itemErrorsOf("w = F(a b)"),
            "t.hkt:3:11: error: expected ',' or ')' after an argument of 'F', "
            "found 'b'\n"
            "  w = F(a b)\n"
            "          ^\n");
  EXPECT_EQ(itemErrorsOf("w = (n = 1, n = 2)"),
            "t.hkt:3:15: error: 'n' occurs twice in this tuple\n"
            "  w = (n = 1, n = 2)\n"
            "              ^\n"
            "t.hkt:3:8: note: here first\n"
            "  w = (n = 1, n = 2)\n"
            "       ^\n");
}

TEST(ModelErrors, functions) {
  EXPECT_EQ(itemErrorsOf("f(x) { }"),
            "t.hkt:3:6: error: expected ':' after argument 'x', found ')'\n"
            "  f(x) { }\n"
            "     ^\n");
  EXPECT_EQ(
      itemErrorsOf("f(x: f32) { }"),
      "t.hkt:3:11: error: expected '[' after element type 'f32', found ')'\n"
      "  f(x: f32) { }\n"
      "          ^\n"
      "note: a scalar is written 'f32[]'\n");
  EXPECT_EQ(itemErrorsOf("f(x: f32[a b]) { }"),
            "t.hkt:3:14: error: expected ',' or ']' after a dim, found 'b'\n"
            "  f(x: f32[a b]) { }\n"
            "             ^\n");
  EXPECT_EQ(itemErrorsOf("f(x: f32[], x: f32[]) { }"),
            "t.hkt:3:15: error: argument 'x' is declared twice\n"
            "  f(x: f32[], x: f32[]) { }\n"
            "              ^\n"
            "t.hkt:3:5: note: here first\n"
            "  f(x: f32[], x: f32[]) { }\n"
            "    ^\n");
  EXPECT_EQ(itemErrorsOf("f(x: f32[]) -> { }"),
            "t.hkt:3:18: error: expected a tensor type after '->', found '{'\n"
            "  f(x: f32[]) -> { }\n"
            "                 ^\n");
  EXPECT_EQ(itemErrorsOf("f(x: f32[]) -> () { }"),
            "t.hkt:3:18: error: expected a result type between '(' and ')'\n"
            "  f(x: f32[]) -> () { }\n"
            "                 ^~\n");
  EXPECT_EQ(itemErrorsOf("f(x: f32[])"),
            "t.hkt:3:14: error: expected '{' after the arguments of 'f', found "
            "the end of the line\n"
            "  f(x: f32[])\n"
            "             ^\n");
}

TEST(ModelErrors, statements) {
  EXPECT_EQ(stmtErrorsOf("a, a = x"),
            "t.hkt:4:8: error: 'a' is assigned to twice here\n"
            "    a, a = x\n"
            "       ^\n"
            "t.hkt:4:5: note: here first\n"
            "    a, a = x\n"
            "    ^\n");
  EXPECT_EQ(
      stmtErrorsOf("a, b = x, y, z"),
      "t.hkt:4:12: error: expected 1 value or 2, one for each name, found 3\n"
      "    a, b = x, y, z\n"
      "           ^~~~~~~\n");
  EXPECT_EQ(stmtErrorsOf("a = x, y"),
            "t.hkt:4:9: error: expected 1 value, found 2\n"
            "    a = x, y\n"
            "        ^~~~\n");
  EXPECT_EQ(
      stmtErrorsOf("f(x)"),
      "t.hkt:4:6: error: expected '=' after 'f', found '('\n"
      "    f(x)\n"
      "     ^\n"
      "note: a call is not a statement: a function has no effect except its "
      "result\n");
  EXPECT_EQ(stmtErrorsOf("retrun x"),
            "t.hkt:4:12: error: expected '=' after 'retrun', found 'x'\n"
            "    retrun x\n"
            "           ^\n"
            "note: did you mean 'return'?\n");
  EXPECT_EQ(stmtErrorsOf("return"),
            "t.hkt:4:11: error: expected a value, found the end of the line\n"
            "    return\n"
            "          ^\n");
  EXPECT_EQ(stmtErrorsOf("for in x { }"),
            "t.hkt:4:12: error: expected 'in' after 'for in', found 'x'\n"
            "    for in x { }\n"
            "           ^\n");
  EXPECT_EQ(stmtErrorsOf("for x of y { }"),
            "t.hkt:4:11: error: expected 'in' after 'for x', found 'of'\n"
            "    for x of y { }\n"
            "          ^~\n");
  EXPECT_EQ(stmtErrorsOf("if x"),
            "t.hkt:4:9: error: expected '{' after the condition of 'if', found "
            "the end of the line\n"
            "    if x\n"
            "        ^\n");
  EXPECT_EQ(stmtErrorsOf("if x {\n"
                         "}\n"
                         "else { }"),
            "t.hkt:6:1: error: 'else' stands on the line of the '}' before it\n"
            "else { }\n"
            "^~~~\n"
            "note: write '} else {'\n");
  EXPECT_EQ(stmtErrorsOf("a = b c"),
            "t.hkt:4:11: error: expected the end of the line, found 'c'\n"
            "    a = b c\n"
            "          ^\n");
}

TEST(ModelErrors, expressions) {
  EXPECT_EQ(stmtErrorsOf("z = 1 < 2 < 3"),
            "t.hkt:4:15: error: comparisons do not chain\n"
            "    z = 1 < 2 < 3\n"
            "              ^\n"
            "note: write 'a < b and b < c'\n");
  EXPECT_EQ(
      stmtErrorsOf("z = 1 + not x"),
      "t.hkt:4:13: error: 'not' binds looser than the operator before it\n"
      "    z = 1 + not x\n"
      "            ^~~\n"
      "note: put it in parentheses: '(not x)'\n");
  EXPECT_EQ(stmtErrorsOf("z = x."), "t.hkt:4:11: error: expected a name after "
                                    "'.', found the end of the line\n"
                                    "    z = x.\n"
                                    "          ^\n");
  EXPECT_EQ(stmtErrorsOf("z = x[]"),
            "t.hkt:4:10: error: expected an index between '[' and ']'\n"
            "    z = x[]\n"
            "         ^~\n");
  EXPECT_EQ(stmtErrorsOf("z = a +"),
            "t.hkt:4:12: error: expected a value, found the end of the line\n"
            "    z = a +\n"
            "           ^\n"
            "note: a line goes on only inside brackets: put the value in "
            "parentheses\n");
  EXPECT_EQ(stmtErrorsOf("z = (1, 2"),
            "t.hkt:5:3: error: expected ',' or ')' after a value in "
            "parentheses, found '}'\n"
            "  }\n"
            "  ^\n"
            "t.hkt:4:9: note: this is still open\n"
            "    z = (1, 2\n"
            "        ^\n");
  EXPECT_EQ(
      stmtErrorsOf("z = [1, 2"),
      "t.hkt:5:3: error: expected ',' or ']' after a list item, found '}'\n"
      "  }\n"
      "  ^\n"
      "t.hkt:4:9: note: this is still open\n"
      "    z = [1, 2\n"
      "        ^\n");
  EXPECT_EQ(stmtErrorsOf("z = a if b"),
            "t.hkt:4:15: error: expected 'else' after the condition of 'if', "
            "found the end of the line\n"
            "    z = a if b\n"
            "              ^\n");
  EXPECT_EQ(stmtErrorsOf("z = else"),
            "t.hkt:4:9: error: expected a value, found 'else'\n"
            "    z = else\n"
            "        ^~~~\n");
  EXPECT_EQ(stmtErrorsOf("z = 99999999999999999999"),
            "t.hkt:4:9: error: this integer is too large; the largest is "
            "9223372036854775807\n"
            "    z = 99999999999999999999\n"
            "        ^~~~~~~~~~~~~~~~~~~~\n");
  EXPECT_EQ(stmtErrorsOf("z = 1e999"),
            "t.hkt:4:9: error: this number is too large for a 64-bit float\n"
            "    z = 1e999\n"
            "        ^~~~~\n");
}

TEST(ModelErrors, declarations) {
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "modul A() {\n"
                     "}\n"),
            "t.hkt:2:1: error: expected a declaration, found 'modul'\n"
            "modul A() {\n"
            "^~~~~\n"
            "note: did you mean 'module'?\n"
            "note: a file holds import, module, model, variant, loss, train, "
            "schedule, def and hook\n");
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "model {\n"
                     "}\n"),
            "t.hkt:2:7: error: expected a name after 'model', found '{'\n"
            "model {\n"
            "      ^\n");
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "import gpt2\n"),
            "t.hkt:2:8: error: expected a file name in quotes after 'import', "
            "found 'gpt2'\n"
            "import gpt2\n"
            "       ^~~~\n");
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "variant V for M { }\n"),
            "t.hkt:2:11: error: expected 'of' after variant 'V', found 'for'\n"
            "variant V for M { }\n"
            "          ^~~\n");
  EXPECT_EQ(
      errorsOf("hocket 1\n"
               "schedule s for { }\n"),
      "t.hkt:2:16: error: expected a model's name after 'for', found '{'\n"
      "schedule s for { }\n"
      "               ^\n");
}

TEST(ModelErrors, variants) {
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "variant V of M {\n"
                     "  repalce a with B()\n"
                     "  replace a wiht B()\n"
                     "  mask a\n"
                     "}\n"),
            "t.hkt:3:3: error: expected a change of the model: 'replace', "
            "'mask', 'precision' or 'let', found 'repalce'\n"
            "  repalce a with B()\n"
            "  ^~~~~~~\n"
            "note: did you mean 'replace'?\n"
            "t.hkt:4:13: error: expected 'with' after 'a', found 'wiht'\n"
            "  replace a wiht B()\n"
            "            ^~~~\n"
            "note: did you mean 'with'?\n"
            "t.hkt:5:9: error: expected a value, found the end of the line\n"
            "  mask a\n"
            "        ^\n");
}

TEST(ModelErrors, recipes) {
  EXPECT_EQ(errorsOf("hocket 1\n"
                     "train t of M {\n"
                     "  los x\n"
                     "  clip\n"
                     "  loss a\n"
                     "  loss b\n"
                     "}\n"),
            "t.hkt:3:3: error: expected a setting of the recipe: 'loss', "
            "'optimizer', 'clip', 'precision', 'seed', 'data', 'accumulate', "
            "'init', 'checkpoint', 'steps' or 'validate', found "
            "'los'\n"
            "  los x\n"
            "  ^~~\n"
            "note: did you mean 'loss'?\n"
            "t.hkt:4:7: error: expected a value, found the end of the line\n"
            "  clip\n"
            "      ^\n"
            "t.hkt:6:3: error: 'loss' is set twice\n"
            "  loss b\n"
            "  ^~~~\n"
            "t.hkt:5:3: note: set here first\n"
            "  loss a\n"
            "  ^~~~\n");
}
