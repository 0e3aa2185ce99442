//===- Blocks.cpp - vectors of what threads of a block do together --------===//

#include "test/Gpu/Vectors/KernelText.h"
#include "test/Gpu/Vectors/Values.h"

using namespace hocket::vectors;

namespace {

constexpr uint32_t blocks = 4, threads = 128, all = blocks * threads;

KernelText begin(const Form &form, unsigned bytes) {
  KernelText text(form, blocks, threads);
  std::string each = std::to_string(bytes);
  text.variable(".shared .align 16 .b8 place[" +
                std::to_string(bytes * threads) + "]");
  text.line("mov.u32 %w0, place;");
  text.line("mad.lo.u32 %w1, %me, " + each + ", %w0;");
  return text;
}

/// A value goes to shared memory, and another thread of the block, or of the
/// warp, reads it.
Vector barrier(const Form &form) {
  Random random = randomFor(form);
  KernelText text = begin(form, 4);
  bool isOfWarp = form.has("warp");
  text.line("st.shared.u32 [%w1], " +
            text.source(word, drawValues({word}, all, random)) + ";");
  text.line(form.instruction() + (isOfWarp ? " 0xffffffff;"
                                  : form.operands.size() == 2
                                      ? " 0, " + std::to_string(threads) + ";"
                                      : " 0;"));
  text.line(isOfWarp ? "xor.b32 %w2, %me, 21;" : "xor.b32 %w2, %me, 85;");
  text.line("mad.lo.u32 %w2, %w2, 4, %w0;");
  text.line("ld.shared.u32 " + text.destination(word) + ", [%w2];");
  return text.finish();
}

/// Two warps give values that the two others wait for.
Vector arrival(const Form &form) {
  Random random = randomFor(form);
  KernelText text = begin(form, 4);
  std::string own = text.source(word, drawValues({word}, all, random));
  std::string seen = text.destination(word);
  std::string both = " 1, " + std::to_string(threads) + ";";
  text.line("st.shared.u32 [%w1], " + own + ";");
  text.line("mov.b32 " + seen + ", " + own + ";");
  text.line("setp.ge.u32 %p0, %me, " + std::to_string(threads / 2) + ";");
  text.line("@%p0 bra give;");
  text.line("bar.sync" + both);
  text.line("xor.b32 %w2, %me, 85;"); // of the other half
  text.line("mad.lo.u32 %w2, %w2, 4, %w0;");
  text.line("ld.shared.u32 " + seen + ", [%w2];");
  text.line("bra.uni given;");
  text.line("give:");
  text.line(form.instruction() + both);
  text.line("given:");
  return text.finish();
}

/// cp.async with what it is committed to and waited for by.
Vector asyncCopy(const Form &form) {
  Random random = randomFor(form);
  KernelText text = begin(form, 16);
  std::string copy = "cp.async.ca.shared.global [%w1], [%a0], 16;";
  if (form.has("shared"))
    copy = form.instruction() + " [%w1], [%a0], 16";
  std::vector<uint64_t> sizes(all);
  for (uint64_t &size : sizes)
    size = random() % 5 * 4;
  if (form.has("shared") && form.operands.size() == 4)
    copy += ", " + text.source(word, bytesOfValues(word, sizes));
  if (form.has("shared"))
    copy += ";";
  uint64_t from = text.array(word, drawValues({word}, all * 4, random));
  text.line("mad.wide.u32 %a0, %i, 16, %in;");
  text.line("add.u64 %a0, %a0, " + std::to_string(from) + ";");
  text.line(copy);
  text.line("cp.async.commit_group;");
  text.line(form.has("wait_all") ? "cp.async.wait_all;"
                                 : "cp.async.wait_group 0;");
  text.line("bar.sync 0;");
  text.line("xor.b32 %w2, %me, 85;");
  text.line("mad.lo.u32 %w2, %w2, 16, %w0;");
  for (unsigned i = 0; i < 4; ++i)
    text.line("ld.shared.u32 " + text.destination(word) + ", [%w2+" +
              std::to_string(i * 4) + "];");
  return text.finish();
}

/// What an atomic of integers does, as a plain instruction; empty if the order
/// of threads would show.
bool isOrderFree(const Form &form) {
  for (const char *operation : {"add", "min", "max", "and", "or", "xor"})
    if (form.has(operation))
      return true;
  return false;
}

/// Each thread at a place of its own, whose old value counts; then all of a
/// block at one place, whose last value does.
Vector atomic(const Form &form) {
  Random random = randomFor(form);
  Type type = typeOf(form.types().back());
  KernelText text = begin(form, type.bytes);
  std::string bits = bitsOf(type), bytes = std::to_string(type.bytes);
  std::string old = text.destination(type), last = text.destination(type);
  std::string first = text.source(type, drawValues({type}, all, random));
  std::string operands =
      ", " + text.source(type, drawValues({type}, all, random));
  if (form.has("cas"))
    operands = ", " + first + operands;
  bool isShared = form.has("shared"), isRed = form.opcode == "red";
  text.line("st.shared." + bits + " [%w1], " + first + ";");
  uint64_t cells = text.result(type, 1);
  text.line("mad.wide.u32 %a1, %i, " + bytes + ", %out;");
  text.line("add.u64 %a1, %a1, " + std::to_string(cells) + ";");
  text.line("st.global." + bits + " [%a1], " + first + ";");
  text.line("bar.sync 0;");
  std::string own = isShared ? "[%w1]" : "[%a1]";
  text.line(form.instruction() + " " + (isRed ? "" : old + ", ") + own +
            operands + ";");
  if (isRed)
    text.line("mov." + bits + " " + old + ", 0;");
  text.line("bar.sync 0;");
  // The first thread's place.
  text.line("mul.lo.u32 %w3, %me, " + bytes + ";");
  text.line("cvt.u64.u32 %a2, %w3;");
  text.line("sub.u64 %a3, %a1, %a2;");
  std::string common = isShared ? "[%w0]" : "[%a3]";
  if (isOrderFree(form) && type.kind == Kind::Integer)
    text.line(form.instruction() + " " + (isRed ? "" : last + ", ") + common +
              operands + ";");
  text.line("bar.sync 0;");
  text.line(std::string("ld.") + (isShared ? "shared." : "global.") + bits +
            " " + last + ", " + common + ";");
  return text.finish();
}

} // namespace

