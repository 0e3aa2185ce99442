//===- Sample.h - kernels of a few lines, for tests ------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_SAMPLE_H
#define HOCKET_TEST_GPU_PTX_SAMPLE_H

#include "test/Gpu/Ptx/Launch.h"
#include <gtest/gtest.h>

namespace hocket::ptx {

/// A kernel `k` with parameters p0, p1, ... of 8 bytes. The body begins at
/// line 10 and has the registers %r0 to %r15 (b32), %d (b64), %f (f32), %h
/// (b16), %q (predicates); %d0 to %d3 hold the first four parameters.
inline std::string sampleText(const std::string &body, unsigned parameters) {
  std::string list, loads;
  for (unsigned i = 0; i < parameters; ++i) {
    list += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
    loads += " ld.param.u64 %d" + std::to_string(i) + ", [p" +
             std::to_string(i) + "];";
  }
  return ".version 8.6\n.target sm_100\n.address_size 64\n"
         ".extern .shared .align 16 .b8 dynamic[];\n"
         ".entry k(" +
         list +
         ") {\n"
         ".reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<16>;\n"
         ".reg .f64 %g<8>; .reg .b16 %h<16>; .reg .pred %q<8>;\n" +
         loads + "\n\n" + body + "\nret; }\n";
}

struct Sample {
  explicit Sample(const std::string &body, unsigned parameters = 1)
      : program(parse(sampleText(body, parameters), "k.ptx"), memory) {}
  Report run(Dim3 grid, Dim3 block, Arguments arguments,
             uint64_t dynamicShared = 0, uint64_t mostSteps = 100000) {
    return launch(program, "k",
                  {grid, block, dynamicShared, arguments, mostSteps});
  }
  Memory memory;
  Program program;
};

/// The sentence of the only finding.
inline std::string only(const Report &report) {
  EXPECT_EQ(report.findings.size(), 1u) << report.text();
  return report.findings.empty() ? "" : report.findings[0].sentence;
}

/// What an instruction gives one thread: its operands are %d, %s0, %s1, ...,
/// registers without a type of the sizes of To and of the sources.
template <typename To, typename... From>
To evaluate(const std::string &instruction, From... sources) {
  std::string list = ".param .u64 out", loads;
  unsigned count = 0;
  auto add = [&](unsigned bytes) {
    std::string i = std::to_string(count++), bits = std::to_string(bytes * 8);
    list += ", .param .b" + bits + " a" + i;
    loads += ".reg .b" + bits + " %s" + i + ";\n ld.param.b" + bits + " %s" +
             i + ", [a" + i + "];\n";
  };
  (add(sizeof(From)), ...);
  std::string bits = std::to_string(sizeof(To) * 8);
  std::string text = ".version 8.6\n.target sm_100\n.address_size 64\n"
                     ".entry k(" +
                     list +
                     ") {\n.reg .b64 %out;\n"
                     ".reg .pred %p, %q;\n.reg .b32 %t<4>;\n.reg .b" +
                     bits + " %d;\nld.param.u64 %out, [out];\n" + loads +
                     instruction + "\nst.global.b" + bits +
                     " [%out], %d;\nret; }";
  Memory memory;
  Program program(parse(text, "k.ptx"), memory);
  uint64_t out = memory.allocate(sizeof(To), "out");
  Arguments arguments;
  arguments.add(out);
  (arguments.add(sources), ...);
  Report report = launch(program, "k", {{1}, {1}, 0, arguments});
  EXPECT_TRUE(report.findings.empty()) << report.text();
  return memory.download<To>(out, 1)[0];
}

/// The error that refuses a statement.
inline std::string refusal(const std::string &body) {
  try {
    Sample(body).program.kernel("k");
  } catch (const PtxError &error) {
    return error.what();
  }
  return "";
}

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_SAMPLE_H
