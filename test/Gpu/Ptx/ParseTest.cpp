//===- ParseTest.cpp - what is read of a PTX text, and its errors ---------===//

#include "test/Gpu/Ptx/Syntax.h"
#include <gtest/gtest.h>

using namespace hocket::ptx;

namespace {

const char *const header = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module read(const std::string &text) { return parse(header + text, "k.ptx"); }

/// Lines count from 4: those of the header stand before.
std::string error(const std::string &text) {
  try {
    read(text);
  } catch (const PtxError &error) {
    return error.what();
  }
  return "";
}

TEST(Parse, ModuleAndBounds) {
  Module module = read(R"(
    // a comment; /* in it
    /* two
       lines */ .file 1 "a.cu"
    .const .align 4 .f32 table[3] = {0f3f800000, 0f40000000};
    .global .b8 bytes[] = {1, -1, 0x7f};
    .extern .shared .align 128 .b8 dynamic[];
    .visible .entry k(.param .u64 .ptr .global .align 16 a,
                      .param .align 8 .b8 box[24])
    .maxntid 128, 1, 1
    .minnctapersm 2
    { ret; })");
  EXPECT_EQ(module.version, "8.0");
  EXPECT_EQ(module.target, "sm_80");
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_EQ(module.variables[0].values,
            (std::vector<uint64_t>{0x3f800000, 0x40000000}));
  EXPECT_EQ(module.variables[1].count, 3u);
  EXPECT_EQ(module.variables[1].values[1], ~uint64_t(0));
  EXPECT_TRUE(module.variables[2].isExtern);
  EXPECT_EQ(module.variables[2].align, 128u);
  const Function &k = module.functions.at("k");
  EXPECT_TRUE(k.isEntry);
  EXPECT_EQ(k.line, 11u);
  ASSERT_EQ(k.parameters.size(), 2u);
  EXPECT_EQ(k.parameters[0].align, 0u);
  EXPECT_EQ(k.parameters[0].pointedAlign, 16u);
  EXPECT_EQ(k.parameters[1].count, 24u);
  EXPECT_EQ(k.mostThreads, (std::vector<uint64_t>{128, 1, 1}));
}

TEST(Parse, Statements) {
  Module module = read(R"(.entry k() {
    .reg .pred %p<3>;
    .reg .f32 %f<2>, %x;
    L: @!%p1 ld.global.L2::128B.v2.f32 {%f0, _}, [%rd1 + -16];
    setp.lt.and.f32 %p1|%p2, %f0, 0f3F800000, !%p0;
    mov.b32 %x, -7; bra.uni L;
    T: .branchtargets L, L;
  })");
  const Function &k = module.functions.at("k");
  EXPECT_EQ(k.registers.size(), 6u);
  EXPECT_EQ(k.registers.at("%x"), "f32");
  ASSERT_EQ(k.body.size(), 4u);
  EXPECT_EQ(k.labels.at("L"), 0u);
  EXPECT_EQ(k.targets.at("T").size(), 2u);
  const Statement &load = k.body[0];
  EXPECT_EQ(load.guard, "%p1");
  EXPECT_TRUE(load.guardNegated);
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_EQ(load.modifiers,
            (std::vector<std::string>{"global", "L2::128B", "v2", "f32"}));
  EXPECT_EQ(load.text, "@!%p1 ld.global.L2::128B.v2.f32 {%f0, _}, [%rd1+-16]");
  EXPECT_EQ(load.operands[0].parts[1].name, "_");
  EXPECT_EQ(load.operands[1].offset, -16);
  const Statement &compare = k.body[1];
  EXPECT_EQ(compare.operands[0].also[0].name, "%p2");
  EXPECT_EQ(compare.operands[2].bits, 0x3f800000u);
  EXPECT_TRUE(compare.operands[3].negated);
  EXPECT_EQ(k.body[2].operands[1].bits, uint64_t(-7));
}

TEST(Parse, ABlockHidesRegisters) {
  Module module = read(R"(.entry k() {
    .reg .b32 %r, a;
    { .reg .b64 a; mov.b64 a, 1; { .reg .b16 a; mov.b16 a, 2; } }
    mov.b32 a, 3;
  })");
  const Function &k = module.functions.at("k");
  EXPECT_EQ(k.body[0].operands[0].name, "a#1");
  EXPECT_EQ(k.body[1].operands[0].name, "a#2");
  EXPECT_EQ(k.body[2].operands[0].name, "a");
  EXPECT_EQ(k.registers.at("a#1"), "b64");
}

TEST(Parse, ErrorsNameTheLine) {
  EXPECT_EQ(error(".entry k( { }"), "k.ptx:4: expected a parameter, found '{'");
  EXPECT_EQ(error("\n.entry k() { add.s32 %r1 %r2; }"),
            "k.ptx:5: expected ';', found '%r2'");
  EXPECT_EQ(error(".entry k() { mov.b32 %r1, ]; }"),
            "k.ptx:4: expected an operand, found ']'");
  EXPECT_EQ(error(".entry k() { ld.u32 %r1, [%rd1-4]; }"),
            "k.ptx:4: expected '+', found '-'");
  EXPECT_EQ(error(".entry k() {"),
            "k.ptx:4: expected an instruction, found 'the end of the text'");
  EXPECT_EQ(error(".entry k() { L: L: ret; }"),
            "k.ptx:4: the label 'L' stands twice");
  EXPECT_EQ(error(".entry k() { .reg .b32 a, a; }"),
            "k.ptx:4: 'a' is declared twice");
  EXPECT_EQ(error(".entry k() { .reg .b128 a; }"),
            "k.ptx:4: registers of type '.b128' are not supported");
  EXPECT_EQ(error(".entry k() {}\n.entry k() {}"),
            "k.ptx:5: 'k' is defined twice");
  EXPECT_EQ(error(".entry k() {}\n.shared .b8 k[4];"),
            "k.ptx:5: 'k' is defined twice");
  EXPECT_EQ(error(".global .b8 t[4];\n.const .b8 t[4];"),
            "k.ptx:5: 't' is defined twice");
  EXPECT_EQ(error(".version 8.0"), "k.ptx:4: a module has one '.version'");
  EXPECT_EQ(error(".entry k() { mov.b32 %r1, 12q; }"),
            "k.ptx:4: '12q' is no number");
  EXPECT_EQ(error(".texref t;"), "k.ptx:4: '.texref' is not supported");
  EXPECT_EQ(error(".entry k() .explicitcluster { }"),
            "k.ptx:4: '.explicitcluster' of a function is not supported");
  EXPECT_EQ(error(".global .u64 p = q;"),
            "k.ptx:4: expected a number; the addresses of variables are not "
            "supported as values, found 'q'");
}

} // namespace