std::optional<Vector> hocket::vectors::blockVector(const Form &form) {
  bool isBarrier = form.opcode == "bar" || form.opcode == "barrier";
  if (isBarrier && form.has("sync") && !form.has("red"))
    return barrier(form);
  if (isBarrier && form.has("arrive") && form.operands.size() == 2)
    return arrival(form);
  if (form.opcode == "cp" && form.has("async"))
    return asyncCopy(form);
  bool isAtomic = form.opcode == "atom" || form.opcode == "red";
  if (isAtomic && !form.types().empty())
    return atomic(form);
  return std::nullopt;
}

/// A loop that each thread leaves when its own count is done, then two ways.
std::optional<Vector> hocket::vectors::branchVector(const Form &form) {
  if (form.opcode != "bra" && form.opcode != "ret")
    return std::nullopt;
  Random random = randomFor(form);
  KernelText text(form, blocks, threads);
  std::string value = text.source(word, drawValues({word}, all, random));
  std::string sum = text.destination(word);
  std::string jump = form.opcode == "bra" ? form.instruction() : "bra.uni";
  text.line("mov.u32 " + sum + ", 1;");
  text.line("and.b32 %w0, " + value + ", 31;");
  text.line("again:");
  text.line("setp.eq.u32 %p0, %w0, 0;");
  text.line("@%p0 bra done;");
  text.line("mad.lo.u32 " + sum + ", " + sum + ", 3, %w0;");
  text.line("sub.u32 %w0, %w0, 1;");
  text.line(jump + " again;");
  text.line("done:");
  text.line("and.b32 %w1, " + value + ", 1;");
  text.line("setp.eq.u32 %p1, %w1, 0;");
  text.line("@%p1 bra even;");
  text.line("not.b32 " + sum + ", " + sum + ";");
  text.line(jump + " end;");
  text.line("even:");
  text.line("add.u32 " + sum + ", " + sum + ", 7;");
  text.line("end:");
  return text.finish();
}

Vector hocket::vectors::vectorOf(const Form &form) {
  for (auto make : {lanewiseVector, carryVector, accessVector, addressVector,
                    exchangeVector, matrixVector, blockVector, branchVector})
    if (std::optional<Vector> vector = make(form))
      return std::move(*vector);
  throw hocket::ptx::PtxError("there are no vectors for '" + form.text() + "'");
}
