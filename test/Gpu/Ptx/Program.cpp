//===- Program.cpp - a module whose variables lie in memory ---------------===//

#include "test/Gpu/Ptx/Program.h"
#include "test/Gpu/Ptx/Decoder.h"

using namespace hocket::ptx;

const char *hocket::ptx::nameOf(Class kind) {
  static const char *const names[classCount] = {
      "move",    "integer",     "float32", "float64", "half",
      "convert", "approximate", "compare", "branch",  "memory",
      "atomic",  "async copy",  "matrix",  "barrier", "exchange"};
  return names[static_cast<unsigned>(kind)];
}

Program::Program(Module module, Memory &memory)
    : parsed(std::move(module)), device(memory) {
  for (const Variable &variable : parsed.variables) {
    if (variable.space == "shared" || variable.isExtern)
      continue;
    uint64_t width = bytesOf(variable.type);
    uint64_t address = memory.allocate(width * variable.count, variable.name);
    addresses[variable.name] = address;
    // What has no value is zero.
    std::vector<std::byte> bytes(width * variable.count);
    for (size_t i = 0; i < variable.values.size(); ++i)
      std::memcpy(&bytes[i * width], &variable.values[i], width);
    memory.write(address, bytes.data(), bytes.size());
    if (variable.space == "const")
      memory.near(address)->isConstant = true;
  }
}

uint64_t Program::address(const std::string &name) const {
  auto found = addresses.find(name);
  return found == addresses.end() ? 0 : found->second;
}

const Kernel &Program::kernel(const std::string &name) {
  auto made = kernels.find(name);
  if (made != kernels.end())
    return made->second;
  auto found = parsed.functions.find(name);
  if (found == parsed.functions.end() || !found->second.isEntry)
    throw PtxError(parsed.file + ": no entry is called '" + name + "'");
  Kernel kernel;
  kernel.file = parsed.file;
  kernel.name = name;
  kernel.function = &found->second;
  Decoder(*this, found->second, kernel).run();
  Kernel &kept = kernels.emplace(name, std::move(kernel)).first->second;
  return kept;
}
