//===- Accesses.cpp - vectors of loads, stores and addresses --------------===//

#include "test/Gpu/Vectors/KernelText.h"
#include "test/Gpu/Vectors/Values.h"

using namespace hocket;
using namespace hocket::vectors;

namespace {

constexpr uint32_t blocks = 2, threads = 128;
constexpr Type byteType{Kind::Integer, 1, 1, false};

/// What ld and st say: where, how many elements of which type.
struct Access {
  std::string space; // "" is generic
  unsigned count = 1;
  Type type;      // of the registers
  unsigned bytes; // of an element
  unsigned all() const { return count * bytes; }
  bool isStaged() const { return space == "shared" || space == "local"; }
  std::string registers() const {
    std::string list = listOf("%v", count);
    return count == 1 ? list : "{" + list + "}";
  }
};

std::string text(unsigned number) { return std::to_string(number); }

std::optional<Access> accessOf(const Form &form) {
  std::vector<std::string> types = form.types();
  if (types.size() != 1 || form.has("const"))
    return std::nullopt;
  Access access{"", 1, typeOf(types[0]),
                static_cast<unsigned>(ptx::bytesOf(types[0]))};
  for (const char *space : {"global", "shared", "local", "param"})
    if (form.has(space))
      access.space = space;
  for (unsigned count : {2, 4, 8})
    if (form.has("v" + text(count)))
      access.count = count;
  // Registers wider than the element show how it is extended.
  if (access.bytes < 4)
    access.type = {Kind::Integer, 4, 1, access.type.isSigned};
  return access;
}

/// Begins a kernel: %v0 to %v7 are the registers of the access, %a1 is the
/// place of the thread's element in shared or local memory.
KernelText begin(const Form &form, const Access &access) {
  KernelText kernel(form, blocks, threads);
  kernel.variable(".reg ." + bitsOf(access.type) + " %v<8>");
  if (access.isStaged()) {
    unsigned places = access.space == "shared" ? threads : 1;
    kernel.variable("." + access.space + " .align 32 .b8 place[" +
                    text(access.all() * places) + "]");
    kernel.line("mov.u64 %a1, place;");
  }
  if (access.space == "shared")
    kernel.line("mad.wide.u32 %a1, %me, " + text(access.all()) + ", %a1;");
  return kernel;
}

/// %a becomes the address of the thread's element of an array.
void point(KernelText &kernel, const char *address, unsigned bytes,
           const char *base, uint64_t offset = 0) {
  kernel.line(std::string("mad.wide.u32 ") + address + ", %i, " + text(bytes) +
              ", " + base + ";");
  if (offset)
    kernel.line(std::string("add.u64 ") + address + ", " + address + ", " +
                std::to_string(offset) + ";");
}

void copyBytes(KernelText &kernel, unsigned bytes, const std::string &to,
               const std::string &from) {
  for (unsigned i = 0; i < bytes; ++i) {
    kernel.line("ld." + from + "+" + text(i) + "];");
    kernel.line("st." + to + "+" + text(i) + "], %w0;");
  }
}

Vector loadVector(const Form &form, const Access &access) {
  Random random = randomFor(form);
  KernelText kernel = begin(form, access);
  std::string from = "[%a0]";
  if (access.space == "param") {
    kernel.parameters(drawValues({byteType}, access.all(), random));
    from = "[block]";
  } else {
    kernel.array(byteType, drawValues({byteType},
                                      access.all() * blocks * threads, random));
    point(kernel, "%a0", access.all(), "%in");
  }
  if (access.isStaged()) {
    copyBytes(kernel, access.all(), access.space + ".u8 [%a1",
              "global.u8 %w0, [%a0");
    from = "[%a1]";
  }
  kernel.line(form.instruction() + " " + access.registers() + ", " + from +
              ";");
  uint64_t offset = kernel.result(access.type, access.count);
  point(kernel, "%a2", access.count * access.type.bytes, "%out", offset);
  for (unsigned i = 0; i < access.count; ++i)
    kernel.line("st.global." + bitsOf(access.type) + " [%a2+" +
                text(i * access.type.bytes) + "], %v" + text(i) + ";");
  return kernel.finish();
}

Vector storeVector(const Form &form, const Access &access) {
  Random random = randomFor(form);
  KernelText kernel = begin(form, access);
  uint64_t offset = kernel.array(
      access.type,
      drawValues({access.type}, uint64_t(access.count) * blocks * threads,
                 random));
  point(kernel, "%a0", access.count * access.type.bytes, "%in", offset);
  for (unsigned i = 0; i < access.count; ++i)
    kernel.line("ld.global." + bitsOf(access.type) + " %v" + text(i) +
                ", [%a0+" + text(i * access.type.bytes) + "];");
  point(kernel, "%a2", access.all(), "%out",
        kernel.result(byteType, access.all()));
  kernel.line(form.instruction() +
              (access.isStaged() ? " [%a1], " : " [%a2], ") +
              access.registers() + ";");
  if (access.isStaged())
    copyBytes(kernel, access.all(), "global.u8 [%a2",
              access.space + ".u8 %w0, [%a1");
  return kernel.finish();
}

} // namespace

std::optional<Vector> hocket::vectors::accessVector(const Form &form) {
  bool loads = form.opcode == "ld", stores = form.opcode == "st";
  std::optional<Access> access;
  if (loads || stores)
    access = accessOf(form);
  if (!access || (stores && access->space == "param"))
    return std::nullopt;
  return loads ? loadVector(form, *access) : storeVector(form, *access);
}

/// Loads what lies at an address that was converted.
std::optional<Vector> hocket::vectors::addressVector(const Form &form) {
  if (form.opcode != "cvta")
    return std::nullopt;
  Access access{"", 1, word, 4};
  for (const char *space : {"global", "shared", "local"})
    if (form.has(space))
      access.space = space;
  Random random = randomFor(form);
  KernelText kernel = begin(form, access);
  std::string value = kernel.source(
      word, drawValues({word}, uint64_t(blocks) * threads, random));
  if (access.isStaged()) {
    kernel.line("st." + access.space + ".u32 [%a1], " + value + ";");
  } else {
    point(kernel, "%a1", 4, "%in");
    access.space = "global";
  }
  bool isTo = form.has("to");
  if (isTo) // from an address of the generic space
    kernel.line("cvta." + access.space + ".u64 %a1, %a1;");
  kernel.line(form.instruction() + " %a2, %a1;");
  kernel.line(std::string("ld.") + (isTo ? access.space + "." : "") + "u32 " +
              kernel.destination(word) + ", [%a2];");
  return kernel.finish();
}
