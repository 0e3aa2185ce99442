//===- RunOnInterpreter.cpp - the output of a vector without a GPU --------===//

#include "test/Gpu/Ptx/Launch.h"
#include "test/Gpu/Vectors/Run.h"

using namespace hocket;
using namespace hocket::vectors;

std::vector<std::byte> hocket::vectors::runOnInterpreter(const Vector &vector) {
  ptx::Memory memory;
  ptx::Program program(ptx::parse(vector.ptx, vector.form), memory);
  uint64_t input = memory.upload(
      vector.input.empty() ? std::vector<std::byte>(16) : vector.input,
      "the input");
  // A kernel writes all that counts; what lies between is zero.
  uint64_t output =
      memory.upload(std::vector<std::byte>(vector.outputBytes), "the output");
  ptx::Arguments arguments;
  arguments.add(input).add(output);
  arguments.bytes.insert(arguments.bytes.end(), vector.parameters.begin(),
                         vector.parameters.end());
  ptx::Report report = ptx::launch(
      program, "k", {{vector.blocks}, {vector.threads}, 0, arguments});
  if (!report.findings.empty())
    throw ptx::PtxError(report.text());
  return memory.download<std::byte>(output, vector.outputBytes);
}
