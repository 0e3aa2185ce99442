//===- KernelText.cpp - writes the kernel of a vector ---------------------===//

#include "test/Gpu/Vectors/KernelText.h"

using namespace hocket::vectors;

std::string hocket::vectors::bitsOf(Type type) {
  return "b" + std::to_string(type.bytes * 8);
}

std::string hocket::vectors::listOf(const std::string &begin, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", " : "") + begin + std::to_string(i);
  return list;
}

KernelText::KernelText(const Form &form, uint32_t blocks, uint32_t threads) {
  vector.form = form.text();
  vector.blocks = blocks;
  vector.threads = threads;
}

uint64_t KernelText::array(Type type, const std::vector<std::byte> &values) {
  uint64_t offset = (vector.input.size() + 15) / 16 * 16;
  vector.input.resize(offset);
  vector.input.insert(vector.input.end(), values.begin(), values.end());
  vector.inputs.push_back({type, offset, values.size() / type.bytes});
  return offset;
}

uint64_t KernelText::result(Type type, unsigned each) {
  uint64_t offset = (vector.outputBytes + 15) / 16 * 16;
  uint64_t count = uint64_t(vector.blocks) * vector.threads * each;
  vector.outputs.push_back({type, offset, count});
  vector.outputBytes = offset + count * type.bytes;
  return offset;
}

/// %at becomes the address of the thread's element.
static std::string address(const char *base, unsigned bytes) {
  return "  mad.wide.u32 %at, %i, " + std::to_string(bytes) + ", " + base +
         ";\n";
}

std::string KernelText::source(Type type,
                               const std::vector<std::byte> &values) {
  uint64_t offset = array(type, values);
  std::string name = "%s" + std::to_string(sources++);
  bool isPredicate = type.kind == Kind::Predicate;
  variables +=
      "  .reg ." + (isPredicate ? "pred" : bitsOf(type)) + " " + name + ";\n";
  loads += address("%in", type.bytes) + "  ld.global." + bitsOf(type) + " " +
           (isPredicate ? "%flag" : name) + ", [%at+" + std::to_string(offset) +
           "];\n";
  if (isPredicate)
    loads += "  setp.ne.u32 " + name + ", %flag, 0;\n";
  return name;
}

std::string KernelText::destination(Type type) {
  uint64_t offset = result(type, 1);
  std::string name = "%d" + std::to_string(destinations++);
  bool isPredicate = type.kind == Kind::Predicate;
  variables +=
      "  .reg ." + (isPredicate ? "pred" : bitsOf(type)) + " " + name + ";\n";
  if (isPredicate)
    stores += "  selp.u32 %flag, 1, 0, " + name + ";\n";
  stores += address("%out", type.bytes) + "  st.global." + bitsOf(type) +
            " [%at+" + std::to_string(offset) + "], " +
            (isPredicate ? "%flag" : name) + ";\n";
  return name;
}

Vector KernelText::finish(Rule rule) {
  std::string more;
  if (!vector.parameters.empty())
    more = ", .param .align 16 .b8 block[" +
           std::to_string(vector.parameters.size()) + "]";
  vector.ptx = ".version 7.8\n.target sm_80\n.address_size 64\n"
               "// " +
               vector.form +
               "\n.visible .entry k(.param .u64 input, .param .u64 output" +
               more +
               ") {\n"
               "  .reg .b64 %in, %out, %at, %a<8>;\n"
               "  .reg .b32 %i, %me, %flag, %w<16>;\n"
               "  .reg .pred %p<8>;\n" +
               variables +
               "  ld.param.u64 %in, [input];\n"
               "  ld.param.u64 %out, [output];\n"
               "  mov.u32 %me, %tid.x;\n"
               "  mov.u32 %i, %ctaid.x;\n"
               "  mad.lo.u32 %i, %i, " +
               std::to_string(vector.threads) + ", %me;\n" + loads + body +
               stores + "  ret;\n}\n";
  vector.rule = std::move(rule);
  return std::move(vector);
}
