//===- CallTest.cpp - calls, which are put in the caller's code -----------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

/// clamped(x) = min(x, 10), by an early return; twice(x) = 2 clamped(x).
const char *const functions = R"(.version 8.0
.func (.param .b32 result) clamped(.param .b32 x) {
  .reg .b32 %r<2>; .reg .pred %p;
  ld.param.b32 %r0, [x];
  setp.lt.u32 %p, %r0, 10;
  @!%p bra Large;
  st.param.b32 [result], %r0;
  ret;
Large:
  st.param.b32 [result+0], 10;
  ret;
}
.func (.param .b32 result) twice(.param .b32 x) {
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [x];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;
    call.uni (b), clamped, (a); ld.param.b32 %r1, [b]; }
  add.u32 %r1, %r1, %r1;
  st.param.b32 [result], %r1;
  ret;
}
.func self() { call self; ret; }
.func other() { .shared .b32 s; ret; }
)";

std::string error(const std::string &body) {
  Memory memory;
  Program program(
      parse(functions + (".entry k() {\n" + body + "\nret; }"), "k.ptx"),
      memory);
  try {
    program.kernel("k");
  } catch (const PtxError &error) {
    return error.what();
  }
  return "";
}

TEST(Call, OfFunctionsThatCall) {
  Memory memory;
  std::string text = std::string(functions) + R"(
.entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %q;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, 99;
  setp.ne.u32 %q, %r0, 3;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;
    @%q call (b), twice, (a);
    @%q ld.param.b32 %r1, [b]; }
  mad.wide.u32 %d1, %r0, 4, %d0;
  st.global.u32 [%d1], %r1;
  ret;
})";
  Program program(parse(text, "k.ptx"), memory);
  uint64_t out = memory.allocate(64, "out");
  Report report = launch(program, "k", {{1}, {16}, 0, Arguments().add(out)});
  EXPECT_EQ(report.text(), "");
  auto values = memory.download<uint32_t>(out, 16);
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(values[i], i == 3 ? 99 : 2 * std::min(i, 10u));
}

TEST(Call, Refusals) {
  EXPECT_EQ(error("call vprintf;"),
            "k.ptx:25: call vprintf: no function 'vprintf' is defined");
  EXPECT_EQ(error("call self;"),
            "k.ptx:22: call self: 'self' calls itself, which is not supported");
  EXPECT_EQ(error("call other;"),
            "k.ptx:23: shared variables of a function that is called are not "
            "supported");
  EXPECT_EQ(error("call clamped;"),
            "k.ptx:25: call clamped: the function takes or gives 1 values "
            "here, not 0");
  EXPECT_EQ(error(".reg .b32 a, b; call (a), clamped, (b);"),
            "k.ptx:25: call (a), clamped, (b): 'a' is no variable of .param");
}

} // namespace
